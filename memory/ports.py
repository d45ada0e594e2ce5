"""Ports: what the core needs of the world, in at most four methods each.

Every port has one contract suite in `tests/contract`, run on every implementation, the fake included.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memory.model.captured import Captured
from memory.model.changes import ChangeSet
from memory.model.claims import Reading, Utterance
from memory.model.graph import WeightedGraph
from memory.model.prompts import Prompt
from memory.model.scopes import Sensitivity, View
from memory.model.sources import ON_PURPOSE, Source, StoredSource, Telling
from memory.model.timeline import Instant
from memory.model.verdicts import StatementPair, Verdict
from memory.model.waiting import LATEST_FIRST, DueSource, QueueOrder
from memory.model.working_set import WorkingSet
from memory.retrieval.batches import SegmentBatch
from memory.retrieval.candidates import Ranking, Traits
from memory.retrieval.pieces import Encoded, EncodedQuestion
from memory.retrieval.projected import Position, ProjectionBatch
from memory.retrieval.query import Probe
from memory.rules.leases import LeaseState, LeaseUser

Vector = NDArray[np.float32]
"""[dimensions], unit length."""
Matrix = NDArray[np.float32]
"""[rows, dimensions], each row of unit length."""
Keys = NDArray[np.int64]
"""[rows] segment keys."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """How a memory stands in the journal."""

    epoch: int
    """Of the writer that has claimed it last, 0 if nobody has."""
    version: int
    """Of what is believed."""


class Journal(Protocol):
    """The truth about what is believed: one transaction a turn, one writer a memory."""

    async def claim(self, user_id: str, shard: str) -> int:
        """Become the writer of a memory: a new epoch, higher than any before; its older writers are fenced."""

    async def load(self, user_id: str) -> WorkingSet:
        """Everything believed now. An unknown user is an empty memory at version 0."""

    async def commit(self, epoch: int, base: WorkingSet, changes: ChangeSet, vectors: Mapping[str, Vector]) -> bool:
        """Write a change set on top of `base`, with the vectors of the facts it created.

        False if its command was committed before: nothing is written. Raises Fenced if another has claimed the memory
        since, Stale if the version of `base` is not the journal's.
        """

    async def committed(self, user_id: str, command_id: str | None = None) -> ChangeSet | None:
        """What a command changed (default: the last one that has not been undone), or None."""


class FactJournal(Journal, Protocol):
    """A journal that keeps the vectors of facts beside them, for one encoder."""

    def prepare(self, changes: ChangeSet) -> None:
        """Make ready, in whatever thread, what is soon to be committed; unprepared its commit takes longer."""

    async def ownership(self, user_id: str) -> Ownership:
        """Who may commit now, and the version of what is believed."""

    async def fact_vectors(self, user_id: str) -> Mapping[str, Vector]:
        """fact id -> vector."""


class CommandCapture(Protocol):
    """Where commands are kept word for word before their turns are committed, so that the journal can be rebuilt."""

    async def resume(self, user_id: str, epoch: int, version: int) -> int:
        """Settle what an earlier life has left, now that the journal is at `version`; how far the captures reach.

        That is `version`, unless the journal has lost turns that were captured.
        """

    async def write(self, user_id: str, captured: Captured) -> None:
        """Capture a command that was decided; on return it is on disk. Raises Unavailable."""

    async def retract(self, user_id: str, captured: Captured) -> None:
        """Take back the line just written: its turn was refused."""

    async def condense(self, user_id: str) -> None:
        """Let what is believed now stand for all that was captured: words were erased."""


class FreshJournal(Protocol):
    """The journal of one memory while it is written anew; nobody sees it before it is whole."""

    async def load(self) -> WorkingSet:
        """What is believed by now."""

    async def committed(self, command_id: str) -> ChangeSet | None:
        """What an earlier command changed; None if there is none or it was undone."""

    async def put(self, version: int, changes: ChangeSet, vectors: Mapping[str, Vector]) -> None:
        """The next turn, with the vectors of the facts it created."""

    async def put_vectors(self, vectors: Mapping[str, Vector]) -> None:
        """Vectors of the facts it began with."""


@dataclass(frozen=True, slots=True)
class Unread:
    """What of a source is to be read next: utterances in order, and which words are hidden now, key -> revision."""

    utterances: tuple[Utterance, ...] = ()
    withdrawn: Mapping[int, int] = field(default_factory=dict)
    tried: frozenset[int] = frozenset()
    """Keys of what was to be read before and was not: each is read alone, so that it is seen which it was."""


class Capture(Protocol):
    """What was heard: many writers, natural keys, upsert; searchable in the next request."""

    async def store(self, source: Source, telling: Telling = ON_PURPOSE) -> StoredSource:
        """Store a source and its segments in one transaction.

        Raises Forgotten for a source that was forgotten, unless it is told again on purpose.
        """

    async def due(self, task: str, now: Instant, limit: int, order: QueueOrder = LATEST_FIRST) -> Sequence[DueSource]:
        """Sources whose task (embed or read) is due, at most `limit`, in this order."""

    async def unread(self, user_id: str, scope: str, source_id: str, limit: int) -> Unread:
        """The next unread segments of a source in order, preceded by a few read ones marked `context_only`."""

    async def failed(self, task: DueSource, error: str, now: Instant) -> None:
        """Record a failed attempt; the next one is due after 10 s * 2^n, at most an hour, eight in all."""


class Index(Protocol):
    """One way to find segments: text, vectors, graph or the hot working set."""

    name: str

    async def search(self, view: View, probe: Probe) -> Ranking:
        """The best `probe.limit` segments in the view and within `probe.window`, best first."""


@runtime_checkable
class Early(Index, Protocol):
    """An index that has something to do before it is known what the question means."""

    def begin(self, view: View, probe: Probe) -> Callable[[Probe], Ranking]:
        """Do it. What is returned takes the same probe with its vector, if there is one, and does the rest."""


class Feed(Protocol):
    """What was captured and encoded, by position, for whoever follows it."""

    async def positions(self, scopes: Sequence[str]) -> Mapping[str, Position]:
        """scope -> what was committed by now; a scope nobody wrote to is absent. Turns are not told here."""

    async def removed(self, scope: str, since: int) -> Keys:
        """Keys removed after a position."""

    def changed(self, scope: str, since: int) -> AsyncIterator[tuple[Sensitivity, SegmentBatch]]:
        """Segments written after a position, batch by batch; perhaps some of them twice."""

    def changed_vectors(self, scope: str, since: int, keys: Keys) -> AsyncIterator[tuple[Keys, Encoded]]:
        """Vectors and word pieces written after a vector position, and those of these keys, likewise."""


class Projection(Protocol):
    """An index that follows the journal: in memory, in the journal's own database, or in another server.

    It holds nothing that cannot be read again, so that any scope of it may be dropped at any time. Its position is kept
    with its rows, in the same transaction or after them, never before: what it says it holds it holds. It may hold more
    than that, for a run that broke off, or because the journal writes its rows along.

    A generation is what its rows are made with: encoder, layout, schema. It is part of where they lie (a collection, a
    label, a prefix), so that two generations share nothing. To change it another instance of the next generation is
    filled from the origin while this one answers; then whoever asks takes the next one's `serves`, and this one is
    dropped, scope by scope. `memory.services.project` follows, in one process and one run a scope at a time.
    """

    @property
    def name(self) -> str:
        """What it is called in `GET /v1/stats`."""

    @property
    def generation(self) -> str:
        """What its rows are made with."""

    @property
    def serves(self) -> Sequence[Index]:
        """The searches that it answers, each known to `memory.retrieval.registry` by its name.

        They answer while batches are applied, with each row as it was or as it is. A scope that is read for the first
        time may be out of sight until its run has ended, and one that was dropped is out of sight at once.
        """

    async def positions(self, scopes: Sequence[str]) -> Mapping[str, Position]:
        """scope -> how far it holds that; a scope of which it holds nothing, or that was dropped, is absent.

        It is read where the rows lie, so that it is right after a restart and after a reply that was lost.
        """

    async def apply(self, batch: ProjectionBatch) -> None:
        """Put and remove what a batch says, then take its `until` as the position.

        Order: batches of one scope come one after the other, by position and number; scopes are independent. A batch
        that begins behind the position is known already and changes nothing; one that begins beyond it raises Stale and
        changes nothing. Idempotence: rows are put by their natural keys, so the same batch twice is the same as once.
        Any other error, Unavailable among them, leaves the old position and perhaps some of the rows. A lost reply
        tells nothing: whoever follows asks for the position and goes on from it.
        """

    async def drop(self, scope: str) -> None:
        """Forget a scope of this generation: on return nothing of it is found, and its position is gone.

        Dropping what is not there does nothing. After a lost reply it is dropped again.
        """


class TraitSource(Protocol):
    """Where the weighable traits of candidates are looked up."""

    async def traits(self, view: View, keys: NDArray[np.int64], probe: Probe, closely: int = 0) -> Traits:
        """Columns aligned with `keys`; keys out of sight are dropped (see `Traits.keys`).

        The word pieces of the first `closely` of them come too, bare turns (`memory.retrieval.flags`) counted last,
        with those of the turns around that the probe may see.
        """


class Statements(dict[str, Vector]):
    """Statement -> its vector, and the name of the encoder that made them: vectors of two encoders never mix."""

    def __init__(self, encoder: str, vectors: Mapping[str, Vector]) -> None:
        super().__init__(vectors)
        self.encoder = encoder

    def __reduce__(self) -> tuple[type[Statements], tuple[str, dict[str, Vector]]]:
        return Statements, (self.encoder, dict(self))


class Embedder(Protocol):
    """Sentences to unit vectors, and their cosines to a similarity that rules may read."""

    name: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector a text."""

    def encode(self, texts: Sequence[str]) -> Encoded:
        """The same vectors and the texts' word pieces, in one pass; no pieces from an encoder that has none."""

    def ask(self, text: str) -> EncodedQuestion:
        """A question's vector and its content word pieces."""

    def calibrate(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        """The encoder's fitted monotone map: paraphrases near 0.93, the unrelated at most 0.40."""


class Extractor(Protocol):
    """Words to sightings and claims. Claims nothing of `context_only` utterances."""

    name: str

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        """What these utterances say. Raises ModelFailed; never returns half an answer."""


class LanguageModel(Protocol):
    """Text generation."""

    name: str

    async def complete(self, prompt: Prompt) -> str:
        """The whole answer, a reasoning model's thoughts left out. Raises ModelFailed, also of an empty one."""

    def stream(self, prompt: Prompt) -> AsyncGenerator[str]:
        """The same answer in pieces, none of them empty, as the model makes them; whoever stops reading closes it.

        Raises ModelFailed, also between two pieces: then what came before is no answer. Raises AnswerCut behind the
        last piece of an answer that used up its tokens. Nothing limits the wait for a piece; `memory.services.pacing`
        does.
        """


class Judge(Protocol):
    """What the later of two statements does to the earlier: says it again, denies it, takes its place, or nothing."""

    name: str
    asked_above: float | None
    """Calibrated similarity from which it is asked about the nearest rivals; None = the band of the rules, for one that
    costs much."""

    async def judge(self, pairs: Sequence[StatementPair]) -> Sequence[Verdict]:
        """One verdict a pair, in their order. Raises ModelFailed; never answers half of them."""


class GraphEngine(Protocol):
    """What a graph is made of: communities, ranks, cores and components, on a CPU or on a GPU.

    Every method takes any graph, without nodes or without edges too, and gives one number a node, in their order. It
    raises Invalid for a parameter out of its bounds, and EngineFailed if the library or the device fails. Two engines
    agree on components and cores exactly, on ranks within 0.001 in all; their partitions may differ and are of nearly
    the same modularity (`memory.rules.partitions.modularity`).
    """

    name: str

    def partition(self, graph: WeightedGraph, resolution: float = 1.0, seed: int = 0) -> NDArray[np.int32]:
        """[nodes] the community of each node by Leiden (Traag, Waltman and van Eck 2019), maximising modularity.

        From 0, the largest first, of equal ones that with the lowest node. Each is connected; a node without an edge is
        alone in one. A higher `resolution` (the gamma of modularity, above 0) gives more of them, and smaller ones. The
        same graph, resolution and seed (32 bits) give the same partition.
        """

    def rank(
        self, graph: WeightedGraph, personal: NDArray[np.floating] | None = None, damping: float = 0.85
    ) -> NDArray[np.float64]:
        """[nodes] PageRank (Brin and Page 1998), adding up to 1: how often a walk along the edges is there.

        With probability `damping`, from 0 up to below 1, it follows an edge by its weight; else, and where there is
        none, it begins anew: anywhere, or by the weights of `personal` [nodes], not negative and not all zero.
        """

    def cores(self, graph: WeightedGraph) -> NDArray[np.int32]:
        """[nodes] the largest k so that a node is one of some who have k neighbours each among them (Seidman 1983)."""

    def components(self, graph: WeightedGraph) -> NDArray[np.int32]:
        """[nodes] the connected component of each node, numbered like communities."""


class EventSink(Protocol):
    """Where parts tell what they do. Nobody waits for it, nothing fails by it, and what is too much is dropped."""

    def tell(
        self,
        user_id: str,
        process: str,
        event_type: str,
        session_id: str | None = None,
        sensitivity: Sensitivity = Sensitivity.OPEN,
        **figures: str | float | None,
    ) -> None:
        """One event of a process of the registry (memory.model.events), in a user's memory: ids and figures."""


class Leases(Protocol):
    """Who may use now what all models share: the one GPU, or the processors (memory/rules/leases.py)."""

    def lease(self, user: LeaseUser, patience_s: float | None = None) -> AbstractAsyncContextManager[bool]:
        """Hold a lease for one short piece of work. It is False where none came within `patience_s`.

        Without `patience_s` it waits until it is granted. Where nobody can say who holds what, it is True: no work is
        lost by that.
        """

    async def state(self) -> LeaseState | None:
        """Who holds a lease, who waits, and how much of what is shared they have declared; None if nobody can say."""


class Clock(Protocol):
    """The only source of now."""

    def now(self) -> Instant:
        """UTC epoch seconds."""
