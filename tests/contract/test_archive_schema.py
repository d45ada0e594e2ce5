"""The schema of archives stands in one place, and nothing it describes can change alone."""

from __future__ import annotations

from dataclasses import fields

import pytest

from adapters.archives import schema
from adapters.archives.rows import ROWS
from adapters.postgres.codec import NOUNS
from adapters.postgres.pool import Pool
from memory.model.profile import Profile

pytestmark = pytest.mark.postgres

TABLES = {
    "sources": ("sources", {"scope"}, {"segments", "part"}),
    "journal": ("journal", {"user_id"}, {"touched"}),
    "nights": ("nights", {"user_id", "kept"}, set()),
    "accesses": ("accesses", {"user_id"}, set()),
    "voices": ("voices", {"scope", "shown"}, set()),
    "voice_prints": ("voice_prints", {"scope"}, set()),
    "entities": ("entities", {"user_id", "name_key"}, set()),
    "mentions": ("mentions", {"user_id"}, set()),
    "facts": ("fact_versions", {"user_id"}, set()),
    "evidence": ("evidence", {"user_id"}, set()),
    "links": ("links", {"user_id"}, set()),
    "notes": ("notes", {"user_id"}, set()),
    "groups": ("groups", {"user_id"}, set()),
    "content": ("content", {"scope", "config", "search"}, set()),
}
"""Member -> table, its columns that no archive holds, and fields of the archive that are no column."""
OF_SEGMENTS = ({"scope", "source_id", "content_id", "position"}, {"text", "read_revision", "raw"})


async def test_every_column_is_in_the_archive_or_left_out_on_purpose(own_pool: Pool) -> None:
    rows = await own_pool.rows(
        "SELECT table_name, array_agg(column_name::text) AS names FROM information_schema.columns"
        " WHERE table_schema = 'public' GROUP BY table_name"
    )
    columns = {row["table_name"]: set(row["names"]) for row in rows}
    assert TABLES.keys() == set(schema.MEMBERS)
    for member, (table, left_out, beside) in TABLES.items():
        assert set(schema.LINES[member].model_fields) - beside == columns[table] - left_out, member
    left_out, beside = OF_SEGMENTS
    assert set(schema.SegmentLine.model_fields) - beside == columns["segments"] - left_out


def test_every_field_of_the_model_is_in_the_archive() -> None:
    for noun, kinds in ROWS.items():
        assert kinds.keys() == {each.name for each in fields(NOUNS[noun].type)}, noun
    assert set(schema.NOUN_OF.values()) | {"source"} == ROWS.keys()
    assert set(schema.ProfileLine.model_fields) == {each.name for each in fields(Profile)}
    assert Profile(**schema.ProfileLine().model_dump()) == Profile()
