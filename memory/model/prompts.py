"""What a language model is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SpokenTurn = tuple[str, str]
"""A role of a talk with a language model, user or assistant, and its words."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request to a language model."""

    system: str
    """What it is told of its task."""
    text: str
    """What it is to answer."""
    schema: Mapping[str, Any] | None = None
    """A JSON schema that the answer is asked to fit; whoever reads the answer checks."""
    max_tokens: int = 512
    earlier: Sequence[SpokenTurn] = ()
    """What was said before in the same talk."""

    @property
    def messages(self) -> list[dict[str, str]]:
        """The whole talk as the OpenAI protocol has it: the system first, the text last."""
        talk = (("system", self.system), *self.earlier, ("user", self.text))
        return [{"role": role, "content": words} for role, words in talk]
