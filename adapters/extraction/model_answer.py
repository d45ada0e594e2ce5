"""A language model's answer as entities and facts, whatever shape it came in.

Clean JSON, fenced, between prose, a bare array, a single element, or cut off in the middle: every complete element is
read. What is no such answer at all raises ModelFailed. Whether it is true is not judged here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memory.errors import ModelFailed
from memory.model.entities import ENTITY_TYPES
from memory.words.predicates import TABLE

MAX_ENTITIES = 8
MAX_FACTS = 6
"""Elements of one portion of text; without an end, greedy decoding repeats itself until the tokens run out."""
_MAX_ANSWER_CHARS = 10_000
"""Twice what the tokens of one answer come to."""
_OPENING = re.compile(r"[\[{]")


@dataclass(frozen=True, slots=True)
class SeenEntity:
    """An entity as the model names it, and the words it copied."""

    type: str
    name: str
    evidence: str


@dataclass(frozen=True, slots=True)
class SaidFact:
    """A fact as the model puts it, and the words it copied."""

    subject: str
    predicate: str
    object: str
    statement: str
    evidence: str


@dataclass(frozen=True, slots=True)
class ExtractionReply:
    """All that was well-formed; both empty when the model found nothing."""

    entities: tuple[SeenEntity, ...] = ()
    facts: tuple[SaidFact, ...] = ()


def _text(most: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": most}


def _objects(most: int, properties: Mapping[str, Any]) -> dict[str, Any]:
    element = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {"type": "array", "maxItems": most, "items": element}


def _schema() -> dict[str, Any]:
    predicates = [*(row.name for row in TABLE), "other"]
    entity = {"evidence": _text(160), "type": {"type": "string", "enum": list(ENTITY_TYPES)}, "name": _text(80)}
    fact = {
        "evidence": _text(200),
        "subject": _text(60),
        "predicate": {"type": "string", "enum": predicates},
        "object": _text(100),
        "statement": _text(160),
    }
    lists = {"entities": _objects(MAX_ENTITIES, entity), "facts": _objects(MAX_FACTS, fact)}
    return {"type": "object", "properties": lists, "required": list(lists), "additionalProperties": False}


SCHEMA: Mapping[str, Any] = _schema()
"""What the model is asked for. The evidence comes first: a small model that has copied the words reads them better."""


def answer_of(text: str) -> ExtractionReply:
    """The well-formed elements of an answer, in order. Raises ModelFailed if there is no answer, or nothing else."""
    text = text[:_MAX_ANSWER_CHARS]
    values = dict(json_in(text))
    elements = [element for value in values.values() for element in _elements(value)]
    entities = tuple(entity for element in elements if (entity := _entity(element)) is not None)
    facts = tuple(fact for element in elements if (fact := _fact(element)) is not None)
    opening = _OPENING.search(text)
    empty = not elements and any(
        _is_answer(value) or start == opening.start() for start, value in values.items() if opening
    )
    if not entities and not facts and not empty:
        raise ModelFailed("The language model's answer has not the shape that was asked for.")
    return ExtractionReply(entities[:MAX_ENTITIES], facts[:MAX_FACTS])


def json_in(text: str) -> Iterator[tuple[int, Any]]:
    """Where each complete JSON array or object begins, and its value; of one that breaks off, its complete parts."""
    decoder = json.JSONDecoder()
    place = 0
    while (opening := _OPENING.search(text, place)) is not None:
        try:
            value, place = decoder.raw_decode(text, opening.start())
        except ValueError:
            place = opening.end()
        except RecursionError:
            return  # a model that repeats a bracket for ever
        else:
            yield opening.start(), value


def _elements(value: Any) -> Iterator[Any]:
    """The elements of an answer: of its lists, of a bare array, or the one that stands alone."""
    if isinstance(value, list):
        yield from value
    elif _is_answer(value):
        for name in SCHEMA["properties"]:
            inner = value.get(name)
            yield from inner if isinstance(inner, list) else () if inner is None else (inner,)
    elif value:
        yield value


def _is_answer(value: Any) -> bool:
    return isinstance(value, dict) and bool(value.keys() & SCHEMA["properties"].keys())


def _entity(element: Any) -> SeenEntity | None:
    found = _strings(element, ("type", "name", "evidence"))
    return SeenEntity(*found) if found and found[0] in ENTITY_TYPES else None


def _fact(element: Any) -> SaidFact | None:
    found = _strings(element, ("subject", "predicate", "object", "statement", "evidence"))
    return SaidFact(*found) if found else None


def _strings(element: Any, keys: tuple[str, ...]) -> list[str] | None:
    """The values of these keys, white space folded; None unless all of them are words."""
    if not isinstance(element, dict) or not all(isinstance(element.get(key), str) for key in keys):
        return None
    values = [" ".join(element[key].split()) for key in keys]
    return values if all(values) else None
