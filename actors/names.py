"""How actors are found: names, the namespace, and which shard a user lives in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ray

from memory.errors import Unavailable
from memory.model.ids import digest

NAMESPACE = "memoray"
WORKER = "worker"
SHARDS = 1
"""Shards on one machine: a process costs about 125 MB, and one holds many users."""


def shard_name(number: int) -> str:
    """The actor name of a shard."""
    return f"shard-{number}"


def shard_of(user_id: str) -> str:
    """The name of the shard a user lives in; stable for a given number of shards."""
    return shard_name(int.from_bytes(digest("shard", user_id), "big") % SHARDS)


def line_of(home: Path, name: str) -> Path:
    """The file in which a shard of this home leaves where it may be asked past Ray (actors.line)."""
    return home / "run" / f"line-{name}"


def actor(name: str) -> Any:
    """The handle of a living actor. Ray is asked every time. Raises Unavailable if there is none."""
    try:
        return ray.get_actor(name, namespace=NAMESPACE)
    except ValueError as error:
        raise Unavailable("A part of Memoray does not live; see its log and `memoray status`.") from error
