"""What the model calls things is what the database lets in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import adapters.postgres
from memory.model import entities, facts, groups

MIGRATIONS = Path(adapters.postgres.__file__).with_name("migrations")
TABLE = re.compile(
    r"^CREATE TABLE (?P<table>\w+) \((?P<columns>.*?)^\);"
    r"|^ALTER TABLE (?P<changed>\w+) (?P<constraint>ADD CONSTRAINT.*?);",
    re.M | re.S,
)
"""Tables as they were made, and what was put in the place of a list since: of two the later counts."""
LISTED = re.compile(r"CHECK \((?P<column>\w+) IN \((?P<names>[^)]+)\)\)")
LISTS = {
    (found["table"] or found["changed"], listed["column"]): tuple(
        name.strip(" '") for name in listed["names"].split(",")
    )
    for path in sorted(MIGRATIONS.glob("*.sql"))
    for found in TABLE.finditer(path.read_text())
    for listed in LISTED.finditer(found["columns"] or found["constraint"])
}


@pytest.mark.parametrize(
    ("table", "column", "names"),
    [
        ("entities", "tier", entities.TIERS),
        ("entities", "state", entities.STATES),
        ("fact_versions", "status", facts.STATUSES),
        ("fact_versions", "state", entities.STATES),
        ("groups", "kind", groups.GROUP_KINDS),
    ],
)
def test_a_name_of_the_model_is_one_the_database_knows_and_no_other(
    table: str, column: str, names: tuple[str, ...]
) -> None:
    assert LISTS[table, column] == names
