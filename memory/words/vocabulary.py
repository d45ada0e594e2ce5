"""Vocabulary: closed lists of words, which stand in data files (`lists/`), a file a language, each read once.

A list is a line of words, or of phrases with a comma between them; a table holds such lists by what their words stand
for. `en` and `de` are languages that are read, `heard` those that are only told apart, `names` what is called alike in
all of them, `predicates` the kinds of statement.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def read(file: str) -> Mapping[str, Any]:
    """What a data file holds, by name."""
    text = (files("memory.words") / "lists" / f"{file}.yaml").read_text(encoding="utf-8")
    found: Mapping[str, Any] = yaml.load(text, Loader=_LOADER)
    return found


def words(text: str) -> frozenset[str]:
    """A closed list, written as one line of words, or of phrases with commas."""
    return frozenset(_parts(text))


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")] if "," in text else text.split()


def listed(name: str, *languages: str) -> frozenset[str]:
    """The list of that name, of all these languages; of English where none is told."""
    return frozenset().union(*(words(read(language)[name]) for language in languages or ("en",)))


def lists(name: str, language: str = "en") -> dict[str, frozenset[str]]:
    """What each list of a table stands for -> its words."""
    return {meant: words(text) for meant, text in read(language)[name].items()}


def table(name: str, language: str = "en") -> dict[str, str]:
    """Each word of a table -> what it stands for."""
    return {word: meant for meant, text in read(language)[name].items() for word in _parts(text)}


KIN = table("kin")
"""Every word for somebody's somebody, with the relation it names (mum -> mother)."""
ONLY_ONE = listed("only_one")
"""Relations of which one has a single bearer at a time: a new name closes the old."""
FAMILY = listed("family")
FEMALE, MALE = listed("female"), listed("male")
PETS = listed("pets")
JOBS = listed("jobs")
EVENT_NOUNS, PLACE_NOUNS = listed("event_nouns"), listed("place_nouns")
HOUSES = listed("houses")
"""Where one lives, in whatever town that is."""
NO_HOMES = listed("no_homes", "names")
"""Programs, their makers, languages and departments: names to which people move, and in which nobody lives."""
FEELINGS = table("feelings")
"""Words for feelings and the thirteen classes they fall into."""
CONDITIONS, STATUSES = listed("conditions"), listed("statuses")
CLASSES = table("preferred")
"""What a preference is about when it is not said: one prefers a latte among coffees."""
BROADCASTERS = listed("broadcasters", "en", "de")
"""Labels of what speaks in a room and is nobody."""
VAGUE = listed("vague_nouns")
"""Nouns that name nothing one could look for later."""
