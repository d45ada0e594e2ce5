"""Tense: whether words tell or ask of what was, by their verbs and by words of the past, in English and German."""

from __future__ import annotations

import re

from memory.words.vocabulary import listed, table

_PRESENT = {"has", "does"}
_VERBS = "|".join(sorted(table("irregular_verbs").keys() - _PRESENT))
_WAS = r"was(?:n't)?|were(?:n't)?|did(?:n't)?|had|used to|formerly|previously|once|ago|back then|no longer"
_IS_OVER = re.compile(rf"\b(?:{_WAS})\b", re.IGNORECASE)
_REGULAR = rf"(?!(?:{'|'.join(sorted(listed('no_pasts')))})\b)\w{{2,}}ed"
"""A past or participle in -ed, as a pattern; what is no verb of the past is listed."""
_IS_DONE = re.compile(rf"\b(?:{_WAS}|{_VERBS}|\w{{2,}}ed|yesterday|last)\b", re.IGNORECASE)
_ONCE = "|".join(sorted(listed("past_times")))
_IS_DEED = re.compile(
    rf"\b(?:was(?:n't)?|were(?:n't)?|did(?:n't)?|had|used to|formerly|previously|ago|{_VERBS}|{_REGULAR}|{_ONCE})\b",
    re.IGNORECASE,
)
_HAS_DONE = re.compile(
    rf"(?:\bha(?:s|ve)|'(?:s|ve)) (?!(?:never|not)\b)(?:\w+ )?\b(?:{_REGULAR}|{_VERBS})\b", re.IGNORECASE
)
_PERFECT = re.compile(
    r"\b(?:has|have|been|habe?|hat|hast|haben|hatte\w*|war\w*|wurde\w*|gab|ging\w*|geschah|passierte|kam\w*|brachte\w*|"
    r"(?:has|have)n't)\b|\w've\b",
    re.IGNORECASE,
)
_GERMAN = re.compile(
    r"\b(?:war(?:en|st|t)?|hatte\w*|wurde\w*|ging\w*|kam\w*|wohnte\w*|arbeitete\w*|lebte\w*|früher\w*|damals|"
    r"vorher\w*|zuvor|ehemalig\w*|einst|ursprünglich|zuerst|gestern|bis|vor (?:\w+ )?(?:tag|woche|monat|jahr)\w*|"
    r"geworden|gewesen|(?:19|20)\d\d)\b|"
    r"\b(?:habe?|hast|hat|haben|habt|bin|bist|ist|sind|seid)\b(?=.{0,200}$).*"
    r"\b(?!(?:verheiratet|verlobt|geschieden|befreundet|versichert|gesund)\b)"
    r"(?:\w*ge\w{2,}(?:t|en)|\w+iert|(?:ver|be|er|ent|zer)\w+(?:t|en))\W*$",
    re.IGNORECASE,
)


def is_over(text: str) -> bool:
    """Whether English words say that something was so, and not that it has been done: was, used to, no longer."""
    return _IS_OVER.search(text) is not None


def is_done(text: str) -> bool:
    """Whether English words are of the past: what was, or a verb of what was done."""
    return _IS_DONE.search(text) is not None


def tells_deed(text: str) -> bool:
    """Whether English words tell what was done, by a verb in its past or by when it was; "last" and "once" do not."""
    return _IS_DEED.search(text) is not None


def has_been_done(text: str) -> bool:
    """Whether English words tell in the perfect what has been done."""
    return _HAS_DONE.search(text) is not None


def may_be_past(text: str) -> bool:
    """Whether words ask or tell of what was, or of what has been done by now, in either language."""
    return is_over(text) or _PERFECT.search(text) is not None


def is_past_in_german(text: str) -> bool:
    """Whether German words are of the past: a past tense, a word of it, or a participle at the end that tells no state.

    Ends are looked for in 200 characters, for it takes the square of them.
    """
    return _GERMAN.search(text) is not None
