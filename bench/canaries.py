"""`python -m bench.canaries --home data --count 1000`: whether a forgotten word is left anywhere on the machine.

Words that stand nowhere else are told to a running Memoray: in what is said and in its raw form, who says it, ids, file
names, provenance, statements, keys, aliases, notes, corrections, a profile. All of them begin with one marker. Then
their sources, entities and memories are forgotten, every receipt is waited for until each place has its time, and all
files of the home, of the database and of the temporary folders are searched for the marker, packed ones unpacked.

The database must not compress (`--plain` says so to it before anything is told), or its own compression would hide what
is looked for. Exit status 1 if anything is found.
"""

from __future__ import annotations

import argparse
import gzip
import json
import secrets
import sys
import time
import zipfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psycopg

from bench.measure import Refused

SYLLABLES = ("ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo", "xu", "wa")
READ_BYTES = 1 << 22
"""Bytes of a file searched at a time; what lies across two of them is found, too."""
MEMORIES = 5
"""Memories of their own that are forgotten as a whole; the rest are sources and entities of one, half and half."""
WAIT_S = 3_600.0


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a user; `key` is its Idempotency-Key."""

    user: str
    method: str
    path: str
    body: Any = None
    key: str | None = None


Talk = Generator[Request, Any, None]
"""Requests one after another; each is sent the answer to the one before."""


@dataclass
class Canaries:
    """Words of one run: a marker of eight letters, then syllables that count."""

    marker: str = field(default_factory=lambda: "q" + "".join(secrets.choice(SYLLABLES) for _ in range(4)))
    receipts: list[tuple[str, str]] = field(default_factory=list)
    """(user, receipt id)."""

    def word(self, number: int) -> str:
        """The canary of this number, as a name."""
        rest = "".join(SYLLABLES[(number >> shift) & 15] for shift in (8, 4, 0))
        return f"{self.marker}{rest}".capitalize()

    def tell_source(self, user: str, number: int) -> Talk:
        """A conversation with the word in all that it consists of, and a statement about it."""
        word = self.word(number)
        said = (
            f"I moved to {word} last month and I like {word} coffee.",
            f"My sister {word} visits on Friday.",
            f"I promise to call {word} tomorrow.",
        )
        segments = [
            {
                "segment_id": f"{word}/{n}",
                "speaker": f"{word} Park",
                "text": text,
                "raw": f"*{text}*",
                "start": n,
                "end": n + 1,
            }
            for n, text in enumerate(said)
        ]
        body = {
            "source_id": f"{word}-source",
            "started_at": "2026-03-01T08:00:00+00:00",
            "segments": segments,
            "participants": [word],
            "provenance": {"file": f"{word}.txt"},
            "device_id": word,
        }
        yield Request(user, "POST", "/v1/sources", body)
        told = {"statement": f"{word} is on my mind", "subject": word, "source_id": f"{word}-source"}
        yield Request(user, "POST", "/v1/facts", told, f"{word}-key")

    def tell_entity(self, user: str, number: int) -> Talk:
        """Somebody known by commands alone, with an alias, a note and a correction."""
        word = self.word(number)
        told = {"statement": f"{word} plays the harp", "subject": word}
        fact = yield Request(user, "POST", "/v1/facts", told, f"{word}-told")
        found = yield Request(user, "GET", f"/v1/entities?name={word}")
        entity = found["entities"][0]["entity_id"]
        yield Request(user, "POST", f"/v1/entities/{entity}/alias", {"alias": f"{word}chen"}, f"{word}-alias")
        yield Request(user, "POST", f"/v1/entities/{entity}/notes", {"text": f"{word} is patient."}, f"{word}-note")
        corrected = {"statement": f"{word} plays the {word} lute"}
        yield Request(user, "POST", f"/v1/facts/{fact['fact_id']}/correct", corrected, f"{word}-right")

    def tell_profile(self, user: str, number: int) -> Talk:
        """Who somebody is."""
        yield Request(user, "PUT", "/v1/profile", {"name": self.word(number)})

    def forget_source(self, user: str, number: int) -> Talk:
        """Forget what `tell_source` told."""
        word = self.word(number)
        yield from self._forgotten(user, f"/v1/sources/{word}-source", f"{word}-gone")

    def forget_entity(self, user: str, number: int) -> Talk:
        """Forget whom `tell_entity` told of."""
        path = f"/v1/entities?name={self.word(number)}"
        while found := (yield Request(user, "GET", path))["entities"]:  # one may have taken others along
            yield from self._forgotten(user, f"/v1/entities/{found[0]['entity_id']}", None)

    def forget_memory(self, user: str) -> Talk:
        """Forget all that was told to somebody."""
        yield from self._forgotten(user, "/v1/memory", None)

    def _forgotten(self, user: str, path: str, key: str | None) -> Talk:
        receipt = yield Request(user, "DELETE", path, None, key)
        self.receipts.append((user, receipt["receipt_id"]))

    def told(self, user: str, count: int) -> Iterator[Talk]:
        """Tell `count` canaries: sources and entities of one user, and `MEMORIES` memories beside it."""
        for number in range(count):
            owner, rest = _owner(user, number, count), number % 2
            yield (self.tell_source if rest else self.tell_entity)(owner, number)
            if owner != user:
                yield self.tell_profile(owner, number)

    def forgotten(self, user: str, count: int) -> Iterator[Talk]:
        """Forget all of them."""
        for number in range(count):
            if _owner(user, number, count) == user:
                yield (self.forget_source if number % 2 else self.forget_entity)(user, number)
        for number in range(MEMORIES):
            yield self.forget_memory(f"{user}-{number}")


def _owner(user: str, number: int, count: int) -> str:
    """One canary in five belongs to a memory that is forgotten as a whole."""
    return f"{user}-{number % MEMORIES}" if number >= count - count // 5 else user


def search(folders: Iterable[Path], *markers: str | bytes) -> list[str]:
    """Every file below these folders whose content or name holds one of the markers, in any case, packed or not.

    A marker of bytes is part of a sound or a print.
    """
    found, needles = set(), [(each if isinstance(each, bytes) else each.encode()).lower() for each in markers]
    for path in sorted({each for folder in folders for each in folder.rglob("*")}):
        if any(needle in path.name.lower().encode() for needle in needles):
            found.add(f"{path} (its name)")
        if path.is_file() and not path.is_symlink():
            try:
                if any(_holds(content, needles) for content in _contents(path)):
                    found.add(str(path))
            except FileNotFoundError:  # gone meanwhile
                continue
    return sorted(found)


def _contents(path: Path) -> Iterator[Iterator[bytes]]:
    """The blocks of a file, and of what is packed in it."""
    yield _blocks(path)
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            yield from (iter((packed.read(name),)) for name in packed.namelist())
    elif path.suffix == ".gz":
        yield iter((gzip.decompress(path.read_bytes()),))


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(READ_BYTES):
            yield block


def _holds(blocks: Iterator[bytes], needles: Sequence[bytes]) -> bool:
    before, kept = b"", max(map(len, needles))
    for block in blocks:
        lower = before + block.lower()
        if any(needle in lower for needle in needles):
            return True
        before = lower[-kept:]
    return False


def store_plainly(dsn: str) -> None:
    """Let the tables of a database keep long values uncompressed, so that a search of its files finds them."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        columns = connection.execute(
            "SELECT format('ALTER TABLE %I ALTER %I SET STORAGE EXTERNAL', c.relname, a.attname)"
            " FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid"
            " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0"
            " AND NOT a.attisdropped AND a.attstorage = 'x'"
        ).fetchall()
        for (statement,) in columns:
            connection.execute(statement)


def data_directory(dsn: str) -> Path:
    """Where a server on this machine keeps its files."""
    with psycopg.connect(dsn) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    assert row is not None
    return Path(row[0])


def over(receipt: dict[str, Any]) -> bool:
    """Whether a receipt tells of every place when it was erased, or why it is not."""
    return all(place["erased_at"] or (place["note"] and not place["due_by"]) for place in receipt["places"])


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, default=Path("data"))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--plain", action="store_true", help="let the database store without compression from now on")
    parser.add_argument("--also", type=Path, action="append", default=[], help="another folder to be searched")
    arguments = parser.parse_args()
    runtime = json.loads((arguments.home / "run" / "runtime.json").read_text())
    if arguments.plain:
        store_plainly(runtime["owner_dsn"])
    canaries, user = Canaries(), f"canaries-{secrets.token_hex(3)}"
    folders = [arguments.home, data_directory(runtime["owner_dsn"]), *arguments.also]
    token = (arguments.home / "token").read_text().strip()
    with httpx.Client(base_url=runtime["url"], timeout=60, headers={"X-Internal-Token": token}) as client:
        for talk in canaries.told(user, arguments.count):
            _send(client, talk)
        _settle(client, user)
        print(f"{arguments.count} told; the marker stands in {len(search(folders, canaries.marker))} files")
        for talk in canaries.forgotten(user, arguments.count):
            _send(client, talk)
        began = time.monotonic()
        _wait(client, canaries)
        print(f"{len(canaries.receipts)} receipts; every place has its time after {time.monotonic() - began:.0f} s")
    found = search(folders, canaries.marker)
    print("\n".join(found) or "0 files hold it")
    return 1 if found else 0


def _send(client: httpx.Client, talk: Talk) -> None:
    answer: Any = None
    while True:
        try:
            request = talk.send(answer)
        except StopIteration:
            return
        answer = _asked(client, request)


def _asked(client: httpx.Client, request: Request) -> Any:
    headers = {"X-User-Id": request.user} | ({"Idempotency-Key": request.key} if request.key else {})
    sent = client.request(request.method, request.path, json=request.body, headers=headers)
    if sent.is_error:
        raise Refused(f"{request.method} was refused with status {sent.status_code}: {sent.text}")
    return sent.json()


def _settle(client: httpx.Client, user: str) -> None:
    """Wait until everything told is read."""
    for owner in (user, *(f"{user}-{number}" for number in range(MEMORIES))):
        while any(_asked(client, Request(owner, "GET", "/v1/stats"))["pending"].values()):
            time.sleep(1)


def _wait(client: httpx.Client, canaries: Canaries) -> None:
    """Wait for one after the other, so that a thousand of them are not asked for again and again."""
    deadline = time.monotonic() + WAIT_S
    for number, (user, receipt_id) in enumerate(canaries.receipts):
        while not over(_asked(client, Request(user, "GET", f"/v1/receipts/{receipt_id}"))):
            if time.monotonic() > deadline:
                raise Refused(f"{len(canaries.receipts) - number} receipts are not over after {WAIT_S:.0f} s.")
            time.sleep(2)


if __name__ == "__main__":
    sys.exit(_main())
