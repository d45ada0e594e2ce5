"""Grounds: the words a model's answer must rest on, and whether they assert anything.

A small model swaps speaker and listener, loses negations and repeats its examples: every third fact of one of 1.5B was
wrong when read by hand. So nothing enters that the utterance itself does not carry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from memory.model.claims import Utterance
from memory.model.ids import fold
from memory.words import assertion, polarity
from memory.words.features import first_person
from memory.words.names import is_name, is_pet, relation, same_name
from memory.words.normalise import free_assertions, split_sentences, unaddressed, with_subject
from memory.words.retractions import is_joke
from memory.words.stems import terms, tokenise
from memory.words.tense import is_done

_I = re.IGNORECASE
_I_DO = re.compile(r"(?:I|I'm|I've|I'd|I'll)\b")
_THEY_DO = re.compile(r"(?:he|she|they|you|it|your)\b", _I)
_POINTING = re.compile(r"\b(?:it|this|that|there|them|they|he|she|him|her|one|those|these|here)\b", _I)
_CLAUSE_EDGE = re.compile(r"[,;:—]|\b(?:but|and|so|because|since)\b", _I)
_SELF = frozenset({"i", "me", "my", "myself", "speaker", "the speaker"})
_NOBODY = frozenset(
    ["it", "this", "that", "these", "those", "there", "he", "she", "they", "you", "we", "someone", "everyone"]
)
_EDGES = " \t\n.,!?;:…\"'“”()[]"
_ENOUGH = 0.5
"""Share of the content words of an object or statement that must have been said."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Where evidence stands: the verbatim `quote`, its clause up to its end, the part and the sentence around it."""

    quote: str
    clause: str
    part: str
    sentence: str
    question: bool
    joke: bool

    @property
    def past(self) -> bool:
        """Whether its clause looks back."""
        return is_done(self.clause)

    @property
    def asserted(self) -> bool:
        """Whether it states something: no question, joke, condition, proposal, applause or quoted speech."""
        bare = unaddressed(self.clause)
        return not (
            self.question
            or self.joke
            or polarity.is_hypothetical(self.part)
            or polarity.is_conditional(self.part)
            or polarity.is_unreal(self.clause)
            or assertion.is_doubtful(self.part)
            or assertion.is_mocked(self.sentence)
            or any(
                not words or polarity.is_phatic(words) or polarity.is_proposal(words) for words in (self.clause, bare)
            )
            or not pattern_of(self.quote).search(polarity.without_quotations(self.sentence))
        )


@dataclass(frozen=True)
class UtteranceContext:
    """One utterance and the few before it; `listeners` are the names "you" may mean.

    Who a clause is about is checked in English only; that the words were said, in every language.
    """

    utterance: Utterance
    earlier: tuple[Utterance, ...] = ()
    listeners: tuple[str, ...] = field(default=())

    def passage(self, evidence: str) -> Passage | None:
        """Where these words stand in the utterance, white space, case and kind of apostrophe aside; None if nowhere."""
        words = pattern_of(evidence)
        found = words.search(self._text) if evidence.strip(_EDGES) else None
        if found is None:
            return None
        quote = self.utterance.text[found.start() : found.end()]
        place = next((i for i, sentence in enumerate(self._sentences) if words.search(sentence)), None)
        if place is None:  # it runs over the end of a sentence
            plain = found.group()
            return Passage(quote, plain, plain, plain, polarity.is_question(plain), is_joke(plain))
        sentence = self._sentences[place]
        joke = any(is_joke(near) for near in self._sentences[place : place + 2])
        parts = [(part, asked) for part, asked in free_assertions(sentence) if words.search(part)]
        part, asked = parts[0] if parts else (sentence, polarity.is_question(sentence))
        return Passage(quote, _clause(part, words), part, sentence, asked, joke)

    def subject(self, name: str, passage: Passage) -> str | None:
        """Who or what is spoken of: the speaker, or what the utterance names; None if neither, or if roles are swapped.

        A thing without a proper name is its speaker's affair.
        """
        speaker = self.utterance.speaker
        folded = fold(name)
        if folded in _SELF or same_name(name, speaker):
            return None if self._of_another(passage) else speaker or None
        words = _words(name)
        if folded in _NOBODY or _I_DO.match(self._opened(passage)) or not words or not words <= self._named:
            return None
        return name if is_name(name) or "'s " in name else speaker or None

    def says(self, words: str, passage: Passage | None = None) -> bool:
        """Whether at least half of the content words were said here; in the passage, unless it points elsewhere."""
        wanted = set(terms(words, self._language)[0])
        if passage is None or _POINTING.search(passage.clause):
            said = self._said
        else:
            said = frozenset(terms(f"{passage.part} {passage.quote}", self._language)[0])
        return len(wanted & said) >= _ENOUGH * len(wanted) if wanted else _words(words) <= self._named

    def names(self, name: str) -> bool:
        """Whether the utterance itself has every word of this name."""
        return bool(_words(name)) and _words(name) <= _words(self._text)

    def is_of_kin(self, passage: Passage) -> bool:
        """Whether the clause is about the speaker's somebody ("my sister Elena lives ..."), not about the speaker."""
        first, *rest = [word for word, _ in tokenise(self._opened(passage))][:4] or [""]
        return first in ("my", "our") and any(relation(word) or is_pet(word) for word in rest)

    def _of_another(self, passage: Passage) -> bool:
        """Whether the clause begins with somebody else and has no first person."""
        opened = self._opened(passage)
        first = opened.split()[0] if opened.split() else ""
        other = bool(_THEY_DO.match(opened)) or (is_name(first) and not same_name(first, self.utterance.speaker))
        return self._language == "en" and other and len(opened.split()) > 1 and not first_person(opened)

    def _opened(self, passage: Passage) -> str:
        return with_subject(unaddressed(passage.clause, self.listeners))

    @cached_property
    def _text(self) -> str:
        return _plain(self.utterance.text)

    @cached_property
    def _sentences(self) -> list[str]:
        return split_sentences(self._text)

    @cached_property
    def _language(self) -> str:
        return (self.utterance.language or "en").lower()[:2]

    @cached_property
    def _named(self) -> frozenset[str]:
        """The words that may name a subject: the utterance's without its vocatives, and the speaker's own name."""
        spoken = [unaddressed(sentence, self.listeners) for sentence in self._sentences]
        return _words(" ".join((*spoken, self.utterance.speaker)))

    @cached_property
    def _said(self) -> frozenset[int]:
        around = [self.utterance, *self.earlier]
        text = " ".join((*(f"{each.speaker} {each.text}" for each in around), *self.listeners))
        return frozenset(terms(text, self._language)[0])


def grounds_of(utterance: Utterance, earlier: Sequence[Utterance], speakers: Sequence[str]) -> UtteranceContext:
    """The grounds of an utterance; without named listeners they are the other speakers."""
    listeners = utterance.listeners or tuple(name for name in speakers if name != utterance.speaker)
    return UtteranceContext(utterance, tuple(earlier), listeners)


def pattern_of(evidence: str) -> re.Pattern[str]:
    """These words in this order in a text with straight apostrophes, whatever white space stands between them."""
    words = map(re.escape, _plain(evidence).strip(_EDGES).split())
    return re.compile(r"(?<!\w)" + r"\s+".join(words) + r"(?!\w)", re.IGNORECASE)


def _clause(part: str, words: re.Pattern[str]) -> str:
    """The clause that the words stand in, from its beginning to their end; the whole part if they are not in it."""
    found = words.search(part)
    return part if found is None else _CLAUSE_EDGE.split(part[: found.start()])[-1].lstrip() + found.group()


def _plain(text: str) -> str:
    return text.replace("’", "'").replace("‘", "'")


def _words(text: str) -> frozenset[str]:
    return frozenset(word.removesuffix("'s") for word, _ in tokenise(_plain(text)) if word != "s")
