"""Voices: who is known by the sound of their voice, by which prints, and how that has changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from memory.model.ids import digest, fold
from memory.model.timeline import Instant

SOMEBODY = "[somebody]"
"""The speaker of sentences whose voice is not to be told."""
ENROLLED, HEARD, LEARNT = "enrolled", "heard", "learnt"
"""Where a print comes from: given by hand, the first that was heard of a stranger, or added while listening."""
ORIGINS = (ENROLLED, HEARD, LEARNT)
NUMBERED = re.compile(r"\bSpeaker [0-9]{1,6} of [0-9]{1,2} [A-Z][a-z]{2,8}\b")
"""A label of a stranger. It names a day, but tells no time."""
DROP, WITHOUT_NAME = "drop", "without_name"
EXCLUSIONS = ("", WITHOUT_NAME, DROP)
"""What becomes of what a voice says: it is told; told as somebody's; not told at all."""
DIFFER = "differ"
"""The kind of a change by which two voices are different people's."""
SPLIT = "split"
"""The kind of a change by which a voice turns out to be two."""
KEEP = "keep"
STRANGERS = (KEEP, "keep_without_name", "drop")
"""The same of voices that nobody has named: they get a label and a print; told as somebody's; not told at all."""
DEFAULT_STYLE = "default"


def is_numbered(label: str) -> bool:
    """Whether a label is the number of a stranger rather than a name."""
    return NUMBERED.fullmatch(label) is not None


def voice_id(scope: str, label: str, at: Instant) -> str:
    """Identity of a voice: the label it began with, and when; a forgotten one never comes back."""
    return "v-" + digest("voice", scope, label, at).hex()


def print_id(scope: str, origin: str, source_id: str | None, style: str, embedding: tuple[float, ...]) -> str:
    """Identity of a print: the same sound enrolled again is the same print."""
    return "w-" + digest("voice print", scope, origin, source_id or "", style, *embedding).hex()


@dataclass(frozen=True, slots=True)
class KnownVoice:
    """One voice. Segments carry its `label` for good; what is shown in its place follows its name."""

    voice_id: str
    label: str
    created_at: Instant
    name: str = ""
    """Whose it is, as somebody has said; empty until then, and of one whose label is its owner's name."""
    exclusion: str = ""
    """One of `EXCLUSIONS`."""
    merged_into: str | None = None
    """The voice that this one turned out to be; never one that was merged itself."""
    forgotten: bool = False
    """Nothing of it is left but its label, so that no other voice gets that one."""


@dataclass(frozen=True, slots=True)
class VoicePrint:
    """How a voice sounds: `embedding` of unit length, from so many `seconds` of speech, by one model."""

    print_id: str
    voice_id: str
    origin: str
    model: str
    seconds: float
    embedding: tuple[float, ...]
    at: Instant
    style: str = DEFAULT_STYLE
    source_id: str | None = None
    """Which source it was heard in; the print goes when that is forgotten."""

    @property
    def is_original(self) -> bool:
        """Whether it does not rest on having been recognised."""
        return self.origin != LEARNT


@dataclass(frozen=True, slots=True)
class VoiceSwap:
    """A voice before and after a change; None where there is none."""

    before: KnownVoice | None
    after: KnownVoice | None


@dataclass(frozen=True, slots=True)
class PrintSwap:
    """Whose a print was before and after a change; None where it is not in the bank."""

    print: VoicePrint
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class BankChange:
    """One change of a bank, with all that it takes to take it back.

    `commands` are the turns of the memory that went with it, in their order.
    """

    change_id: str
    kind: str
    at: Instant
    voices: tuple[VoiceSwap, ...] = ()
    prints: tuple[PrintSwap, ...] = ()
    commands: tuple[str, ...] = ()
    actor: str = "user"
    undoes: str | None = None
    apart: tuple[str, ...] = ()
    """Two voices that it says are different people's."""

    @property
    def touched(self) -> frozenset[str]:
        """Ids of the voices it concerns."""
        of_voices = {row.voice_id for each in self.voices for row in (each.before, each.after) if row is not None}
        of_prints = {of for each in self.prints for of in (each.before, each.after) if of is not None}
        return frozenset(of_voices | of_prints | {*self.apart})


@dataclass(frozen=True, slots=True)
class VoiceBank:
    """All voices and prints of one scope, by their ids."""

    voices: Mapping[str, KnownVoice] = field(default_factory=dict)
    prints: Mapping[str, VoicePrint] = field(default_factory=dict)

    def root(self, voice_id: str) -> KnownVoice:
        """The voice that one turned out to be, or itself."""
        voice = self.voices[voice_id]
        return self.voices[voice.merged_into] if voice.merged_into else voice

    def shown(self, voice_id: str) -> str:
        """What a voice is called now."""
        voice = self.root(voice_id)
        return voice.name or voice.label

    def standing(self) -> Iterator[KnownVoice]:
        """Voices that are neither forgotten nor merged into others, in the order they came."""
        found = [each for each in self.voices.values() if not (each.forgotten or each.merged_into)]
        yield from sorted(found, key=lambda each: (each.created_at, each.voice_id))

    def called(self, name: str) -> KnownVoice | None:
        """The standing voice of this name."""
        wanted = fold(name)
        return next((each for each in self.standing() if fold(each.name or each.label) == wanted), None)

    def prints_of(self, voice_id: str) -> list[VoicePrint]:
        """The prints of a voice, the earliest first."""
        found = [each for each in self.prints.values() if each.voice_id == voice_id]
        return sorted(found, key=lambda each: (each.at, each.print_id))
