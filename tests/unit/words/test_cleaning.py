"""Cleaning: what is hidden goes, what is ordinary stays, and no words pass for a part of ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.console import Screen
from deployments.page import parts
from deployments.use_cases.searching import Hit
from memory.rules.explaining import lines_of_segment
from memory.services.answer import Findings, compose, generated
from memory.services.best_fact import BestFact
from memory.services.known import KnownFact
from memory.words.cleaning import MOST_NAME, called, harmless, in_quotes, sentence, visible, visible_json, written
from tests.api.attacks import Attack, assert_data, assert_nothing_hidden, attacks

ATTACKS = attacks()
ORDINARY = (
    "I moved to Lisbon last month - finally! It costs 5 € (or so); isn't that great?",
    "Zoë, Łukasz & Nguyễn Thị Hương met in Malmö: “naïve”, „so“, «voilà», 'yes'.",
    "می‌خواهم خانه‌ها را ببینم",  # a zero width non-joiner within words
    "क्‍ष और श्री शर्मा",  # a zero width joiner behind a virama
    "ශ්‍රී ලංකාව",
    "מחר בשמונה, רחוב הרצל 5, צה״ל",
    "今日は「良い」天気です。《三体》を読んだ。",
    "안녕하세요 한국어",
    "👩‍👩‍👧 ❤️ 👍🏽 🏳️‍🌈 1️⃣ ☺︎ 🩷 🫩",
    "x² ≤ y, 5 °C, ½ cup, № 7, C:\\temp, a_b, #tag, @me, 50 %",
    "ᐃᓄᒃᑎᑐᑦ ᐸᐸ",
)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_words_stay_as_they_are(text: str) -> None:
    assert visible(text) == text
    assert harmless(text) == text


@given(st.text())
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    for clean in (visible, harmless, sentence, called):
        assert clean(clean(text)) == clean(text)
    assert_nothing_hidden(visible(text).replace("\r", ""))


def all_hold(check: Callable[[Attack], None]) -> None:
    """Run one check on every attack and tell of all that fail."""
    failed = {}
    for attack in ATTACKS:
        try:
            check(attack)
        except AssertionError as error:
            failed[attack.number] = f"{attack.family}: {attack.words!a:.80} {error!s:.200}"
    assert not failed, "\n".join(f"{number} {why}" for number, why in failed.items())


def test_every_form_holds_against_every_attack() -> None:
    all_hold(_forms_hold)


def _forms_hold(attack: Attack) -> None:
    words = attack.words
    assert_nothing_hidden(visible(words))
    assert_data(harmless(words))
    assert_data(in_quotes(words))
    assert in_quotes(words).count('"') == 2
    assert not in_quotes(words).endswith('\\"')
    assert_data(sentence(words))
    assert not sentence(words).startswith(("#", "-", "*", ">", '"', "System:", "SYSTEM:", "USER:", "Developer:"))
    assert '"' not in sentence(words)
    name = called(words)
    assert_data(name)
    assert 0 < len(name) <= MOST_NAME
    assert not set(name) & set(':,"')


def test_a_believed_statement_is_one_line_of_an_answer_and_forges_no_quotation() -> None:
    all_hold(_leads)


def _leads(attack: Attack) -> None:
    fact = KnownFact("f-1", f"{attack.words} Maya lives in Porto", 0.0)
    told = compose(
        Findings("Where does Maya live?", [], [fact], BestFact(fact, fact, whole=True, affirms=True, open=True))
    ).text
    (line,) = told.split("\n")
    assert_data(line)
    assert '"' not in line


def test_the_page_the_terminal_and_an_explanation_show_it_as_text() -> None:
    all_hold(_is_shown_as_text)


def _is_shown_as_text(attack: Attack) -> None:
    hit = Hit(
        segment_id="1",
        source_id=attack.source_id,
        source_session="s",
        source_kind="conversation",
        text=attack.text,
        speaker=attack.speaker,
        timestamp=0.0,
        relevance_score=1.0,
        entities=[],
        fact_ids=[],
    )
    shown = parts.hit(hit, parts.PageContext(ZoneInfo("UTC")))
    assert_nothing_hidden(shown)
    assert shown.count("<") == 4, "two paragraphs and nothing else"
    terminal = Screen(width=10_000, force_terminal=True, color_system=None, highlight=False)
    with terminal.capture() as captured:
        terminal.print(attack.text, markup=False)
    assert_nothing_hidden(captured.get())
    segment = {
        "speaker": attack.speaker,
        "at": "2026-03-02",
        "source_id": attack.source_id,
        "text": attack.text,
        "revision": 1,
        "read_revision": 1,
        "replaced_by": None,
        "replaces": [],
    }
    first, *_ = lines_of_segment({"segment": segment, "facts": [], "entities": [], "notes": []}, [])
    assert_data(first)
    assert first.count('"') == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("She lives in Porto [1].", "She lives in Porto [1]."),
        ("# Porto\n\n- yes [1] [7]", "# Porto\n\n- yes [1]"),
        ("See ![x](http://evil.example/?q=secret) [1]", "See !(x)(http://evil.example/?q=secret) [1]"),
        ("See ![1](http://evil.example) ![1][1]", "See ![1] (http://evil.example) ![1][1]"),
        ("Yes [1].\n\n[1]: http://evil.example", "Yes [1].\n\n[1] : http://evil.example"),
        ("<b>Porto</b> [1] \u202e`x`\U000e0041", "‹b›Porto‹/b› [1] 'x'"),
        ("Yes [1] [1\u200b](http://evil.example)", "Yes [1] [1] (http://evil.example)"),
    ],
)
def test_what_a_model_wrote_keeps_its_citations_and_gets_no_link(text: str, told: str) -> None:
    assert written(text, {1}) == told


def test_a_generated_answer_is_cleaned() -> None:
    from memory.services.hits import SegmentHit as Said

    told = generated("<img src=x> She lives in Porto [1].\x1b[2J", [Said("I live in Porto.", "Maya", 0.0, 0, "s", "1")])
    assert told.text == "‹img src=x› She lives in Porto [1].(2J"


@given(st.recursive(st.text(), lambda each: st.lists(each) | st.dictionaries(st.text(), each)))
def test_a_json_document_stays_one_and_hides_nothing(value: object) -> None:
    document = visible_json(json.dumps(value, ensure_ascii=False))
    assert_nothing_hidden(document)
    _strings(json.loads(document))


def _strings(value: object) -> None:
    match value:
        case str():
            assert_nothing_hidden(value.replace("\r", "").replace("\b", "").replace("\f", ""))
        case list():
            for each in value:
                _strings(each)
        case dict():
            _strings([*value, *value.values()])
