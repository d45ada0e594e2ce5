"""Listening with a bank of voices: who is told to have said what, and what the bank keeps of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Protocol, TypeVar

from memory.errors import Conflict, Stale
from memory.model.ids import command_id
from memory.model.sound import HeardVoice
from memory.model.timeline import Instant, to_datetime
from memory.model.voices import BankChange, VoiceBank
from memory.rules.voice_bank import HeardPlace, attributed, undoing

ATTEMPTS = 5
"""Times that a change is decided anew because another one was faster (chosen)."""
Sentence = TypeVar("Sentence")


class VoiceListener(Protocol):
    """Tells how the voices of a sound file sound."""

    async def voices(self, file: BinaryIO) -> Sequence[HeardVoice]:
        """The voices in a sound file on disk; none of silence.

        Raises Invalid, TooLarge, and Unavailable where the packages are missing or too many wait.
        """


@dataclass(frozen=True, slots=True)
class KnownChange:
    """A change of a bank, and whether it was undone."""

    change: BankChange
    undone: bool


class VoiceStore(Protocol):
    """The banks of voices, one for each scope."""

    async def bank(self, scope: str) -> VoiceBank:
        """All voices and prints."""

    async def commit(self, scope: str, change: BankChange) -> bool:
        """Carry out a change; False if it was before. Raises Conflict where something is not as it says.

        Raises Stale if another voice has got the label of a new one: decide anew.
        """

    async def changes(self, scope: str, change_id: str | None = None, limit: int = 100) -> Sequence[KnownChange]:
        """The latest changes first, or the one of that id; without prints that were erased since."""

    async def erase(self, scope: str, voice_ids: Sequence[str] = (), print_ids: Sequence[str] = ()) -> int:
        """Erase voices with their prints, and prints; how many prints. What brought them cannot be undone any more."""


class Banks(Protocol):
    """The banks of voices, for whoever only reads them."""

    async def bank(self, scope: str) -> VoiceBank:
        """All voices and prints."""


class VersionedBanks(Banks, Protocol):
    """The same, where it can be told cheaply whether a bank has changed."""

    async def version(self, scope: str) -> str:
        """Another one whenever the bank of a scope is another."""


class LatestBanks:
    """See Banks: each bank as it is now, read whole only when it has changed. Let go of it soon: it holds prints."""

    def __init__(self, store: VersionedBanks) -> None:
        self._store = store
        self._read: dict[str, tuple[str, VoiceBank]] = {}

    async def bank(self, scope: str) -> VoiceBank:
        """All voices and prints."""
        version = await self._store.version(scope)  # before the bank: what changes between is read again
        if scope not in self._read or self._read[scope][0] != version:
            self._read[scope] = version, await self._store.bank(scope)
        return self._read[scope][1]


async def listen(
    store: VoiceStore,
    voices: Collection[HeardVoice],
    place: HeardPlace,
    strangers: str,
    bank: VoiceBank | None = None,
) -> Mapping[int, str | None]:
    """Number of a voice -> the label of who is told to speak, None if its sentences are not told.

    The same recording heard again finds its strangers by the prints that the first hearing has left, and gives them the
    labels that they have. `bank` is the bank if it was just read. Raises Stale if others change it all the time.
    """
    for attempt in range(ATTEMPTS):
        made = command_id("voices", place.source_id, place.at, attempt)
        before = bank if bank is not None and not attempt else await store.bank(place.scope)
        found = attributed(before, made, voices, place, strangers)
        try:
            if found.change is None or await store.commit(place.scope, found.change):
                return found.speakers
        except Conflict:  # another one was faster: decided anew
            continue
    raise Stale("The voices of this memory change all the time; try again.")


def day_called(at: Instant, offset_s: int) -> str:
    """A day as the labels of its strangers call it: 3 May."""
    day = to_datetime(at + offset_s)
    return f"{day.day} {day:%B}"


async def undo(store: VoiceStore, scope: str, key: str, at: Instant, change_id: str | None) -> BankChange:
    """The change that was taken back: the one of that id, else the last of a person that still stands.

    Raises Conflict if there is none, if it was undone before, or if a later change rests on it.
    """
    for known in await store.changes(scope, change_id):
        change = known.change
        if change_id is None and (known.undone or change.undoes or change.actor != "user"):
            continue
        if known.undone or change.undoes:
            raise Conflict("That change was undone before, or was an undoing itself.", change_id=change.change_id)
        await store.commit(scope, undoing(change, key, at))
        return change
    raise Conflict("There is no change of the voices that could be undone.")
