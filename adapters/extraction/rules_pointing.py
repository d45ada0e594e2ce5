"""Pointing: clauses whose subject or object is a pronoun that nobody here can resolve, or who is nobody at all.

"It is 4471 now" may be true, and is no fact: a year later nobody can tell what it was. So it is left to its segment,
which is found by its words. What answers a question is kept beside the question (`rules_answers`).
"""

from __future__ import annotations

from adapters.extraction.rules_clauses import Clause
from adapters.extraction.rules_dating import Scene
from adapters.extraction.rules_endings import WEATHER
from adapters.extraction.rules_frames import Frame
from adapters.extraction.rules_kinds import PRIVATE
from adapters.extraction.rules_model import Token
from memory.words.moods import SAYING
from memory.words.names import relation
from memory.words.vocabulary import words

_THINGS = words("it they them their theirs its themselves itself")
_PERSONS = words("he she him her his hers himself herself")
_FORWARD = ("xcomp", "ccomp", "csubj", "acl", "relcl")
"""What "it" may stand for in its own sentence: it took an hour to get there."""
_OWNED = words("birthday anniversary")
"""It is Anna's birthday: "it" is the day."""
_MINE = words("i me my mine we us our ours")


def is_dangling(clause: Clause, frame: Frame | None, object_: str | None, scene: Scene) -> bool:
    """Whether its subject, or its object, is a bare it, they, them, their, or a he or she that stands for nobody."""
    subject = clause.subject
    if subject is not None and _dangles(subject, scene):
        return not _is_told_all_the_same(clause, frame)
    how = any(c.dep_ in ("oprd", "acomp") for c in clause.head.children)  # I take it black
    return any(_dangles(each, scene) for each in _objects(clause)) and object_ is None and not how


def _dangles(token: Token, scene: Scene) -> bool:
    """A pronoun nobody can resolve, or what belongs to one: their bridge, one of them."""
    whose = [token, *(c for c in token.children if c.dep_ == "poss")]
    return any(_points(each, scene) for each in whose)


def _points(token: Token, scene: Scene) -> bool:
    pointing = token.lower_ in _THINGS or token.lower_ in _PERSONS
    return pointing and token.i not in scene.voice.referents and not _is_named_before(token)


def _is_named_before(token: Token) -> bool:
    """The museum lost its roof, Priya broke her ankle: whose it is stands in the same sentence."""
    if token.dep_ != "poss":
        return False
    return any(
        t.dep_ in ("nsubj", "nsubjpass") and t.i < token.i and t.lower_ not in _THINGS | _PERSONS and t != token.head
        for t in token.sent
    )


def _is_told_all_the_same(clause: Clause, frame: Frame | None) -> bool:
    """Whether it tells of somebody or something that is named all the same, or its subject is no pronoun at all.

    A day that "they" set for the launch is the launch's.
    """
    subject = clause.subject
    if subject is None or subject.dep_.startswith("csubj") or (frame is not None and frame.row.appointed):
        return True
    if subject.lower_ == "it":
        return _stands_for_what_follows(clause)
    return _done_to_the_speaker(clause) if subject.lower_ == "they" else _is_kin_of_the_speaker(clause)


def _done_to_the_speaker(clause: Clause) -> bool:
    """They offered me the job, they took my tonsils out: whoever they are."""
    objects = [c for c in clause.head.children if c.dep_ in ("dobj", "dative", "ccomp")]
    return any(t.lower_ in _MINE for each in objects for t in (each, *each.children))


def _is_kin_of_the_speaker(clause: Clause) -> bool:
    """She's my cousin."""
    attributes = [c for c in clause.head.children if c.dep_ == "attr" and relation(c.text)]
    return any(t.lower_ in _MINE for each in attributes for t in each.children)


def _stands_for_what_follows(clause: Clause) -> bool:
    """It took an hour to get there, it's the cello I play, it's just me and Dad, it's Anna's birthday, it rained."""
    head = clause.head
    beside = [c for c in head.children if c.dep_ in ("attr", "acomp")]
    ahead = [c for each in (head, *beside) for c in each.children if c.i > head.i]
    owned = any(c.lemma_ in _OWNED and any(t.dep_ == "poss" for t in c.children) for c in beside)
    return owned or head.lemma_ in WEATHER or any(c.lower_ in _MINE for c in beside) or any(map(_is_forward, ahead))


def _is_forward(token: Token) -> bool:
    """It is important to rest, and for others to rest."""
    purpose = token.dep_ == "advcl" and any(c.lower_ == "to" and c.dep_ == "aux" for c in token.children)
    return bool(token.dep_ in _FORWARD or purpose)


def _objects(clause: Clause) -> list[Token]:
    return [c for c in clause.head.children if c.dep_ in ("dobj", "obj", "dative", "attr") and c.i > clause.head.i]


def is_asked(clause: Clause) -> bool:
    """Did Malachy say, are they ok: the verb stands before its subject, with nothing before it."""
    first, subject = clause.tokens[0], clause.subject
    if subject is None or first.pos_ != "AUX" or first.i >= subject.i:
        return False
    return first == clause.head or (first.head == clause.head and first.dep_ in ("aux", "auxpass"))


def is_no_person(clause: Clause, frame: Frame | None, subject_type: str) -> bool:
    """Whether a town is told to do what only people do: Markkleeberg broke up with Jonas."""
    if subject_type != "place":
        return False
    return clause.head.lemma_ in PRIVATE | SAYING or (frame is not None and frame.row.of_people)


def is_said_to_somebody(clause: Clause, subject: str | None, scene: Scene) -> bool:
    """Salary goes up to 71 thousand: of a thing that is nobody's here, it is not told whose; who says it is not.

    What the owner notes down is the owner's.
    """
    token = clause.subject
    if subject is not None or token is None or scene.utterance.role == "user" or not scene.voice.listener:
        return False
    bare = (
        token.tag_ == "NN"
        and token.pos_ == "NOUN"
        and not any(c.dep_ in ("det", "poss", "nummod") for c in token.children)
    )
    return bare and not any(t.lower_ in _MINE for t in clause.tokens)
