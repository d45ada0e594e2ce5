"""Every statement is proven, decided or to come, and the page says so."""

from __future__ import annotations

from tests.conformance.conformance import PAGE, SEEDS, faults, page, proofs, statements


def test_every_statement_is_accounted_for_and_every_marker_means_one() -> None:
    assert faults(statements(), proofs()) == []


def test_every_statement_stands_in_a_section() -> None:
    assert {each.seed for each in statements().values()} == set(SEEDS)


def test_the_page_is_up_to_date() -> None:
    written = page(statements(), proofs())
    assert PAGE.read_text() == written, "write it anew: python -m tests.conformance.conformance"
