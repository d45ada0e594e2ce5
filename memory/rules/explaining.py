"""Explaining: why a fact, an entity or a recalled segment is there, in lines of text and as a small graph.

All three are told from the same plain mapping that the API sends, so that text, graph and JSON cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.words.cleaning import called, harmless, in_quotes, reference, sentence

Explained = Mapping[str, Any]
LABEL_CHARACTERS = 80
"""A node's label is no longer than this; the words stand whole in the explanation."""
SPOKEN_OF = (("disputes", "In dispute with"), ("supersedes", "Took the place of"), ("superseded_by", "Replaced by"))


@dataclass(frozen=True, slots=True)
class ExplanationNode:
    """A fact, an entity or a segment. `label` is the beginning of its words."""

    id: str
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class ExplanationEdge:
    """A relation between two nodes, read from left to right: this fact `supersedes` that one."""

    from_id: str
    kind: str
    to_id: str


@dataclass
class ExplanationGraph:
    """Nodes, once each, and the edges between them."""

    nodes: dict[str, ExplanationNode] = field(default_factory=dict)
    edges: dict[ExplanationEdge, None] = field(default_factory=dict)

    def node(self, id_: str, kind: str, words: str) -> str:
        """Put a node, and say its id."""
        shown = words if len(words) <= LABEL_CHARACTERS else f"{words[: LABEL_CHARACTERS - 1]}…"
        self.nodes.setdefault(id_, ExplanationNode(id_, kind, harmless(shown)))
        return id_

    def edge(self, from_id: str, kind: str, to_id: str) -> None:
        """Put an edge between two nodes."""
        self.edges[ExplanationEdge(from_id, kind, to_id)] = None


def segment_node(source_id: str, segment_id: str | None) -> str:
    """The id of the node of some words: a segment, or what a command told."""
    return source_id if segment_id is None else f"{source_id}/{segment_id}"


def graph_of_fact(told: Explained) -> ExplanationGraph:
    """The words a fact rests on, whom it speaks of, and the facts it stands beside."""
    graph, fact = ExplanationGraph(), told["fact"]
    this = graph.node(fact["fact_id"], "fact", fact["statement"])
    for said in told["words"]:
        words = graph.node(
            segment_node(said["source_id"], said["segment_id"]), "segment", said["text"] or said["quote"]
        )
        graph.edge(words, "supports", this)
    for entity in told["entities"]:
        graph.edge(this, entity["role"], graph.node(entity["entity_id"], "entity", entity["name"]))
    for kind in ("disputes", "supersedes", "similar"):
        for other in told[kind]:
            graph.edge(this, kind, graph.node(other["fact_id"], "fact", other["statement"]))
    for other in told["superseded_by"]:
        graph.edge(graph.node(other["fact_id"], "fact", other["statement"]), "supersedes", this)
    return graph


def graph_of_entity(told: Explained) -> ExplanationGraph:
    """The facts about an entity, the words that mean it, and what became part of it."""
    graph, entity = ExplanationGraph(), told["entity"]
    this = graph.node(entity["entity_id"], "entity", entity["name"])
    for said in told["words"]:
        words = graph.node(segment_node(said["source_id"], said["segment_id"]), "segment", said["text"])
        graph.edge(words, "mentions", this)
    for fact in told["facts"]:
        graph.edge(graph.node(fact["fact_id"], "fact", fact["statement"]), "about", this)
    for other in told["merged_from"]:
        graph.edge(graph.node(other["entity_id"], "entity", other["name"]), "merged_into", this)
    return graph


def graph_of_segment(told: Explained) -> ExplanationGraph:
    """What rests on a segment, and what it replaced or was replaced by."""
    graph, segment = ExplanationGraph(), told["segment"]
    source_id = segment["source_id"]
    this = graph.node(segment_node(source_id, segment["segment_id"]), "segment", segment["text"])
    for fact in told["facts"]:
        if fact["supported"]:
            graph.edge(this, "supports", graph.node(fact["fact_id"], "fact", fact["statement"]))
    for entity in told["entities"]:
        graph.edge(this, "mentions", graph.node(entity["entity_id"], "entity", entity["name"]))
    if segment["replaced_by"] is not None:
        other = segment_node(source_id, segment["replaced_by"])
        graph.edge(graph.node(other, "segment", segment["replaced_by"]), "replaces", this)
    for older in segment["replaces"]:
        graph.edge(this, "replaces", graph.node(segment_node(source_id, older), "segment", older))
    return graph


def lines_of_fact(told: Explained, steps: Sequence[str]) -> Iterator[str]:
    """Why a fact is believed."""
    fact = told["fact"]
    figures = f"confidence {fact['confidence']:.2f}, strength {fact['strength']:.2f}"
    yield f"{sentence(fact['statement'])} ({fact['status']}, {figures})"
    yield f"True from {fact['valid_from']} " + (f"until {fact['valid_to']}." if fact["valid_to"] else "on.")
    for said in told["words"]:
        yield _quoted({**said, "text": said["text"] or said["quote"]})
    yield f"Judged by {told['judged_by']}" + ("; confirmed, so it does not fade." if told["protected"] else ".")
    for kind, title in SPOKEN_OF:
        for other in told[kind]:
            yield f"{title}: {sentence(other['statement'])} ({other['fact_id']}, {other['status']})"
    yield from _notes(told)
    yield from steps


def lines_of_entity(told: Explained, steps: Sequence[str]) -> Iterator[str]:
    """Who or what an entity is, and how that came to be known."""
    entity = told["entity"]
    yield (
        f"{called(entity['name'])}, {entity['entity_type']} ({entity['tier']}, {entity['state']}, "
        f"strength {entity['salience']:.2f}), mentioned {entity['mention_count']} times in "
        f"{entity['session_count']} sessions"
    )
    if entity["aliases"]:
        yield f"Also called {', '.join(map(called, entity['aliases']))}."
    for other in told["merged_from"]:
        yield f"Was also known as {called(other['name'])} ({other['entity_id']}) until they were merged."
    for said in told["words"]:
        yield _quoted(said)
    for fact in told["facts"]:
        yield f"Fact: {sentence(fact['statement'])} ({fact['fact_id']}, {fact['status']})"
    yield from _notes(told)
    yield from steps


def lines_of_segment(told: Explained, steps: Sequence[str]) -> Iterator[str]:
    """What was said, and what rests on it."""
    segment = told["segment"]
    yield _quoted(segment)
    read = segment["read_revision"]
    yield f"Revision {segment['revision']}, " + (f"read as revision {read}." if read is not None else "not read yet.")
    if segment["replaced_by"] is not None:
        yield f"Replaced by {reference(segment['replaced_by'])}, a better transcription."
    for older in segment["replaces"]:
        yield f"Took the place of {reference(older)}."
    for fact in told["facts"]:
        how = "Supports" if fact["supported"] else "Once supported"
        judged = f"{fact['fact_id']}, {fact['status']}, judged by {fact['judged_by']}"
        yield f"{how}: {sentence(fact['statement'])} ({judged})"
    for entity in told["entities"]:
        yield f"Mentions {called(entity['name'])}, {entity['entity_type']} ({entity['entity_id']})."
    yield from steps


def _quoted(said: Explained) -> str:
    """Who said what, when and where."""
    place = f"{called(said['speaker'] or '', 'Told')} at {said['at']} in {reference(said['source_id'])}"
    return f"{place}: {in_quotes(said['text'])}"


def _notes(told: Explained) -> Iterator[str]:
    for note in told["notes"]:
        yield f"Note by {called(note['author'])}: {harmless(note['text'])}"
