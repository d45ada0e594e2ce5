"""German in the third person: "ich wohne" as "Lena wohnt", and who is "mich" where Lena does nothing herself."""

from __future__ import annotations

import re
from itertools import pairwise

from memory.words.everyday import GERMAN_VERBS
from memory.words.vocabulary import listed, words

_THIRD = {
    "bin": "ist",
    "habe": "hat",
    "hab": "hat",
    "kann": "kann",
    "mag": "mag",
    "will": "will",
    "muss": "muss",
    "darf": "darf",
    "soll": "soll",
    "weiß": "weiß",
    "werde": "wird",
    "fahre": "fährt",
    "spreche": "spricht",
    "esse": "isst",
    "nehme": "nimmt",
    "lese": "liest",
    "schlafe": "schläft",
    "laufe": "läuft",
    "trage": "trägt",
    "sehe": "sieht",
    "gebe": "gibt",
    "treffe": "trifft",
    "helfe": "hilft",
    "verspreche": "verspricht",
    "vergesse": "vergisst",
    "halte": "hält",
    "verlasse": "verlässt",
    "lasse": "lässt",
    "fange": "fängt",
    "falle": "fällt",
    "lade": "lädt",
    "wasche": "wäscht",
    "wachse": "wächst",
    "schlage": "schlägt",
    "werfe": "wirft",
    "messe": "misst",
    "trete": "tritt",
    "empfehle": "empfiehlt",
    "behalte": "behält",
    "vertrage": "verträgt",
    "sammle": "sammelt",
    "bastle": "bastelt",
    "radle": "radelt",
    "lächle": "lächelt",
    "ärgere": "ärgert",
    "war": "war",
    "hatte": "hatte",
    "wollte": "wollte",
    "konnte": "konnte",
    "musste": "musste",
    "ging": "ging",
    "wurde": "wurde",
    "kam": "kam",
    "sah": "sah",
    "fuhr": "fuhr",
    "fand": "fand",
    "las": "las",
    "aß": "aß",
}
"""First person -> third, where the ending alone does not tell."""
_FURTHER = listed("first_persons", "de")
_PRESENT = listed("present_in_te", "de")
"""First persons in -te that are no past."""
_NO_VERBS = words(
    "eine meine deine seine ihre unsere eure keine alle viele jede diese welche gerne heute ohne bitte beide einige "
    "manche solche lange gestern übrigens"
)
"""What stands beside "ich", ends like a verb and is none."""
_UNDER = words("dass weil da ob wo seit seitdem bevor nachdem obwohl wenn als während bis damit sodass")
"""What puts the verb last."""
_SYLLABIC = re.compile(r"(?:[td]|ch[nm]|[bdfgkpst][nm])$")
"""Stems that need an e before their ending: arbeitet, rechnet, öffnet."""
_MINE = re.compile(r"(?:mein|unser)(?:e[mnrs]?)?")
_HISSING = ("s", "ß", "x", "z")


def genitive(name: str) -> str:
    """Lenas, and Jonas'."""
    return f"{name}'" if name.lower().endswith(_HISSING) else f"{name}s"


def in_third_person(clause: str, speaker: str, listener: str | None) -> str:
    """A clause of "ich" or "wir" as it is told of its speaker; "dir" is the listener, where that is just one."""
    tokens = clause.split()
    if tokens[0].lower() in ("hab", "habe", "bin"):
        tokens = ["ich", *tokens]
    bare = [token.lower().strip(",") for token in tokens]
    verbs, others = _verbs(tokens, bare), _pronouns(bare, speaker, listener)
    said = []
    for place, token in enumerate(tokens):
        stop = "," * token.endswith(",")
        if place in verbs:
            said.append(third_person(bare[place]) + stop if token[:1].islower() or not place else token)
        elif bare[place] in others:
            said.append(others[bare[place]] + stop)
        elif _MINE.fullmatch(bare[place]):
            said.append(genitive(speaker) + stop)
        else:
            said.append(token)
    words_ = " ".join(said)
    return words_[:1].upper() + words_[1:]


def third_person(verb: str) -> str:
    """The third person of a folded verb of the first; one that shows no such ending stays as it is."""
    if verb in _THIRD:
        return _THIRD[verb]
    if verb.endswith(("n", "t")) or (verb.endswith("te") and verb not in _PRESENT):
        return verb
    stem = verb.removesuffix("e")
    return f"{stem}et" if _SYLLABIC.search(stem) else f"{stem}t"


def _pronouns(bare: list[str], speaker: str, listener: str | None) -> dict[str, str]:
    """Who each pronoun is: "mich" is the one who does it only where that is "ich"."""
    us = f"{speaker} und andere"
    both = any(pair in (("und", "ich"), ("ich", "und")) for pair in pairwise(bare))
    mine, ours = ("sich" if "ich" in bare else speaker), ("sich" if both or "wir" in bare else us)
    told = {"ich": speaker, "wir": us, "mir": mine, "mich": mine, "uns": ours}
    return told if listener is None else told | {"dir": listener, "dich": listener}


def _verbs(tokens: list[str], bare: list[str]) -> set[int]:
    """The places of the verbs of "ich": before it, else last after "dass", else after it; and after an "und"."""
    subjects = [place for place, word in enumerate(bare) if word == "ich"]
    found = {_verb_of(place, tokens, bare) for place in subjects}
    for place in range(subjects[0] + 2 if subjects else len(bare), len(bare)):
        if bare[place - 1] in ("und", "oder", "aber") and tokens[place][:1].islower() and _is_first_person(bare[place]):
            found.add(place)
    return {place for place in found if place < len(tokens)}


def _verb_of(place: int, tokens: list[str], bare: list[str]) -> int:
    before = bare[place - 1] if place else ""
    if before in _UNDER:
        return len(bare) - 1
    inverted = before in _THIRD or (before.endswith("e") and before not in _NO_VERBS and tokens[place - 1] == before)
    return place - 1 if inverted else place + 1


def _is_first_person(word: str) -> bool:
    return word in _THIRD or word in _FURTHER or (word in GERMAN_VERBS and word.endswith("e"))
