"""A small life, told and asked as `memoray bench lives` does it, in process and by the life's own clock."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.life_files import parse_life, read_life
from bench.life_reports import cells, fact_lines, report
from bench.lives import TOLD, LifeResult, body_of
from tests.api.lives import lived
from tests.contract.conftest import database  # noqa: F401  (a session fixture)

LIVES = Path(__file__).parents[1] / "quality" / "lives"
LIFE = """\
# life: ana | owner: Ana | zone: Europe/Berlin | language: en | people: Bo (brother)
## 1 | 2026-01-12 19:10 | chat
Ana: I live in Leipzig.
Bo: I am allergic to cats.
= remember | 2026-02-05 10:00 | My favourite tea is sencha.
= correct | sencha | Ana's favourite tea is genmaicha
= forget | allergic to cats
= undo
= forget | plays the tuba
## 2 | 2026-07-03 08:30 | memo
Ana: I work at Foxglove Press.
@ 2026-08-01 12:00
? Where do I live? | must: Leipzig | kind: fact
? Where do I work? | must: Mars | kind: fact
? Who won the cup in 1974? | kind: unanswerable
! 1.1 | Ana | lives in | Leipzig
x 1.2 | Bo keeps cats | idiom
"""


@pytest.fixture
async def ana(database: str, tmp_path: Path) -> LifeResult:  # noqa: F811
    return await lived(parse_life(LIFE, "ana.life"), database, tmp_path, {"encoder": {"kind": "hashing"}})


def test_a_session_is_sent_with_the_offset_of_its_day() -> None:
    life = parse_life(LIFE, "ana.life")
    winter, *_, summer = (body_of(life, one) for one in life.told if hasattr(one, "turns"))
    assert (winter["started_at"], summer["started_at"]) == ("2026-01-12T19:10:00+01:00", "2026-07-03T08:30:00+02:00")
    assert winter["participants"] == ["Ana", "Bo"]
    assert summer["kind"] == "voice_memo"
    first, second = winter["segments"]
    assert (first["segment_id"], second["segment_id"]) == ("1", "2")
    assert first["end"] <= second["start"] < 60


async def test_a_life_is_told_in_its_order_and_at_its_times(ana: LifeResult) -> None:
    failed = {each.line: each.failed for each in ana.commands if each.failed}
    assert [each.line for each in ana.commands] == [5, 6, 7, 8, 9]
    assert failed == {9: "nothing believed holds these words"}
    facts = {fact.statement: fact for fact in ana.facts}
    assert facts["Ana lives in Leipzig"].turns == ("1.1",)
    assert facts["Bo is allergic to cats"].turns == ("1.2",)
    assert facts["Ana works at Foxglove Press"].turns == ("2.1",)
    tea = facts["Ana's favourite tea is genmaicha"]
    assert tea.turns == (TOLD,)
    assert not any("sencha" in statement for statement in facts)
    assert datetime.fromisoformat(tea.valid_from) < datetime(2026, 2, 6, tzinfo=UTC), "by the life's own clock"


async def test_what_became_of_it_is_told(ana: LifeResult) -> None:
    where, work, cup = ana.replies
    assert (where.right, work.right, cup.right) == (True, False, True)
    row = cells(ana, {"Ana lives in Leipzig": "right", "Bo is allergic to cats": "wrong"})
    assert (row["questions"], row["right at a glance %"], row["commands carried out"]) == ("3", "66.7", "4 of 5")
    assert row["wrong facts %"].startswith("50.0")
    lines = list(fact_lines(ana))
    assert lines[0].endswith(TOLD)
    assert next(line for line in lines if "Leipzig" in line).endswith("1.1 Ana: I live in Leipzig.")
    page = report(ana)
    assert page.index("### Where do I work?") < page.index("## Questions right at a glance")
    assert "1.2 Bo: I am allergic to cats.\nx Bo keeps cats (idiom)\n    Bo is allergic to cats" in page


@pytest.mark.parametrize("path", sorted(LIVES.glob("*.life")), ids=lambda path: path.stem)
def test_a_life_of_ours_is_half_a_year_long(path: Path) -> None:
    life = read_life(path)
    kinds = {question.kind for question in life.questions}
    assert life.name == path.stem
    assert len(life.turns()) >= 100
    assert len(life.questions) >= 60
    assert kinds == {"fact", "when", "list", "count", "yesno", "promise", "change", "correction", "unanswerable"}
