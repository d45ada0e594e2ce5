"""What mem0's clients ask for, parsed: whose memories are meant and which, what is told, what changes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

from fastapi import Request
from pydantic import BaseModel, BeforeValidator, Field, model_validator

from deployments.app_context import AppContext
from deployments.callers import Caller, for_named
from deployments.dates import moment_of
from deployments.dialects.mem0.memories import MOST_SEALED, opened
from deployments.kinds import MOST_QUERY, MOST_SEGMENTS, Number, ShortText, Text
from deployments.use_cases.heard import Place
from deployments.use_cases.provenance_filters import LABELS, label, metadata_told, origins_of, users_in
from memory.errors import Invalid, NotFound
from memory.model.origins import EXPIRES_ON, ProvenanceFilter
from memory.model.timeline import Instant

MOST_BATCH = 1_000
_FACT = re.compile(r"f-[0-9a-f]{16}")
MemoryId = Annotated[str, Field(max_length=MOST_SEALED)]
_UNUSED = frozenset(
    {
        "org_id",
        "project_id",
        "version",
        "api_version",
        "output_format",
        "source",
        "rerank",
        "keyword_search",
        "latest_only",
        "enable_graph",
        "filter_memories",
    }
)
"""Parameters that change nothing here: what is found is always reranked, by words too, and is the latest there is."""


class Labelled(BaseModel, extra="forbid"):
    """What says whose memories are meant, at the top or as `filters`."""

    filters: dict[str, Any] | None = None
    user_id: str | None = None
    agent_id: str | None = None
    app_id: str | None = None
    run_id: str | None = None
    metadata: dict[str, Any] | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_unused(cls, given: Any) -> Any:
        return {name: each for name, each in given.items() if name not in _UNUSED} if isinstance(given, dict) else given

    def meant(self) -> dict[str, Any]:
        """All of it as one filter; empty if nothing is said."""
        every = [{name: said} for name in LABELS if (said := getattr(self, name)) is not None]
        every += [self.filters] if self.filters else []
        every += [{"metadata": self.metadata}] if self.metadata else []
        return {"AND": every} if every else {}


class Listed(Labelled):
    """What a list shows."""

    page: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    page_size: Annotated[int, Field(ge=1)] = 100
    start_date: ShortText | None = None
    end_date: ShortText | None = None
    categories: Annotated[list[ShortText], Field(max_length=0)] | None = None
    fields: Annotated[list[ShortText], Field(max_length=50)] | None = None
    show_expired: bool = False

    def meant(self) -> dict[str, Any]:
        """All of it as one filter, the dates included."""
        dates = {"gte": self.start_date, "lte": self.end_date}
        said = [{"created_at": {how: at for how, at in dates.items() if at}}] if any(dates.values()) else []
        every = [*([super().meant()] if super().meant() else []), *said]
        return {"AND": every} if every else {}


class Exported(Listed):
    """What an export is to hold; in what form a language model is to put it is not asked for here."""

    schema_: Any = Field(default=None, alias="schema")
    memory_export_id: MemoryId | None = None


class Sought(Labelled):
    """A search."""

    query: Annotated[Text, Field(min_length=1, max_length=MOST_QUERY)]
    top_k: Annotated[int, Field(ge=1)] | None = None
    limit: Annotated[int, Field(ge=1)] | None = None
    threshold: Annotated[float, Field(allow_inf_nan=False)] | None = None
    categories: Annotated[list[ShortText], Field(max_length=0)] | None = None
    fields: Annotated[list[ShortText], Field(max_length=50)] | None = None
    show_expired: bool = False
    reference_date: ShortText | Number | None = None


class MessagePart(BaseModel, extra="ignore"):
    """A part of a message; what is no text is left out."""

    text: Text = ""


class MessageIn(BaseModel, extra="ignore"):
    """Who says what."""

    role: ShortText = "user"
    content: Text | list[MessagePart] | MessagePart | None = None
    name: ShortText | None = None

    @property
    def words(self) -> str:
        """Its text."""
        pieces = [self.content] if isinstance(self.content, MessagePart) else self.content or ""
        return pieces if isinstance(pieces, str) else "\n".join(each.text for each in pieces if each.text)


def _listed(given: Any) -> Any:
    given = {"role": "user", "content": given} if isinstance(given, str) else given
    return [given] if isinstance(given, dict) else given


class Added(Labelled, extra="ignore"):
    """What is told. How a language model is to take it apart is not asked for here."""

    messages: Annotated[list[MessageIn], BeforeValidator(_listed), Field(min_length=1, max_length=MOST_SEGMENTS)]
    infer: bool | None = None
    timestamp: Number | ShortText | None = None
    expiration_date: date | None = None

    def provenance(self) -> dict[str, Any]:
        """What is kept beside the words. Raises Invalid."""
        told: dict[str, Any] = {}
        for given in (self.filters or {}, {name: getattr(self, name) for name in LABELS}):
            for name, said in given.items():
                if name not in LABELS or (said is not None and told.get(name, said) != said):
                    raise Invalid("filters: may say what user_id, agent_id, app_id and run_id are, each once.")
                told |= {name: label(name, said)} if said is not None else {}
        expiry = {EXPIRES_ON: self.expiration_date.isoformat()} if self.expiration_date else {}
        return {**told, **metadata_told(self.metadata or {}), **expiry}


class Updated(BaseModel, extra="ignore"):
    """What changes of a memory; an expiration_date of null takes it away."""

    text: Text | None = None
    metadata: dict[str, Any] | None = None
    timestamp: Number | ShortText | None = None
    expiration_date: date | None = None

    def provenance(self) -> dict[str, object]:
        """What changes beside the words. Raises Invalid if nothing changes at all."""
        if not self.model_fields_set:
            raise Invalid("text, metadata, timestamp or expiration_date: one of them is required.")
        told = metadata_told(self.metadata or {})
        if "expiration_date" in self.model_fields_set:
            told[EXPIRES_ON] = self.expiration_date.isoformat() if self.expiration_date else None
        return told


class UpdatedOne(Updated):
    """One of a batch."""

    memory_id: MemoryId


class DeletedOne(BaseModel, extra="ignore"):
    """One of a batch."""

    memory_id: MemoryId


class Updates(BaseModel, extra="ignore"):
    """A batch."""

    memories: Annotated[list[UpdatedOne], Field(max_length=MOST_BATCH)]


class Deletions(BaseModel, extra="ignore"):
    """A batch."""

    memories: Annotated[list[DeletedOne], Field(max_length=MOST_BATCH)]


class Feedback(BaseModel, extra="ignore"):
    """What somebody thinks of a memory."""

    memory_id: MemoryId
    feedback: Literal["POSITIVE", "NEGATIVE", "VERY_NEGATIVE"] | None = None
    feedback_reason: Text | None = None


@dataclass(frozen=True)
class Meant:
    """Whose memories are meant, and which of them."""

    who: Caller
    origins: tuple[ProvenanceFilter, ...]


async def meant(request: Request, app: AppContext, who: Caller, filters: Mapping[str, Any]) -> Meant:
    """What filters mean. Raises Invalid if an administrator names several users at once."""
    users = users_in(filters)
    if who.permission == "admin" and len(users) > 1:
        raise Invalid("filters: an administrator's token acts for one user at a time.")
    who = await for_named(request, app, who, next(iter(users), None))
    now = app.clock.now()

    def moment(name: str, text: str) -> Instant:
        return moment_of(name, text, now, "UTC") or 0.0

    return Meant(who, origins_of(filters, who.user_id, moment))


async def memory_named(request: Request, app: AppContext, who: Caller, given: str) -> tuple[Caller, Place | str]:
    """Who may change a memory, and what it is: a place where something was said, or a fact. Raises NotFound."""
    if _FACT.fullmatch(given):
        return who, given
    parts = opened(given)
    who = await for_named(request, app, who, parts[0] if parts else None)
    if not 2 <= len(parts) <= 3 or parts[0] != who.user_id or (len(parts) == 2 and not _FACT.fullmatch(parts[1])):
        raise NotFound("There is no such memory.")
    return who, parts[1] if len(parts) == 2 else (parts[1], parts[2])
