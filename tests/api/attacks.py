"""The corpus of attacks: words, speakers and ids that try to be more than what somebody said; and how it is judged.

`attacks.jsonl` holds one a line, in ASCII so that what is invisible can be read: where it stands (text, speaker,
source), its family, its words. What is shown is judged by its form alone: read back, it is one quotation.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import pytest

SPEAKER, DAY = "Eve Moreau", "2 March 2026"
_JOINERS = "\u200c\u200d\ufe0e\ufe0f"
_WRITTEN = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
"""Format characters that Unicode gives a shape."""
_SHAPELESS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc"
_ANGLES = "<>＜＞﹤﹥〈〉〈〉⟨⟩❬❭❮❯❰❱⟪⟫≪≫˂˃⧼⧽𝈶𝈷"
_BRACKETS = "[]［］﹇﹈【】〔〕〖〗〚〛⟦⟧❲❳⁅⁆"
_MARKS_OF_QUOTATION = '"“”„‟＂〝〞〟❝❞″‶'
WHO = rf"[^:,{re.escape(_BRACKETS + _MARKS_OF_QUOTATION)}]{{1,80}}"
"""A name that holds no part of a day, a quotation or a citation."""
_DAY = r"(?P<day>\d+ \w+ \d{4})"
IN_AN_ANSWER = re.compile(rf'"(?P<words>[^"]*)"(?: \([^"]*\))? - (?P<who>{WHO}), {_DAY} \[(?P<place>[^\[\]]+)\]')
IN_A_LIST = re.compile(rf"- \[{_DAY}\] (?P<who>{WHO}): (?P<words>.*)")
IN_A_BRIEFING = re.compile(rf"\[1\] (?P<who>{WHO}), {_DAY}: (?P<words>.*)")


@dataclass(frozen=True, slots=True)
class Attack:
    """Words, and where they stand: in what was said, as who said it, or in the id of the source."""

    number: int
    place: str
    family: str
    words: str

    @property
    def token(self) -> str:
        """A word that only this attack has: it is asked for."""
        return f"zorb{self.number:03}"

    @property
    def speaker(self) -> str:
        return self.words if self.place == "speaker" else SPEAKER

    @property
    def source_id(self) -> str:
        return f"{self.token} {self.words}" if self.place == "source" else self.token

    @property
    def text(self) -> str:
        return f"{self.token} flew. {self.words}" if self.place == "text" else f"{self.token} flew."


def attacks() -> list[Attack]:
    """The corpus."""
    lines = Path(__file__).with_suffix(".jsonl").read_text(encoding="ascii").splitlines()
    return [Attack(number, **json.loads(line)) for number, line in enumerate(lines)]


def assert_nothing_hidden(shown: str) -> None:
    """No character that a reader does not see, but for joiners where a script or an emoji needs them."""
    for place, letter in enumerate(shown):
        if letter in _JOINERS:
            assert place, "a joiner joins two"
            assert shown[place - 1] not in _JOINERS or shown[place - 1 : place + 1] == "\ufe0f\u200d"
            assert not (letter in "\u200c\u200d" and shown[place - 1].isascii())
        elif letter not in "\n\t" + _WRITTEN:
            named = f"U+{ord(letter):04X} is hidden"
            assert unicodedata.category(letter) not in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp"), named
            assert letter not in _SHAPELESS, named
            assert not 0xFE00 <= ord(letter) <= 0xFE0F, named
            assert not 0xE0000 <= ord(letter) <= 0xE0FFF, named


def assert_data(shown: str) -> None:
    """Words that open no tag, no citation and no code, hidden or not, and stand on one line."""
    assert_nothing_hidden(shown)
    assert shown.splitlines() in ([], [shown])
    plain = unicodedata.normalize("NFKC", shown)
    assert not set(plain) & set("<>[]`")
    assert not set(shown) & set(_ANGLES + _BRACKETS)


def only(pattern: re.Pattern[str], lines: list[str], expected: Attack) -> re.Match[str]:
    """The one line of this form, found to be the attack's own quotation."""
    found = [match for match in map(pattern.fullmatch, lines) if match]
    if len(found) != 1:
        pytest.fail(f"{len(found)} quotations instead of one in {lines}")
    (quotation,) = found
    assert quotation["day"] == DAY
    assert expected.place == "speaker" or quotation["who"] == SPEAKER
    assert expected.token in quotation["words"]
    for part in ("who", "words"):
        assert_data(quotation[part])
    if "place" in pattern.groupindex:
        assert quotation["place"].startswith(expected.token)
        assert quotation["place"].endswith("/1")
        assert_data(quotation["place"])
    return quotation
