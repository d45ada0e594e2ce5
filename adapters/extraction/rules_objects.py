"""Objects: the few words that name what a clause is about, trimmed to what one would call it."""

from __future__ import annotations

from adapters.extraction.rules_model import Token
from adapters.extraction.rules_voice import Voice
from memory.words.vocabulary import words

_LEFT_OUT = frozenset({"relcl", "acl", "advcl", "cc", "punct", "appos", "npadvmod", "mark", "aux", "neg"})
_DETERMINERS = frozenset({"det", "poss", "predet"})
_MAX_WORDS = 8
"""Longer than this is no name for a thing."""
_PRONOUNS = words(
    "it this that these those them they something anything everything one he she him her us lot ton bit bunch"
)


def phrase(token: Token | None, voice: Voice) -> str | None:
    """The noun, gerund or adjective phrase on a token, without determiner, clauses and time; None for a pronoun."""
    if token is None or is_bare_pronoun(token):
        return None
    kept = [t for t in _core(token) if t.ent_type_ not in ("DATE", "TIME") or t == token]
    while kept and (
        kept[0].dep_ in _DETERMINERS
        or kept[0].pos_ in ("ADP", "PART", "PUNCT")
        or kept[0].lower_ in ("my", "a", "the", "to")
    ):
        kept = kept[1:]
    while kept and (kept[-1].pos_ in ("ADP", "PUNCT", "CCONJ", "SCONJ") or _says_when(kept[-1], token)):
        kept = kept[:-1]
    if not kept or len(kept) > _MAX_WORDS + 4:
        return None
    said = voice.say(kept[:_MAX_WORDS])
    return said if kept[0].pos_ == "PROPN" or kept[0].lower_ == "i" else said[:1].lower() + said[1:]


def _says_when(last: Token, head: Token) -> bool:
    """Whether it tells of change and no more of the thing: dislikes running NOW."""
    return last != head and last.dep_ == "advmod" and last.lower_ in _NOW


_NOW = frozenset({"now", "anymore", "again", "nowadays", "lately"})


def is_bare_pronoun(token: Token) -> bool:
    """Whether it points at something without naming it: it, those, a lot; but not "something new"."""
    return token.lower_ in _PRONOUNS and not any(c.dep_ == "amod" for c in token.children)


def _core(token: Token) -> list[Token]:
    shed = [c for c in token.children if (c.dep_ in _LEFT_OUT and not _joins(c)) or _long_tail(c)]
    gone = {t.i for child in shed for t in child.subtree}
    gone |= {
        t.i for child in token.children if child.dep_ == "conj" and child.pos_ in ("VERB", "AUX") for t in child.subtree
    }
    return [t for t in token.subtree if t.i not in gone]


def _joins(child: Token) -> bool:
    """The comma or "and" between things that are named together: the zoo, the harbour and the park."""
    if child.dep_ != "cc" and child.lower_ != ",":
        return False
    return any(c.dep_ == "conj" and c.i > child.i and c.pos_ not in ("VERB", "AUX") for c in child.head.children)


def _long_tail(child: Token) -> bool:
    """A prepositional phrase behind a noun that is not part of its name ("of" and the short ones are), or a person."""
    if child.dep_ == "prep" and child.head.ent_type_ == "PERSON":
        return True
    return (
        child.dep_ == "prep"
        and child.head.pos_ == "NOUN"
        and child.lower_ not in ("of", "for", "in")
        and child.i > child.head.i
    )


def head_noun(token: Token) -> str:
    """The noun with its compounds, singular: "window seats" -> "window seat"."""
    compounds = [c.lower_ for c in token.children if c.dep_ in ("compound", "amod") and c.i < token.i]
    compounds = [word for word in compounds if word not in ("favorite", "top", "all-time", "absolute")]
    return " ".join([*compounds, token.lemma_.lower()])


def is_place_beside(token: Token) -> bool:
    """Whether it is a place that is named together with another: Porto and MADRID."""
    return bool(token.dep_ == "conj" and token.pos_ == "PROPN" and token.ent_type_ in ("GPE", "LOC", "FAC"))


def proper(token: Token) -> str:
    """A name with the words it is made of: New York."""
    return " ".join(t.text for t in token.subtree if t == token or (t.dep_ == "compound" and t.head == token))


def is_favourite(token: Token) -> bool:
    """Whether it is called the favourite of its kind."""
    return any(word.lower_ in ("favorite", "top") for word in token.subtree) or token.lower_ in ("favorite", "go-to")
