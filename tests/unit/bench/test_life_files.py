"""Files of invented lives: what they say, and which line is wrong."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bench.life_files import parse_life, read_life
from bench.life_model import ExpectedClaim, LifeCommand, LifeQuestion, LifeTurn, Session, Trap
from memory.errors import Invalid

LIFE = """\
# life: ana | owner: Ana | zone: Europe/Berlin | language: en | people: Bo (brother, lives far), Ilse (flatmate)
# Said to whoever reads the file.
## 1 | 2026-01-12 19:10 | chat
Ana: moved to Leipzig: finally
Bo: am dead lol

## 2 | 2026-07-03 08:30 | memo
Ana: got me a bike, its called Rocinante
= remember | 2026-07-05 10:00 | I live in Leipzig.
= correct | lives in Leipzig | Ana lives in Halle
= forget | allergic to cats
= undo
@ 2026-08-01 12:00
? Where do I live? | must: Halle | mustnot: lives in Leipzig, in Leipzig" | kind: correction
? What am I allergic to? | must: peanuts & dogs/dog hair | kind: list
? What is my shoe size? | kind: unanswerable
! 1.1 | Ana | lives in | Leipzig | since 2026-01
!! 2.1 | Ana | owns | a bike called Rocinante
x 1.2 | Bo is dead | idiom
"""
BERLIN = ZoneInfo("Europe/Berlin")


def test_a_life_is_read_whole() -> None:
    life = parse_life(LIFE, "ana.life")
    first, second, *commands = life.told
    assert (life.name, life.owner, life.zone, life.languages) == ("ana", "Ana", BERLIN, ("en",))
    assert life.people == ("Bo", "Ilse")
    assert first == Session(
        1,
        datetime(2026, 1, 12, 19, 10, tzinfo=BERLIN),
        "conversation",
        (LifeTurn("1.1", "Ana", "moved to Leipzig: finally"), LifeTurn("1.2", "Bo", "am dead lol")),
    )
    assert isinstance(second, Session)
    assert (second.kind, second.at.isoformat()) == ("voice_memo", "2026-07-03T08:30:00+02:00")
    assert commands == [
        LifeCommand("remember", 9, "I live in Leipzig.", at=datetime(2026, 7, 5, 10, tzinfo=BERLIN)),
        LifeCommand("correct", 10, "Ana lives in Halle", "lives in Leipzig"),
        LifeCommand("forget", 11, old="allergic to cats"),
        LifeCommand("undo", 12),
    ]
    assert life.now == datetime(2026, 8, 1, 12, tzinfo=BERLIN)
    assert life.questions == (
        LifeQuestion("Where do I live?", "correction", (("Halle",),), ("lives in Leipzig", 'in Leipzig"')),
        LifeQuestion("What am I allergic to?", "list", (("peanuts",), ("dogs", "dog hair"))),
        LifeQuestion("What is my shoe size?", "unanswerable"),
    )
    assert life.claims == (
        ExpectedClaim("1.1", "Ana", "lives in", "Leipzig", "since 2026-01", important=False),
        ExpectedClaim("2.1", "Ana", "owns", "a bike called Rocinante", "", important=True),
    )
    assert life.traps == (Trap("1.2", "Bo is dead", "idiom"),)


@pytest.mark.parametrize(
    ("instead_of", "written", "told"),
    [
        ("# life: ana |", "# name: ana |", "line 1: the first line is"),
        ("Europe/Berlin", "Europe/Atlantis", "line 1: There is no such time zone"),
        ("life: ana", "life: ../ana", "line 1: a life is named"),
        ("## 2 | 2026-07-03", "## 3 | 2026-07-03", "line 7: session 2 should come here"),
        ("08:30 | memo", "08:30 | song", "line 7: a session is one of chat"),
        ("2026-07-03 08:30", "2026-07-33 08:30", "line 7: a time is written"),
        ("2026-07-03 08:30", "2025-07-03 08:30", "line 7: it is earlier"),
        ("Bo: am dead lol", "Ben: am dead lol", "line 5: a turn begins with Ana"),
        ("Bo: am dead lol", "Bo:", "line 5: there are no words"),
        ("Bo: am dead lol", "am dead lol", "line 5: a turn begins with Ana"),
        ("= undo", "= undo | that", "line 12: it is written `= undo`"),
        ("= undo", "= redo", "line 12: a command is one of"),
        ("| I live in Leipzig.", "", "line 9: it is written `= remember | when | text`"),
        ("@ 2026-08-01 12:00", "@ 2026-02-01 12:00", "line 13: questions are asked before"),
        ("@ 2026-08-01 12:00", "", "ana.life: the line `@"),
        ("= undo", "= undo\n@ 2026-08-02 12:00", "line 14: when the questions are asked is said twice"),
        ("| kind: list", "| kind: song", "line 15: kind is one of"),
        ("| must: peanuts & dogs/dog hair ", "", "line 15: must is missing"),
        ("size? |", "size? | must: 38 |", "line 16: what cannot be answered has no must"),
        ("size? |", "size? | may: 38 |", "line 16: may is no part"),
        ("size? |", "size? | kind: fact |", "line 16: each part is"),
        ("! 1.1 |", "! 1.9 |", "line 17: there is no turn 1.9"),
        ("! 1.1 |", "! one |", "line 17: a turn is named"),
        ("| idiom", "| lie", "line 19: the reason is one of"),
        ("| Bo is dead ", "", "line 19: 3 parts"),
    ],
)
def test_a_slip_of_the_pen_is_told_with_its_line(instead_of: str, written: str, told: str) -> None:
    assert LIFE.count(instead_of) == 1
    with pytest.raises(Invalid) as raised:
        parse_life(LIFE.replace(instead_of, written), "ana.life")
    assert told in raised.value.detail
    assert raised.value.detail.startswith("ana.life")


def test_a_line_after_a_command_belongs_to_no_session() -> None:
    with pytest.raises(Invalid, match="line 13: a turn stands in a session"):
        parse_life(LIFE.replace("= undo", "= undo\nAna: and another thing"), "ana.life")


def test_of_what_was_forgotten_a_question_may_say_only_what_it_must_not() -> None:
    asked = "? Am I allergic to cats? | mustnot: allergic to cats | kind: correction"
    assert parse_life(f"{LIFE}{asked}\n", "ana.life").questions[-1].must == ()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"# life\n", LIFE.split("## 1", maxsplit=1)[0].encode()])
def test_what_is_no_life_is_said(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "none.life"
    path.write_bytes(content)
    with pytest.raises(Invalid, match=r"none\.life"):
        read_life(path)
