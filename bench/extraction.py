"""What the LLM-free extractor keeps of a dialogue: `python -m bench.extraction FILE [--sample N]`.

FILE is of the shape of `bench.conversations`, with answers; photos are not read. Over the questions with a single
evidence turn it prints how many single-hop answers have all their content words in one fact (and in the whole turn, the
ceiling), and how many temporal questions have the right day, week, month or year by a fact of the turn; then facts a
turn, turns a CPU-second and peak memory. `--misses` lists the temporal questions that went wrong, `--sample N` prints N
random facts of importance 4 and more to read, others for every `--seed S`.
"""

from __future__ import annotations

import random
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import snowballstemmer

from adapters.extraction.rules import read
from adapters.extraction.rules_model import load
from bench import conversations
from bench.conversations import PHOTO, Conversation
from memory.model.claims import Claim, Utterance
from memory.model.timeline import DAY_S, iso
from memory.words.stems import STOP_PARTS
from memory.words.time_expressions import resolve
from memory.words.time_spans import TimeSpan

_STEM = snowballstemmer.stemmer("english").stemWord
_WEIGHTY = 4
"""From this importance on facts are shown and promoted."""
_SLACK_DAYS = 9.0
"""A gold "week before D" accepts an overlapping span that starts within nine days."""


def content_words(text: str) -> frozenset[str]:
    """Stems of the words that carry meaning."""
    return frozenset(_STEM(word) for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in STOP_PARTS)


def utterances(conversation: Conversation) -> Iterator[list[Utterance]]:
    """The turns of a conversation, a list a session, half a minute apart, without the photos."""
    key = 0
    for body in conversation.bodies:
        listed = []
        for place, turn in enumerate(body["segments"]):
            key += 1
            at, text = body["started_at"] + 30.0 * place, turn["text"].partition(PHOTO)[0]
            where = (body["source_id"], str(turn["segment_id"]), key, 1)
            listed.append(Utterance(*where, turn["speaker"], text, at, role=turn["role"]))
        yield listed


def gold_span(answer: str, anchor: float) -> tuple[TimeSpan | None, bool]:
    """The time an answer names, and whether it is "the week before" one."""
    spans = resolve(f"in {answer}" if re.fullmatch(r"\d{4}", answer.strip()) else answer, anchor, 0, "past")
    return (spans[-1] if spans else None), bool(
        re.search(r"\bbefore\b|\bafter\b|week of|few days", answer, re.IGNORECASE)
    )


def fits(claim: Claim, gold: TimeSpan, loosely: bool) -> bool:
    """Whether a fact stands at the gold time: its start lies within it (or near, for "the week before")."""
    start, end = claim.valid_from, claim.valid_to
    if claim.tense == "plan" and claim.due is not None:
        start, end = claim.due, claim.due
    if start is None or gold.start is None:
        return False
    gold_end = gold.end if gold.end is not None else gold.start + 366 * DAY_S
    if loosely:
        return gold.start - _SLACK_DAYS * DAY_S <= start <= gold_end
    if end is not None and gold.kind == "point":
        return start <= gold.start < max(end, start + 1)
    return gold.start <= start < gold_end


@dataclass(frozen=True, slots=True)
class SingleGoldQuestion:
    """A question with a single gold turn, and its answer."""

    text: str
    answer: str
    turn: str


@dataclass(slots=True)
class ExtractionResult:
    """What was read out of a file: per turn its words, moment and claims; the questions to judge them by."""

    texts: dict[str, str] = field(default_factory=dict)
    moments: dict[str, float] = field(default_factory=dict)
    claims: dict[str, list[Claim]] = field(default_factory=dict)
    questions: dict[str, list[SingleGoldQuestion]] = field(default_factory=dict)
    cpu_s: float = 0.0

    def add(self, conversation: Conversation) -> None:
        """Read one conversation, session by session."""
        for session in utterances(conversation):
            began = time.process_time()
            found = read(session).claims
            self.cpu_s += time.process_time() - began
            names = {u.segment_key: f"{conversation.id}/{u.segment_id}" for u in session}
            for utterance in session:
                name = names[utterance.segment_key]
                self.texts[name], self.moments[name] = utterance.text, utterance.at
            for claim in found:
                self.claims.setdefault(names[claim.segment_key], []).append(claim)
        for question in conversation.questions:
            turns = [f"{conversation.id}/{turn}" for turn in question.gold]
            if len(turns) == 1 and turns[0] in self.texts:
                judged = SingleGoldQuestion(question.text, question.answer, turns[0])
                self.questions.setdefault(question.category, []).append(judged)


def single_hop(measured: ExtractionResult, least: int) -> str:
    """Shares of answers with all, or 60 %, of their words in one fact, in all facts of the turn, in the turn."""
    counts: Counter[str] = Counter()
    questions = measured.questions.get("single-hop", [])
    for question in questions:
        wanted, turn = content_words(question.answer), question.turn
        facts = [content_words(c.statement) for c in measured.claims.get(turn, []) if c.importance >= least]
        counts["all in one fact"] += any(wanted <= fact for fact in facts)
        counts["60 % in one fact"] += any(len(wanted & fact) >= 0.6 * len(wanted) for fact in facts)
        counts["all in the facts"] += wanted <= frozenset().union(*facts)
        counts["all in the turn"] += wanted <= content_words(measured.texts[turn])
    return ", ".join(f"{name} {100 * count / max(1, len(questions)):.1f} %" for name, count in counts.items())


def temporal(measured: ExtractionResult, *, verbose: bool) -> str:
    """How many "when" and "how long" questions have a fact of their turn at the right time."""
    right = judged = 0
    for question in measured.questions.get("temporal", []):
        turn = question.turn
        gold, loosely = gold_span(question.answer, measured.moments[turn])
        if gold is None or not re.match(r"when|how long", question.text.lower()):
            continue
        claims = measured.claims.get(turn, [])
        good = any(fits(claim, gold, loosely) for claim in claims)
        judged, right = judged + 1, right + good
        if verbose and not good:
            print("miss:", question.text, question.answer, [claim.statement for claim in claims])
    return f"{right}/{judged} = {100 * right / max(1, judged):.1f} %"


def main(arguments: Sequence[str]) -> None:
    """Print the figures, and what was asked for beside them."""
    load()
    measured = ExtractionResult()
    for conversation in conversations.read(Path(arguments[0]), conversations.LABELS[1]):
        measured.add(conversation)
    listed = [claim for found in measured.claims.values() for claim in found]
    turns, weighty = len(measured.texts), [claim for claim in listed if claim.importance >= _WEIGHTY]
    print("single-hop:", single_hop(measured, 1))
    print("  importance >= 4:", single_hop(measured, _WEIGHTY))
    print("temporal, any fact of the turn:", temporal(measured, verbose="--misses" in arguments))
    typed = sum(claim.predicate is not None for claim in listed) / max(1, len(listed))
    print(
        f"facts a turn {len(listed) / turns:.2f}, importance >= 4 {len(weighty) / turns:.2f}, typed {100 * typed:.0f} %"
    )
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{turns} turns, {turns / measured.cpu_s:.0f} a CPU-second, {peak_mb} MB peak")
    if "--sample" in arguments:
        seed = int(arguments[arguments.index("--seed") + 1]) if "--seed" in arguments else 7
        show(measured, int(arguments[arguments.index("--sample") + 1]), seed)


def show(measured: ExtractionResult, count: int, seed: int) -> None:
    """Print random weighty facts with their evidence, for a reader to judge."""
    listed = [(turn, c) for turn, found in measured.claims.items() for c in found if c.importance >= _WEIGHTY]
    for turn, claim in random.Random(seed).sample(listed, min(count, len(listed))):
        when = f"{iso(claim.valid_from)} .. {iso(claim.valid_to) or iso(claim.due) or ''}"
        print(f"{claim.importance} {'+' if claim.polarity else '-'} {claim.predicate or '-'}: {claim.statement}")
        print(f"    object {claim.object}, slot {claim.slot}, {when}; from {turn}: {claim.quote}")


if __name__ == "__main__":
    main(sys.argv[1:])
