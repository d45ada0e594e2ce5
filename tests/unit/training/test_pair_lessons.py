"""What pairs are taught on: written lines, questions beside turns, claims beside turns."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from adapters.judging.pair_encoder import RELATIONS
from bench.reading_worlds import reading_world
from memory.errors import Invalid
from training.pair_lessons import PAIRS, of_claims, written

WORLD = """# world: x-tent | kind: friends | language: en | people: Ana (she, owner), Bo (he)
## 1 | 2024-03-02 19:10 | chat
Ana: I moved to Porto in March.
Bo: Lucky you. I own a castle, obviously.
Ana: The tent in Porto leaks.
?? questions
!! claims
! 1.1 | Ana | moved_to | Porto | on 2024-03 | change
x 1.2 | Bo owns a castle | joke""".splitlines()


def test_every_author_has_written_pairs_of_every_relation():
    for author, found in written().items():
        assert {each.label for each in found} == set(range(len(RELATIONS))), author
        assert all(each.first and each.second and each.task == "relation" for each in found)


def test_no_pair_is_written_twice_by_one_author():
    for author, found in written().items():
        lines = [(each.first, each.second) for each in found]
        assert len(set(lines)) == len(lines), author


def test_a_line_that_is_no_pair_is_refused_with_its_place(tmp_path: Path):
    (tmp_path / "x.txt").write_text("same | Ana naps | Ana sleeps\nlater | Ana naps | Ana sleeps\n", encoding="utf-8")
    with pytest.raises(Invalid, match=re.escape("x.txt, line 2")):
        written(tmp_path)


def test_claims_stand_beside_their_turn_and_others_and_traps_are_not_said():
    found = list(of_claims(reading_world("x-tent", WORLD), random.Random(0)))
    assert (found[0].first, found[0].second) == ("Ana: I moved to Porto in March.", "Ana moved to Porto")
    assert [each.label for each in found] == [1, 0, 0, 0]
    assert found[-1].second == "Bo owns a castle"


def test_pairs_lie_beside_worlds_of_their_authors():
    worlds = {each.name.partition("-")[0] for each in (PAIRS.parent / "worlds").glob("*.txt")}
    assert set(written()) <= worlds
