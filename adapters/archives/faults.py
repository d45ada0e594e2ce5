"""What is wrong with an archive, told by where it is: fields and places, never what stands there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from adapters.archives import schema
from adapters.archives.kinds import ArchiveLine
from memory.errors import Invalid

MOST_TOLD = 1_000
"""Errors of one piece that are looked at; each would become a dictionary."""


class Fault(ValueError):
    """What is wrong with a line, and where in it."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}" if where else why)
        self._where, self._why = where, why

    def inside(self, place: str) -> Fault:
        """The same fault of a part that stands there."""
        return Fault(f"{place}.{self._where}" if self._where else place, self._why)


@contextmanager
def told_at(where: str) -> Iterator[None]:
    """Let whatever is wrong inside be told with where it is."""
    try:
        yield
    except ValidationError as error:
        raise Invalid(f"{where}: {first_of(error)}.") from None
    except Fault as fault:
        raise Invalid(f"{where}: {fault}.") from None


_READ: tuple[type[ArchiveLine], ...] = (
    *schema.LINES.values(),
    schema.SegmentLine,
    schema.ManifestLine,
    schema.ProfileLine,
    schema.Emotion,
    schema.OutcomeLine,
)
_KNOWN = frozenset(name for line in _READ for name in line.model_fields) | {
    "before",
    "after",
    "noun",
    "reason",
    *schema.MEMBERS,
}
"""Names that an error may tell; any other one may be somebody's word."""
_SAID = {
    "extra_forbidden": "holds a field that version 1 does not have",
    "union_tag_invalid": "noun: is none that there is",
    "recursion_loop": "is nested too deeply",
}
"""Kinds of errors that would repeat what was sent, or say it in a way nobody understands."""


def first_of(error: ValidationError) -> str:
    """The first error: a path of known names and places, and what is expected."""
    if error.error_count() > MOST_TOLD:
        return "holds too many faults to tell them"
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    path = ".".join(str(step) for step in first["loc"] if isinstance(step, int) or step in _KNOWN)
    said = _SAID.get(first["type"], first["msg"].removeprefix("Value error, "))
    return f"{path}: {said}" if path else said
