"""What a correction puts where the corrected value stood."""

from __future__ import annotations

import pytest

from deployments.commands import value_instead


@pytest.mark.parametrize(
    ("statement", "value", "other", "instead"),
    [
        ("Ilse prefers Hoka", "Hoka", "Ilse prefers Saucony", "Saucony"),
        ("Ilse prefers Hoka.", "Hoka", "ilse prefers New Balance!", "New Balance"),
        ("Hoka is what Ilse runs in", "Hoka", "Saucony is what Ilse runs in", "Saucony"),
        ("Ilse prefers Hoka for running", "Hoka", "Ilse prefers Saucony for running.", "Saucony"),
    ],
)
def test_what_stands_where_the_value_stood(statement: str, value: str, other: str, instead: str) -> None:
    assert value_instead(statement, value, other) == instead


@pytest.mark.parametrize(
    ("statement", "value", "other"),
    [
        ("Ilse prefers Hoka", "Hoka", "Ilse works at Saucony"),
        ("Ilse prefers Hoka for running", "Hoka", "Ilse prefers Saucony"),
        ("Ilse prefers Hoka", "Hoka", "Ilse prefers"),
        ("Ilse prefers Hoka", "", "Ilse prefers Saucony"),
        ("Ilse prefers Hoka", "Asics", "Ilse prefers Saucony"),
        ("Ann likes Anna", "Ann", "Bea likes Anna"),
        ("Ilse lives in Yorkshire", "York", "Ilse lives in Kentshire"),
    ],
)
def test_what_speaks_of_something_else_puts_nothing_there(statement: str, value: str, other: str) -> None:
    assert value_instead(statement, value, other) is None
