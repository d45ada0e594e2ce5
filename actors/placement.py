"""Placement: which shard a user lives in, by rendezvous hashing, and how many shards there are by now.

It is a matter of speed alone. Who writes is settled by the fence of each memory in the journal, and who answers looks
there first: two processes that place a user differently for a moment make turns slower, and lose or double none.
"""

from __future__ import annotations

import os
from pathlib import Path

from memory.model.ids import digest

_NUMBER = "shards"
"""The file of a home's `run` that says how many shards are in force."""


def shard_name(number: int) -> str:
    """The actor name of a shard."""
    return f"shard-{number}"


def shard_of(user_id: str, shards: int) -> str:
    """The name of the shard a user lives in: the one whose hash with the user is the highest.

    Among n shards each has an n-th of all users. One more takes an (n+1)-th of the users of each and moves nobody else
    (highest random weight: Thaler and Ravishankar, 1998).
    """
    names = map(shard_name, range(shards))
    return max(names, key=lambda name: (digest("shard", name, user_id), name))


def line_of(home: Path, name: str) -> Path:
    """The file in which a shard of this home leaves where it may be asked past Ray (actors.shard_socket)."""
    return home / "run" / f"line-{name}"


def living(home: Path) -> dict[str, int]:
    """The shards in force -> the process that answers for each, as the name of its line says; those that have one."""
    found = {}
    for name in map(shard_name, range(in_force(home) or 0)):
        try:
            told = line_of(home, name).read_text().split("-")
        except FileNotFoundError:
            continue
        if len(told) > 2 and told[2].isdecimal() and Path(f"/proc/{told[2]}").exists():
            found[name] = int(told[2])
    return found


def put_in_force(home: Path, shards: int) -> int | None:
    """Let there be so many shards from now on; how many there were, None if nobody had said so."""
    before, place = in_force(home), home / "run" / _NUMBER
    place.parent.mkdir(exist_ok=True, mode=0o700)
    partial = place.with_name(f"{_NUMBER}.{os.getpid()}")
    partial.write_text(f"{shards}\n")
    partial.replace(place)
    return before


def in_force(home: Path) -> int | None:
    """How many shards there are to be by now; None if nobody has said so, or the power failed while it was written."""
    try:
        return int((home / "run" / _NUMBER).read_text())
    except (FileNotFoundError, ValueError):
        return None


class Placement:
    """How many shards one process places users in. It looks each time: a file of some bytes is read in 20 us.

    More of them count once all have left their lines: until then users stay where they are answered.
    """

    def __init__(self, home: Path, shards: int) -> None:
        """`shards` is the setting, which counts as long as nobody says otherwise."""
        self._home, self._setting = home, shards
        self._shards = self.wanted

    @property
    def wanted(self) -> int:
        """How many there are to be."""
        return in_force(self._home) or self._setting

    @property
    def shards(self) -> int:
        """How many users are placed in."""
        wanted = self.wanted
        if wanted != self._shards and (wanted < self._shards or self._all_have_begun(wanted)):
            self._shards = wanted
        return self._shards

    def of(self, user_id: str) -> str:
        """The name of the shard a user lives in."""
        return shard_of(user_id, self.shards)

    def names(self) -> tuple[str, ...]:
        """The shards in which anybody may live."""
        return tuple(map(shard_name, range(self.shards)))

    def over(self) -> frozenset[str]:
        """The shards that have left a line and are no longer to be."""
        lines = {path.name.removeprefix("line-") for path in (self._home / "run").glob("line-shard-*[0-9]")}
        return frozenset(lines - set(map(shard_name, range(max(self.wanted, self.shards)))))

    def _all_have_begun(self, shards: int) -> bool:
        return all(line_of(self._home, shard_name(number)).exists() for number in range(shards))
