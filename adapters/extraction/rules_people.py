"""Who is meant: the people of a conversation, whom she and he stand for, and relations said in passing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from adapters.extraction.rules_kinds import is_where, name_of
from adapters.extraction.rules_model import Doc, Token
from adapters.extraction.rules_voice import Voice
from memory.model.claims import Claim, Sighting, Utterance
from memory.model.ids import fold
from memory.words.names import TITLES, is_name, is_pet, relation
from memory.words.vocabulary import FAMILY, FEMALE, MALE

_REACH = 4
"""A pronoun reaches back this many turns."""
_TITLE = r"(?:(?:Dr|Prof|Mr|Mrs|Ms)\b\.? )"
_NAME = r"(?P<name>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)"
_OWNER = r"(?P<owner>[Mm]y|[Oo]ur|[Aa]|[A-Z]\w+'s)"
_NOUN = r"(?:\w+ )??(?P<noun>guinea pig|[a-z]+)"
_LISTED = r"[A-Z][\w'’-]+ and (?:me|I|my|the|[A-Z])"
"""After a comma, who is only named beside the kin: my mum, Tom and me."""
_NOW = r"(?:now|these days|nowadays|at the moment|currently|again)"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_OWNER} {_NOUN},? (?:is |was )?(?:named|called|whose name is) {_NAME}",
        rf"\b{_OWNER} {_NOUN}'s name is {_NAME}",
        rf"\b{_OWNER} {_NOUN}(?:,(?! {_LISTED}))? {_NAME}",
        rf"\b{_NAME}(?:, (?:who(?:'s| is) )?| is | was )(?P<owner>[Mm]y|[Oo]ur) {_NOUN}(?: {_NOW})?(?=[,.!]|$)",
    )
)
"""Somebody's somebody with a name: my sister Jane; my dog is called Rex; Ottoline, my tortoise."""
_IS = re.compile(
    rf"\b(?P<owner>[Mm]y|[Oo]ur) {_NOUN} is (?:{_NOW} )?{_TITLE}?(?!{_TITLE}){_NAME}(?: {_NOW})?(?=[,.!]|$)"
)
"""My boss is Carla now; but what else my boss is, Swiss, is no name."""
_THEIR_NAME = re.compile(
    rf"\b(?:(?:[Hh]er|[Hh]is|[Ii]ts) name(?:'s| is|,)|(?:[Hh]e|[Ss]he|[Ii]t)(?:'s| is) (?:called|named)) {_NAME}"
)
_KIN_SOLO = re.compile(r"\b(?P<owner>[Mm]y|[Oo]ur) (?P<noun>[a-z-]+)\b")


@dataclass(frozen=True, slots=True)
class Relation:
    """Somebody's somebody: owner, kind ("sister", "pet") and the noun used, with a name if one was said."""

    owner: str
    kind: str
    noun: str
    name: str | None


@dataclass(slots=True)
class Company:
    """The people of one conversation as it goes on: who speaks, who was named when, and who is whose."""

    speakers: tuple[str, ...]
    common: frozenset[str] = frozenset()
    kinds: Mapping[str, str] = field(default_factory=dict)
    turn: int = 0
    named: list[tuple[int, str, str | None]] = field(default_factory=list)
    """(turn, name, f, m or None), latest last."""
    kin: dict[tuple[str, str], str] = field(default_factory=dict)
    """(owner, noun) to the name that was said once: my sister is Jane."""
    last_animal: tuple[str, str, int] | None = None
    """(owner, noun, turn) of the animal that was spoken of last: whose name is told right after it."""
    told: dict[str, list[Claim]] = field(default_factory=dict)
    """What each speaker claimed so far, latest last: what a correction is about."""
    called: set[str] = field(default_factory=set)
    """Nicknames by which somebody present was addressed."""

    def listener(self, utterance: Utterance) -> str | None:
        """Whom the speaker means by "you", if there is just one."""
        others = self.others(utterance)
        return others[0] if len(set(others)) == 1 else None

    def others(self, utterance: Utterance) -> list[str]:
        """Everybody present but the speaker."""
        return [name for name in utterance.listeners or self.speakers if name != utterance.speaker]

    def newly_called(self, sightings: Iterable[Sighting]) -> Iterator[Sighting]:
        """Those by whose aliases nobody was called before in this conversation."""
        for sighting in sightings:
            if not self.called.issuperset(sighting.aliases):
                self.called.update(sighting.aliases)
                yield sighting

    def voice(self, utterance: Utterance, text: str) -> Voice:
        """The voice of an utterance: what I, you and we stand for in it."""
        listener = self.listener(utterance)
        with_family = any(noun in FAMILY or relation(noun) in _HOUSEHOLD for noun in _MINE.findall(text.lower()))
        together = not with_family and bool(_BOTH.search(text))
        others = "their family" if with_family else listener if together and listener else "others"
        return Voice(utterance.speaker, listener, f"{utterance.speaker} and {others}")

    def hear(self, claims: Iterable[Claim], speaker: str) -> None:
        """Remember what somebody claims, and whom it is of, whether or not the parser takes them for names."""
        claims = list(claims)
        self.told.setdefault(speaker, []).extend(claims)
        people = (claim.object for claim in claims if claim.object_type == "person")
        self.named.extend((self.turn, name, None) for name in people if name and self._may_be_somebody(name))

    def _may_be_somebody(self, name: str) -> bool:
        return is_name(name) and self.kinds.get(fold(name)) != "place"

    def referents(self, doc: Doc, speaker: str) -> dict[int, str]:
        """Which position of she, he, her, his stands for whom. Names already in the sentence come first."""
        found: dict[int, str] = {}
        here: list[tuple[int, str, str | None]] = []
        for token in doc:
            gender = _GENDER.get(token.lower_)
            if gender is None:
                here.extend(self._mention(token, speaker))
                continue
            who = self._latest(here, gender, speaker)
            if who is not None:
                found[token.i] = who
        return found

    def _mention(self, token: Token, speaker: str) -> Iterator[tuple[int, str, str | None]]:
        if token.ent_type_ == "PERSON" and token.ent_iob_ == "B":
            name = str(
                token.nbor().text
                if fold(token.text).rstrip(".") in TITLES and len(token.doc) > token.i + 1
                else token.text
            )
            if self._may_be_somebody(name) and not is_where(token):
                yield self.turn, name, None
        elif token.pos_ == "PROPN" and token.lower_ in _CALLED_SO and token.i + 1 < len(token.doc):
            yield self.turn, str(token.text), gender_of(token.lower_)
        elif token.pos_ == "NOUN" and token.tag_ != "NNS" and (relation(token.text) or token.lemma_ in FEMALE | MALE):
            owner = next((c for c in token.children if c.dep_ == "poss"), None)
            name = (
                f"{speaker}'s {token.text}"
                if owner is not None and owner.lower_ in ("my", "our")
                else f"the {token.text}"
            )
            yield self.turn, self.kin.get((speaker, token.lower_), name), gender_of(token.lemma_)

    def _latest(self, here: Sequence[tuple[int, str, str | None]], gender: str, speaker: str) -> str | None:
        recent = [m for m in self.named if self.turn - m[0] <= _REACH]
        for _, name, known in reversed([*recent, *here]):
            if (known or self._gender_by_kin(name)) in (gender, None) and name not in self.speakers:
                return name
        return None

    def _gender_by_kin(self, name: str) -> str | None:
        """What is known of somebody who was named as kin: my husband Hamid is no "she"."""
        return next((gender_of(noun) for (_, noun), kin in self.kin.items() if kin == name), None)

    def observe(self, doc: Doc, speaker: str) -> None:
        """Remember for later turns whom this one named."""
        for token in doc:
            self.named.extend(self._mention(token, speaker))
            if is_pet(token.lower_) and token.pos_ == "NOUN":
                self.last_animal = (speaker, token.lemma_, self.turn)

    def relations(self, doc: Doc, speaker: str) -> Iterator[Relation]:
        """Relations this sentence says, names first; each noun once."""
        seen: set[str] = set()
        several = list(_several(doc.text, speaker))
        seen.update(found.noun for found in several)
        yield from several
        for found in _relations_in(doc, speaker):
            if found.noun not in seen:
                seen.add(found.noun)
                if found.name:
                    self.kin[found.owner, found.noun] = found.name
                yield found
        match = _THEIR_NAME.search(doc.text)
        if match and self.last_animal and not seen and self.turn - self.last_animal[2] <= 1:
            name = match.group("name")
            if is_name(name):
                yield Relation(self.last_animal[0], "pet", self.last_animal[1], name)


_CALLED_SO = frozenset({"dad", "daddy", "mum", "mom", "mama", "papa", "grandma", "grandpa", "granny", "grandad"})
"""Kin whom one calls by that: Dad used to drive a lorry."""
_MINE = re.compile(
    r"(?<!for )(?<!about )(?<!from )\b(?:my|our|the|with) (?:whole |entire |two |three )?([a-z]+)\b(?!['’]s)"
)
"""Who may belong to us, but for whom something is only done or told, and what is theirs."""
_BOTH = re.compile(r"\b(?:you and (?:i|me)|us two|(?:both|two) of us|we both|with you)\b", re.IGNORECASE)
_GENDER = {"she": "f", "her": "f", "hers": "f", "he": "m", "him": "m", "his": "m"}
_HOUSEHOLD = frozenset({"wife", "husband", "child", "son", "daughter", "mother", "father"})


def gender_of(noun: str) -> str | None:
    """f, m or None."""
    return "f" if noun in FEMALE else "m" if noun in MALE else None


_SEVERAL = re.compile(
    r"\b(?:[Ii]|[Ww]e)(?:'ve| have)(?: got)? (?:\w+ )??"
    r"(?P<noun>kids|children|sons|daughters|brothers|sisters|siblings|cats|dogs),? "
    r"(?:called |named )?(?P<names>[A-Z]\w+(?:, [A-Z]\w+)*,? and [A-Z]\w+)"
)
"""I have two kids, Mia and Theo."""


def _several(text: str, speaker: str) -> Iterator[Relation]:
    for match in _SEVERAL.finditer(text):
        noun = "child" if match["noun"] == "children" else match["noun"].removesuffix("s")
        kind = _kind(noun)
        for name in re.findall(r"[A-Z]\w+", match["names"]):
            if kind and is_name(name):
                yield Relation(speaker, kind, noun, name)


def _relations_in(doc: Doc, speaker: str) -> Iterator[Relation]:
    text = doc.text
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            kind = _kind(match.group("noun"))
            owner = _owner(match, doc, speaker)
            if kind and owner and is_name(match.group("name")) and not match.group("name").endswith("'s"):
                yield Relation(owner, kind, match.group("noun"), match.group("name"))
    for match in _IS.finditer(text):
        kind, name = _kind(match.group("noun")), doc.char_span(match.start("name"), match.end("name"))
        named = (
            name is not None and is_name(name.text) and all(t.pos_ == "PROPN" and t.ent_type_ != "NORP" for t in name)
        )
        if kind and named:
            yield Relation(speaker, kind, match.group("noun"), name.text)
    for match in _KIN_SOLO.finditer(text):
        kind = relation(match.group("noun"))
        if kind:
            yield Relation(speaker, kind, match.group("noun"), None)


def _kind(noun: str) -> str | None:
    return relation(noun) or ("pet" if is_pet(noun) else None)


def _owner(match: re.Match[str], doc: Doc, speaker: str) -> str | None:
    """The speaker, or by the whole name who is named: Anna Keller, of "Anna Keller's boyfriend".

    Whose a dog is, is told by who has it; None if that is somebody without a name.
    """
    word = match.group("owner")
    if word.lower() in ("my", "our"):
        return speaker
    named = doc.char_span(match.start("owner"), match.end("owner"), alignment_mode="expand")
    if word.lower() == "a":
        return speaker if named is None or not len(named) else _holder(named[0], speaker)
    return name_of(named[0]) if named is not None and len(named) else word.removesuffix("'s")


def _holder(article: Token, speaker: str) -> str | None:
    subjects = (c for t in article.ancestors for c in t.children if c.dep_ == "nsubj" and c.i < article.i)
    holder = next(subjects, None)
    if holder is None or holder.lower_ in ("i", "we"):
        return speaker
    if relation(holder.text) and any(c.lower_ in ("my", "our") for c in holder.children):
        return f"{speaker}'s {holder.lower_}"
    return name_of(holder) if holder.pos_ == "PROPN" and is_name(holder.text) else None
