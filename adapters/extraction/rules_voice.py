"""The third person: the words of a clause as a statement anybody can read, with who "I", "we", "she" are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from adapters.extraction.rules_clauses import SAME_IN_PAST, subject_of
from adapters.extraction.rules_model import Token
from memory.words.vocabulary import words

_IRREGULAR = {"be": "is", "'m": "is", "am": "is", "'ve": "has", "have": "has", "do": "does", "go": "goes"}
_EXPANDED = {"'re": "are", "'ve": "have", "'ll": "will"}


@dataclass(frozen=True, slots=True)
class Voice:
    """Who is meant in one utterance: the speaker, the listener, "we", and the pronouns resolved so far by position."""

    speaker: str
    listener: str | None = None
    we: str = ""
    referents: Mapping[int, str] = field(default_factory=dict)

    def say(self, tokens: Sequence[Token]) -> str:
        """The words in the third person, with true spacing and agreeing verbs."""
        named = any(token.lower_ == "i" and token.dep_.startswith("nsubj") for token in tokens)
        several = any(token.lower_ in _FIRST - _OURS for token in tokens)
        parts: list[str] = []
        for place, token in enumerate(tokens):
            word = self._word(token, named, several)
            follows = tokens[place + 1] if place + 1 < len(tokens) else None
            if parts and word != token.text and word[:1].isalpha() and not parts[-1].endswith((" ", "-", "(", '"')):
                parts.append(" ")
            gap = token.whitespace_ or (" " if follows is not None and follows.i != token.i + 1 else "")
            parts.append(word + gap)
        return _tidy("".join(parts), fronted=bool(tokens) and _is_fronted(tokens[0], tokens))

    def _word(self, token: Token, named: bool, several: bool) -> str:
        lower = token.lower_
        if token.i in self.referents:
            return self.referents[token.i] + ("'s" if token.tag_ == "PRP$" else "")
        if lower in _FIRST:
            return self._first(lower, named, several)
        if lower in _SECOND and self.listener and (not token.dep_.startswith("nsubj") or _is_helped_on(token)):
            return self.listener + ("'s" if lower in ("your", "yours") else "")
        if token.pos_ in ("VERB", "AUX") or lower in ("'m", "'ve", "'re", "'ll", "'d"):
            return _verb(token)
        return str(token.text)

    def _first(self, lower: str, named: bool, several: bool) -> str:
        """Our dog is the speaker's dog, unless the words name the speaker, or a "we", beside it."""
        if lower in ("i", "me"):
            return self.speaker
        if lower in ("my", "mine", "ours"):
            return "their" if named and lower == "my" else f"{self.speaker}'s"
        if lower == "myself":
            return "themself"
        if lower in ("we", "us"):
            return self.we
        if lower == "ourselves":
            return "themselves"
        return "their" if several else f"{self.speaker}'s"


_FIRST = words("i me my mine myself we us our ours ourselves")
_OURS = words("our ours ourselves")
_SECOND = frozenset(["you", "your", "yours"])


def _is_helped_on(subject: Token) -> bool:
    """Help YOU move, want YOU to come: the subject of a bare infinitive needs no other form of it for a name."""
    helpers = (child for child in subject.head.children if child.dep_ in ("aux", "auxpass"))
    return bool(subject.head.tag_ == "VB" and subject.head.dep_ == "ccomp") and all(t.tag_ == "TO" for t in helpers)


def _verb(token: Token) -> str:
    lower = token.lower_
    if lower == "am" and _is_of_clock(token):
        return str(token.text)
    if _agrees_with_speaker(token):
        return _third_person(token)
    if lower in ("'m", "am"):
        return "is"
    if lower == "'s" and token.pos_ in ("AUX", "VERB"):
        return "has" if _before_participle(token) else "is"
    if lower == "'d" and token.dep_ in ("aux", "auxpass"):
        return "had" if token.head.tag_ == "VBN" else "would"
    return _EXPANDED.get(lower, str(token.text))


def _is_of_clock(token: Token) -> bool:
    """Whether a number stands right before: 9 am is a time of the day, and no form of "be"."""
    before = token.doc[token.i - 1] if token.i else token
    return bool(before.like_num or before.text[-1:].isdigit())


def _before_participle(token: Token) -> bool:
    """Whether 's stands for has: an active participle, or been, follows."""
    following = token.nbor() if token.i + 1 < len(token.doc) else token
    return bool(following.lower_ == "been" or (token.dep_ == "aux" and token.head.tag_ == "VBN"))


def _agrees_with_speaker(token: Token) -> bool:
    """Whether the verb is finite, in the present, and its subject is "I"."""
    if token.tag_ not in ("VBP", "VB") or token.lower_ in ("will", "'ll", "to", "be") or token.lower_ in SAME_IN_PAST:
        return False
    carrier = token.head if token.dep_ in ("aux", "auxpass") else token
    if token.tag_ == "VB" and (token.dep_ in ("aux", "auxpass") or _helped(token)):
        return token.lower_ in ("'m", "'ve")
    while subject_of(carrier) is None and carrier.dep_ == "conj" and not _helped(carrier):
        carrier = carrier.head
    if carrier is not token and token.dep_ == "conj" and (_helped(carrier) or carrier.tag_ not in ("VBP", "VBZ")):
        return False
    subject = subject_of(carrier)
    if subject is None or subject.lower_ != "i" or any(c.dep_ == "conj" for c in subject.children):
        return False
    return (token.dep_ in ("aux", "auxpass") and _first_helper(token)) or not _helped(token)


def _first_helper(token: Token) -> bool:
    helpers = [child for child in token.head.children if child.dep_ in ("aux", "auxpass")]
    return bool(helpers) and helpers[0] == token


def _helped(token: Token) -> bool:
    return any(child.dep_ in ("aux", "auxpass") for child in token.children)


def _third_person(token: Token) -> str:
    lower = str(token.lower_)
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if lower.endswith(("s", "x", "z", "ch", "sh")):
        return lower + "es"
    if lower.endswith("y") and lower[-2:-1] not in "aeiou":
        return lower[:-1] + "ies"
    return lower + "s"


_OPENING = re.compile(r"^(?:and|but|plus|when|where|so(?! (?:many|much|far|few|long))) ", re.IGNORECASE)


def _is_fronted(first: Token, tokens: Sequence[Token]) -> bool:
    """When Tom left, it rained: the word belongs to a clause of its own before the verb, and is no mere opening."""
    side = first.head
    return bool(first.dep_ == "advmod" and side.dep_ == "advcl" and side.i < side.head.i and side.head in tokens)


def _tidy(text: str, *, fronted: bool = False) -> str:
    text = " ".join(text.split())
    text = text if fronted else _OPENING.sub("", text)
    text = text.replace('"', "") if text.count('"') % 2 else text
    text = text.replace(" ,", ",").replace(" .", ".").strip(" ,;:-–—.!")
    return text[:1].upper() + text[1:]
