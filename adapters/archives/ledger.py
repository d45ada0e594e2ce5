"""What an archive holds, noted as it is read, so that nothing in it can refer to anything else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from adapters.archives.faults import Fault
from adapters.postgres.codec import NOUNS, content_id, name_key
from memory.model.entities import Entity
from memory.model.facts import Fact
from memory.model.ids import digest, segment_key
from memory.model.scopes import user_scope

WORDS = tuple(sorted({name for noun in NOUNS.values() for name in (*noun.words, *noun.json_words)}))
PARTS = (*WORDS, "before", "after")
"""Which part of its owner some words are: a field of a row, or a side of a changed profile."""


class Ledger:
    """The ids of one archive, each derived or checked anew. `shared` are keys of segments of its owner's teams.

    `strangers` collects the keys of segments that are neither: the history of what was forgotten names them, and so
    may a memory that once rested on a team's words. Nobody can tell such a key from that of another person's segment,
    so each is given another one, which can be nobody's (`key`).
    """

    def __init__(self, user_id: str, shared: Collection[int] = ()) -> None:
        self._scope = user_scope(user_id)
        self._own: set[int] = set()
        self._shared = frozenset(shared)
        self.strangers: set[int] = set()
        self._seen: dict[str, set[object]] = {}
        self._source = ("", 0)
        self._hidden: dict[int, tuple[int, int]] = {}
        self._merged: dict[str, tuple[int, str]] = {}
        self._parts: dict[int, str] = {}
        self._fact: tuple[str, int, float | None] | None = None

    def key(self, named: int) -> int:
        """The key by which a segment goes on: its own one, a team's one, or one that is nobody's. 0 is no segment."""
        if not named or named in self._own or named in self._shared:
            return named
        self.strangers.add(named)
        return int.from_bytes(digest("stranger", self._scope, named), "big", signed=True)

    def once(self, kind: str, identity: object, where: str) -> None:
        """Note an id. Raises Fault if it is there already."""
        known = self._seen.setdefault(kind, set())
        if identity in known:
            raise Fault(where, "must be there once")
        known.add(identity)

    def held(self, kinds: Iterable[str], identity: object, where: str) -> None:
        """Raise Fault unless the archive holds that id."""
        if not any(identity in self._seen.get(kind, ()) for kind in kinds):
            raise Fault(where, "the archive does not hold it")

    def source(self, source_id: str, part: int) -> None:
        """Note a source, or a further part of the one before it. Raises Fault if it is neither."""
        if not part:
            self.once("source", source_id, "source_id")
        elif self._source[0] != source_id or part <= self._source[1]:
            raise Fault("part", "must follow the part before it")
        self._source = (source_id, part)

    def hidden(self, source_id: str, by: str, at: tuple[int, int]) -> None:
        """Note what a segment is hidden by, which may come later, and in which line and place that is said."""
        self._hidden.setdefault(segment_key(self._scope, source_id, by), at)

    def whole_sources(self) -> tuple[int, Fault] | None:
        """(line, fault) of the first segment that is hidden by none of its source."""
        lacking = min((at for key, at in self._hidden.items() if key not in self._own), default=None)
        if lacking is None:
            return None
        number, place = lacking
        return number, Fault(f"segments.{place}.replaced_by", "the source does not hold it")

    def segment(self, source_id: str, segment_id: str, named: int) -> None:
        """Note a segment, whose key follows from its source and its id. Raises Fault if it says another one."""
        key = segment_key(self._scope, source_id, segment_id)
        if key != named:
            raise Fault("segment_key", "is not the key of this segment of this source")
        if key in self._own:
            raise Fault("segment_id", "must be there once")
        self._own.add(key)

    def entity(self, row: Entity, number: int) -> None:
        """Note an entity. Raises Fault if another has its id or name, or is the owner, too."""
        self.once("entity", row.entity_id, "entity_id")
        if row.merged_into is None:
            self.once("name", name_key(row), "name")
        else:
            self._merged[row.entity_id] = (number, row.merged_into)
        if row.is_owner:
            self.once("owner", True, "is_owner")

    def merged(self) -> tuple[int, Fault] | None:
        """(line, fault) of the first entity that was merged into none of the archive, or in a circle."""
        sound: set[str] = set()
        for entity_id, (number, _) in self._merged.items():
            path, at = set[str](), entity_id
            while at in self._merged and at not in sound:
                if at in path:
                    return number, Fault("merged_into", "must not lead back to where it began")
                path.add(at)
                at = self._merged[at][1]
            if at not in self._seen["entity"]:
                return number, Fault("merged_into", "the archive does not hold it")
            sound |= path
        return None

    def fact(self, row: Fact) -> None:
        """Note a version of a fact: they come in their order, each begins when the one before it ends or later."""
        before = self._fact
        if before is None or before[0] != row.fact_id:
            self.whole_fact()
            self.once("fact", row.fact_id, "fact_id")
        elif row.version <= before[1]:
            raise Fault("version", "must follow the version before it")
        elif before[2] is None or row.system_from < before[2]:
            raise Fault("system_from", "must not be before the last version was closed")
        for name in ("subject_id", "object_id"):
            if (identity := getattr(row, name)) is not None:
                self.held(("entity",), identity, name)
        self._fact = (row.fact_id, row.version, row.system_to)

    def whole_fact(self) -> None:
        """Raise Fault if the last version of the last fact was closed: nothing would be believed of it."""
        if self._fact is not None and self._fact[2] is not None:
            raise Fault("system_to", "the last version of a fact must be open")
        self._fact = None

    def words(self, named: int, owner: str, words: str) -> tuple[str, str]:
        """(part, owner) of words the history means: their id follows from both and from the words themselves.

        Raises Fault if it says another id. Words of a stranger's segment belong to the key it goes on by.
        """
        part = next((each for each in PARTS if content_id(owner, each, words) == named), None)
        if part is None:
            raise Fault("content_id", "is not the id of these words")
        self.once("words", named, "content_id")
        self._parts[named] = part
        kind, _, key = owner.partition(":")
        return part, f"{kind}:{self.key(int(key))}" if kind == "segment" else owner

    def side(self, noun: str, name: str, row: Mapping[str, Any]) -> dict[str, Any]:
        """One row of a change as it is kept. Raises Fault if it means words as what they are not."""
        for column in (name,) if noun == "profile" else PARTS:
            identity = row.get("profile" if noun == "profile" else column)
            if isinstance(identity, int) and self._parts.get(identity, column) != column:
                raise Fault(f"{name}.{column}", "means other words")
        told = dict(row)
        if "segment_key" in row:
            told["segment_key"] = self.key(row["segment_key"] or 0)
        if "quotes" in row:
            told["quotes"] = [self.key(each) for each in row["quotes"]]
        return told
