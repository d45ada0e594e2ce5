"""Readiness: whether Memoray works, and whether it could answer and keep something now. Nothing is anybody's."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller
from memory.errors import DiskFull
from memory.model.sound import GUESSED
from memory.services.ears import GPU, Role


class LeaseUserOut(BaseModel):
    """A kind of work that holds a lease, or waits for one: `sweep`, `live`, `embedding` or `extraction`."""

    user: str
    declared: float
    since_s: float


class LeaseOut(BaseModel):
    """Who holds what all models share. `budget` and `declared` are gigabytes on a GPU, processors on a CPU."""

    device: str
    budget: float
    declared: float
    held: list[LeaseUserOut]
    waiting: list[LeaseUserOut]


_LEASE = {
    "device": "gpu",
    "budget": 102.4,
    "declared": 9.6,
    "held": [{"user": "sweep", "declared": 9.6, "since_s": 4.2}],
    "waiting": [{"user": "live", "declared": 8.8, "since_s": 0.3}],
}


class HearingModelOut(BaseModel):
    """What hears: its `role` (`words`, `voices` or `emotion`), its `name`, and whether it is in memory now: something
    has come of it in the process that hears.

    `loaded` is null of what is on a GPU, for nobody asks there each time.
    """

    role: Role
    name: str
    loaded: bool | None


class SpeechEmotionOut(BaseModel):
    """By which method feelings are guessed; null where they are not."""

    method: str | None


class EnrollmentOut(BaseModel):
    """Whether a voice can be enrolled. How many are is told with a token alone, by `GET /v1/enrollment`."""

    available: bool


_HEARING = {
    "models": [{"role": "words", "name": "whisper-base", "loaded": True}],
    "warmup": "warm",
    "enrollment": {"available": True},
    "ser": {"method": "text+prosody-standin"},
}


class Health(BaseModel, json_schema_extra={"examples": [{"status": "ok", "lease": _LEASE} | _HEARING]}):
    """`lease` is null while nobody can say. `models` are those that hear. `warmup` is `warm` while they are loaded,
    `cold` where the first sound loads them, `gpu` where a deployment has them, and `off` where nothing hears."""

    status: Literal["ok"] = "ok"
    lease: LeaseOut | None = None
    models: list[HearingModelOut] = []
    warmup: Literal["warm", "cold", "gpu", "off"] = "off"
    enrollment: EnrollmentOut = EnrollmentOut(available=False)
    ser: SpeechEmotionOut = SpeechEmotionOut(method=None)


async def health(app: AppContext) -> Health:
    """What kinds of work have the GPU, or the processors, now, and what hears; nothing is looked up for that."""
    told = await app.leases.state()
    return Health(lease=None if told is None else LeaseOut.model_validate(told, from_attributes=True), **_hearing(app))


async def ready(app: AppContext) -> None:
    """Return if a question could be answered and a word kept now. Raises DiskFull and Unavailable."""
    if not app.has_room():
        raise DiskFull
    await app.stores.access.tokens.all()
    await app.ask("ready")


async def reachable(app: AppContext, who: Caller) -> None:
    """Return if the database answers about this caller's memory. Raises Unavailable."""
    await app.stores.reads.sources.page(who.view, 1)


def _hearing(app: AppContext) -> dict[str, Any]:
    """What hears in this process, or beside it. Nothing of it is anybody's."""
    if not app.ear.is_installed:
        return {}
    speech, on_gpu = app.settings.models.speech, app.speech is not None
    loaded = app.live_ear.loaded
    tells_voices = speech.tell_apart and (on_gpu or app.live_ear.tells_voices)
    own = "own" if speech.path else f"whisper-{speech.kind}"
    named = {
        "words": GPU if on_gpu else own,
        "voices": (GPU if on_gpu else "campp") if tells_voices else None,
        "emotion": (GPU if on_gpu else GUESSED) if speech.emotion else None,
    }
    return {
        "models": [
            {"role": role, "name": name, "loaded": None if on_gpu else role in loaded}
            for role, name in named.items()
            if name
        ],
        "warmup": "gpu" if on_gpu else "warm" if "words" in loaded else "cold",
        "enrollment": {"available": app.voices is not None and tells_voices},
        "ser": {"method": named["emotion"]},
    }
