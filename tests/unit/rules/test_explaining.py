"""Why something is there, told in lines and drawn as a graph, from the very mapping that the API sends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from memory.rules.explaining import (
    ExplanationEdge,
    ExplanationGraph,
    ExplanationNode,
    graph_of_entity,
    graph_of_fact,
    graph_of_segment,
    lines_of_entity,
    lines_of_fact,
    lines_of_segment,
)

SAID = {"source_id": "march", "segment_id": "1", "speaker": "Maya", "at": "noon", "text": "I moved.", "quote": "moved"}
TOLD = {"source_id": "c-1", "segment_id": None, "speaker": None, "at": "noon", "text": None, "quote": "I live here"}
LISBON = {"fact_id": "f-2", "statement": "Maya lives in Lisbon", "status": "active"}
PORTO = {"fact_id": "f-1", "statement": "Maya lives in Porto", "status": "superseded"}
FARO = {"fact_id": "f-3", "statement": "Maya lives in Faro", "status": "active"}
FACT: Mapping[str, Any] = {
    "fact": {**LISBON, "confidence": 0.6, "strength": 0.25, "valid_from": "noon", "valid_to": None},
    "words": [SAID, TOLD],
    "entities": [{"entity_id": "e-1", "role": "subject", "name": "Maya"}],
    "disputes": [FARO],
    "supersedes": [PORTO],
    "superseded_by": [FARO],
    "similar": [],
    "judged_by": "rules",
    "protected": False,
    "notes": [{"author": "user", "text": "by the sea"}],
}
ENTITY: Mapping[str, Any] = {
    "entity": {
        "entity_id": "e-1",
        "name": "Maya",
        "entity_type": "person",
        "tier": "L1",
        "state": "active",
        "salience": 0.5,
        "mention_count": 3,
        "session_count": 2,
        "aliases": ["May"],
    },
    "words": [SAID],
    "facts": [LISBON],
    "merged_from": [{"entity_id": "e-2", "name": "May"}],
    "notes": [],
}
SEGMENT: Mapping[str, Any] = {
    "segment": {**SAID, "revision": 2, "read_revision": 1, "replaced_by": "9", "replaces": ["0"]},
    "facts": [
        {**LISBON, "supported": True, "judged_by": "rules"},
        {**PORTO, "supported": False, "judged_by": "rules"},
    ],
    "entities": [{"entity_id": "e-1", "name": "Maya", "entity_type": "person"}],
}


@pytest.mark.conforms("004:explain")
def test_a_label_is_the_beginning_of_the_words() -> None:
    graph = ExplanationGraph()
    for length in (80, 81):
        graph.node(str(length), "fact", "w" * length)
    graph.node("80", "entity", "put before")
    assert graph.nodes == {
        "80": ExplanationNode("80", "fact", "w" * 80),
        "81": ExplanationNode("81", "fact", "w" * 79 + "…"),
    }


@pytest.mark.conforms("004:explain")
def test_a_fact_is_drawn_with_its_words_whom_it_speaks_of_and_what_it_stands_beside() -> None:
    graph = graph_of_fact(FACT)
    assert {each.id: (each.kind, each.label) for each in graph.nodes.values()} == {
        "f-2": ("fact", "Maya lives in Lisbon"),
        "march/1": ("segment", "I moved."),
        "c-1": ("segment", "I live here"),
        "e-1": ("entity", "Maya"),
        "f-3": ("fact", "Maya lives in Faro"),
        "f-1": ("fact", "Maya lives in Porto"),
    }
    assert list(graph.edges) == [
        ExplanationEdge("march/1", "supports", "f-2"),
        ExplanationEdge("c-1", "supports", "f-2"),
        ExplanationEdge("f-2", "subject", "e-1"),
        ExplanationEdge("f-2", "disputes", "f-3"),
        ExplanationEdge("f-2", "supersedes", "f-1"),
        ExplanationEdge("f-3", "supersedes", "f-2"),
    ]


@pytest.mark.conforms("004:explain")
def test_an_entity_and_a_segment_are_drawn_with_what_rests_on_them() -> None:
    assert list(graph_of_entity(ENTITY).edges) == [
        ExplanationEdge("march/1", "mentions", "e-1"),
        ExplanationEdge("f-2", "about", "e-1"),
        ExplanationEdge("e-2", "merged_into", "e-1"),
    ]
    assert list(graph_of_segment(SEGMENT).edges) == [
        ExplanationEdge("march/1", "supports", "f-2"),
        ExplanationEdge("march/1", "mentions", "e-1"),
        ExplanationEdge("march/9", "replaces", "march/1"),
        ExplanationEdge("march/1", "replaces", "march/0"),
    ]
    lone = {**SEGMENT, "segment": {**SEGMENT["segment"], "replaced_by": None, "replaces": []}}
    assert [each.kind for each in graph_of_segment(lone).edges] == ["supports", "mentions"]


@pytest.mark.conforms("004:explain")
def test_a_fact_is_told_in_lines() -> None:
    assert list(lines_of_fact(FACT, ["a change"])) == [
        "Maya lives in Lisbon (active, confidence 0.60, strength 0.25)",
        "True from noon on.",
        'Maya at noon in march: "I moved."',
        'Told at noon in c-1: "I live here"',
        "Judged by rules.",
        "In dispute with: Maya lives in Faro (f-3, active)",
        "Took the place of: Maya lives in Porto (f-1, superseded)",
        "Replaced by: Maya lives in Faro (f-3, active)",
        "Note by user: by the sea",
        "a change",
    ]
    confirmed = {**FACT, "protected": True, "fact": {**FACT["fact"], "valid_to": "one"}}
    lines = list(lines_of_fact(confirmed, []))
    assert (lines[1], lines[4]) == ("True from noon until one.", "Judged by rules; confirmed, so it does not fade.")


@pytest.mark.conforms("004:explain")
def test_an_entity_is_told_in_lines() -> None:
    assert list(lines_of_entity(ENTITY, [])) == [
        "Maya, person (L1, active, strength 0.50), mentioned 3 times in 2 sessions",
        "Also called May.",
        "Was also known as May (e-2) until they were merged.",
        'Maya at noon in march: "I moved."',
        "Fact: Maya lives in Lisbon (f-2, active)",
    ]
    nameless = {**ENTITY, "entity": {**ENTITY["entity"], "aliases": []}}
    assert not any(each.startswith("Also called") for each in lines_of_entity(nameless, []))


@pytest.mark.conforms("004:explain")
def test_a_segment_is_told_in_lines() -> None:
    assert list(lines_of_segment(SEGMENT, [])) == [
        'Maya at noon in march: "I moved."',
        "Revision 2, read as revision 1.",
        "Replaced by 9, a better transcription.",
        "Took the place of 0.",
        "Supports: Maya lives in Lisbon (f-2, active, judged by rules)",
        "Once supported: Maya lives in Porto (f-1, superseded, judged by rules)",
        "Mentions Maya, person (e-1).",
    ]
    unread = {**SEGMENT["segment"], "read_revision": None, "replaced_by": None, "replaces": []}
    lines = list(lines_of_segment({**SEGMENT, "segment": unread}, []))
    assert lines[1:3] == ["Revision 2, not read yet.", "Supports: Maya lives in Lisbon (f-2, active, judged by rules)"]
