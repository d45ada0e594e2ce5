"""Quantities: numbers that know their unit and their bounds, so that a setting can be refused before it does harm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True, slots=True)
class Range:
    """The inclusive range a number must lie in, and the unit it is counted in."""

    least: float
    most: float
    unit: str


Share = Annotated[float, Range(0.0, 1.0, "a share of one")]
Weight = Annotated[float, Range(0.0, 1_000.0, "a weight")]
Days = Annotated[float, Range(0.0, 36_500.0, "days")]
Hours = Annotated[float, Range(0.0, 876_000.0, "hours")]
Seconds = Annotated[float, Range(0.0, 604_800.0, "seconds")]
Milliseconds = Annotated[int, Range(1, 600_000, "milliseconds")]
Count = Annotated[int, Range(1, 1_000_000_000, "a count")]
ShardCount = Annotated[int, Range(1, 64, "shards")]
OpusKilobits = Annotated[int, Range(0, 128, "kilobits a second")]
Port = Annotated[int, Range(1, 65_535, "a TCP port")]
HourOfDay = Annotated[int, Range(0, 23, "an hour of the day")]
