"""Tells messages as programs for language models hold them: with a role, and without the ids of a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, BeforeValidator, Field

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.dates import today
from deployments.findings import checked
from deployments.kinds import ShortText, Text
from deployments.use_cases.heard import Place
from deployments.use_cases.telling import RoleMessageIn, SourceIn, tell
from memory.errors import Invalid
from memory.model.ids import digest
from memory.model.profile import Profile
from memory.model.timeline import Instant
from memory.services.zones import zone_of

MOST_PARTS = 10_000
"""Parts of one message (chosen: the bound of a body holds some thousands)."""
ROLES: Mapping[str, Literal["user", "assistant", "tool", "system"]] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}
"""How clients call the roles, in small letters -> ours. Any other is nobody's that is known here."""


class MessagePartIn(BaseModel):
    """A part of a message; only words are read. One that does not say what it is, is text."""

    type: ShortText = "text"
    text: Text | None = None
    refusal: Text | None = None

    @property
    def words(self) -> str | None:
        """Its words; None of a picture, a sound or a file."""
        return self.text if self.type.endswith("text") else self.refusal if self.type == "refusal" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagesTold:
    """Messages of one conversation. `dialect` is how they came; ids of their sources begin with it.

    `at` is when they were said, None if they say nothing of it: then it is now.
    """

    dialect: str
    messages: Sequence[RoleMessageIn]
    provenance: Mapping[str, Any]
    at: Instant | None = None


def listed(given: Any) -> Any:
    """One thing as a list of one: some programs send it bare."""
    return [given] if isinstance(given, dict) else given


class MessageIn(BaseModel):
    """A message as such programs send it: under whatever name they have for a role, in one or in parts."""

    role: ShortText = "user"
    content: Annotated[
        Text | Annotated[list[MessagePartIn], Field(max_length=MOST_PARTS)] | None, BeforeValidator(listed)
    ] = None
    name: ShortText | None = None

    @property
    def parts(self) -> list[MessagePartIn]:
        """What it is made of."""
        return [MessagePartIn(text=self.content)] if isinstance(self.content, str) else self.content or []

    @property
    def words(self) -> str:
        """What it says, its parts as lines."""
        return "\n".join(each.words for each in self.parts if each.words)


def message_of(role: str, words: str, name: str | None = None) -> RoleMessageIn:
    """A message of a client's role; of a role that is not known, the speaker is called like it. Raises Invalid."""
    known = ROLES.get(role.lower(), "other")
    speaker = name or (role if known == "other" else None)
    return checked(RoleMessageIn.model_validate, {"role": known, "content": words, "name": speaker})


def messages_of(said: Sequence[MessageIn]) -> list[RoleMessageIn]:
    """Messages whose role is known; those without words are left out. Raises Invalid if none has any."""
    messages = [message_of(each.role, each.words, each.name) for each in said if each.words.strip()]
    if not messages:
        raise Invalid("messages: there are no words in them.")
    return messages


async def tell_together(app: AppContext, who: Caller, key: str | None, told: MessagesTold) -> str:
    """Store messages as one source; its id.

    Without a key the same words of the same day are the same source: clients send what they have sent before.
    Raises Forbidden and Invalid.
    """
    writing(who)
    profile, now = await app.profile(who.user_id), app.clock.now()
    said = [each.segment(profile).model_dump(include={"speaker", "text", "role"}) for each in told.messages]
    said_on = today(now, profile.time_zone).isoformat() if told.at is None else told.at
    same = orjson.dumps([told.provenance, said, said_on]).decode()
    source_id = f"{told.dialect}-{digest('told', same if key is None else key).hex()}"
    await tell(app, who, source_of_messages(source_id, told, profile, now))
    return source_id


async def tell_apart(app: AppContext, who: Caller, key: str, told: MessagesTold) -> list[Place]:
    """Store each message as a source of its own; the places of all of them. Raises Forbidden and Invalid."""
    writing(who)
    profile, now = await app.profile(who.user_id), app.clock.now()
    places: list[Place] = []
    for number, each in enumerate(told.messages, 1):
        source_id = f"{told.dialect}-{digest(key, number).hex()}"
        await tell(app, who, source_of_messages(source_id, replace(told, messages=[each]), profile, now))
        places.append((source_id, "1"))
    return places


def source_of_messages(source_id: str, told: MessagesTold, profile: Profile, now: Instant) -> SourceIn:
    """Messages as a source, numbered from 1, at a time where the owner lives. Raises Invalid."""
    at = datetime.fromtimestamp(now if told.at is None else told.at, zone_of(profile.time_zone))
    numbered = enumerate((each.segment(profile) for each in told.messages), 1)
    source = {
        "source_id": source_id,
        "started_at": at.isoformat(),
        "provenance": {"told_by": told.dialect, **told.provenance},
        "segments": [each.model_copy(update={"segment_id": str(number)}) for number, each in numbered],
    }
    return checked(SourceIn.model_validate, source)
