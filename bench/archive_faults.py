"""Archives with something wrong in them: real ones, changed where it hurts, drawn from a seed.

A fault knows how archives are made: it leaves everything else whole, so that what it changes is reached. Some leave an
archive sound by chance; that is an answer as well.
"""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable
from typing import Any

import orjson

Members = dict[str, bytes]
LINES = (
    "sources.jsonl",
    "entities.jsonl",
    "mentions.jsonl",
    "facts.jsonl",
    "evidence.jsonl",
    "links.jsonl",
    "notes.jsonl",
    "content.jsonl",
    "journal.jsonl",
    "nights.jsonl",
    "accesses.jsonl",
)
_RAW = "@@raw@@"
"""Stands where bytes are put that no JSON writer would write."""
TOKENS = (
    b"NaN",
    b"Infinity",
    b"-1e999",
    b"1e400",
    b"9" * 400,
    b"9223372036854775808",
    b"-9223372036854775809",
    b"0.1e-400",
    b'"\\ud800"',
    b'"\\u0000"',
    b'"\xff\xfe"',
    b"[" * 3_000,
    b'{"a":' * 3_000,
    b"[" * 90 + b"]" * 90,
    b"01",
    b"'x'",
    b"",
    b'"' + b"x" * 600_000 + b'"',
    b"[" + b"1," * 50_000 + b"1]",
)
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**53,
    2**63 - 1,
    -(2**63),
    1e308,
    -1e308,
    0.5,
    4e9,
    -5e9,
    "",
    " ",
    "x",
    [],
    {},
    [[]],
    {"a": {"b": []}},
    "Mars/X",
    "../../etc/passwd",
    "/etc/passwd",
    "e-0000000000000000",
    "f-0000000000000000",
    "segment:7",
    "profile",
    "user:other",
    "\u202e",
    "\u200b",
    "a" * 5_000,
    "9999-12-31",
    "0001-01-01T00:00:00+00:00",
    "2026-03-01T08:00:00",
    "'; DROP TABLE users; --",
    "%s",
    "NaN",
)


class Faults:
    """Draws faults: the same seed draws the same ones. `foreign` are keys of segments of other people."""

    def __init__(self, seed: int, foreign: tuple[int, ...] = ()) -> None:
        self._random = random.Random(seed)
        self._foreign = foreign
        self._kinds: tuple[tuple[int, Callable[[Members], Members | bytes]], ...] = (
            (30, self._value),
            (12, self._field),
            (10, self._token),
            (8, self._stolen),
            (8, self._reference),
            (8, self._rows),
            (5, self._bytes),
            (5, self._torn),
            (4, self._members),
            (3, self._headers),
            (3, self._bomb),
            (2, self._manifest),
        )

    def draw(self, archive: bytes) -> tuple[str, bytes]:
        """(kind of fault, archive): one fault, or several at once."""
        members = unpacked(archive)
        names = []
        for _ in range(self._random.choice((1, 1, 1, 2, 4))):
            _, change = self._random.choices(self._kinds, [weight for weight, _ in self._kinds])[0]
            try:
                changed = change(members)
            except (LookupError, ValueError, TypeError, AttributeError):
                continue  # it does not fit what an earlier fault has left
            names.append(change.__name__.lstrip("_"))
            if isinstance(changed, bytes):
                return "+".join(names), changed
            members = changed
        return "+".join(names), packed(members)

    # what a line says

    def _value(self, members: Members) -> Members:
        """Another value somewhere."""
        return self._in_line(members, lambda line: self._put(line, self._random.choice(VALUES)))

    def _token(self, members: Members) -> Members:
        """Something that is no JSON, or JSON that few can read."""
        member, lines = self._lines(members)
        if lines:
            place = self._random.randrange(len(lines))
            line = orjson.loads(lines[place])
            self._put(line, _RAW)
            token = self._random.choice(TOKENS)
            lines[place] = orjson.dumps(line).replace(orjson.dumps(_RAW), token, 1)
        return members | {member: _joined(lines)}

    def _field(self, members: Members) -> Members:
        """A field that is missing, that is new, or that has another name."""

        def change(line: Any) -> None:
            holder = self._random.choice([each for each in _holders(line) if isinstance(each, dict)])
            name = self._random.choice(list(holder)) if holder else "x"
            value = holder.pop(name, None) if self._random.random() < 0.7 else None
            if self._random.random() < 0.4:
                holder[self._random.choice((f"{name}s", "user_id", "scope", "__class__", "x" * 2_000))] = value

        return self._in_line(members, change)

    def _stolen(self, members: Members) -> Members:
        """The key of another's segment, of one that may come, or of another line."""

        def change(line: Any) -> None:
            keyed = [each for each in _holders(line) if isinstance(each, dict) and "segment_key" in each]
            if keyed:
                known = (*self._foreign, self._random.randrange(-(2**63), 2**63), 0)
                self._random.choice(keyed)["segment_key"] = self._random.choice(known)

        return self._in_line(members, change)

    def _reference(self, members: Members) -> Members:
        """The id of something else in the archive, or of nothing."""
        ids = [value for line in self._lines(members)[1] for value in _texts(orjson.loads(line)) if value[1:2] == "-"]

        def change(line: Any) -> None:
            named = [
                (each, key)
                for each in _holders(line)
                if isinstance(each, dict)
                for key in each
                if key.endswith("_id") or key in ("id", "merged_into", "replaced_by", "undoes")
            ]
            if named:
                holder, key = self._random.choice(named)
                holder[key] = self._random.choice([*ids, "e-0123456789abcdef", "f-0123456789abcdef"])

        return self._in_line(members, change)

    def _rows(self, members: Members) -> Members:
        """Lines twice, gone, in another order, or of another member."""
        member, lines = self._lines(members)
        _, others = self._lines(members)
        match self._random.randrange(5):
            case 0 if lines:
                lines.insert(self._random.randrange(len(lines)), self._random.choice(lines))
            case 1 if lines:
                del lines[self._random.randrange(len(lines))]
            case 2:
                self._random.shuffle(lines)
            case 3:
                lines += others
            case _:
                lines = [line for each in lines for line in (each, b"")]
        return self._counted(members | {member: _joined(lines)}, member, len(lines))

    def _manifest(self, members: Members) -> Members:
        manifest = orjson.loads(members["manifest.json"])
        name = self._random.choice(list(manifest))
        manifest[name] = self._random.choice((*VALUES, 2, 99, manifest["counts"]))
        return members | {"manifest.json": orjson.dumps(manifest)}

    # what it is packed in

    def _bytes(self, members: Members) -> Members:
        """A few bytes of a member."""
        name = self._random.choice(list(members))
        content = bytearray(members[name])
        for _ in range(self._random.choice((1, 3, 30))):
            if content:
                content[self._random.randrange(len(content))] = self._random.randrange(256)
        return members | {name: bytes(content)}

    def _members(self, members: Members) -> Members:
        """A member that is missing, empty, too much, or another's."""
        name, other = self._random.choice(list(members)), self._random.choice(list(members))
        match self._random.randrange(4):
            case 0:
                return {each: content for each, content in members.items() if each != name}
            case 1:
                return members | {name: b""}
            case 2:
                return members | {self._random.choice(("../../x", "/etc/x", "facts.jsonl/", "x" * 60_000)): b"x"}
            case _:
                return members | {name: members[other]}

    def _torn(self, members: Members) -> bytes:
        """The end is missing, bytes in between are, or others stand there."""
        whole = packed(members)
        at, cut = self._random.randrange(len(whole)), self._random.choice((1, 4, 50, len(whole)))
        return whole[:at] + self._random.randbytes(self._random.choice((0, 1, 4, 40))) + whole[at + cut :]

    def _headers(self, members: Members) -> bytes:
        """Headers of the ZIP that say something else: sizes, packing, passwords, places."""
        whole = bytearray(packed(members))
        marks = [at for mark in (b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06") for at in _places(whole, mark)]
        at = self._random.choice(marks) + self._random.randrange(4, 22)
        whole[at] = self._random.choice((0, 1, 8, 14, 255))
        return bytes(whole)

    def _bomb(self, members: Members) -> bytes:
        """Megabytes out of kilobytes, and lines that nobody could hold."""
        name, size = self._random.choice(LINES), self._random.choice((300_000, 3_000_000, 30_000_000))
        first = members.get(name, b"").split(b"\n", 1)[0][:-1]
        seed = self._random.choice((b"\0", b"[],", b"{},", b'"a":{},', b"a", b"\n", b" ", b'{"segments":[', b'"\\'))
        content = self._random.choice((first, b"", b'{"segments": [', b'{"changes": [')) + seed * (size // len(seed))
        return packed(
            members | {name: content}, zipfile.ZIP_DEFLATED if self._random.random() < 0.7 else zipfile.ZIP_STORED
        )

    # the parts of it

    def _lines(self, members: Members) -> tuple[str, list[bytes]]:
        there = [name for name in LINES if members.get(name, b"").strip()]
        member = self._random.choice(there or LINES)
        return member, [line for line in members.get(member, b"").split(b"\n") if _is_object(line)]

    def _in_line(self, members: Members, change: Callable[[Any], None]) -> Members:
        if self._random.random() < 0.1:
            profile = members.get("profile.json", b"")
            if _is_object(profile):
                line = orjson.loads(profile)
                change(line)
                return members | {"profile.json": orjson.dumps(line)}
        member, lines = self._lines(members)
        if lines:
            place = self._random.randrange(len(lines))
            line = orjson.loads(lines[place])
            change(line)
            lines[place] = orjson.dumps(line)
        return members | {member: _joined(lines)}

    def _put(self, line: Any, value: Any) -> None:
        """Put a value into some place of a line."""
        holder = self._random.choice([each for each in _holders(line) if each] or [line])
        if isinstance(holder, dict):
            holder[self._random.choice(list(holder) or ["x"])] = value
        else:
            holder[self._random.randrange(len(holder))] = value

    def _counted(self, members: Members, member: str, count: int) -> Members:
        """Mostly the manifest tells as many lines as there are, or nothing else would be reached."""
        if self._random.random() < 0.8 and _is_object(members.get("manifest.json", b"")):
            manifest = orjson.loads(members["manifest.json"])
            if isinstance(manifest.get("counts"), dict):
                manifest["counts"][member.removesuffix(".jsonl")] = count
                return members | {"manifest.json": orjson.dumps(manifest)}
        return members


def unpacked(archive: bytes) -> Members:
    """Member -> its bytes."""
    with zipfile.ZipFile(io.BytesIO(archive)) as whole:
        return {name: whole.read(name) for name in whole.namelist()}


def packed(members: Members, packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The archive of these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing, compresslevel=1) as whole:
        for name, content in members.items():
            whole.writestr(name, content)
    return out.getvalue()


def _joined(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False


def _holders(value: Any) -> list[Any]:
    """Every object and list inside, the value itself first."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value, *(found for each in inside if isinstance(each, dict | list) for found in _holders(each))]


def _texts(value: Any) -> list[str]:
    return [
        each
        for holder in _holders(value)
        if isinstance(holder, dict)
        for each in holder.values()
        if isinstance(each, str)
    ]


def _places(whole: bytearray, mark: bytes) -> list[int]:
    found, at = [], whole.find(mark)
    while at >= 0:
        found.append(at)
        at = whole.find(mark, at + 1)
    return found
