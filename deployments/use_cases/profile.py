"""The profile: the owner's names, time zone and languages."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.commands import turn
from deployments.kinds import Body, Id, ShortText
from memory.errors import Invalid
from memory.model.commands import SetProfile
from memory.model.profile import Profile
from memory.services.zones import zone_of

Name = Annotated[ShortText, StringConstraints(max_length=200, strip_whitespace=True)]
Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]


class ProfileIn(Body):
    """The fields of the profile to change; an omitted field keeps its value."""

    name: Name | None = None
    speaker_labels: Annotated[list[Name], Field(max_length=50)] | None = None
    assistant_labels: Annotated[list[Name], Field(max_length=50)] | None = None
    time_zone: Id | None = None
    languages: Annotated[list[Language], Field(min_length=1, max_length=20)] | None = None
    preset: Id | None = None

    model_config = Body.model_config | {
        "json_schema_extra": {"examples": [{"name": "Maya", "time_zone": "Europe/Lisbon", "languages": ["en", "pt"]}]}
    }


class ProfileOut(Body):
    """The profile as it stands."""

    name: str
    speaker_labels: list[str]
    assistant_labels: list[str]
    time_zone: str
    languages: list[str]
    preset: str


async def profile(app: AppContext, who: Caller) -> ProfileOut:
    """The profile of this memory's owner. An empty name means that none was set yet."""
    return _shown(await app.profile(who.user_id), app)


async def set_profile(app: AppContext, who: Caller, key: str, body: ProfileIn) -> ProfileOut:
    """Set the profile. An existing entity with that name becomes the owner. Raises Invalid."""
    writing(who)
    given = {name: value for name, value in body.model_dump(exclude_unset=True).items() if value is not None}
    if "time_zone" in given:
        zone_of(given["time_zone"])
    serving = app.settings.preset
    if given.pop("preset", serving) != serving:
        raise Invalid(
            f"preset: {serving} serves everybody here; another one is set in the file memory.yaml of the home."
        )
    changed: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }
    known = await app.profile(who.user_id)
    await turn(app, who, SetProfile(command_id=key, profile=replace(known, **changed)))
    return _shown(await app.profile(who.user_id), app)


def _shown(known: Profile, app: AppContext) -> ProfileOut:
    """A profile with the preset that serves: it is one for a whole home, set where it is started."""
    return ProfileOut(**asdict(known) | {"preset": app.settings.preset})
