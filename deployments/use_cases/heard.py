"""Heard: segments one by one, chosen by where they come from; shown, put into other words, and forgotten."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller, sees_all, writing
from deployments.dates import today
from deployments.use_cases.erasing import erase_segment, erase_source
from deployments.use_cases.forgetting import forget_memory
from deployments.use_cases.searching import ContextParameters, Hit, search
from deployments.use_cases.sources import SourceOut, show_source
from memory.errors import Invalid, NotFound
from memory.model.heard import KnownSegment, KnownSource, LabelCount, SpokenSegment
from memory.model.origins import ANYWHERE, EXPIRES_ON, WAS, ProvenanceFilter
from memory.model.sources import Segment, Source, Telling
from memory.model.timeline import Instant, iso

Place = tuple[str, str]
"""Ids of a source and of a segment in it."""
MOST_WORDINGS = 20
"""Former wordings that a source keeps (chosen: its provenance is read with each of its segments)."""
_WAS = re.compile(re.escape(WAS) + r"(\d{1,9})\.(.*)", re.ASCII | re.DOTALL)
"""The name in a provenance of what a segment said up to a revision."""
USER = "user_id"
"""The name in a provenance that says for which user of its client something was told."""
WORDING_CHARS = 1_000
"""Characters of a former wording that are kept: as many as any value in a provenance."""


class HeardSegment(BaseModel):
    """One utterance, when it was said and last changed, and the provenance of its source.

    `wordings` are what it said before, the oldest first.
    """

    source_id: str
    segment_id: str
    speaker: str
    role: str
    text: str
    at: Instant
    changed_at: Instant
    provenance: dict[str, Any]
    wordings: list[str]

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.source_id, self.segment_id


@dataclass(frozen=True, slots=True)
class HeardStretch:
    """So many of a list, from there on."""

    limit: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class HeardPage:
    """Segments, the latest first, and how many there are in all."""

    segments: list[HeardSegment]
    total: int


@dataclass(frozen=True, slots=True)
class LabelUse:
    """What a name in provenances says, of how many segments, and when the first and the last of them were said."""

    name: str
    label: str
    segments: int
    first_at: str | None
    last_at: str | None


@dataclass(frozen=True, slots=True)
class Rewording:
    """What a person says of a segment that was told otherwise; None of what stays.

    `provenance` is added to its source's. `at` lets it have been said at another time, if it stands alone there.
    """

    text: str | None = None
    speaker: str | None = None
    emotion: Mapping[str, object] | None = None
    provenance: Mapping[str, object] | None = None
    at: Instant | None = None


async def list_heard(
    app: AppContext,
    who: Caller,
    origins: Sequence[ProvenanceFilter],
    stretch: HeardStretch,
    *,
    expired: bool = True,
) -> HeardPage:
    """The segments of these origins; those of sources that have expired if they are asked for."""
    alive = None if expired else _day(app)
    origins = [replace(each, alive_on=alive or each.alive_on) for each in origins]
    segments, total = await app.stores.reads.heard.page(who.view, origins, stretch.limit, stretch.offset)
    if not segments and stretch.offset:  # beyond the end: it still tells how many there are
        _, total = await app.stores.reads.heard.page(who.view, origins, 1, 0)
    return HeardPage([_shown(each) for each in segments], total)


def _day(app: AppContext) -> str:
    """The day it is, for what says on which it expires: there days are those of UTC."""
    return today(app.clock.now(), "UTC").isoformat()


async def heard_at(app: AppContext, who: Caller, places: Sequence[Place]) -> dict[Place, HeardSegment]:
    """place -> the segment there, in the order of `places`; what is out of sight is absent."""
    found = await app.stores.reads.heard.named(who.view, places) if places else {}
    return {place: _shown(found[place]) for place in places if place in found}


async def one_heard(app: AppContext, who: Caller, place: Place) -> HeardSegment:
    """The segment there. Raises NotFound."""
    found = await heard_at(app, who, [place])
    if place not in found:
        raise NotFound()
    return found[place]


async def source_heard(app: AppContext, who: Caller, source_id: str) -> tuple[SourceOut, list[HeardSegment]]:
    """A source, how far it has been read, and its segments. Raises NotFound."""
    source = await show_source(app, who, source_id)
    places = [(source.source_id, each.segment_id) for each in source.segments]
    return source, list((await heard_at(app, who, places)).values())


async def search_heard(
    app: AppContext,
    who: Caller,
    asked: ContextParameters,
    origins: Sequence[ProvenanceFilter],
    *,
    expired: bool = True,
    least: float | None = None,
) -> list[tuple[Hit, HeardSegment]]:
    """What answers a question with this relevance at the least, the best first, and where it was told.

    What comes from sources that have expired is told if it is asked for. Raises Invalid.
    """
    found, day = await _found(app, who, asked, origins), _day(app)
    if not expired and any(str(here.provenance.get(EXPIRES_ON) or day) < day for _, here in found):
        # these took the places of others; most memories have none, and what looks at every provenance costs more
        found = await _found(app, who, asked, [replace(each, alive_on=day) for each in origins])
    return [each for each in found if least is None or each[0].relevance_score >= least]


async def _found(
    app: AppContext, who: Caller, asked: ContextParameters, origins: Sequence[ProvenanceFilter]
) -> list[tuple[Hit, HeardSegment]]:
    hits = (await search(app, who, asked, None if tuple(origins) == ANYWHERE else origins)).results
    said = await heard_at(app, who, [(each.source_id, each.segment_id) for each in hits])
    places = ((each, (each.source_id, each.segment_id)) for each in hits)
    return [(each, said[place]) for each, place in places if place in said]


async def reword(app: AppContext, who: Caller, place: Place, new: Rewording) -> HeardSegment:
    """Tell a segment anew, as a person corrects it: its words are read in the place of the old ones.

    No better transcription takes its place. Raises Forbidden, NotFound, Invalid.
    """
    told = await reworded(app, who, place, new)
    await app.stores.intake.capture.store(told, Telling(revive=False))
    await app.actors.wake()
    return await one_heard(app, who, place)


async def reworded(app: AppContext, who: Caller, place: Place, new: Rewording) -> Source:
    """What `reword` would store. Raises Forbidden, NotFound, Invalid."""
    await one_heard(app, writing(who), place)
    if new.text is not None and not new.text.strip():
        raise Invalid("text: there are no words in it.")
    scope, source_id = await app.stores.reads.sources.resolve(who.view, place[0], None)
    segments = await app.stores.reads.sources.segments(scope, source_id, raws=True)
    [said] = [each for each in segments if each.segment_id == place[1]]
    source = await app.stores.reads.sources.one(who.view, scope, source_id)
    added = dict(new.provenance or {})
    if new.text not in (None, said.text):
        added |= _kept_wordings(source.provenance, said)
    if new.at is not None and len(segments) > 1:
        raise Invalid("timestamp: this was told with other words, at one time.")
    if new.at is not None:
        source = replace(source, started_at=new.at - said.start, ended_at=None)
    return _told_again(source, said, new, added)


async def forget_one_heard(app: AppContext, who: Caller, key: str, place: Place) -> None:
    """Forget one segment for good; the rest of its source stays. Raises Forbidden, NotFound and Conflict."""
    await one_heard(app, writing(who), place)
    await erase_segment(app, who, key, *place)


async def forget_heard(app: AppContext, who: Caller, key: str, origins: Sequence[ProvenanceFilter]) -> int:
    """Forget every source of the caller's own memory that holds words of these origins; how many those were.

    What is from anywhere is all of a memory, for who sees all of it. Raises Forbidden.
    """
    view = writing(who).view
    if tuple(origins) == ANYWHERE and sees_all(who):
        return (await forget_memory(app, who, key)).segments
    sources = await app.stores.reads.heard.sources(view, origins)
    for number, source_id in enumerate(sources):
        try:
            await erase_source(app, who, f"{key}-{number}", source_id)
        except NotFound:  # another request was faster
            continue
    return len(sources)


async def labels(app: AppContext, who: Caller, names: Sequence[str]) -> list[LabelUse]:
    """What these names say in the provenances of the caller's own memory, and of how many segments.

    What names no user is the caller's. An administrator is told of the users to whom it told something, too.
    """
    told = await app.stores.reads.heard.labels(who.view, names)
    uses = [_use(each, who.user_id) for each in told if each.label is not None or each.name == USER]
    if who.permission == "admin":
        known = {each.label for each in uses if each.name == USER}
        uses += [_use(each, "") for each in await app.stores.reads.heard.owners() if each.label not in known]
    return uses


def _use(count: LabelCount, unnamed: str) -> LabelUse:
    label = count.label or unnamed
    return LabelUse(count.name, label, count.segments, iso(count.first_at), iso(count.last_at))


def _kept_wordings(provenance: Mapping[str, Any], said: KnownSegment) -> dict[str, str]:
    """What a segment says now, to be kept as a former wording: name in the provenance of its source -> words.

    Where that keeps as many as it may, all wordings of the segment move up by one name, and the eldest goes: a name
    cannot leave a provenance.
    """
    names, text = [name for name in provenance if _WAS.fullmatch(name)], said.text[:WORDING_CHARS]
    if len(names) < MOST_WORDINGS:
        return {f"{WAS}{said.revision}.{said.segment_id}": text}
    own = _wordings(provenance, said.segment_id)
    return dict(zip(own, [*list(own.values())[1:], text], strict=True)) if own else {}


def _wordings(provenance: Mapping[str, Any], segment_id: str) -> dict[str, str]:
    """Name in the provenance of its source -> what a segment said, the eldest first."""
    found = [(int(was[1]), name) for name in provenance if (was := _WAS.fullmatch(name)) and was[2] == segment_id]
    return {name: str(provenance[name]) for _, name in sorted(found)}


def _told_again(source: KnownSource, said: KnownSegment, new: Rewording, added: Mapping[str, object]) -> Source:
    """A source as it stands, with one segment of it told anew."""
    names = (
        "source_id",
        "scope",
        "kind",
        "started_at",
        "ended_at",
        "offset_s",
        "context_type",
        "device_id",
        "participants",
        "sensitivity",
        "ttl_policy",
        "session_id",
    )
    kept = (
        "segment_id",
        "speaker",
        "role",
        "start",
        "end",
        "language",
        "stt_engine",
        "emotion",
        "is_sweep",
        "raw",
        "text",
    )
    told = {"text": new.text, "speaker": new.speaker, "emotion": new.emotion}
    changed = {name: value for name, value in told.items() if value not in (None, getattr(said, name))}
    segment = Segment(**{name: getattr(said, name) for name in kept} | changed, pinned=said.pinned or bool(changed))
    return Source(
        **{name: getattr(source, name) for name in names},
        provenance={**source.provenance, **added},
        segments=(segment,),
    )


def _shown(segment: SpokenSegment) -> HeardSegment:
    told = segment.provenance
    return HeardSegment(
        source_id=segment.source_id,
        segment_id=segment.segment_id,
        speaker=segment.speaker,
        role=segment.role,
        text=segment.text or "",
        at=segment.at,
        changed_at=segment.committed_at,
        provenance={name: said for name, said in told.items() if not name.startswith(WAS)},
        wordings=list(_wordings(told, segment.segment_id).values()),
    )
