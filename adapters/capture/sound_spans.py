"""Spans of sound: where samples lie in a session, each as the byte at which it begins and how many bytes it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

SoundSpan = tuple[int, int]


def joined(spans: Iterable[SoundSpan]) -> list[SoundSpan]:
    """Spans in order, those that touch or overlap as one, and none that is empty."""
    found: list[SoundSpan] = []
    for start, size in sorted(each for each in spans if each[1]):
        if found and start <= sum(found[-1]):
            found[-1] = (found[-1][0], max(sum(found[-1]), start + size) - found[-1][0])
        else:
            found.append((start, size))
    return found


def without(spans: Iterable[SoundSpan], spared: Sequence[SoundSpan]) -> list[SoundSpan]:
    """Spans but for what of them lies in others, which are `joined`."""
    left = []
    for start, size in spans:
        free, end = start, start + size
        for first, length in spared:
            if first < end and first + length > free:
                if first > free:
                    left.append((free, first - free))
                free = first + length
        if free < end:
            left.append((free, end - free))
    return left
