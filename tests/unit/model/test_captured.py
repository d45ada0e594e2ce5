"""Every command can be captured and is the same when it is read back, whatever it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import Invalid
from memory.model import commands as c
from memory.model.captured import COMMANDS, Captured, capture, command_of, fingerprint, statements_of
from memory.model.changes import Change, ChangeSet, Outcome
from memory.model.claims import Claim
from memory.model.facts import Link, Note
from memory.model.plain import plain, reader
from memory.model.scopes import Sensitivity
from memory.rules.decider import _DECIDE

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: WORDS,
    int: st.integers(-(2**63), 2**63 - 1),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    object: st.none() | st.booleans() | WORDS | st.lists(WORDS, max_size=2),
    ChangeSet: st.none(),
}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Any value of a type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return st.none() | values(next(each for each in arguments if each is not NoneType))
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(values(arguments[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values, arguments))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return st.dictionaries(WORDS, values(arguments[1]), max_size=2)
    if hint in SCALARS:
        return SCALARS[hint]
    if issubclass(hint, Enum):
        return st.sampled_from(hint)
    assert is_dataclass(hint), hint
    hints = get_type_hints(hint)
    return st.builds(hint, **{each.name: values(hints[each.name]) for each in fields(hint)})  # type: ignore[arg-type]


def written_and_read(command: c.Command) -> c.Command:
    changes = ChangeSet(command.command_id, type(command).__name__, command.actor, 1.0)
    line = orjson.dumps(plain(capture(command, changes, 1, 1, None)))
    return command_of(reader(Captured)(orjson.loads(line)))


def test_every_command_that_can_be_decided_can_be_captured() -> None:
    assert set(COMMANDS.values()) == set(_DECIDE)


@pytest.mark.parametrize("kind", sorted(COMMANDS))
@given(st.data())
def test_a_command_is_the_same_when_it_is_read_back(kind: str, data: st.DataObject) -> None:
    command = data.draw(values(COMMANDS[kind]))
    assert written_and_read(command) == command


def test_an_undo_names_what_it_undoes() -> None:
    done = ChangeSet("c-1", "Remember", "user", 1.0)
    undo = c.Undo(command_id="c-2", done=done)
    assert plain(undo)["done"] == "c-1"
    assert written_and_read(undo) == replace(undo, done=None)


def test_fields_of_later_versions_have_defaults_and_of_ours_are_never_guessed() -> None:
    read = reader(c.WriteNote)
    least = {"command_id": "c-1", "about_id": "e-1", "text": "She keeps bees."}
    assert read(least) == c.WriteNote(command_id="c-1", about_id="e-1", text="She keeps bees.")
    for damaged in (
        {**least, "tone": "kind"},
        {**least, "command_id": 7},
        {"command_id": "c-1"},
        {},
        [],
        {**least, "text": None},
    ):
        with pytest.raises(Invalid):
            read(damaged)
    with pytest.raises(Invalid, match="later version"):
        command_of(Captured(1, 1, 1.0, "c-1", "Dream", "user", {}))


@pytest.mark.parametrize("hint", [set[int], bytes, int | str, complex, Mapping[int, str]])
def test_what_cannot_be_read_back_is_refused_before_it_is_written(hint: Any) -> None:
    with pytest.raises(TypeError):
        reader(hint)


def test_what_has_no_plain_form_is_refused() -> None:
    with pytest.raises(TypeError, match="bytes"):
        plain(b"")


def test_a_nested_value_finds_its_type_again() -> None:
    @dataclass(frozen=True)
    class Plain:
        level: Sensitivity
        pair: tuple[str, float]

    kept = Plain(Sensitivity.PRIVATE, ("x", 1.0))
    read = {"level": reader(Sensitivity), "pair": reader(tuple[str, float])}
    assert Plain(**{name: read[name](value) for name, value in plain(kept).items()}) == kept


def test_statements_are_found_wherever_they_are() -> None:
    claims = (Claim("Maya", "Maya runs", 1, "I run"), Claim("Maya", "Maya swims", 1, "I swim"))
    assert list(statements_of(plain(c.Remember(command_id="c-1", claims=claims)))) == ["Maya runs", "Maya swims"]
    assert list(statements_of(plain(c.CorrectFact(command_id="c-1", fact_id="f-1", claim=claims[0])))) == ["Maya runs"]
    assert list(statements_of(plain(c.ForgetFact(command_id="c-1", fact_id="f-1")))) == []


def test_the_fingerprint_is_of_what_was_decided_not_of_its_order() -> None:
    note, link = Note("n-1", "f-1", "words", "user", 1.0), Link("similar", "f-1", "f-2")
    changes = (Change("noted", None, note), Change("linked", None, link))
    decided = ChangeSet("c-1", "WriteNote", "user", 1.0, changes, (Outcome("f-1", "created"),))
    assert fingerprint(decided) == fingerprint(replace(decided, changes=changes[::-1], at=2.0))
    assert fingerprint(decided) != fingerprint(replace(decided, changes=changes[:1]))
    assert fingerprint(decided) != fingerprint(replace(decided, outcomes=(Outcome("f-1", "disputed"),)))
