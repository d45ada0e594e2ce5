"""Void: what has the form of a statement and tells nothing of anybody - applause, opinions of all, sentences cut off.

Half of what a conversation asserts is of this kind. Of it only what no question can ask for is left out, by how it
begins and ends; whatever names somebody, something, a number or a time is kept, for it may answer one.
"""

from __future__ import annotations

from adapters.extraction.rules_clauses import Clause
from adapters.extraction.rules_model import Token
from memory.words.vocabulary import words

_POINTERS = words("this that these those it")
_JUDGES = words("be look sound seem feel smell taste")
_NAMED = ("PROPN", "NUM")
_DATED = ("DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT")
_FEW = 2
"""Nouns and verbs beside a deed beyond which the opinion of it is kept, for it says why."""
_OWN = words("i me my mine we us our ours myself ourselves he she him her his hers they them their you your")


def is_void(clause: Clause) -> bool:
    """Whether a clause that no predicate fits says nothing one could ask for: see the reasons below."""
    return _breaks_off(clause) or (
        not _tells(clause) and (_is_applause(clause) or _is_opinion_of_a_deed(clause) or _is_bare(clause))
    )


def _breaks_off(clause: Clause) -> bool:
    """Growing your own tomatoes is; Maria definitely will: the verb that would tell something is not said."""
    said = [t for t in clause.tokens if t.pos_ not in ("PUNCT", "INTJ", "PART", "SPACE")]
    return bool(said) and said[-1] == clause.head and clause.head.pos_ == "AUX"


def _tells(clause: Clause) -> bool:
    """Whether somebody, something with a name, a number or a time is told of."""
    return any(
        t.pos_ in _NAMED or t.ent_type_ in _DATED or t.lower_ in _OWN or any(map(str.isdigit, t.text))
        for t in clause.tokens
    )


def _is_applause(clause: Clause) -> bool:
    """That cheese tasting sounds great, this view was amazing: of what is only pointed at, how one finds it."""
    subject = clause.subject
    if (
        subject is None
        or clause.head.lemma_ not in _JUDGES
        or not _is_pointed_at(subject)
        or _is_told_at_length(clause)
    ):
        return False
    judged = [c for c in clause.head.children if c.dep_ in ("acomp", "oprd", "attr", "xcomp") and c.i > clause.head.i]
    return any(c.pos_ == "ADJ" and not any(g.dep_ in ("prep", "xcomp") for g in c.children) for c in judged)


def _is_told_at_length(clause: Clause) -> bool:
    """It was a peaceful hike, it is important to listen: how something was, and what somebody holds, can be asked."""
    return clause.tense == "past" or any(c.dep_ in ("xcomp", "ccomp", "advcl") for c in clause.head.children)


def _is_pointed_at(subject: Token) -> bool:
    return subject.lower_ in _POINTERS or any(
        c.dep_ == "det" and c.lower_ in _POINTERS and c.i < subject.i for c in subject.children
    )


def _is_opinion_of_a_deed(clause: Clause) -> bool:
    """Sleeping well is so important, gardening can calm you down: held to be so of everybody."""
    subject = clause.subject
    if subject is None or subject.tag_ != "VBG" or clause.tense != "present":
        return False
    told = [t for t in clause.tokens if t.pos_ in ("NOUN", "VERB") and t not in (subject, clause.head)]
    return len(told) <= _FEW and (clause.head.lemma_ == "be" or clause.modal == "can")


def _is_bare(clause: Clause) -> bool:
    """It is an adventure, that is a great feeling: of what is only pointed at, that it is something of a sort."""
    subject = clause.subject
    if subject is None or subject.lower_ not in _POINTERS or clause.head.lemma_ != "be" or _is_told_at_length(clause):
        return False
    beside = [t for t in clause.tokens if t.pos_ in ("NOUN", "VERB") and t != subject]
    return len(beside) <= 1
