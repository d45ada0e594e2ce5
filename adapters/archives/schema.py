"""What an archive of version 1 holds: the fields of every line of every member, and nothing else.

This is the only place where that is said, but for the rows of the model (rows.py). Restoring reads through it; a test
compares it with what is exported, with the columns of the tables and with the rows of the model, so that none of them
can change alone.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    FailFast,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    field_validator,
    model_serializer,
)

from adapters.archives import kinds as k
from adapters.archives.kinds import ArchiveLine
from adapters.archives.rows import Change, row_of
from adapters.capture.payloads import ID_CHARS
from memory.model.entities import STATES, TIERS
from memory.model.facts import NOTE_LIFETIME_DAYS, STATUSES
from memory.model.profile import Profile
from memory.model.sources import MOST_FIGURES, ROLES, SOURCE_KINDS, TTL_POLICIES
from memory.model.timeline import EARLIEST, LATEST, to_datetime
from memory.model.voices import EXCLUSIONS, ORIGINS

FORMAT, FORMAT_VERSION = "memoray-archive", 1
MEMBERS = (
    "sources",
    "entities",
    "facts",
    "mentions",
    "evidence",
    "links",
    "notes",
    "groups",
    "content",
    "journal",
    "nights",
    "accesses",
    "voices",
    "voice_prints",
)
"""Members of JSON lines, in an order in which each refers only to those before it."""
LATER = frozenset({"groups", "voices", "voice_prints"})
"""Those that archives of earlier versions lack."""
MOST_NUMBERS = 1_024
"""Numbers of a print; those of today's models have 192 and 256."""
SINGLES = ("manifest.json", "profile.json")
NOUN_OF = {
    "entities": "entity",
    "facts": "fact",
    "mentions": "mention",
    "evidence": "evidence",
    "links": "link",
    "notes": "note",
    "groups": "group",
}
"""Member -> noun of the model whose rows it holds."""


class ManifestLine(ArchiveLine):
    """`manifest.json`."""

    format: Literal["memoray-archive"]
    format_version: Annotated[int, Field(ge=1, le=FORMAT_VERSION)]
    archive_id: k.ArchiveId
    user_id: k.Named
    exported_at: k.Moment
    created_at: k.Moment
    memory_version: k.Count
    counts: dict[Literal[MEMBERS], k.Count]  # type: ignore[valid-type]


Label = Annotated[k.Short, StringConstraints(max_length=200)]


class ProfileLine(ArchiveLine):
    """`profile.json`, and profiles in the history; what is missing has its default."""

    name: Label = Profile().name
    speaker_labels: Annotated[tuple[Label, ...], Field(max_length=50)] = Profile().speaker_labels
    assistant_labels: Annotated[tuple[Label, ...], Field(max_length=50)] = Profile().assistant_labels
    time_zone: k.Zone = Profile().time_zone
    languages: Annotated[tuple[k.Language, ...], Field(min_length=1, max_length=20)] = Profile().languages
    preset: k.Named = Profile().preset


Figures = Annotated[dict[k.Short, k.Finite], Field(max_length=MOST_FIGURES)]


class Emotion(ArchiveLine):
    """What a device heard in a voice, or what was guessed here: then by which method, and from what numbers."""

    label: k.Text | k.Finite | None
    score: k.Text | k.Finite | None
    method: k.Short | None = None
    prosody: Figures | None = None
    scores: Figures | None = None

    @model_serializer(mode="wrap")
    def _as_it_was(self, shown: SerializerFunctionWrapHandler) -> dict[str, object]:
        """Without what it never had: it is kept as a whole."""
        told: dict[str, object] = shown(self)
        return {name: said for name, said in told.items() if said is not None or name in ("label", "score")}


class SegmentLine(ArchiveLine):
    """One segment, inside the line of its source."""

    segment_key: k.Key
    segment_id: k.Named
    speaker: k.Short
    role: k.one_of(ROLES)  # type: ignore[valid-type]
    text: k.Text
    at: k.Moment
    ord: k.Order
    start_s: k.Seconds
    end_s: k.Seconds
    language: k.Text | None
    stt_engine: k.Text | None
    emotion: Emotion | None
    is_sweep: bool
    pinned: bool
    revision: k.Version
    replaced_by: k.Named | None
    committed_at: k.Moment
    read_revision: k.Version | None
    raw: k.Text | None = None


class SourceLine(ArchiveLine):
    """One source with its segments; a long one goes on in further lines, whose parts count up."""

    source_id: k.Id
    session_id: k.Indexed
    kind: k.one_of(SOURCE_KINDS)  # type: ignore[valid-type]
    started_at: k.Moment
    ended_at: k.Moment | None
    offset_s: Annotated[int, Field(ge=-86_400, le=86_400)]
    participants: Annotated[tuple[k.Short, ...], Field(max_length=k.MOST_LISTED)]
    provenance: Annotated[dict[k.Short, k.Short | k.Finite | bool | None], Field(max_length=k.MOST_LISTED)]
    context_type: k.Short | None
    device_id: k.Text | None
    sensitivity: k.Level
    ttl_policy: k.one_of(TTL_POLICIES)  # type: ignore[valid-type]
    state: k.one_of(STATES)  # type: ignore[valid-type]
    created_at: k.Moment
    part: k.Count = 0
    segments: Annotated[tuple[SegmentLine, ...], FailFast()]


class ContentLine(ArchiveLine):
    """Words that the history means by their id."""

    content_id: k.Key
    owner: k.Owner
    words: k.Text


BELIEVED = {member: row_of(noun) for member, noun in NOUN_OF.items()}
"""Member -> its lines."""


class OutcomeLine(ArchiveLine):
    """What became of a statement."""

    fact_id: k.FactId
    outcome: k.Short
    rivals: Annotated[tuple[k.FactId, ...], Field(max_length=k.MOST_LISTED)]


class JournalLine(ArchiveLine):
    """One turn. `touched` is made anew of the changes."""

    version: k.Version
    command_id: k.CommandId
    kind: k.Named
    actor: k.Short
    at: k.Moment
    changes: Annotated[tuple[Change, ...], FailFast()]
    outcomes: Annotated[tuple[OutcomeLine, ...], FailFast()]
    undoes: k.CommandId | None
    touched: Annotated[tuple[k.BelievedId, ...], FailFast()]


_CROSSED = {
    "state": STATES,
    "tier": TIERS,
    "status": STATUSES,
    "lifetime": (*NOTE_LIFETIME_DAYS, "expired"),
}
Cell = tuple[Literal["fact", "entity", "source", "note", "group"], k.Id, k.Named, k.Named, k.Named, k.Count | None]


class NightLine(ArchiveLine):
    """The report of a night, and what of its plan was still to be committed."""

    night: k.Named
    at: k.Moment
    report: dict[str, Any]
    plan: dict[k.Named, Annotated[tuple[Cell, ...], FailFast()]] | None = None
    begun_at: k.Moment | None = None
    commands: tuple[k.CommandId, ...] | None = None

    @field_validator("night")
    @classmethod
    def _a_day(cls, night: str) -> str:
        day = date.fromisoformat(night)
        if not to_datetime(EARLIEST).date() < day < to_datetime(LATEST).date():
            raise ValueError("must lie between 1900 and 2200")
        return day.isoformat()

    @field_validator("report")
    @classmethod
    def _readable(cls, report: dict[str, Any]) -> dict[str, Any]:
        k.tame(report)
        duplicates = report.get("duplicates", {})
        clusters = duplicates.get("merged", []) if isinstance(duplicates, dict) else None
        if not isinstance(clusters, list) or not all(isinstance(each, list) and _facts(each) for each in clusters):
            raise ValueError("duplicates.merged must list clusters of facts")
        return report

    @field_validator("plan")
    @classmethod
    def _crossings(cls, plan: dict[str, tuple[Cell, ...]] | None) -> dict[str, tuple[Cell, ...]] | None:
        for _, _, axis, *sides, _ in (cell for cells in (plan or {}).values() for cell in cells):
            if not set(sides) <= set(_CROSSED.get(axis, ())):
                raise ValueError("must cross from one state of its axis to another")
        return plan


def _facts(cluster: list[Any]) -> bool:
    return all(isinstance(each, str) and len(each) <= ID_CHARS for each in cluster)


class AccessLine(ArchiveLine):
    """How often something was recalled. Earliest archives lack what the decay laws need."""

    id: Annotated[
        str,
        StringConstraints(pattern=r"^(?s:[efms]-[0-9a-f]{16}|source:.{1,200}|-?[0-9]{1,19})$"),
        AfterValidator(k.storable),
    ]
    count: k.Count
    last_at: k.Moment
    value: k.Measure = 0.5
    gradient: k.Number = 1.0
    interval_days: k.Measure = 0.0


class VoiceLine(ArchiveLine):
    """A voice, those that others were merged into first."""

    voice_id: k.VoiceId
    label: Annotated[Label, StringConstraints(min_length=1)]
    name: Label
    exclusion: k.one_of(EXCLUSIONS)  # type: ignore[valid-type]
    merged_into: k.VoiceId | None
    forgotten: bool
    created_at: k.Moment


class VoicePrintLine(ArchiveLine):
    """A print of a voice."""

    print_id: Annotated[str, StringConstraints(pattern=r"^w-[0-9a-f]{16}$")]
    voice_id: k.VoiceId
    origin: k.one_of(ORIGINS)  # type: ignore[valid-type]
    model: k.Short
    style: k.Named
    seconds: k.Seconds
    embedding: Annotated[tuple[k.Cosine, ...], FailFast(), Field(min_length=1, max_length=MOST_NUMBERS)]
    source_id: k.Id | None
    at: k.Moment


LINES: dict[str, type[ArchiveLine]] = {
    **BELIEVED,
    "sources": SourceLine,
    "content": ContentLine,
    "journal": JournalLine,
    "nights": NightLine,
    "accesses": AccessLine,
    "voices": VoiceLine,
    "voice_prints": VoicePrintLine,
}
"""Member -> what each of its lines is."""
PARTS = {"sources": ("segments", SegmentLine), "journal": ("changes", Change)}
"""Member -> the list that makes its lines long, and what stands in it."""
