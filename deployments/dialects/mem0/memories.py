"""Memories as mem0's clients see them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from deployments.callers import Caller
from deployments.sealing import sealed
from deployments.use_cases.heard import HeardSegment
from deployments.use_cases.named import NamedMemory, named_words
from deployments.use_cases.provenance_filters import LABELS, metadata_shown
from memory.model.ids import digest
from memory.model.origins import EXPIRES_ON

Memory = dict[str, Any]


def memory_of(who: Caller, said: NamedMemory | HeardSegment) -> Memory:
    """Words or a fact as a memory. `metadata` are those that words were told with."""
    said = named_words(said) if isinstance(said, HeardSegment) else said
    return {
        "id": sealed([who.user_id, *said.named]),
        "memory": said.text,
        **{name: said.provenance.get(name) for name in LABELS},
        **_owned(who, said),
        "hash": digest(said.text).hex(),
        "categories": [],
        "created_at": said.at,
        "updated_at": said.changed_at,
        "expiration_date": said.provenance.get(EXPIRES_ON),
        **said.more,
    }


def _owned(who: Caller, said: NamedMemory) -> Memory:
    told = said.provenance
    return {"user_id": told.get("user_id") or who.user_id, "metadata": metadata_shown(told)}


def history_of(who: Caller, said: NamedMemory) -> list[Memory]:
    """What a memory said, the oldest first; each is known by its own words and those before it."""
    identity, role = sealed([who.user_id, *said.asked]), said.more.get("role")
    author = "assistant" if role == "assistant" else "user"
    return [
        {
            "id": sealed([identity, str(number)]) if number else identity,
            "memory_id": identity,
            "old_memory": old,
            "new_memory": new,
            "event": "UPDATE" if number else "ADD",
            "created_at": at,
            "updated_at": at,
            "input": [{"role": author, "content": new}] if role else [],
            **_owned(who, said),
        }
        for number, ((old, _), (new, at)) in enumerate(pairwise([(None, None), *said.wordings]))
    ]


def fields_of(memories: Iterable[Memory], fields: Sequence[str] | None) -> list[Memory]:
    """Memories with these fields alone, and their ids; with all of them if none are named."""
    wanted = {"id", *(fields or ())}
    return [{name: said for name, said in each.items() if not fields or name in wanted} for each in memories]
