"""Files of one name that begin alike, such as notes of two days in two folders: kept apart within one import."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

from adapters.capture.bodies import Body
from memory.model.ids import digest

_BY_FILE = frozenset({"file name", "modification time", "document"})
"""By what a source is dated whose id holds no day: its name and its first words are all of it."""
MOST_COMPARED = 50
"""Files of one name and one beginning that are read once more for a further one (chosen: each takes a millisecond)."""


class Namesakes:
    """Which file has given which id to its source, within one import.

    A copy of a file goes into the source of that file, whichever folder it lies in. Another text of the same name and
    the same beginning would, too: its words would stand among those of another day, on one date.
    """

    def __init__(self) -> None:
        self._known: dict[str, dict[Path, str]] = {}

    def apart(self, path: Path, body: Body, read: Callable[[Path], Iterable[Body]]) -> Body:
        """The body of a file, under an id of its own if files in other folders have given it to other words.

        `read` reads such a file once more. The id is made of the names of the folders, as many as it takes: the same
        import again gives the same one.
        """
        if body["provenance"].get("dated_by") not in _BY_FILE:
            return body
        source_id = body["source_id"]
        known = self._known.setdefault(source_id, {})
        if path not in known:
            others = islice(known.items(), MOST_COMPARED)
            same = (named for other, named in others if other.parent == path.parent or _are_alike(body, read(other)))
            known[path] = next(same, "") or self._fresh(path, body, set(known.values()))
        return body | {"source_id": known[path]}

    @staticmethod
    def _fresh(path: Path, body: Body, taken: set[str]) -> str:
        source_id, folders = str(body["source_id"]), path.parent.parts[::-1]
        made = (digest(source_id, *folders[:depth]).hex() for depth in range(1, len(folders) + 1))
        ids = (source_id, *(f"{body['provenance']['format']}-{each}" for each in made))
        return next((each for each in ids if each not in taken), source_id)


def _are_alike(body: Body, others: Iterable[Body]) -> bool:
    """Whether more than half of the shorter one stands in the other."""
    said, known = _ids([body]), _ids(each for each in others if each["source_id"] == body["source_id"])
    return 2 * len(said & known) > min(len(said), len(known))


def _ids(bodies: Iterable[Body]) -> set[str]:
    return {segment["segment_id"] for body in bodies for segment in body["segments"]}
