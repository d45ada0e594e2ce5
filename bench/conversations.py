"""Conversations with questions about them, as public data sets bring them, and the requests that make them a memory.

One line of a file (JSONL, may be gzipped) is `{id, dataset, sessions: [{id, datetime, turns: [{id, speaker, text,
caption?}]}], questions: [{id, question, category, evidence, answer?, evidence_audited?,
evidence_roles?, question_date?}]}`.
LoCoMo (Maharana et al. 2024), BEAM (Tavakoli et al. 2025), LongMemEval (Wu et al. 2024) and QMSum (Zhong et al. 2021)
have been brought into this shape; none of them is part of Memoray.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory.errors import Invalid

TIME_SHAPES = ("%I:%M %p on %d %B, %Y", "%B-%d-%Y", "%Y/%m/%d (%a) %H:%M")
""""7:30 am on 1 June, 2021" (LoCoMo), "March-15-2024" (BEAM), "2021/06/03 (Thu) 20:15" (LongMemEval)."""
UNDATED = datetime(2020, 1, 1, tzinfo=UTC).timestamp()
"""When a session without a date (QMSum) is taken to have begun."""
TURN_S = 1.0
"""Seconds between turns, whose own times none of the sets tells."""
PHOTO = " [shares a photo: "
"""Between what was said in a turn and the caption of the photo that was shared with it."""
LABELS = ("evidence", "evidence_audited")
"""Gold turns as published, or as corrected by a public audit of LoCoMo where there is a correction."""
_ROLES = {"user": "user", "assistant": "assistant"}


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question and its answer, its gold turns, the sides of which each should be found, and when it is asked.

    That is in epoch seconds.
    """

    text: str
    category: str
    gold: tuple[str, ...]
    roles: Mapping[str, tuple[str, ...]]
    at: float
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The bodies of POST /v1/sources, one a session, and the questions that have gold turns."""

    id: str
    dataset: str
    bodies: tuple[Mapping[str, Any], ...]
    questions: tuple[GoldQuestion, ...]

    @property
    def segments(self) -> int:
        """How many turns there are."""
        return sum(len(body["segments"]) for body in self.bodies)


def read(path: Path, labels: str = LABELS[0], most_questions: int | None = None) -> list[Conversation]:
    """The conversations of a file, down to the one that holds the last question wanted.

    Raises Invalid, with the line, if the file is not of that shape, and if it has no question with gold turns.
    """
    if labels not in LABELS:
        raise Invalid(f"There are no labels {labels!r}; there are {', '.join(LABELS)}.")
    found, left = [], most_questions
    for conversation in _conversations(path, labels):
        chosen = replace(conversation, questions=conversation.questions[:left])
        found.append(chosen)
        left = None if left is None else left - len(chosen.questions)
        if left == 0:
            break
    if not any(conversation.questions for conversation in found):
        raise Invalid(f"{path.name} holds no question with gold turns.")
    return found


def together(conversations: Sequence[Conversation]) -> Conversation:
    """All of them as one, to be remembered in one memory: sources and turns have the conversation before their ids."""
    names = dict.fromkeys(each.dataset for each in conversations)
    return Conversation(
        id="together",
        dataset="+".join(names) + " together",
        bodies=tuple(_of(each.id, body) for each in conversations for body in each.bodies),
        questions=tuple(_about(each.id, question) for each in conversations for question in each.questions),
    )


def _of(conversation: str, body: Mapping[str, Any]) -> dict[str, Any]:
    turns = [{**turn, "segment_id": f"{conversation}:{turn['segment_id']}"} for turn in body["segments"]]
    return {**body, "source_id": f"{conversation}:{body['source_id']}", "segments": turns}


def _about(conversation: str, question: GoldQuestion) -> GoldQuestion:
    def of(turns: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{conversation}:{turn}" for turn in turns)

    return replace(question, gold=of(question.gold), roles={role: of(ids) for role, ids in question.roles.items()})


def _conversations(path: Path, labels: str) -> Iterator[Conversation]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                yield _parsed(line, f"{path.name}, line {number}", labels)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8, or its gzip stream is damaged"
        raise Invalid(f"{path} cannot be read: {reason}.") from error


def _parsed(line: str, place: str, labels: str) -> Conversation:
    try:
        return conversation_of(json.loads(line), labels)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Invalid(f"{place}: not a conversation with sessions and questions.") from error


def conversation_of(row: Mapping[str, Any], labels: str) -> Conversation:
    """One line's conversation. A question without a date is asked when the last session ends."""
    bodies = tuple(source_body(session) for session in row["sessions"])
    end = max(body["started_at"] + TURN_S * len(body["segments"]) for body in bodies)
    questions = tuple(_asked(question, labels, end) for question in row["questions"])
    return Conversation(row["id"], row["dataset"], bodies, tuple(each for each in questions if each.gold))


def _asked(question: Mapping[str, Any], labels: str, end: float) -> GoldQuestion:
    return GoldQuestion(
        text=question["question"],
        category=question["category"],
        gold=tuple(question.get(labels) or question.get(LABELS[0]) or ()),
        roles={role: tuple(ids) for role, ids in (question.get("evidence_roles") or {}).items()},
        at=moment(question["question_date"]) if question.get("question_date") else end,
        answer=str(question.get("answer") or ""),
    )


def source_body(session: Mapping[str, Any]) -> dict[str, Any]:
    """A session as POST /v1/sources takes it; turns are segments under their own ids."""
    return {
        "source_id": session["id"],
        "started_at": moment(session["datetime"]),
        "segments": [_segment(place, turn) for place, turn in enumerate(session["turns"])],
    }


def _segment(place: int, turn: Mapping[str, Any]) -> dict[str, Any]:
    photo = f"{PHOTO}{turn['caption']}]" if turn.get("caption") else ""
    at = TURN_S * place
    role = _ROLES.get(turn["speaker"], "other")
    words = turn["text"] + photo
    return {"segment_id": turn["id"], "speaker": turn["speaker"], "text": words, "start": at, "end": at, "role": role}


def moment(text: str | None) -> float:
    """Epoch seconds of a date in one of TIME_SHAPES, taken as UTC; UNDATED without one. Raises ValueError."""
    if text is None:
        return UNDATED
    for shape in TIME_SHAPES:
        try:
            return datetime.strptime(text, shape).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
    raise ValueError("unknown shape of date")
