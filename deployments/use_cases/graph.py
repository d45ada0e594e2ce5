"""A memory as a graph, for clients that think in nodes and edges: what is observed of entities, and how they relate.

There is no second store behind it. An observation and a relation are facts like any other, resting on words of the
owner's that are kept as a note; what was heard elsewhere is in the graph as it is believed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.commands import KeptAs
from deployments.use_cases.remembering import state
from memory.errors import NotFound
from memory.model.changes import Outcome
from memory.model.claims import Claim
from memory.model.entities import ENTITY_TYPES, Entity
from memory.model.ids import fold
from memory.model.shown import ShownFact
from memory.model.timeline import Instant
from memory.rules.resolution import OWNER_NAMES

MOST_NODES = 2_000
"""Entities of one graph, the latest seen first."""
MOST_EDGES = 5_000
"""Facts of one graph, the latest valid first."""
MOST_OF_ONE = 500
"""Facts about one entity."""
MOST_DEPTH = 4
"""Steps of a walk; beyond them everybody knows everybody."""
MOST_MET = 200
"""Entities that a walk meets."""
GROUP = "group_id"
"""Where the provenance of a source names the group in which a client told it."""
IS_A = "is_a"
"""The predicate by which a client told what kind of thing an entity is, in a word of its own."""
AS_ENTITY, AS_OBSERVATION, AS_RELATION = "entity", "observation", "relation"
"""What the segment is called in which something was told for the graph."""
_KINDS = {
    "user": "person",
    "people": "person",
    "company": "organization",
    "team": "organization",
    "location": "place",
    "city": "place",
    "country": "place",
    "app": "tool",
    "software": "tool",
    "library": "tool",
    "task": "project",
    "preference": "habit",
    "meeting": "event",
}
"""A client's word for a kind of thing -> ours, where it is another word."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A statement about an entity, and the sources it rests on."""

    fact_id: str
    text: str
    sources: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class NodeRelation:
    """A fact between two entities, named by its predicate."""

    fact_id: str
    from_name: str
    to_name: str
    kind: str


@dataclass(frozen=True, slots=True)
class GraphNode:
    """An entity, its kind in the words of whoever told it, and what is observed of it."""

    entity: Entity
    kind: str
    observed: list[Observed] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class KnowledgeGraph:
    """Nodes and the relations that touch one of them, in the order of time."""

    nodes: Sequence[GraphNode]
    relations: Sequence[NodeRelation]


async def read_graph(app: AppContext, who: Caller) -> KnowledgeGraph:
    """All that is known, up to the latest `MOST_NODES` and `MOST_EDGES`."""
    entities = await app.stores.reads.entities.page(who.view, MOST_NODES)
    facts = await app.stores.reads.facts.page(who.view, ("active",), MOST_EDGES)
    return await _drawn(app, who, _eldest_first(each.entity for each in entities.shown), facts.shown)


async def open_nodes(app: AppContext, who: Caller, names: Sequence[str]) -> KnowledgeGraph:
    """The entities that these names or aliases mean, and what touches them."""
    named = [await _called(app, who, name) for name in dict.fromkeys(names)]
    found = {each.entity_id: each for each in named if each is not None}
    return await _with_facts(app, who, _eldest_first(found.values()))


async def nodes_of(app: AppContext, who: Caller, entity_ids: Sequence[str]) -> Sequence[GraphNode]:
    """The entities of these ids that are in sight, in their order, with what is observed of them."""
    if not entity_ids:
        return []
    page = await app.stores.reads.entities.page(who.view, len(entity_ids), ids=list(entity_ids))
    entities = {each.entity.entity_id: each.entity for each in page.shown}
    kept = [entities[each] for each in entity_ids if each in entities]
    return (await _with_facts(app, who, kept)).nodes


async def find_node(app: AppContext, who: Caller, name: str) -> GraphNode | None:
    """The entity that a name means, if there is one."""
    found = await open_nodes(app, who, [name])
    return found.nodes[0] if found.nodes else None


def fresh(node: GraphNode | None, observations: Sequence[str]) -> list[str]:
    """Those of some observations that are not known yet, each once."""
    known = set() if node is None else {_folded(each.text) for each in node.observed}
    return [each for each in dict.fromkeys(observations) if _folded(each) not in known]


def named(node: GraphNode, observations: Sequence[str]) -> list[str]:
    """The facts that are these observations of a node."""
    meant = {_folded(each) for each in observations}
    return [each.fact_id for each in node.observed if _folded(each.text) in meant]


async def relations_between(app: AppContext, who: Caller, ends: tuple[Entity, Entity], kind: str) -> list[str]:
    """The facts by which the first of two entities stands in this relation to the second."""
    ids = [each.entity_id for each in ends]
    page = await app.stores.reads.facts.page(who.view, ("active",), MOST_OF_ONE, about=ids[0], predicate=kind)
    return [fact.fact_id for fact in page.shown if [fact.subject_id, fact.object_id] == ids]


async def search_nodes(app: AppContext, who: Caller, query: str) -> KnowledgeGraph:
    """The entities in whose name, kind or observations every word of a query stands, and what touches them."""
    graph, words, own = await read_graph(app, who), fold(query).split(), await _own_names(app, who)

    def fits(node: GraphNode) -> bool:
        names = _names_of(node.entity, own)
        text = fold(" ".join((*names, node.kind, *(each.text for each in node.observed))))
        return all(word in text for word in words)

    nodes = [node for node in graph.nodes if fits(node)]
    names = {node.entity.name for node in nodes}
    touching = [each for each in graph.relations if each.from_name in names or each.to_name in names]
    return KnowledgeGraph(nodes, touching)


async def walk(app: AppContext, who: Caller, name: str, depth: int, most: int) -> KnowledgeGraph:
    """Whom relations lead to from an entity, the nearest first, up to a depth and a number. Raises NotFound."""
    start = await _called(app, who, name)
    if start is None:
        raise NotFound("There is no entity of that name in this memory.")
    met: dict[str, None] = {start.entity_id: None}
    edge, facts = list(met), dict[str, ShownFact]()
    for _ in range(depth):
        beyond: dict[str, None] = {}
        for entity_id in edge:
            page = await app.stores.reads.facts.page(who.view, ("active",), MOST_OF_ONE, about=entity_id)
            facts |= {fact.fact_id: fact for fact in page.shown}
            ends = (end for fact in page.shown for end in (fact.subject_id, fact.object_id))
            beyond |= dict.fromkeys(each for each in ends if each is not None and each not in met)
        edge = list(beyond)[: most - len(met)]
        met |= dict.fromkeys(edge)
    shown = await app.stores.reads.entities.page(who.view, len(met), ids=list(met))
    entities = {each.entity.entity_id: each.entity for each in shown.shown}
    return await _drawn(app, who, [entities[each] for each in met if each in entities], list(facts.values()))


async def observe(
    app: AppContext, who: Caller, key: str, name: str, observations: Sequence[str], kind: str | None = None
) -> Sequence[Outcome]:
    """Remember observations of an entity as they are, and what kind of thing it is, if that is told, too.

    Raises Forbidden.
    """
    writing(who)
    name, ours = " ".join(name.split()), _ours(kind or "")
    claims = [
        Claim(name, _alone(name, each), 0, each, subject_type=ours, valid_from=at)
        for each, at in zip(observations, _moments(app, len(observations)), strict=True)
    ]
    if kind is not None:
        words = f"{name} is {'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}."
        claims.insert(0, Claim(name, words, 0, words, predicate=IS_A, object=kind, subject_type=ours))
    kept = KeptAs(AS_OBSERVATION if kind is None else AS_ENTITY)
    return await state(app, who, key, "\n".join(each.statement for each in claims), claims, kept)


async def relate(
    app: AppContext,
    who: Caller,
    key: str,
    ends: tuple[str, str],
    kind: str,
    *,
    words: str | None = None,
    group: str = "",
) -> Sequence[Outcome]:
    """Remember that the first of two entities stands in a relation to the second; in these words, or in plain ones.

    Raises Forbidden.
    """
    writing(who)
    statement = words or " ".join((ends[0], *kind.replace("_", " ").split(), ends[1]))
    claim = Claim(
        ends[0], statement, 0, statement, predicate=kind, object=ends[1], object_type="topic", subject_type="topic"
    )
    kept = KeptAs(AS_RELATION, {GROUP: group} if group else {})
    return await state(app, who, key, statement, [claim], kept)


async def _called(app: AppContext, who: Caller, name: str) -> Entity | None:
    """The entity in sight that is called so, the latest seen of several; the owner under each name there is for them.

    Asked for by its ids, for a list that looks for a name counts what is known of every entity first.
    """
    called, own = fold(name), await _own_names(app, who)
    ids = await app.stores.reads.facts.subjects(who.view, " ".join(name.split()))
    if called in own:
        ids += [one for each in sorted(own) for one in await app.stores.reads.facts.subjects(who.view, each)]
    page = await app.stores.reads.entities.page(who.view, len(ids), ids=list(dict.fromkeys(ids))) if ids else None
    found = [each.entity for each in page.shown if called in _names_of(each.entity, own)] if page else []
    return next((each for each in found if each.is_owner and called in own), next(iter(found), None))


async def _own_names(app: AppContext, who: Caller) -> frozenset[str]:
    """How the owner may be called, folded, as statements about them are understood."""
    profile = await app.profile(who.user_id)
    return OWNER_NAMES | {fold(each) for each in (profile.name, *profile.speaker_labels) if each}


def _names_of(entity: Entity, own: Collection[str]) -> frozenset[str]:
    return entity.names.union(own) if entity.is_owner else entity.names


async def _with_facts(app: AppContext, who: Caller, entities: Sequence[Entity]) -> KnowledgeGraph:
    facts: dict[str, ShownFact] = {}
    for each in entities:
        page = await app.stores.reads.facts.page(who.view, ("active",), MOST_OF_ONE, about=each.entity_id)
        facts |= {fact.fact_id: fact for fact in page.shown}
    return await _drawn(app, who, entities, list(facts.values()))


async def _drawn(
    app: AppContext, who: Caller, entities: Sequence[Entity], facts: Sequence[ShownFact]
) -> KnowledgeGraph:
    """These entities with what these facts say of them."""
    own = await _own_names(app, who)
    told = {fact.subject_id: fact.object for fact in facts if _tells_kind(fact)}
    nodes = {each.entity_id: GraphNode(each, told.get(each.entity_id) or each.type) for each in entities}
    names = await _names(app, who, nodes, facts)
    relations = []
    for fact in sorted(facts, key=lambda fact: (fact.valid_from, fact.system_from, fact.fact_id)):
        subject, target = fact.subject_id, fact.object_id
        if _tells_kind(fact):
            continue
        ends = (names.get(subject), names.get(target or ""))
        if ends[0] is not None and ends[1] is not None:
            relations.append(NodeRelation(fact.fact_id, ends[0], ends[1], fact.predicate or "related_to"))
            if _told_as(fact) == {AS_RELATION}:
                continue
        if subject in nodes:
            words = _as_given(fact.statement, _names_of(nodes[subject].entity, own))
            nodes[subject].observed.append(Observed(fact.fact_id, words, frozenset(fact.source_ids)))
    return KnowledgeGraph(list(nodes.values()), relations)


async def _names(
    app: AppContext, who: Caller, nodes: Mapping[str, GraphNode], facts: Iterable[ShownFact]
) -> dict[str, str]:
    """entity id -> its name, of the nodes and of whom the facts lead to."""
    names = {entity_id: node.entity.name for entity_id, node in nodes.items()}
    ends = {end for fact in facts for end in (fact.subject_id, fact.object_id)} - names.keys() - {None}
    if ends:
        page = await app.stores.reads.entities.page(who.view, len(ends), ids=sorted(ends))
        names |= {each.entity.entity_id: each.entity.name for each in page.shown}
    return names


def _eldest_first(entities: Iterable[Entity]) -> list[Entity]:
    return sorted(entities, key=lambda each: (each.created_at, each.entity_id))


def _tells_kind(fact: ShownFact) -> bool:
    """Whether it says what kind of thing an entity is, and does not lead to another entity as a client has told it."""
    return fact.predicate == IS_A and AS_RELATION not in _told_as(fact)


def _told_as(fact: ShownFact) -> set[str | None]:
    return {each.segment_id for each in fact.sources}


def _moments(app: AppContext, number: int) -> list[Instant]:
    """The last milliseconds up to now: what is told at once holds in the order in which it is told."""
    now = app.clock.now()
    return [now - (number - each) * 0.001 for each in range(1, number + 1)]


def _folded(text: str) -> str:
    return fold(" ".join(text.split()))


def _alone(name: str, observation: str) -> str:
    """An observation as a statement that stands alone: it names whom it is about."""
    observation = " ".join(observation.split())
    named = re.search(rf"(?<!\w){re.escape(fold(name))}(?!\w)", fold(observation))
    return observation if named else f"{name}: {observation}"


def _as_given(statement: str, names: Collection[str]) -> str:
    """A statement as it was given, which may not have named whom it is about."""
    ends = (each for each in re.finditer(": ", statement) if fold(statement[: each.start()]) in names)
    found = next(ends, None)
    return statement if found is None else statement[found.end() :]


def _ours(kind: str) -> str:
    """Our type of entity for a client's word."""
    word = fold(kind)
    return word if word in ENTITY_TYPES else _KINDS.get(word, "topic")
