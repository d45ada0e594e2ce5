"""Numerals: English numbers in words, as patterns (to be matched in any case) and with their values."""

from __future__ import annotations

_ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_TO_TWELVE = [*_ONES, "ten", "eleven", "twelve"]

DIGIT, TO_TWELVE, TEEN = "|".join(_ONES), "|".join(_TO_TWELVE), "|".join(_TEENS)
TENS = rf"(?:{'|'.join(_TENS)})(?:[ -](?:{DIGIT}))?"
"""Twenty to ninety-nine."""
VALUES = {word: value for value, word in enumerate([*_TO_TWELVE, *_TEENS], start=1)} | {
    word: 10 * tens for tens, word in enumerate(_TENS, start=2)
}
SEVERAL = {word: str(value) for word, value in VALUES.items() if 1 < value <= 12}
"""Two to twelve in words -> in digits; "one" is mostly a pronoun."""
