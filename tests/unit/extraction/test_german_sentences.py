"""What is read of everyday German: german_sentences.txt, whose first lines tell its form."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.extraction import german
from memory.model.claims import Claim
from tests.unit.extraction.conftest import said

FILE = Path(__file__).parent / "german_sentences.txt"
LINES = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def _is_so(claims: list[Claim], expected: str) -> bool:
    words, _, who = expected.partition(" #")
    if words == "nothing":
        return not claims
    if words.startswith("@"):
        return any(_year(claim) == int(words[1:]) for claim in claims)
    if words.endswith('"'):
        sign, _, told = words[:-1].partition('"')
        denied = (claim for claim in claims if sign != "~" or not claim.polarity)
        return any(told in claim.statement for claim in denied) != (sign == "!")
    sign, (predicate, _, value) = words[0], words[1:].partition(" ")
    found = any(
        (claim.predicate or "").startswith(predicate)
        and (not value or (claim.object or "").startswith(value))
        and (not who or claim.subject == who)
        and (sign == "!" or claim.polarity == (sign == "+"))
        for claim in claims
    )
    return found != (sign == "!")


def _year(claim: Claim) -> int:
    return datetime.fromtimestamp(claim.valid_from or 0.0, UTC).year


@pytest.mark.parametrize("line", LINES)
def test_an_everyday_sentence_is_read_rightly(line: str) -> None:
    sentence, _, expected = line.partition(" => ")
    claims = list(german.claims_of(said(("Lena", sentence))[0]))
    assert [each for each in expected.split("; ") if not _is_so(claims, each)] == [], claims
