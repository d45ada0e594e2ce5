"""Markdown as a reader sees it, and what a task on a list becomes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.capture.formats import read
from adapters.capture.markdown import plain
from adapters.capture.text import TextFile
from adapters.extraction.tasks import tasks_of
from memory.model.claims import Utterance
from tests.unit.extraction.test_growth import growth


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("# The garden ##", "The garden"),
        ("**Ben** is _very_ ~~not~~ ==kind==, ***really***", "Ben is very not kind, really"),
        ("snake_case_word, 2*3*4, a * b * c", "snake_case_word, 2*3*4, a * b * c"),
        ("[Porto](https://x.org/a_(b) 'title') and [Lisbon][1], <https://y.org>", "Porto and Lisbon, https://y.org"),
        ("[[People/Ana|Ana]], [[Tom#Work]], [[#Plans]]", "Ana, Tom, Plans"),
        ("![a boat](boat.png)![[embedded]]seen", "seen"),
        ("`a*b*` and \\*stars\\*", "a*b* and *stars*"),
        ("a[^1] &amp; b<br>c %%hidden%%d<!-- gone -->", "a & bc d"),
        ("* one\n+ two\n- three", "- one\n- two\n- three"),
        ("- [ ] call Ben ^block1\n  * [x] done\n1. [ ] third", "☐ call Ben\n  ☑ done\n☐ third"),
        ("> I live in Paris\n> and London\n\nI do not.", "“I live in Paris\nand London”\n\nI do not."),
        ("> [!note] Mine\n> all of it", "Mine\nall of it"),
        ("| a | b |\n|---|:-:|\n| 1 | **2** |", "a | b\n1 | 2"),
        ("before\n---\n***\nafter\n[1]: https://x.org", "before\nafter"),
        ("```python\nx = **1**\n```", "```python\nx = **1**\n```"),
    ],
)
def test_what_is_written_and_what_is_read(written: str, read_as: str) -> None:
    assert plain(written) == read_as


@pytest.mark.parametrize(
    "mark", ["*a ", "[", "[[", "![", "`", "<a ", "|", "> ", "\\", "_a_", "**", "==a", "<!--", " ", "-"]
)
def test_marks_take_no_longer_than_they_are_long(mark: str) -> None:
    assert growth(lambda text: plain(text + "x"), mark, 8_000) <= 8


def test_ids_are_of_what_was_written(tmp_path: Path) -> None:
    for name in ("a.md", "b/a.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("I met **Ana**.\n\n- [ ] call her")
    marked, bare = (next(read(TextFile(tmp_path / name)))["segments"] for name in ("a.md", "b/a.txt"))
    assert [each["text"] for each in marked] == ["I met Ana.", "☐ call her"]
    assert [each["text"] for each in bare] == ["I met **Ana**.", "☐ call her"]
    assert [each["segment_id"] for each in marked] == [each["segment_id"] for each in bare]


def test_ids_of_a_long_paragraph_are_of_its_pieces_as_they_were_written(tmp_path: Path) -> None:
    for name in ("a.md", "b/a.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("I met **Ana**. " * 600)
    marked, bare = (next(read(TextFile(tmp_path / name)))["segments"] for name in ("a.md", "b/a.txt"))
    assert (len(marked), len(bare)) == (2, 3)
    assert [each["segment_id"] for each in marked] == [each["segment_id"] for each in bare[:2]]


THURSDAY = datetime(2023, 5, 25, 13, 14, tzinfo=UTC).timestamp()


def tasks(text: str, offset_s: int = 0) -> list[tuple[str, str | None]]:
    heard = Utterance("s", "1", 7, 1, "Maya", text, THURSDAY, role="user", offset_s=offset_s)
    found = list(tasks_of(heard))
    assert all(each.type == "promise" and each.quote in text and each.properties["by"] == "Maya" for each in found)
    return [(str(each.properties["text"]), each.properties["due"]) for each in found]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("☐ Call the plumber", [("Call the plumber", None)]),
        ("Plans\n- [ ] Klempner anrufen.\n- [x] buy milk\n☑ done", [("Klempner anrufen", None)]),
        ("☐ call Ben by Friday", [("call Ben by Friday", "2023-05-26T23:59:59Z")]),
        ("- [ ] taxes 📅 2023-06-01 ⏫ 🔁 every year", [("taxes", "2023-06-01T23:59:59Z")]),
        ("- [ ] taxes [due:: 2023-06-01]", [("taxes", "2023-06-01T23:59:59Z")]),
        ("- [ ] taxes @due(2023-06-01)\n- [ ] 📅 2023-06-01", [("taxes", "2023-06-01T23:59:59Z")]),
        ("- [ ] taxes 📅 2023-99-99", [("taxes", None)]),
        ("I ticked [ ] and - [ ]", []),
        ("☐ " + "x" * 501, []),
    ],
)
def test_an_open_box_is_a_promise(written: str, found: list[tuple[str, str | None]]) -> None:
    assert tasks(written) == found


def test_the_day_of_a_mark_ends_where_it_was_written() -> None:
    assert tasks("☐ taxes due:2023-06-01", offset_s=7200) == [("taxes", "2023-06-01T21:59:59Z")]


def test_many_spaces_take_no_longer_than_they_are_long() -> None:
    for space in " \t":
        assert growth(lambda text: tasks(f"☐ a{text}x\n{text}"), space, 50_000) <= 8
