"""Backing: the facts behind candidates, as columns, for an order that weighs beliefs rather than words (seed 003)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.model.ids import fold
from memory.model.working_set import WorkingSet
from memory.words.stems import tokenise

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Backing:
    """Facts in sight that hold, and which candidates rest under them."""

    row: Numbers
    """[pairs] Row of a candidate ..."""
    fact: Numbers
    """[pairs] ... and of a fact that rests on it."""
    importance: Floats
    """[facts] 1 to 10."""
    stability: Floats
    """[facts] As it was born with; every recall adds to it."""
    recalls: Floats
    """[facts]"""
    since: Floats
    """[facts] When it was last recalled, else when it began to be true, UTC epoch seconds."""
    named: NDArray[np.bool_]
    """[facts] Whether the question names its subject."""
    links: Numbers
    """[links, 2] Facts that are alike."""


def backing(working_set: WorkingSet, fact_ids: Sequence[str], rows: Numbers, text: str) -> Backing:
    """The backing of candidates: `fact_ids` and `rows` are pairs, `text` is the question."""
    number = {fact_id: place for place, fact_id in enumerate(dict.fromkeys(fact_ids))}
    facts = [working_set.facts[fact_id] for fact_id in number]
    recalls = [working_set.accesses.get(fact_id) for fact_id in number]
    spoken = f" {_spaced(text)} "
    subjects = {fact.subject_id for fact in facts}
    named = {each for each in subjects if f" {_spaced(working_set.entities[each].name)} " in spoken}
    links = [
        (number[link.from_id], number[link.to_id])
        for link in working_set.links
        if link.kind == "similar" and link.from_id in number and link.to_id in number
    ]
    return Backing(
        row=rows,
        fact=np.array([number[fact_id] for fact_id in fact_ids], np.int64),
        importance=np.array([fact.importance for fact in facts], np.float64),
        stability=np.array([fact.stability for fact in facts], np.float64),
        recalls=np.array([0 if each is None else each.count for each in recalls], np.float64),
        since=np.array(
            [fact.valid_from if each is None else each.last_at for fact, each in zip(facts, recalls, strict=True)],
            np.float64,
        ),
        named=np.array([fact.subject_id in named for fact in facts], np.bool_),
        links=np.array(sorted(links), np.int64).reshape(-1, 2),
    )


def _spaced(text: str) -> str:
    return " ".join(word.removesuffix("'s") for word, _ in tokenise(fold(text)))
