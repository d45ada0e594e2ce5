"""Episodes: sources as clients of a knowledge graph store and list them, each in a group.

A group is a label that a client gives to what it stores. It is kept in the provenance of the source and only filters
results: one person has one memory. What was stored without a group is in `UNGROUPED`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.use_cases.forgetting import forget_source
from deployments.use_cases.graph import GROUP
from deployments.use_cases.messages_told import ROLES
from deployments.use_cases.telling import SegmentIn, SourceIn, tell
from memory.errors import Forbidden
from memory.model.heard import KnownSource
from memory.model.ids import segment_key
from memory.model.origins import ProvenanceFilter
from memory.model.timeline import iso

UNGROUPED = "main"
"""The group of everything that was stored without one."""
MOST_READ = 200
"""Segments of an episode that are shown, and looked through for what rests on them."""
MOST_CLEARED = 1_000
"""Sources that one clearing forgets."""
_SPOKEN = re.compile(r"^\s*([^\s:][^:\n]{0,63}):\s+(\S.*)$")
"""A line of a talk: who speaks, and what."""
OWNER, MESSAGE = "user", "message"
_OWN = ("user", "human")
"""How such clients call the owner, who is known by another label here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeTold:
    """What is to be stored: text, the lines of a conversation (`message`), or `json`."""

    name: str
    body: str
    group: str
    source: str
    description: str
    at: float


@dataclass(frozen=True, slots=True)
class Episode:
    """A source as it is listed."""

    source_id: str
    name: str
    content: str
    created_at: str | None
    source: str
    description: str
    group: str


async def tell_episode(app: AppContext, who: Caller, source_id: str, told: EpisodeTold) -> None:
    """Store an episode. It is found by its words at once, and facts follow. Raises Forbidden and Invalid."""
    group = {} if told.group == UNGROUPED else {GROUP: told.group}
    provenance = {"name": told.name, "source": told.source, "description": told.description, **group}
    own = (await app.profile(who.user_id)).label
    spoken = _talk(told.body, own) if told.source == MESSAGE else []
    kind = "conversation" if spoken else "document" if told.source == "json" else "note"
    words: dict[str, Any] = {"segments": spoken} if spoken else {"content": told.body}
    source = SourceIn(source_id=source_id, kind=kind, started_at=told.at, provenance=provenance, **words)
    await tell(app, who, source)


async def list_episodes(app: AppContext, who: Caller, groups: Collection[str] | None, most: int) -> list[Episode]:
    """The newest sources of these groups, or of all."""
    wanted = None if groups is None else ["" if each == UNGROUPED else each for each in groups]
    page = await app.stores.reads.sources.page(who.view, most, groups=wanted)
    own = (await app.profile(who.user_id)).label
    return [await _shown(app, source, own) for source in page.shown]


def origins_in(groups: Collection[str] | None) -> list[ProvenanceFilter] | None:
    """Where the words of groups come from, or others that say the same would take their places; None of anywhere."""
    if groups is None or UNGROUPED in groups:
        return None
    return [ProvenanceFilter(says={GROUP: each}) for each in groups]


async def forget_groups(app: AppContext, who: Caller, key: str, groups: Collection[str]) -> int:
    """Erase what was stored in these groups, the newest first. Returns how many sources are left.

    What was told without a group is a whole life: that is never cleared from here. Raises Forbidden.
    """
    writing(who)
    if UNGROUPED in groups:
        raise Forbidden(
            f"{UNGROUPED} is whatever was told without a group, a whole memory: to forget that, use DELETE /v1/memory."
        )
    page = await app.stores.reads.sources.page(who.view, MOST_CLEARED, groups=list(groups))
    for number, source in enumerate(page.shown):
        await forget_source(app, who, f"{key}-{number}", source.source_id)
    return page.total - len(page.shown)


async def resting_on(app: AppContext, who: Caller, source_ids: Sequence[str]) -> tuple[list[str], list[str]]:
    """Ids of the facts and of the entities that rest on some sources. Raises NotFound and Ambiguous."""
    facts: dict[str, None] = {}
    entities: dict[str, None] = {}
    for given in source_ids:
        scope, source_id = await app.stores.reads.sources.resolve(who.view, given, None)
        for segment in (await app.stores.reads.sources.segments(scope, source_id))[:MOST_READ]:
            key = segment_key(scope, source_id, segment.segment_id)
            resting = await app.stores.reads.history.resting_on(who.view, key)
            facts |= dict.fromkeys(each.fact_id for each in resting.facts if each.supported)
            entities |= dict.fromkeys(each.entity_id for each in resting.entities)
    return list(facts), list(entities)


async def groups_of(app: AppContext, who: Caller, source_ids: Collection[str]) -> Mapping[str, str]:
    """source id -> its group, of those that have another than `UNGROUPED`."""
    found: Mapping[str, str] = await app.stores.reads.sources.groups(who.view, list(source_ids)) if source_ids else {}
    return found


async def _shown(app: AppContext, source: KnownSource, own: str) -> Episode:
    told = source.provenance
    segments = (await app.stores.reads.sources.segments(source.scope, source.source_id))[:MOST_READ]
    said = [each for each in segments if each.replaced_by is None]
    talk = source.kind in ("conversation", "meeting", "slack", "email")
    names = {own: OWNER} if told.get("source") == MESSAGE else {}
    lines = [f"{names.get(each.speaker, each.speaker)}: {each.text}" if talk else each.text for each in said]
    return Episode(
        source.source_id,
        str(told.get("name") or source.source_id),
        "\n".join(lines),
        iso(source.started_at),
        str(told.get("source") or ("message" if talk else "text")),
        str(told.get("description") or source.kind),
        str(told.get(GROUP) or UNGROUPED),
    )


def _talk(body: str, own: str) -> list[SegmentIn]:
    """Lines of a talk by their speakers; nothing of a text that does not begin as one."""
    turns: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        found = _SPOKEN.match(line)
        if found:
            turns.append((found[1].strip(), [found[2]]))
        elif turns and line.strip():
            turns[-1][1].append(line.strip())
        elif line.strip():
            return []
    return [
        SegmentIn.model_validate(
            {
                "speaker": own if speaker.lower() in _OWN else speaker,
                "text": "\n".join(lines),
                "role": _role(speaker),
            }
        )
        for speaker, lines in turns
    ]


def _role(speaker: str) -> str | None:
    """Whose words they are; "name(role)", as such clients write, tells it, too."""
    inner = re.search(r"\((\w+)\)\s*$", speaker)
    role = ROLES.get((inner[1] if inner else speaker).lower())
    return "tool" if role == "system" else role  # instructions are no evidence
