"""Time zones by their IANA names, and what is none."""

from __future__ import annotations

import pytest

from memory.errors import Invalid
from memory.services.zones import offset_s, zone_of

WINTER, SUMMER = 1_768_478_400.0, 1_784_116_800.0  # noon of 15 January and of 15 July 2026, UTC


def test_a_zone_is_ahead_by_season() -> None:
    assert (offset_s("Europe/Lisbon", WINTER), offset_s("Europe/Lisbon", SUMMER)) == (0, 3600)
    assert offset_s("Asia/Kolkata", WINTER) == 19_800


@pytest.mark.parametrize("name", ["", "/", "Mars/Olympus", "Europe", "America/Argentina", "../UTC", "a\x00", "x" * 300])
def test_what_is_no_zone_is_refused_though_it_be_a_folder_of_them(name: str) -> None:
    with pytest.raises(Invalid, match="IANA name"):
        zone_of(name)
