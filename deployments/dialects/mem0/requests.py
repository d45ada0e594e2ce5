"""What mem0's clients ask for, parsed: whose memories are meant and which, what is told, what changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Literal

from fastapi import Body, Request
from pydantic import BaseModel, BeforeValidator, Field, StringConstraints, TypeAdapter, model_validator

from deployments.app_context import AppContext
from deployments.callers import Caller, for_named
from deployments.kinds import MOST_QUERY, MOST_SEGMENTS, Id, Number, ShortText, Text
from deployments.sealing import MOST_SEALED, opened
from deployments.use_cases.messages_told import MessageIn, listed
from deployments.use_cases.named import Named
from deployments.use_cases.provenance_filters import LABELS, all_of, labels_told, metadata_told, origins_on, users_in
from memory.errors import Invalid, NotFound
from memory.model.origins import EXPIRES_ON, ProvenanceFilter

MOST_BATCH = 1_000
_FACT = r"f-[0-9a-f]{16}"
_FactId = Annotated[Id, StringConstraints(pattern=rf"^{_FACT}$")]
IdKind = TypeAdapter[Sequence[str]]
_NAMED: IdKind = TypeAdapter(tuple[Id, _FactId] | tuple[Id, Id, Id])
EVENT: IdKind = TypeAdapter(tuple[Id, Id])
"""An id of what was told: that of its owner, and of its source."""
_FILTERS: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])
Meant = tuple[Caller, Sequence[ProvenanceFilter]]
MemoryId = Annotated[str, Field(max_length=MOST_SEALED)]
Moment = Number | ShortText
"""Seconds since 1970, or a time as it is written."""
_ADDRESSED = {"org_id", "project_id", "version", "api_version", "output_format", "source"}
"""Parameters that change nothing here, for there is one project, and one form of answers."""
_SEARCHED = {"rerank", "keyword_search", "latest_only", "enable_graph", "filter_memories"}
"""Nor do these: what is found is always reranked, by words too, and is the latest there is."""
_UNUSED = _ADDRESSED | _SEARCHED


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
        return {name: said for name, said in given.items() if name not in _UNUSED} if isinstance(given, dict) else given

    def meant(self) -> dict[str, Any]:
        """All of it as one filter; empty if nothing is said."""
        labels = {name: said for name in LABELS if (said := getattr(self, name)) is not None}
        return all_of(labels, self.filters, self.metadata and {"metadata": self.metadata})


class Shown(Labelled):
    """What of memories is shown."""

    categories: Annotated[list[ShortText], Field(max_length=0)] | None = None
    fields: Annotated[list[ShortText], Field(max_length=50)] | None = None
    show_expired: bool = False


class Listed(Shown):
    """What a list shows."""

    page: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    page_size: Annotated[int, Field(ge=1)] = 100
    start_date: ShortText | None = None
    end_date: ShortText | None = None

    def meant(self) -> dict[str, Any]:
        """All of it as one filter, the dates included."""
        dates = {how: at for how, at in (("gte", self.start_date), ("lte", self.end_date)) if at}
        return all_of(super().meant(), dates and {"created_at": dates})


class Exported(Listed):
    """What an export is to hold; in what form a language model is to put it is not asked for here."""

    schema_: Any = Field(default=None, alias="schema")
    memory_export_id: MemoryId | None = None

    def meant(self) -> dict[str, Any]:
        """All of it as one filter, with those that the export was begun with. Raises Invalid."""
        lost = Invalid("memory_export_id: give it back as it was given.")
        begun = {} if self.memory_export_id is None else opened(self.memory_export_id, _FILTERS, lost)
        return all_of(begun, super().meant())


class Sought(Shown):
    """A search."""

    query: Annotated[Text, Field(min_length=1, max_length=MOST_QUERY)]
    top_k: Annotated[int, Field(ge=1)] | None = None
    limit: Annotated[int, Field(ge=1)] | None = None
    threshold: Annotated[float, Field(allow_inf_nan=False)] | None = None
    reference_date: Moment | None = None


def _messages(given: Any) -> Any:
    return listed({"content": given} if isinstance(given, str) else given)


class Beside(BaseModel):
    """What is told or changed beside words; an expiration_date of null takes it away."""

    metadata: dict[str, Any] | None = None
    timestamp: Moment | None = None
    expiration_date: date | None = None

    def provenance(self) -> dict[str, Any]:
        """All but the time, as a provenance keeps it. Raises Invalid."""
        told = metadata_told(self.metadata or {})
        if "expiration_date" in self.model_fields_set:
            told[EXPIRES_ON] = self.expiration_date.isoformat() if self.expiration_date else None
        return told


class Added(Labelled, Beside, extra="ignore"):
    """What is told. How a language model is to take it apart is not asked for here."""

    messages: Annotated[list[MessageIn], BeforeValidator(_messages), Field(min_length=1, max_length=MOST_SEGMENTS)]
    infer: bool | None = None

    def provenance(self) -> dict[str, Any]:
        """Whose it is, too. Raises Invalid."""
        labels = labels_told(self.filters or {}, {name: getattr(self, name) for name in LABELS})
        return {**labels, **super().provenance()}


class Updated(Beside, extra="ignore"):
    """What changes of a memory."""

    text: Text | None = None


class OneMemory(BaseModel, extra="ignore"):
    """A memory by its id."""

    memory_id: MemoryId


class UpdatedOne(Updated, OneMemory):
    """One of a batch."""


class Feedback(OneMemory):
    """What somebody thinks of a memory."""

    feedback: Literal["POSITIVE", "NEGATIVE", "VERY_NEGATIVE"] | None = None
    feedback_reason: Text | None = None


Updates = Annotated[list[UpdatedOne], Body(embed=True, max_length=MOST_BATCH)]
Deletions = Annotated[list[OneMemory], Body(embed=True, max_length=MOST_BATCH)]


async def meant(request: Request, app: AppContext, who: Caller, filters: dict[str, Any]) -> Meant:
    """Whose memories filters mean, and which. Raises Invalid if an administrator names several users at once."""
    users = users_in(filters)
    if who.permission == "admin" and len(users) > 1:
        raise Invalid("filters: an administrator's token acts for one user at a time.")
    who = await for_named(request, app, who, next(iter(users), None))
    return who, origins_on(filters, who.user_id, app.clock.now(), "UTC")


async def memory_named(request: Request, app: AppContext, who: Caller, given: str) -> tuple[Caller, Named]:
    """Who may change a memory, and what its id names. Raises NotFound."""
    return (who, [given]) if re.fullmatch(_FACT, given) else await owned(request, app, who, given, _NAMED)


async def owned(request: Request, app: AppContext, who: Caller, given: str, kind: IdKind) -> tuple[Caller, Named]:
    """The ids in one, of the memory of its owner, whose comes first in it. Raises NotFound, also of anybody else's."""
    nowhere = NotFound("There is no such memory.")
    owner, *ids = opened(given, kind, nowhere)
    who = await for_named(request, app, who, owner)
    if owner != who.user_id:
        raise nowhere
    return who, ids
