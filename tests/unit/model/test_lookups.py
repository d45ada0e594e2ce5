"""What hangs on something is found without looking at everything, and is what looking at everything would find."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.changes import key_of
from memory.model.entities import Entity
from memory.model.facts import Link, Note
from memory.model.working_set import Draft, WorkingSet
from tests.unit.rules.memory_in_miniature import Memory, lives, says

ids = st.sampled_from(["a", "b", "c", "d"])
links = st.builds(Link, st.sampled_from(["similar", "supersedes"]), ids, ids, st.sampled_from([0.5, 1.0]))
notes = st.builds(Note, ids, ids, st.sampled_from(["old", "new"]), st.just("user"), st.just(0.0))
entities = st.builds(Entity, ids, st.just("person"), ids, merged_into=st.none() | ids)
steps = st.lists(st.tuples(links | notes | entities, st.booleans()), max_size=30)


@given(steps, st.integers(0, 30))
def test_look_ups_are_what_looking_at_everything_finds(steps: list[tuple[Any, bool]], asked_after: int) -> None:
    draft = Draft(WorkingSet("u"))
    held: dict[tuple[Any, ...], Any] = {}
    for number, (row, stays) in enumerate(steps):
        if number == asked_after:
            draft.links_of("a"), draft.notes_of("a"), draft.merged_into("a")
        place = (type(row), key_of(row))
        before = held.pop(place, None)
        if stays:
            held[place] = row
            draft.put("test", before, row)
        elif before is not None:
            draft.put("test", before, None)
    for each in "abcd":
        for noun, found, hangs in (
            (Link, draft.links_of(each), lambda row, end: end in (row.from_id, row.to_id)),
            (Note, draft.notes_of(each), lambda row, end: row.about_id == end),
            (Entity, draft.merged_into(each), lambda row, end: row.merged_into == end),
        ):
            every = [row for row in held.values() if isinstance(row, noun) and hangs(row, each)]
            assert sorted(map(repr, found)) == sorted(map(repr, every))


@pytest.mark.parametrize("facts", [5, 50])
def test_a_source_of_many_facts_is_forgotten_without_a_look_at_all_links_for_each(
    monkeypatch: pytest.MonkeyPatch, facts: int
) -> None:
    memory, looks = Memory(), 0
    for number in range(1, facts + 1):
        memory.hear(number, lives(f"Town {number}", number), says(f"Maya likes Town {number}", number), source="s")
    every = Draft.links

    def counted(draft: Draft) -> Any:
        nonlocal looks
        looks += 1
        return every.fget(draft)  # type: ignore[attr-defined]

    monkeypatch.setattr(Draft, "links", property(counted))
    keys = tuple(range(1, facts + 1))
    memory.turn(c.Withdraw(command_id="gone", segment_keys=keys, source_id="s", erase=True))
    assert not memory.believed.facts
    assert looks < 5
