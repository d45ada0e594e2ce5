"""Every statement is proven, decided or to come, and the page says so."""

from __future__ import annotations

from pathlib import Path

from tests.conformance.conformance import PAGE, SEEDS, Statement, faults, page, proofs, statements, uncited


def test_every_statement_is_accounted_for_and_every_marker_means_one() -> None:
    assert faults(statements(), proofs()) == []


def test_what_is_decided_otherwise_names_a_record_and_a_point_of_it() -> None:
    assert uncited(statements()) == []


def test_a_record_that_is_not_there_is_no_citation(tmp_path: Path) -> None:
    (tmp_path / "0001-one.md").write_text("# 0001. One\n\n1. First.\n2. Second.\n")
    cited = {
        "whole": "0001: says so",
        "point": "0001, 2: says so",
        "no point": "0001, 3: says so",
        "no record": "0002: says so",
        "no citation": "a paper, 2: says so",
    }
    stated = {name: Statement(name, "", decided=decided) for name, decided in cited.items()}
    assert uncited(stated, tmp_path) == ["no point", "no record", "no citation"]


def test_every_statement_stands_in_a_section() -> None:
    assert {each.seed for each in statements().values()} == set(SEEDS)


def test_the_page_is_up_to_date() -> None:
    written = page(statements(), proofs())
    assert PAGE.read_text() == written, "write it anew: python -m tests.conformance.conformance"
