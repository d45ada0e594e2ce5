"""Mood: whether a parsed clause tells what is so, read from what governs it and what stands beneath it.

The second sieve. The first (`memory.words.assertion`) cuts by words, before the parser; what it lets through is judged
here by the tree: whose view it is, whether it was done or only thought of, and whether its subject is anybody at all.
"""

from __future__ import annotations

from collections.abc import Callable

from adapters.extraction.rules_clauses import Clause, subject_of
from adapters.extraction.rules_model import Token
from memory.words import moods

_CLAUSAL = ("ccomp", "acl", "pcomp", "relcl", "advcl")
_ME = frozenset({"me", "us", "him", "her", "them"})
_NEAR = frozenset({"close", "within", "short"})
_AT_THE_EDGE = frozenset({"about", "due", "supposed"})


def is_actual(clause: Clause) -> bool:
    """Whether its speaker says that it is, was or is to be so."""
    return not any(test(clause) for test in _TESTS)


def _asks(clause: Clause) -> bool:
    """How does this help, with a plea before it and no mark behind: a question word and its verb open the clause."""
    opening = [(token.tag_, token.pos_) for token in clause.tokens[:2]]
    return len(opening) > 1 and opening[0][0] == "WRB" and opening[1][1] == "AUX"


def _views_of_others(clause: Clause) -> bool:
    """My boss thinks I live in Leeds; the story goes that ...; dad is convinced ...; calls me a hoarder."""
    head = clause.head
    if clause.person in ("i", "we", "you"):
        return _is_told(clause)
    if head.lemma_ in moods.FACTIVE:
        return False
    return _embeds(head) or _classes(head) or _has_view(clause)


def _said_aside(clause: Clause) -> bool:
    """Dad swears blind I was born on a Tuesday; I'm clumsy, Tom says: the parser hangs the saying on what is said."""
    return any(map(_is_aside, (clause.head, *clause.head.children))) or _follows_saying(clause.head)


def _follows_saying(head: Token) -> bool:
    """Whether the parser took the saying and what is said for two sentences of one breath."""
    roots = [sentence.root for sentence in head.doc.sents if sentence.start <= head.i] if head.dep_ == "ROOT" else []
    return any(root != head and _says(root) for root in roots) or (_says(head) and head.i < _last_root(head).i)


def _last_root(head: Token) -> Token:
    return list(head.doc.sents)[-1].root


def _says(token: Token) -> bool:
    subject = subject_of(token)
    bare = not any(c.dep_ in ("dobj", "ccomp", "xcomp", "prep") for c in token.children)
    return bare and token.lemma_ in moods.SAYING and subject is not None and subject.lower_ not in ("i", "we", "you")


def _is_aside(token: Token) -> bool:
    return _says(token) and (token.dep_ == "parataxis" or (token.dep_ == "ccomp" and token.i < token.head.i))


def _is_told(clause: Clause) -> bool:
    """I got told ..., we're said to be ...: the speaker only hears it."""
    passive = any(c.dep_ in ("auxpass", "nsubjpass") for c in clause.head.children)
    return passive and (_embeds(clause.head) or clause.head.lemma_ in moods.CLASSING - {"diagnose"})


def _embeds(head: Token) -> bool:
    own = () if head.lemma_ == "be" else (head,)
    return any(_is_content(c) for each in (*own, *_predicatives(head)) for c in each.children)


def _predicatives(head: Token) -> list[Token]:
    return [
        c for c in head.children if c.dep_ in ("acomp", "xcomp") and (c.lemma_ in moods.VIEWING or c.pos_ == "VERB")
    ]


def _is_content(child: Token) -> bool:
    return child.dep_ == "ccomp" and child.i > child.head.i and subject_of(child) is not None


def _classes(head: Token) -> bool:
    """Verb of classing, or any verb with "as": has me down as; and there is somebody who is classed."""
    classed = next((c for c in head.children if c.dep_ in ("dobj", "dative", "nsubj") and c.i > head.i), None)
    if classed is None:
        return False
    if head.lemma_ in moods.CLASSING:
        return not any(c.dep_ == "oprd" and c.pos_ == "PROPN" for c in head.children)
    return classed.lower_ in _ME and any(c.dep_ == "prep" and c.lower_ == "as" for c in head.children)


def _has_view(clause: Clause) -> bool:
    """Tom's theory is that ..., she's got this idea that ...: a noun of view with what is viewed."""
    nouns = [c for c in clause.head.children if c.dep_ in ("nsubj", "dobj", "attr", "pobj") and c.lemma_ in moods.VIEWS]
    return any(_finite_below(noun) for noun in nouns) or (bool(nouns) and _finite_below(clause.head))


def _finite_below(token: Token) -> bool:
    return any(c.dep_ in _CLAUSAL and c.i > token.i and subject_of(c) is not None for c in token.children)


def _only_weighed(clause: Clause) -> bool:
    """Tempted to buy, toying with the idea, half a mind to quit: nothing is done, nor decided."""
    chain = [clause.head, *(c for c in clause.head.children if c.dep_ in ("xcomp", "acomp", "ccomp"))]
    if any(_weighs(token) and not _is_measured(token) for token in chain):
        return True
    return any(_phrases(token) & moods.WEIGHING_PHRASES for token in chain) or _has_urge(clause.head)


def _weighs(token: Token) -> bool:
    return token.lemma_ in moods.WEIGHING and token.pos_ in ("VERB", "ADJ")


def _is_measured(token: Token) -> bool:
    """Weighs 84 kg: with a figure it is done on the scales."""
    return token.lemma_ == "weigh" and any(t.pos_ == "NUM" for t in token.subtree)


def _phrases(token: Token) -> set[str]:
    beneath = [c for c in token.children if c.dep_ in ("prep", "prt", "aux", "advmod", "acomp", "xcomp", "mark")]
    deeper = [g for c in beneath if c.dep_ == "xcomp" for g in c.children if g.lower_ == "to"]
    return {f"{token.lemma_}:{c.lower_}" for c in (*beneath, *deeper) if c.i > token.i and _is_doing(c)}


def _is_doing(preposition: Token) -> bool:
    """Looking at houses is done; thinking of moving is not: what follows is a deed."""
    below = list(preposition.children)
    return not below or any(c.tag_ == "VBG" or c.dep_ == "pcomp" or c.lower_ == "idea" for c in below)


def _has_urge(head: Token) -> bool:
    owned = [c for c in head.children if c.dep_ in ("dobj", "attr") and c.lemma_ in moods.URGES]
    in_mind = any(
        c.dep_ == "pobj" and c.lower_ == "mind" for p in head.children if p.lower_ == "in" for c in p.children
    )
    return in_mind or any(c.dep_ in ("acl", "relcl", "prep") for noun in owned for c in noun.children)


def _came_to_nothing(clause: Clause) -> bool:
    """Was going to, nearly moved, came close to buying, missed being born there."""
    head = clause.head
    children = list(head.children)
    barely = any(c.dep_ == "advmod" and c.lower_ in moods.BARELY for c in children)
    missed = head.lemma_ in moods.ASIDE and any(c.dep_ in ("xcomp", "pcomp") for c in children)
    at_the_edge = any(c.lower_ in _AT_THE_EDGE and c.dep_ in ("acomp", "advmod") and _deed_below(c) for c in children)
    near = any(t.pos_ in ("VERB", "PROPN") for c in children if c.lower_ in _NEAR for t in c.subtree)
    return barely or missed or at_the_edge or near or _was_meant(head)


def _was_meant(head: Token) -> bool:
    """Was going to call; am supposed to start: meant, then or by others, and not said to be done."""
    if head.lemma_ not in moods.MEANT or not any(c.dep_ == "xcomp" and _has_to(c) for c in head.children):
        return False
    past = head.tag_ == "VBD" or any(c.lower_ in ("was", "were", "had") for c in head.children)
    return past or head.lemma_ == "suppose"


def _has_to(token: Token) -> bool:
    return any(c.lower_ == "to" and c.dep_ == "aux" for c in token.children)


def _deed_below(token: Token) -> bool:
    return any(t.pos_ in ("VERB", "AUX") for t in token.subtree if t != token)


def _is_generic(clause: Clause) -> bool:
    """People who move there never come back; whoever lives in that house."""
    subject = clause.subject
    if subject is None:
        return False
    if _is_kind(subject, clause):
        return True
    if subject.dep_ == "csubj" and any(c.tag_ in ("WP", "WDT") for c in subject.children):
        return True
    if subject.lower_ in ("someone", "somebody") and clause.tense in ("past", "perfect"):
        return False
    lonely = not any(c.dep_ == "poss" or c.lower_ in ("the", "these", "this") for c in subject.children)
    named = any(t.pos_ == "PROPN" for t in subject.subtree)
    return subject.lower_ in moods.GENERIC - {"they", "who"} and lonely and (not named or subject.lower_ == "people")


def _is_kind(subject: Token, clause: Clause) -> bool:
    """Nurses work nights; a nurse doesn't get Christmas off: said of a kind, in the present, beside nobody."""
    determiners = [c for c in subject.children if c.dep_ in ("det", "poss", "nummod", "quantmod", "predet", "amod")]
    bare = subject.tag_ == "NNS" and not determiners
    any_one = subject.tag_ == "NN" and [c.lower_ for c in determiners] in (["a"], ["an"])
    if not (bare or any_one) or clause.role == "content" or clause.tense not in ("present", "future"):
        return False
    here = clause.head.tag_ == "VBG" or (
        clause.head.lemma_ == "be" and any(c.dep_ == "prep" for c in clause.head.children)
    )
    return not here and not any(t.lower_ in _OWN for t in clause.tokens)


_OWN = frozenset({"i", "me", "my", "we", "us", "our", "mine"})


def _is_figurative(clause: Clause) -> bool:
    """Married to a croissant, allergic to mornings: a tie to what is no person, an ailment from what gives none."""
    for child in clause.head.children:
        beneath = [p for c in child.children if c.dep_ == "prep" for p in c.children]
        if child.lemma_ in ("married", "engaged", "wed") and child.dep_ == "acomp":
            return any(map(_is_thing, beneath))
        if child.lemma_ in ("allergic", "addicted") and any(p.lemma_.lower() in moods.NO_ALLERGENS for p in beneath):
            return True
    return False


def _is_thing(token: Token) -> bool:
    return token.pos_ in ("NOUN", "ADJ") and token.lemma_.lower() not in moods.PERSONS and token.tag_ != "NNP"


_TESTS: tuple[Callable[[Clause], bool], ...] = (
    _asks,
    _views_of_others,
    _said_aside,
    _only_weighed,
    _came_to_nothing,
    _is_generic,
    _is_figurative,
)
