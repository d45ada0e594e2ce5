"""What reading costs grows with the length of what is read, whatever somebody writes: ratios of one run, no seconds.

A text of four times the length may take eight times as long (sixteen would be its square). A pattern may cost the
square of what it looks at, for nothing is shown more than a passage, but not its cube.
"""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from time import thread_time
from urllib.parse import quote

import pytest

import adapters.capture
import adapters.extraction
import memory
from adapters.capture.dates import read_moment
from adapters.capture.mail import is_mail, letters
from adapters.extraction.german_types import typed
from adapters.extraction.model_grounds import grounds_of
from adapters.extraction.openai import portions, prompt_of
from adapters.extraction.rules import read
from memory.retrieval.intents import by_words
from memory.retrieval.routing import route
from memory.words.languages import spoken
from memory.words.list_questions import list_question
from memory.words.normalise import split_sentences, told
from memory.words.passages import PASSAGE_CHARS, READ_CHARS, passages
from memory.words.promise_questions import promise_question
from memory.words.questions import form_of
from memory.words.time_expressions import resolve
from memory.words.time_named import named_times
from tests.unit.extraction.conftest import THURSDAY, said

ATTACKS = (
    "I will send you a b c, ",
    "Aa-",
    "a ",
    " ",
    '"',
    "„a",
    "1 ",
    "12.5.",
    "( a ",
    "a,a,",
    "? ",
    "\n",
    "Mr. A ",
    'I said "',
    "in May ",
    "at 5 pm ",
    "ich bin nicht ",
    "> a\n",
    "-",
    "my sister Aa and ",
    "```",
    "between ",
)
PARSED = ("I will send you a b c, ", "ich bin nicht ")
FLOOR_S = 0.02
"""Below that a clock tells nothing."""
MEASURED = 5
"""Times before too much growth is believed."""

TYPED = "From: a@b.c\nContent-Transfer-Encoding: quoted-printable\nContent-Type: text/plain"


def encoded(text: str) -> str:
    """A word as it stands in the head of a mail: its blanks are seen only where it is decoded."""
    return f'=?utf-8?q?{quote(text, safe=" ").replace("%", "=").replace(" ", "_")}?= "x"<'


ENTRIES: dict[str, Callable[[str], object]] = {
    "told, by passages": lambda text: [told(each, ("Ben",), "Ann") for each in passages(text)],
    "sentences, by passages": lambda text: [split_sentences(each) for each in passages(text)],
    "language": spoken,
    "times": lambda text: resolve(text, THURSDAY),
    "times of a question": lambda text: named_times(text, THURSDAY),
    "route of a question": lambda text: route(text, THURSDAY),
    "form of a question": form_of,
    "intent of a question": by_words,
    "list of a question": lambda text: list_question(text, THURSDAY),
    "promises of a question": lambda text: promise_question(text, "Ann"),
    "portions for a model": lambda text: list(portions(text)),
    "prompt for a model": lambda text: prompt_of(text[:600], grounds_of(*said(("Ann", text)), (), ("Ann",))),
    "mail": lambda text: is_mail(text) or list(letters(f"From: a@b.c\nTo: b@c.d\nSubject: x\n\n{text}")),
    "head of a mail": lambda text: list(letters(f"From: {encoded(text)}\nDate: 1 May 2026 {encoded(text)}\n\nhi")),
    "type of a mail": lambda text: list(letters(f"{TYPED}{text.replace(' ', ';') * 10}\n\nhi")),
    "mail for hosts": lambda text: list(letters(f"{TYPED}; charset=punycode\n\n{text * 4}-{'b' * 4 * len(text)}")),
    "moment": lambda text: read_moment(f"1 May 2026 10:00{text}!"),
}


@pytest.fixture(autouse=True)
def no_garbage_collection() -> Iterator[None]:
    """A collection looks at all that the tests of this process have made, and comes where most is made."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def seconds(act: Callable[[str], object], text: str) -> float:
    """In this thread: what others do on the machine counts little."""
    begun = thread_time()
    act(text)
    return thread_time() - begun


def growth(act: Callable[[str], object], attack: str, length: int, times: int = 4, most: float = 8) -> float:
    """How many times longer so many times as much takes; 1 below the floor. More than `most` is measured anew, both
    lengths by turns, and the least of each counts: a busy machine makes a run longer, and never shorter.
    """
    text = (attack * times * length)[: times * length]
    long = short = float("inf")
    for _ in range(MEASURED):
        long = min(long, seconds(act, text))
        if long < FLOOR_S:
            return 1.0
        short = min(short, seconds(act, text[:length]))
        if long <= most * short:
            break
    return long / short


@pytest.mark.parametrize("entry", ENTRIES)
def test_four_times_as_much_takes_about_four_times_as_long(entry: str) -> None:
    slow = {attack: growth(ENTRIES[entry], attack, 2_000) for attack in ATTACKS}
    assert {attack: ratio for attack, ratio in slow.items() if ratio > 8} == {}


@pytest.mark.parametrize("attack", PARSED)
def test_reading_with_the_parser_grows_with_the_length(attack: str) -> None:
    read(said(("Ann", "I live in Ghent.")))  # the parser is loaded
    assert growth(lambda text: read(said(("Ann", text))), attack, PASSAGE_CHARS, times=3, most=5.5) < 5.5


@pytest.mark.parametrize(
    "between", ["montag ", "in einem mit Garten ", "mit Beate Montag ", "in der Stadt 5 ", "neben Neben "]
)
@pytest.mark.parametrize("begun", ["ich arbeite ", "ich wohne ", "ich bin "])
def test_what_stands_between_a_german_verb_and_its_place_is_read_in_one_way(begun: str, between: str) -> None:
    assert growth(lambda text: typed(begun + text), between, 100, most=32) <= 32


@pytest.mark.parametrize("speakers", [20])
def test_who_listens_does_not_make_a_sentence_longer_to_read(speakers: int) -> None:
    """A name of 200 letters has 198 prefixes."""
    names = tuple(f"{chr(97 + place)}{'x' * 199}" for place in range(speakers))
    short = tuple(name[:20] for name in names)
    text = "I moved to Ghent, Aaaaa! " * 40
    long = min(seconds(lambda each: told(each, names), text) for _ in range(MEASURED))
    assert long < 4 * max(seconds(lambda each: told(each, short), text), FLOOR_S)


def test_no_more_than_its_beginning_is_read_of_a_very_long_text() -> None:
    assert sum(map(len, passages("I live in Ghent. " * READ_CHARS))) == READ_CHARS
    assert max(map(len, passages("a" * READ_CHARS))) == PASSAGE_CHARS


def test_a_sentence_without_an_end_is_cut_where_it_pauses_and_all_of_it_is_read() -> None:
    talk = "and then we went to the market, " * 100
    cut = split_sentences(talk)
    assert max(map(len, cut)) <= 1_000
    assert all(each.endswith("market,") for each in cut)
    assert " ".join(cut) == talk.strip()


def test_what_is_said_late_in_a_long_turn_is_read_and_nothing_of_it_twice() -> None:
    filler = "The weather was fine and we walked along the river. " * 150
    found = read(said(("Ana", f"I live in Ghent. {filler} I work at Foxglove Press. {filler} I live in Ghent.")))
    told_of = [claim.statement for claim in found.claims]
    assert "Ana works at Foxglove Press" in told_of
    assert told_of.count("Ana lives in Ghent") == 1
    assert len({(each.type, each.name) for each in found.sightings}) == len(found.sightings)


def modules() -> Iterator[str]:
    """Every module whose patterns see somebody's words."""
    for room in (memory, adapters.extraction, adapters.capture):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            importlib.import_module(module.name)
    return (name for name in sorted(sys.modules) if name.split(".")[0] in ("memory", "adapters"))


def compiled(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    """The patterns in a value of a module: in tables, in tuples, in rows."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 5 and isinstance(value, dict):
        for pair in value.items():
            yield from compiled(pair, depth + 1)
    elif depth < 5 and isinstance(value, tuple | list | set | frozenset):
        for each in value:
            yield from compiled(each, depth + 1)
    elif depth < 5 and hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        for name in value.__dataclass_fields__:
            yield from compiled(getattr(value, name, None), depth + 1)


PATTERNS = {
    (pattern.pattern, pattern.flags): (f"{module}.{name}", pattern)
    for module in modules()
    for name, value in vars(sys.modules[module]).items()
    for pattern in compiled(value)
    if isinstance(pattern.pattern, str)
}


def tokens_of(pattern: re.Pattern[str]) -> list[str]:
    """Words that stand in a pattern, repeated they come furthest in it: a few, spread over it."""
    found = list(dict.fromkeys(re.findall(r"[a-zà-ÿ]{2,}", re.sub(r"\\.", " ", pattern.pattern))))
    return [f"{each} {filling}" for each in found[:: max(1, len(found) // 3)] for filling in ("", "Aa ")]


def test_no_pattern_costs_more_than_the_square_of_what_it_looks_at() -> None:
    assert len(PATTERNS) > 500
    worse = []
    for name, pattern in PATTERNS.values():
        for attack in (*ATTACKS[:10], *tokens_of(pattern)):
            text = (attack * 400)[:400]
            if seconds(_finds(pattern), text) > FLOOR_S / 2 and growth(_finds(pattern), attack, 100, most=32) > 32:
                worse.append(f"{name} {attack!r}")
    assert worse == []


def _finds(pattern: re.Pattern[str]) -> Callable[[str], object]:
    return lambda text: sum(1 for _ in pattern.finditer(text))
