"""What is shown of a model's words while they come is what is shown of the whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.words.spoken import Sieve, spoken
from memory.words.tool_calls import without_tool_calls
from tests.unit.extraction.test_growth import growth

NAMES = ("search_memory", "think")
TEXTS = (
    "In Coimbra [1]. Ines collects teapots, 3 < 5 and {x}.",
    "<think>hm, <b></think>\n\nTwo. <tool_call>{}</tool_call> And more words.",
    'Well. <tool_call>{"name": "search_memory", "arguments": {}}</tool_call>',
    'Here: {"name": "search_memory", "arguments": {"query": "x y"}} done.',
    'Here: {"name": "Ida", "age": 3} stays.',
    '```json\n{"name": "a", "arguments": {}}\n```\nThen words.',
    "```tool_code\nprint(search_memory('x'))\n```\nThen words.",
    "Code:\n```python\nprint(1)\n```\nand ```\nmore\n``` here `x` too.",
    "I call print(search_memory(query='a b')) now, and think about (this).",
    "Hear [TOOL_CALLS] [{}] everything behind it is gone",
    "Hear <|python_tag|>search and gone",
    "Look ![x](http://far/away) and < img src=x> and <img\nsrc=x>!",
    "<function=search>{}</function> then words <invoke name='x'> cut off",
    "می‌خواهم بروم 👩‍👩‍👧 ok ✔️ 日本語の文章はここで終わります。次の文。",
    "a" * 200 + "!" + "[x](http://far)" + "b" * 200,
    "  \n leading and trailing  \n ",
    "a > b </think> c <|im_end|>",
    "{ \n",
    "<",
)


def whole(text: str) -> str:
    return spoken(without_tool_calls(text, NAMES)).strip()


def in_pieces(text: str, cuts: list[int]) -> str:
    sieve, told, before = Sieve(NAMES), "", 0
    for cut in [*sorted(cuts), len(text)]:
        told += sieve.put(text[before:cut])
        assert told == told.rstrip(), "white space waits for what follows"
        before = cut
    return told + sieve.end()


@pytest.mark.parametrize("text", TEXTS)
def test_a_sign_at_a_time_is_the_same_as_all_at_once(text: str) -> None:
    assert in_pieces(text, list(range(len(text)))) == whole(text)
    for cut in range(len(text)):
        assert in_pieces(text, [cut]) == whole(text)


@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3), st.data())
def test_wherever_it_is_cut(texts: list[str], data: st.DataObject) -> None:
    text = " ".join(texts)
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=12))
    assert in_pieces(text, cuts).split() == whole(text).split()


@given(st.text(alphabet="<>{}[]`()!/|=\"': \nthinktoolcallimgnamearguments_", max_size=120), st.data())
def test_nothing_that_is_taken_out_of_the_whole_is_shown(text: str, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=12))
    told = in_pieces(text, cuts)
    assert spoken(without_tool_calls(told, NAMES)).strip() == told


def test_plain_words_wait_for_no_more_than_their_next_space() -> None:
    sieve = Sieve(NAMES)
    assert [sieve.put(each) for each in ("Ines ", "lives ", "in Coim", "bra", ". ", "Yes")] == [
        "Ines",
        " lives",
        " in",
        "",
        " Coimbra.",
        "",
    ]
    assert sieve.end() == " Yes"


@pytest.mark.parametrize(
    "piece", ["<think> ", '{"name": ', "```json {", "search_memory(", "< ", "x", "![", "<|", "} ", "</think"]
)
def test_no_words_take_long(piece: str) -> None:
    def sifted(text: str) -> None:
        sieve = Sieve(NAMES)
        for begin in range(0, len(text), len(piece)):
            sieve.put(text[begin : begin + len(piece)])

    assert growth(sifted, piece, 1_000 * len(piece)) <= 8


@pytest.mark.parametrize(
    ("begun", "piece"),
    [
        ("<think>", "</b> > } "),
        ('{"name": "', "} "),
        ('{"name": ', "} "),
        ('{"name": ', '{"a": "}" '),
        ("```json\n{", "`` }\n"),
        ("```", " \n"),
        ("{", "\n"),
        ("search_memory(", ")"),
        ("[TOOL_CALLS]", "} ) > "),
    ],
)
def test_what_has_begun_takes_no_longer_for_signs_that_do_not_close_it(begun: str, piece: str) -> None:
    def sifted(text: str) -> None:
        sieve = Sieve(NAMES)
        sieve.put(begun)
        for begin in range(0, len(text), len(piece)):
            sieve.put(text[begin : begin + len(piece)])

    assert growth(sifted, piece, 1_000 * len(piece)) <= 8


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{'so > it } is ' * 60}</think> Words. More",
        f'{{"name": "a", "arguments": {{"q": "{"x } y { " * 60}"}}}} Words. More',
        f"```tool_code\n{'print(1) }' * 60}\n``` Words. More",
        f"search_memory({'x ' * 200}) Words. More",
        f"search_memory({'x ' * 200}\n Words. More",
    ],
)
def test_what_is_long_is_over_where_it_ends(text: str) -> None:
    sieve, told = Sieve(NAMES), ""
    for sign in text:
        told += sieve.put(sign)
    assert told + sieve.end() == whole(text)
    assert told.endswith("Words."), "all but the last word, which may go on"
