"""The owner's profile: who "I" is, and where and in which languages they live."""

from __future__ import annotations

from dataclasses import dataclass

from memory.model.ids import fold


@dataclass(frozen=True, slots=True)
class Profile:
    """Comes from the user, never from text. An empty name means the owner is not known yet."""

    name: str = ""
    speaker_labels: tuple[str, ...] = ("user", "me")
    """Labels under which the owner speaks, beside the name itself."""
    assistant_labels: tuple[str, ...] = ("assistant", "ai", "bot", "agent")
    time_zone: str = "UTC"
    languages: tuple[str, ...] = ("en",)
    preset: str = "default"

    @property
    def label(self) -> str:
        """What the owner is called as a speaker: by name, once it is known."""
        return self.name or next(iter(self.speaker_labels), "me")

    def is_owner(self, speaker: str) -> bool:
        """Whether this label is the owner speaking."""
        label = fold(speaker)
        return bool(label) and label in {fold(known) for known in (self.name, *self.speaker_labels)}

    def called(self, speaker: str) -> str:
        """What a speaker is called in facts: the owner by name, once it is known, all others by their label."""
        return self.name if self.name and self.is_owner(speaker) else speaker

    def is_assistant(self, speaker: str) -> bool:
        """Whether this label is an assistant, whose words are no evidence."""
        return fold(speaker) in {fold(known) for known in self.assistant_labels}
