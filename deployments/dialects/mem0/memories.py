"""Memories as mem0's clients see them: their ids, and how a segment or a fact is shown as one."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

import orjson
from pydantic import Field, TypeAdapter, ValidationError

from deployments.callers import Caller
from deployments.kinds import Id
from deployments.use_cases.facts import FactOut
from deployments.use_cases.heard import HeardSegment
from deployments.use_cases.provenance_filters import LABELS, Filters, json_of, metadata_shown, written_filters
from memory.errors import Invalid, NotFound
from memory.model.ids import digest
from memory.model.origins import EXPIRES_ON
from memory.model.timeline import iso

MOST_SEALED = 4_000
"""Characters of an id: it holds up to three of ours."""
_PARTS: TypeAdapter[list[str]] = TypeAdapter(Annotated[list[Id], Field(min_length=1)])
Memory = dict[str, Any]


def sealed(*parts: str) -> str:
    """Ids as one, which may stand in any URL."""
    return urlsafe_b64encode(orjson.dumps(parts)).decode().rstrip("=")


def opened(given: str) -> list[str]:
    """The ids that `sealed` made one of. Raises NotFound for anything else: it names nothing."""
    try:
        if len(given) > MOST_SEALED:
            raise ValueError
        return _PARTS.validate_python(orjson.loads(urlsafe_b64decode(given + "=" * (-len(given) % 4))))
    except (ValueError, ValidationError) as error:
        raise NotFound("There is no such memory.") from error


def sealed_filters(filters: Filters) -> str:
    """Filters as an id. Raises Invalid."""
    return urlsafe_b64encode(json_of(filters).encode()).decode()


def opened_filters(given: str) -> Filters:
    """The filters that an id holds. Raises Invalid."""
    try:
        return written_filters(urlsafe_b64decode(given).decode())
    except ValueError as error:
        raise Invalid("memory_export_id: give it back as it was given.") from error


def memory_of(who: Caller, said: HeardSegment) -> Memory:
    """A segment as a memory. `metadata` are those it was told with; the last line is ours."""
    told = said.provenance
    return {
        **_memory(sealed(who.user_id, *said.place), said.text, iso(said.at), iso(said.changed_at)),
        **{name: told.get(name) for name in LABELS},
        "user_id": told.get("user_id") or who.user_id,
        "metadata": metadata_shown(told),
        "expiration_date": told.get(EXPIRES_ON),
        **{"role": said.role, "speaker": said.speaker, "source_id": said.source_id, "segment_id": said.segment_id},
    }


def memory_of_fact(who: Caller, fact: FactOut) -> Memory:
    """A fact as a memory."""
    shown = _memory(sealed(who.user_id, fact.fact_id), fact.statement, fact.valid_from, fact.system_from)
    return {**shown, "user_id": who.user_id, "fact_id": fact.fact_id, "status": fact.status}


def _memory(identity: str, text: str, created_at: str | None, updated_at: str | None) -> Memory:
    return {
        "id": identity,
        "memory": text,
        **dict.fromkeys(LABELS),
        "hash": digest(text).hex(),
        "metadata": {},
        "categories": [],
        "created_at": created_at,
        "updated_at": updated_at,
        "expiration_date": None,
    }


def history_of(who: Caller, said: HeardSegment) -> list[Memory]:
    """What a segment said, one entry for each wording."""
    role = "assistant" if said.role == "assistant" else "user"
    texts = [*said.wordings, said.text]
    times = [iso(said.at), *(iso(said.changed_at) for _ in said.wordings)]
    shown = {"user_id": said.provenance.get("user_id") or who.user_id, "metadata": metadata_shown(said.provenance)}
    entries = _entries(sealed(who.user_id, *said.place), texts, times)
    return [{**each, **shown, "input": [{"role": role, "content": each["new_memory"]}]} for each in entries]


def history_of_facts(who: Caller, facts: Sequence[FactOut]) -> list[Memory]:
    """What a fact said and what took its place, the oldest first."""
    texts, times = [each.statement for each in facts], [each.system_from for each in facts]
    entries = _entries(sealed(who.user_id, facts[0].fact_id), texts, times)
    return [{**each, "user_id": who.user_id, "metadata": {}, "input": []} for each in entries]


def _entries(identity: str, texts: Sequence[str], times: Iterable[str | None]) -> list[Memory]:
    steps = list(pairwise([None, *texts]))
    return [
        {
            "id": sealed(identity, str(number)) if number else identity,
            "memory_id": identity,
            "old_memory": old,
            "new_memory": new,
            "event": "UPDATE" if number else "ADD",
            "created_at": at,
            "updated_at": at,
        }
        for number, ((old, new), at) in enumerate(zip(steps, times, strict=True))
    ]


def fields_of(memory: Memory, fields: Sequence[str] | None) -> Mapping[str, Any]:
    """A memory with these fields alone, and its id."""
    return memory if not fields else {name: said for name, said in memory.items() if name == "id" or name in fields}
