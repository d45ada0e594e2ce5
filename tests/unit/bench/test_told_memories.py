"""Small worlds of everyday talk, told as lives."""

from pathlib import Path

import pytest

from bench.life_files import read_life
from bench.life_model import UNANSWERABLE, Session
from bench.told_memories import ASKED_AFTER, told_memory
from memory.errors import Invalid
from training.talk import MEMORIES

VET = """\
# world: pets | kind: friends | language: en, de | people: Ines (she, owner), Rui (he)
## 1 | 2025-04-06 19:10 | memo
Ines: the vet for tofu is on the 14th
Ines: sorry no the 16th
## 2 | 2025-04-12 20:30 | group
Rui: dinner on friday?
Ines: yes
?? questions
? When is the vet? | 1.2 | the 16th | when
? Who asked me to dinner? | 2.1 | Rui | who
? What does the vet cost? | - | not told | unanswerable
!! corrections
~ 1.2 | 1.1 | corrects
"""


def test_a_small_world_is_told_as_a_life() -> None:
    life = told_memory("pets", VET)
    assert (life.owner, life.people, life.languages) == ("Ines", ("Rui",), ("en", "de"))
    assert [each.kind for each in life.told if isinstance(each, Session)] == ["voice_memo", "conversation"]
    assert life.turns()["1.2"].text == "sorry no the 16th"
    assert life.told[1].at == life.now - ASKED_AFTER
    assert [(each.kind, each.turns) for each in life.questions] == [
        ("when", ("1.2",)),
        ("fact", ("2.1",)),
        (UNANSWERABLE, ()),
    ]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("| language: en, de ", "", "line 1: the head does not tell the language"),
        ("| memo", "| letter", "line 2: a session is one of"),
        ("Ines:", "Iris:", "its owner says nothing"),
        ("2025-04-06", "2025-13-06", "line 2: no session"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(old: str, new: str, told: str) -> None:
    with pytest.raises(Invalid, match=told):
        told_memory("pets", VET.replace(old, new))


def test_a_memory_of_the_repository_is_read_as_a_life() -> None:
    life = read_life(sorted(Path(MEMORIES).glob("ne-*.txt"))[0])
    assert life.questions
    assert all(each.turns or each.kind == UNANSWERABLE for each in life.questions)
