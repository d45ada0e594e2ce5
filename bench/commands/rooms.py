"""Which commands there are: read by the command line through the entry point `memoray.commands`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

ROOMS: Mapping[str, Sequence[str]] = {
    "bench.commands.measuring": ("bench",),
    "bench.commands.communities": ("bench",),
    "bench.commands.lifetimes": ("bench",),
    "bench.commands.lives": ("bench",),
    "bench.commands.peers": ("bench",),
    "bench.commands.reading": ("bench",),
    "bench.commands.soak": ("bench",),
    "bench.commands.chaos": ("chaos",),
    "bench.commands.simulate": ("simulate",),
}
"""Module -> the first words of its commands."""
