"""Clauses: the verbs of a parsed sentence that assert something, each with its own words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from adapters.extraction.rules_model import Doc, Token
from memory.words.vocabulary import words

_SUBJECTS = ("nsubj", "nsubjpass", "expl", "csubj", "csubjpass")
_FRAMES = words("think believe guess suppose figure feel mean know realize hope say")
"""Verbs whose content clause is what is asserted ("I think that ..."); the frame itself is dropped."""
_DOUBTING = words("think believe guess suppose figure hope")
_SHARED_TOKENS = 30
"""Coordinated verbs of one subject stay one statement up to 26 words: better recall, half the volume (measured)."""
_EDGES = frozenset({"cc", "punct", "mark", "intj", "preconj"})


@dataclass(frozen=True, slots=True)
class Clause:
    """A verb that asserts something, its subject (perhaps shared with the verb before) and its words in order."""

    head: Token
    subject: Token | None
    tokens: tuple[Token, ...]
    role: str = "main"
    """main, content (what is thought or said), shared (a further verb of its subject) or side (subordinate)."""
    doubted: bool = False
    followers: tuple[Clause, ...] = field(default=())
    """Shared and side clauses within it: they make facts of their own only if strong or dated."""

    @property
    def person(self) -> str:
        """Who does it: i, we, you, third, or none."""
        if self.subject is None:
            return "none"
        return _PERSONS.get(self.subject.lower_, "third")

    @property
    def negated(self) -> bool:
        """Whether the verb is denied."""
        near = [c for child in self.head.children for c in (child, *(child.children if child.dep_ == "aux" else ()))]
        if any(token.dep_ == "neg" or token.lower_ in ("never", "hardly", "barely") for token in near):
            return True
        objects = [child for child in self.head.children if child.dep_ in ("dobj", "attr")]
        return any(t.lower_ == "no" and t.dep_ == "det" for each in objects for t in each.children) or _is_contrary(
            self.head
        )

    @property
    def auxiliaries(self) -> tuple[str, ...]:
        """Lower-case auxiliary verbs, in order."""
        return tuple(child.lower_ for child in self.head.children if child.dep_ in ("aux", "auxpass"))

    @property
    def tense(self) -> str:
        """past, perfect, present or future, by auxiliary and tag."""
        auxiliaries = set(self.auxiliaries)
        if auxiliaries & {"will", "'ll", "wo", "shall"} or self._is_going_to:
            return "future"
        if auxiliaries & {"have", "has", "'ve", "had"} or (self.head.tag_ == "VBN" and "'s" in auxiliaries):
            return "perfect"
        if auxiliaries & {"did", "was", "were"} or (self.head.tag_ in ("VBD", "VBN") and not auxiliaries & _NOW):
            return "past"
        if not auxiliaries and (self.head.lower_ in SAME_IN_PAST or self._is_told_of_the_past):
            return "past"
        return "present"

    @property
    def _is_told_of_the_past(self) -> bool:
        """I read it last week: a verb whose past looks like its present, beside a past time."""
        return self.head.lower_ in _LIKE_PRESENT and any(t.lower_ in _PAST_WORDS for t in self.tokens)

    @property
    def modal(self) -> str | None:
        """Would, could, might and their like, if the verb carries one."""
        return next((MODALS[word] for word in self.auxiliaries if word in MODALS), None)

    @property
    def _is_going_to(self) -> bool:
        head = self.head
        return (
            head.tag_ == "VBG" and head.lemma_ == "go" and any(c.dep_ == "xcomp" and _has_to(c) for c in head.children)
        )


_NOW = {"am", "is", "are", "'m", "'s", "'re", "do", "does"}
SAME_IN_PAST = words("quit hit shut spread split hurt burst")
"""Verbs whose past looks like their present; talk tells of them in the past."""
_LIKE_PRESENT = frozenset({"read", "put", "set", "cut", "let", "cost", "bet"})
_PAST_WORDS = frozenset({"yesterday", "last", "ago"})
MODALS = {
    "would": "would",
    "'d": "would",
    "could": "could",
    "might": "might",
    "should": "should",
    "may": "may",
    "must": "must",
    "ought": "should",
    "can": "can",
    "ca": "can",
    "cannot": "can",
}
_PERSONS = {"i": "i", "we": "we", "you": "you", "ya": "you"}


def _is_contrary(head: Token) -> bool:
    """Far from rich; anything but a morning person."""
    words = [t.lower_ for t in head.subtree if t.i > head.i][:2]
    return head.lemma_ == "be" and words in (["far", "from"], ["anything", "but"])


def _has_to(token: Token) -> bool:
    return any(child.dep_ == "aux" and child.lower_ == "to" for child in token.children)


def clauses(doc: Doc) -> Iterator[Clause]:
    """Every main assertion of a parsed text, in order, with its followers."""
    for sentence in doc.sents:
        root = sentence.root
        if root.pos_ in ("VERB", "AUX") or subject_of(root) is not None:
            yield from _from_head(root, subject_of(root), "main", doubted=False)
        else:
            for child in root.children:
                if child.dep_ in ("conj", "parataxis", "ccomp", "appos") and subject_of(child) is not None:
                    yield from _from_head(child, subject_of(child), "main", doubted=False)


def subject_of(head: Token) -> Token | None:
    """The head's own subject, or None."""
    return next((child for child in head.children if child.dep_ in _SUBJECTS), None)


def _from_head(head: Token, subject: Token | None, role: str, *, doubted: bool) -> Iterator[Clause]:
    content = _content(head, subject)
    if content is not None:
        yield from _from_head(content, subject_of(content), "content", doubted=doubted or head.lemma_ in _DOUBTING)
        yield from _conjoined(head, subject, doubted=doubted, kept=set())
        return
    apart = [c for c in head.children if _stands_apart(c, head)]
    tokens = _words(head, apart)
    shared = [c for c in head.children if c.dep_ == "conj" and c.pos_ in ("VERB", "AUX") and c not in apart]
    if len(tokens) > _SHARED_TOKENS and shared:
        apart, tokens = [*apart, *shared], _words(head, [*apart, *shared])
        shared = []
    kept = set(shared)
    yield from (c for a in apart if a.i < head.i for c in _from_head(a, subject_of(a), "main", doubted=doubted))
    followers = tuple(_followers(head, subject, kept))
    yield Clause(head, subject, tokens, role, doubted, followers)
    for other in apart:
        if other.i > head.i:
            yield from _from_head(other, subject_of(other) or subject, "main", doubted=doubted)


def _conjoined(head: Token, subject: Token | None, *, doubted: bool, kept: set[Token]) -> Iterator[Clause]:
    for child in head.children:
        if child.dep_ == "conj" and child.pos_ in ("VERB", "AUX") and child not in kept:
            yield from _from_head(child, subject_of(child) or subject, "main", doubted=doubted)


def _content(head: Token, subject: Token | None) -> Token | None:
    """The clause that "I think", "I know" frames; only the speaker's own frames are dropped, and only if not denied."""
    if head.lemma_ not in _FRAMES or subject is None or subject.lower_ != "i":
        return None
    if any(child.dep_ == "neg" for child in head.children):
        return None
    content = next((c for c in head.children if c.dep_ == "ccomp" and c.i > head.i), None)
    return content if content is not None and subject_of(content) is not None and not _asks(content) else None


def _asks(clause: Token) -> bool:
    return any(c.tag_ in ("WRB", "WP", "WDT") or c.lower_ in ("if", "whether") for c in clause.children)


def _stands_apart(child: Token, head: Token) -> bool:
    """Whether a child verb asserts on its own: coordinated with its own subject, or spliced on."""
    if child.pos_ not in ("VERB", "AUX") or subject_of(child) is None:
        return False
    if child.dep_ == "conj":
        return True
    spliced = child.dep_ in ("ccomp", "parataxis") and child.i < head.i
    return spliced and not any(c.dep_ == "mark" for c in child.children)


def _words(head: Token, apart: list[Token]) -> tuple[Token, ...]:
    gone = {token.i for other in apart for token in other.subtree}
    tokens = [token for token in head.subtree if token.i not in gone]
    while tokens and (tokens[-1].dep_ in ("cc", "punct") or tokens[-1].lower_ in ("and", "but", "so", "-")):
        tokens.pop()
    tokens.sort(key=lambda token: int(token.i))
    while tokens and tokens[0].dep_ in _EDGES and tokens[0].head == head:
        tokens.pop(0)
    return tuple(tokens)


def _followers(head: Token, subject: Token | None, shared: set[Token]) -> Iterator[Clause]:
    for child in head.subtree:
        if child in shared:
            yield Clause(child, subject, _words(child, []), "shared")
        elif child.dep_ == "relcl" and subject_of(child) is not None and not _stranded(child):
            yield Clause(child, subject_of(child), _relative(child), "side")
        elif child.dep_ == "advcl" and subject_of(child) is not None and not _conditional(child):
            side = Clause(child, subject_of(child), _words(child, []), "side")
            if not _is_to_come(side):
                yield side


def _relative(clause: Token) -> tuple[Token, ...]:
    """This oar I carved last spring -> I carved this oar last spring."""
    words = [t for t in _words(clause, []) if t.tag_ not in ("WDT", "WP")]
    if any(c.dep_ in ("dobj", "obj", "attr", "acomp") and c.tag_ not in ("WDT", "WP") for c in clause.children):
        return tuple(words)
    left_out = {t.i for t in clause.subtree}
    antecedent = [t for t in clause.head.subtree if t.i not in left_out and t.i < clause.i]
    place = words.index(clause) + 1
    return (*words[:place], *antecedent, *words[place:])


def _stranded(clause: Token) -> bool:
    """The studio I go to: the object of the preposition stands outside."""
    return any(c.dep_ == "prep" and not list(c.children) for c in clause.children)


def _is_to_come(side: Clause) -> bool:
    """When I leave, before we move: what is told so in the present has yet to be, or is so every time."""
    temporal = any(c.lower_ in _WHENEVER and c.dep_ in ("mark", "advmod") for c in side.head.children)
    return temporal and side.tense == "present"


_WHENEVER = words("when whenever before after once till until")


def _conditional(clause: Token) -> bool:
    return any(
        c.dep_ == "mark" and c.lower_ in ("if", "unless", "whether", "as", "than", "so", "until")
        for c in clause.children
    )
