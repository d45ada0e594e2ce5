"""What teaches recipients and kept promises: features as a matrix, labels that name turns, and small lessons."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.reading_worlds import SEALED, reading_worlds
from memory.errors import Invalid
from memory.rules.fulfilment import FulfilmentWeights
from training.feature_rows import matrix_of, weights_of
from training.fulfilment import EndLesson, read_ends, taught
from training.promise_recipients import is_same
from training.talk import WORLDS


def test_rare_features_are_no_column_and_small_weights_no_line() -> None:
    names, matrix = matrix_of([{"a": 1.0, "b": 2.0}, {"a": 3.0}, {}], least=2)
    assert names == ["a"]
    assert matrix.toarray().tolist() == [[1.0], [3.0], [0.0]]
    assert weights_of(["a", "b"], [0.12345, -0.001], 0.01) == {"a": 0.123}


def test_every_label_names_a_promise_and_a_later_turn_of_a_world_that_is_not_sealed() -> None:
    turns = {each.name: list(each.turns) for each in reading_worlds(WORLDS) if each.author not in SEALED}
    labels = read_ends()
    assert len(labels) > 600
    for world, promise, later in labels:
        assert turns[world].index(promise) < turns[world].index(later)


def test_a_line_that_is_no_label_is_refused_with_its_number(tmp_path: Path) -> None:
    (tmp_path / "ends.txt").write_text("# a remark\na-world 1.1 1.2 kept\na-world 1.1 1.2 perhaps\n")
    with pytest.raises(Invalid, match="line 3"):
        read_ends(tmp_path / "ends.txt")


def test_what_kept_promises_is_likelier_then() -> None:
    bare = FulfilmentWeights({}, {}, 7.0, 0.5)
    kept, other = ({"always": 1.0, name: 1.0} for name in ("word sent", "word rained"))
    lessons = [EndLesson("a", ("w", "1.1"), "kept", kept, may_be=True)] * 6
    lessons += [EndLesson("a", ("w", "1.1"), "nothing", other, may_be=True)] * 6
    weights = taught(lessons, bare)
    assert weights.odds(kept) > 0 > weights.odds(other)


@pytest.mark.parametrize(
    ("told", "to", "same"),
    [
        ("Mrs Glynn", "Glynn", True),
        ("Nora's sister", "her sister", True),
        ("the team", "team", True),
        ("Ben", "", False),
    ],
)
def test_two_names_mean_one_person(told: str, to: str, same: bool) -> None:
    assert is_same(told, to) is same
