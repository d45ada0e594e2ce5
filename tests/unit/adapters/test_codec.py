"""Changes by ids: each row is encoded once, and words are named only by the change that brings them."""

from __future__ import annotations

from dataclasses import replace

from adapters.postgres.codec import NOUNS, Columns, Decoder, decode, decode_change, encode, encode_change
from memory.model.changes import Change, Row
from memory.model.entities import Entity
from memory.model.facts import Evidence, Fact
from memory.model.profile import Profile

FACT = Fact("f-1", 1, "e-1", "Maya keeps bees", "factual", 3, 0.5, 1.0, 2.0, object="bees")
MAYA = Entity("e-1", "person", "Maya", 0.9, 1.0, aliases=("May",), properties={"age": 1})
HEARD = Evidence("f-1", "s-1", 7, "I keep bees", 1.0)


def words_of(*rows: Row | None) -> dict[int, str]:
    nouns = {Fact: "fact", Entity: "entity", Evidence: "evidence"}
    return {each.content_id: each.words for row in rows if row is not None for each in encode(nouns[type(row)], row)[1]}


def brought(change: Change) -> set[str]:
    return {each.words for each in encode_change(change).words}


def test_words_that_stay_are_not_named_again() -> None:
    assert brought(Change("heard", None, FACT)) == {"Maya keeps bees", "bees"}
    assert brought(Change("faded", FACT, replace(FACT, version=2, state="archived"))) == set()
    assert brought(Change("cleaned", FACT, replace(FACT, version=2, object="three hives"))) == {"three hives"}
    assert brought(Change("forgotten", FACT, None)) == set()


def test_values_that_are_only_equal_are_other_words() -> None:
    grown = replace(MAYA, properties={"age": True})
    assert grown.properties == MAYA.properties
    assert brought(Change("told", MAYA, grown)) == {'{"age":true}'}


def test_a_change_reads_back_as_it_was() -> None:
    pairs: list[tuple[Row | None, Row | None]] = [
        (None, FACT),
        (FACT, replace(FACT, version=2, state="archived", object=None)),
        (MAYA, replace(MAYA, tier="L2", aliases=())),
        (HEARD, None),
        (HEARD, HEARD.telling((0.5, 1.0))),
    ]
    for before, after in pairs:
        written = encode_change(Change("moved", before, after))
        assert decode_change(written.entry, words_of(before, after)) == Change("moved", before, after)


def test_a_row_in_place_of_another_brings_all_its_words() -> None:
    other = replace(HEARD, fact_id="f-2", segment_key=None)
    assert brought(Change("moved", HEARD, other)) == {"I keep bees"}


def test_both_profiles_are_named() -> None:
    written = encode_change(Change("told", Profile(name="Maya"), Profile(name="May")))
    content = {each.content_id: each.words for each in written.words}
    assert len(content) == 2
    assert decode_change(written.entry, content) == Change("told", Profile(name="Maya"), Profile(name="May"))


def sent(columns: Columns, instants: tuple[str, ...]) -> Columns:
    """Instants as they travel, in microseconds since 2000."""
    raw = {name: columns[name] for name in instants if columns[name] is not None}
    return columns | {name: round((at - 946_684_800) * 1_000_000) for name, at in raw.items()}


def test_many_rows_read_as_each_by_itself() -> None:
    facts = (FACT, replace(FACT, fact_id="f-2", valid_to=1_700_000_000.123, object=None, updated_at=2.5))
    told = (HEARD, replace(HEARD, segment_key=None, holds_from=0.25, earlier=(0.125,)))
    for noun, rows in (("fact", facts), ("evidence", told), ("entity", (MAYA, replace(MAYA, aliases=())))):
        written = [encode(noun, row) for row in rows]
        content = {each.content_id: each.words for _, words in written for each in words}
        columns = [sent(each, NOUNS[noun].instants) | {"user_id": "maya"} for each, _ in written]
        names = list(columns[0])
        read = Decoder(content).rows(noun, names, [tuple(each.values()) for each in columns])
        assert read == list(rows)
        assert read == [decode(noun, each, content) for each, _ in written]
    assert Decoder({}).rows("fact", [], []) == []


def test_columns_that_rows_were_written_without_have_their_defaults() -> None:
    columns, words = encode("fact", FACT)
    columns = sent(columns, NOUNS["fact"].instants)
    del columns["updated_at"]
    [read] = Decoder({each.content_id: each.words for each in words}).rows(
        "fact", list(columns), [(*columns.values(),)]
    )
    assert read == FACT
