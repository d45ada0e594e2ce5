"""What recall answers to a fixed set of questions about three worlds, to the last bit, in every order.

    python -m tests.quality.recorded

writes the answers anew, for a change that is meant to move them. What is believed is taken from the claims of a world
and not read out of its talk: the record tells of retrieval, and does not change with what readers understand.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from adapters.embedding.hashing import HashingEmbedder
from bench.unseen_worlds import turns_of, world
from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence, Fact
from memory.model.ids import fold
from memory.model.scopes import Sensitivity, View
from memory.model.working_set import WorkingSet
from memory.ports import Index
from memory.retrieval.batches import dense_text
from memory.retrieval.beliefs import Beliefs
from memory.retrieval.query import Question
from memory.retrieval.registry import LEGS
from memory.retrieval.segment_index import MemoryTraits, SegmentIndex
from memory.services.recall import (
    ANNIE,
    GRAPH_MEMORY,
    PERSONAL_AI,
    RecallContext,
    RecallSettings,
    Recollection,
    at_hand,
    recall,
)
from tests.unit.retrieval.rows import Row, batch

WORLDS = Path(__file__).resolve().parents[2] / "training" / "worlds"
RECORD = Path(__file__).with_name("recorded.json")
ENCODER = HashingEmbedder()
ORDERS = {"weighed": RecallSettings(), "decayed": ANNIE, "factors": PERSONAL_AI, "fused": GRAPH_MEMORY}
EVERY, SHOWN = 4, 10
"""Which of a world's questions are asked, and how many of the results are recorded."""
NAMES = ("i-cockle-thesis", "k-strings", "s-04-reden-fuer-tote")
MORE = (
    "What happened last month?",
    "What did we talk about on Monday?",
    "What did I say after the visit?",
    "Please suggest something for the weekend.",
    "Kannst du mir etwas vorschlagen?",
    "Was war letzte Woche?",
    "???",
    "What is it?",
)
"""Requests, times, and what asks for nothing."""

Answers = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Told:
    """A world as columns and beliefs."""

    beliefs: Beliefs
    questions: tuple[str, ...]
    asked_at: float
    languages: tuple[str, ...]


def arithmetic() -> str:
    """What this machine makes of float32: processors and libraries differ in the last bit of a product.

    A library chooses its kernel by the shape, too, so products of several shapes are told apart: rows by a vector, by
    a few vectors and by many, and few rows.
    """
    drawn = np.random.default_rng(7).standard_normal((300, 512)).astype(np.float32)
    products = (
        drawn @ drawn[0],
        drawn @ drawn[:3].T,
        drawn @ drawn[:40].T,
        drawn[:7] @ drawn[0],
        drawn.T @ drawn[:, 0],
    )
    made = (*products, np.exp(drawn), np.exp2(drawn), np.log1p(np.abs(drawn)), drawn.sum(axis=1))
    return hashlib.sha256(b"".join(each.tobytes() for each in made)).hexdigest()[:16]


async def answers(worlds: Sequence[str] = NAMES) -> Answers:
    """World / order / question -> the best keys with the bits of their scores, and what else was found out."""
    found: Answers = {}
    for name in worlds:
        told = _told(name)
        for order, settings in (*ORDERS.items(), ("without a vector", RecallSettings())):
            for text in (*told.questions, *MORE):
                said = await _ask(told, text, settings, order != "without a vector")
                found[f"{name} / {order} / {text}"] = _recorded(said)
    return found


def fan(beliefs: Beliefs) -> tuple[Index, ...]:
    """Every leg of a shard, in its order."""
    return tuple(leg.over(beliefs) for leg in LEGS)


async def _ask(told: Told, text: str, settings: RecallSettings, encoded: bool) -> Recollection:
    question = Question(text, View("ann"), told.asked_at, limit=SHOWN, explain=True)
    patient = replace(settings, leg_timeout_s=60.0)
    asked = at_hand(ENCODER.ask(text) if encoded else None)
    traits_of = MemoryTraits(told.beliefs.segment_index, told.beliefs)
    return await recall(question, fan(told.beliefs), traits_of, asked, patient, RecallContext(told.languages))


def _recorded(said: Recollection) -> dict[str, Any]:
    found = sorted({leg for each in said.explained for leg in each.ranks})
    return {
        "keys": said.keys.tolist(),
        "scores": said.scores.astype(">f4").tobytes().hex(),
        "candidates": said.candidates,
        "abstained": said.abstained,
        "found_by": " ".join(found),
        "degraded": " ".join(f"{leg}:{why}" for leg, why in said.degraded.items()),
    }


def _told(name: str) -> Told:
    lines = (WORLDS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    read, language = world(name, lines), "de" if "language: de" in lines[0] else "en"
    rows, number = [], dict[str, int]()
    for body in read.conversation.bodies:
        for order, turn in enumerate(body["segments"]):
            number[turn["segment_id"]] = key = len(number) + 1
            at = body["started_at"] + 10.0 * order
            rows.append(
                Row(
                    key,
                    turn["text"],
                    int(body["source_id"]),
                    order,
                    at,
                    at,
                    turn["speaker"],
                    turn["role"],
                    "8 May 2023",
                    language,
                )
            )
    segment_index = SegmentIndex(ENCODER.dimensions)
    segment_index.put("user:ann", Sensitivity.OPEN, batch(rows))
    encoded = ENCODER.encode([dense_text(row.speaker, row.date, row.text) for row in rows])
    segment_index.put_vectors("user:ann", np.array([row.key for row in rows]), encoded.vectors, encoded.pieces)
    believed = _believed(lines, rows, number)
    beliefs = Beliefs(segment_index, {"ann": believed}.get)
    columns = beliefs.facts_of("ann")
    columns.catch_up(believed)
    columns.put_vectors(list(believed.facts), ENCODER.embed([each.statement for each in believed.facts.values()]))
    questions = tuple(each.text for each in read.asked[::EVERY])
    return Told(beliefs, questions, rows[-1].at + 7 * 86_400, ("en", "de") if language == "de" else ("en",))


def _believed(lines: Sequence[str], rows: Sequence[Row], number: dict[str, int]) -> WorkingSet:
    """A fact for each claim, about its subject, resting on its turns; who is so called is mentioned there."""
    claims = list(_claims(lines))
    names = sorted({who for who, *_ in claims} | {row.speaker for row in rows})
    entities = {f"e-{at}": Entity(f"e-{at}", "person", name, 0.9, rows[0].at) for at, name in enumerate(names)}
    ids = {entity.name: entity_id for entity_id, entity in entities.items()}
    mentions = {
        ids[name]: {row.key: Mention(ids[name], "s", row.key, row.at, name) for row in rows if name in row.text}
        for name in names
    }
    facts, evidence = dict[str, Fact](), dict[str, tuple[Evidence, ...]]()
    for at, (who, said, turns) in enumerate(claims):
        keys, fact_id = [number[turn] for turn in turns], f"f-{at}"
        since = rows[keys[0] - 1].at
        facts[fact_id] = Fact(fact_id, 1, ids[who], f"{who} {said}.", "factual", 5, 0.9, since, since)
        evidence[fact_id] = tuple(Evidence(fact_id, "s", key, "", since) for key in keys)
    by_subject = {
        entity_id: tuple(each.fact_id for each in facts.values() if each.subject_id == entity_id)
        for entity_id in entities
    }
    called = {fold(entity.name): (entity_id,) for entity_id, entity in entities.items()}
    return WorkingSet(
        "ann",
        1,
        entities=entities,
        facts=facts,
        mentions=mentions,
        evidence=evidence,
        names=called,
        by_subject=by_subject,
    )


def _claims(lines: Sequence[str]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for line in lines:
        if line.startswith("! "):
            turns, who, verb, what, *_ = (part.strip() for part in line[2:].split("|"))
            yield who, f"{verb} {what}", tuple(turns_of(turns))


def main() -> None:
    """Write the record anew, an answer a line."""
    told = asyncio.run(answers())
    lines = ",\n".join(f"{json.dumps(asked, ensure_ascii=False)}: {json.dumps(said)}" for asked, said in told.items())
    RECORD.write_text(f'{{"arithmetic": "{arithmetic()}", "answers": {{\n{lines}\n}}}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
