"""Weight: how much a claim matters, 1 to 10. From 4 on it is promoted and shown first; below, it is kept and found.

Half of what a conversation asserts, rightly read, is of no use later. What can be looked for - a name, a date, a
number, a thing - raises the weight; what only keeps the talk going lowers it.
"""

from __future__ import annotations

import re

from adapters.extraction.rules_clauses import Clause
from adapters.extraction.rules_dating import Dating, Scene
from adapters.extraction.rules_model import Token
from memory.model.claims import Claim
from memory.words.predicates import named
from memory.words.vocabulary import VAGUE, words

VAGUE_SUBJECTS = words("it this that these those there they he she what which who everything something nothing")
_EMPTY_VERBS = words("look sound agree appreciate seem")
_GLAD = re.compile(
    r"\b(?:glad|sorry|happy|proud|grateful|thankful) (?:for|to (?:have|be)|that|of) (?:you|your)?", re.IGNORECASE
)
_NUMBER = re.compile(
    r"\b\d[\d,.]*\b|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|dozen|hundred|thousand)\b", re.IGNORECASE
)
_NAMED = frozenset({"PERSON", "GPE", "LOC", "FAC", "ORG", "EVENT", "PRODUCT", "WORK_OF_ART"})


def importance(claim: Claim, clause: Clause, statement: str, dating: Dating, scene: Scene) -> int:
    """1-10, the verbosity dial measured on the dialogues: show and promote at 4 and above."""
    row = named(claim.predicate)
    points = 3 + (row.weight if row else 0) + 2 * (dating.span is not None) + bool(_NUMBER.search(statement))
    points += 1 if clause.person in ("i", "we") else 0
    points += any(t.ent_type_ in _NAMED and t.text not in scene.utterance.speaker for t in clause.tokens)
    subject = clause.subject
    points -= 2 * (claim.kind == "opinion") + 2 * (subject is not None and subject.lower_ in VAGUE_SUBJECTS)
    points -= 2 * (subject is not None and subject.dep_.startswith("csubj")) + 2 * bool(_GLAD.search(statement))
    points -= 3 * (clause.head.lemma_ in _EMPTY_VERBS) + (len(statement.split()) < 5)
    points -= _emptiness(claim, clause, dating, scene)
    if row is not None and row.intended and dating.span is None:
        points = min(points, 3)
    return max(1, min(10, int(points)))


def _emptiness(claim: Claim, clause: Clause, dating: Dating, scene: Scene) -> int:
    """How much it lacks of what one could look for: a thing beside its subject, and not the talk itself.

    Points taken off: 4 for what is wanted or tried of the talk (make sure, tell you); 1 where it points at something
    unnamed; and, undated and uncounted, 3 where it names but vague nouns (my path), 2 for the listener's affairs, for
    what one will do some time or we all can, and 1 more for a feeling. What is promised keeps all.
    """
    row = named(claim.predicate)
    if row is not None and row.owed:
        return 0
    pointing = any(_points(t, scene) for t in clause.tokens)
    if any(t.dep_ == "xcomp" and t.lemma_ in _OF_THE_TALK and t.head == clause.head for t in clause.tokens):
        return 4
    if dating.span is not None or _NUMBER.search(claim.statement):
        return pointing
    own = {t.i for t in clause.subject.subtree} if clause.subject is not None else set()
    solid = [t for t in clause.tokens if t.pos_ in ("NOUN", "PROPN", "NUM") and t.i not in own]
    of_you = any(t.lower_ in ("you", "your", "yours") for t in clause.tokens)
    vague = not any(t.pos_ != "NOUN" or t.lemma_ not in VAGUE | _PASSING for t in solid)
    some_time = clause.tense == "future" or (clause.modal == "can" and clause.person == "we")
    return max(pointing, 3 * vague, 2 * of_you, 2 * some_time) + (row is not None and row.value == "feeling")


def _points(token: Token, scene: Scene) -> bool:
    """Whether it is an object that only points: chatted about it, uses this code, set up like this."""
    if token.i in scene.voice.referents or token.lower_ not in ("it", "this", "that", "these", "those"):
        return False
    return token.dep_ in ("dobj", "pobj") or (token.dep_ == "det" and token.head.dep_ in ("dobj", "pobj"))


_PASSING = words("error help issue trouble review detail option situation turnout sponsor code implementation")
"""What is in hand only while it is spoken of: every fourth useless fact of 100 read by hand was about one of these."""
_OF_THE_TALK = words(
    "ensure make know tell understand see say check thank share ask hear find verify confirm calculate compute solve "
    "determine prove"
)
"""What is tried or wanted of the talk itself: trying to solve it is what the talk is for."""
