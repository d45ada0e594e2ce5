"""Communities and patterns: who and what belongs together in a life, and what that shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.paging import PageParameters, cursor_of
from deployments.use_cases.entities import EntityOut, shown_entities
from memory.model.shown import PatternQuote, SegmentWords, ShownCommunity, ShownPattern
from memory.model.timeline import iso
from memory.words.cleaning import harmless

MOST_MEMBERS = 200
"""Members one page shows, those first that most ties lead to."""
MOST_SEGMENTS = 20
"""The latest segments that one page shows."""
_COMMUNITY = {
    "community_id": "g-0a1b2c3d4e5f6071",
    "names": ["Elena", "Lisbon", "sailing"],
    "size": 7,
    "patterns": 1,
    "since": "2026-03-02T03:00:00Z",
}
_QUOTE = {
    "fact_id": "f-0a1b2c3d4e5f6071",
    "statement": "Elena lives in Lisbon",
    "text": "Elena lives in Lisbon now.",
    "speaker": "Maya",
    "at": "2026-03-01T08:00:04Z",
    "source_id": "breakfast",
    "segment_id": "1",
}


class CommunityOut(BaseModel, json_schema_extra={"examples": [_COMMUNITY]}):
    """Entities that are spoken of together more than with others. It is called after `names`, and keeps its id."""

    community_id: str
    names: list[str]
    size: int
    patterns: int
    since: str


class CommunityList(BaseModel):
    """Communities, the largest first; `total` counts them all, `cursor` leads to the next part."""

    communities: list[CommunityOut]
    total: int
    cursor: str | None


class Quote(BaseModel, json_schema_extra={"examples": [_QUOTE]}):
    """A segment; for a fact, the one in which it was first said. A fact told by a command has none."""

    fact_id: str | None = None
    statement: str | None = None
    text: str | None
    speaker: str | None
    at: str | None
    source_id: str | None
    segment_id: str | None


class PatternOut(BaseModel):
    """What a community shows about a life (L2): facts or segments from several sources, over a month at least.

    It is told by quotation alone, and stands while its community and all that it quotes do. `about` names those whom
    the quotes concern.
    """

    pattern_id: str
    community_id: str
    about: list[str]
    since: str
    quotes: list[Quote]


class PatternList(BaseModel):
    """Patterns, the latest first; `total` counts them all, `cursor` leads to the next part."""

    patterns: list[PatternOut]
    total: int
    cursor: str | None


class CommunityPage(CommunityOut):
    """The page of a community: its members, the ids of those who hold it together, its patterns, and where its members
    were last spoken of together."""

    members: list[EntityOut]
    core: list[str]
    shown: list[PatternOut]
    segments: list[Quote]


class PatternParameters(PageParameters):
    """The parameters of a list of patterns."""

    community: Annotated[str | None, Field(max_length=100, description="Only those of this community.")] = None


async def list_communities(app: AppContext, who: Caller, asked: PageParameters) -> CommunityList:
    """Who and what belongs together, by what the caller may see."""
    page = await app.stores.nights.communities.communities(who.view, asked.limit, **asked.place())
    shown = [CommunityOut(**_shown(each)) for each in page.shown]
    return CommunityList(communities=shown, total=page.total, cursor=cursor_of(page.last))


async def community(app: AppContext, who: Caller, community_id: str) -> CommunityPage:
    """One community, by its id or the beginning of it. Raises NotFound, Ambiguous."""
    reads = app.stores.nights.communities
    found = await reads.community(who.view, community_id)
    ids = list(found.members[:MOST_MEMBERS])
    members = await app.stores.reads.entities.page(who.view, len(ids), ids=ids)
    seen = {each.entity.entity_id: each for each in members.shown}
    patterns = (await reads.patterns(who.view, MOST_SEGMENTS, community=found.group_id)).shown
    return CommunityPage(
        **_shown(found),
        members=shown_entities([seen[each] for each in ids if each in seen], app.clock.now(), app.settings.life),
        core=list(found.core),
        shown=await _patterns(app, who, patterns),
        segments=[Quote(**_said(each)) for each in await reads.segments(who.view, found.members, MOST_SEGMENTS)],
    )


async def list_patterns(app: AppContext, who: Caller, asked: PatternParameters) -> PatternList:
    """What communities show, each pattern with all that it quotes."""
    page = await app.stores.nights.communities.patterns(who.view, asked.limit, asked.community, **asked.place())
    shown = await _patterns(app, who, page.shown)
    return PatternList(patterns=shown, total=page.total, cursor=cursor_of(page.last))


async def pattern(app: AppContext, who: Caller, pattern_id: str) -> PatternOut:
    """One pattern, by its id or the beginning of it. Raises NotFound, Ambiguous."""
    [shown] = await _patterns(app, who, [await app.stores.nights.communities.pattern(who.view, pattern_id)])
    return shown


async def _patterns(app: AppContext, who: Caller, found: Sequence[ShownPattern]) -> list[PatternOut]:
    quoted = await app.stores.nights.communities.quoted(who.view, [each.group_id for each in found])
    return [
        PatternOut(
            pattern_id=each.group_id,
            community_id=each.community_id,
            about=[harmless(name) for name in each.about],
            since=iso(each.opened_at),
            quotes=[_quote(one) for one in quoted[each.group_id]],
        )
        for each in found
    ]


def _shown(found: ShownCommunity) -> dict[str, Any]:
    return {
        "community_id": found.group_id,
        "names": [harmless(each) for each in found.named],
        "size": len(found.members),
        "patterns": found.patterns,
        "since": iso(found.opened_at),
    }


def _quote(quote: PatternQuote) -> Quote:
    return Quote(fact_id=quote.fact_id, statement=quote.statement, **_said(quote.said))


def _said(said: SegmentWords | None) -> dict[str, str | None]:
    if said is None:
        return dict.fromkeys(("text", "speaker", "at", "source_id", "segment_id"))
    return {**asdict(said), "at": iso(said.at)}
