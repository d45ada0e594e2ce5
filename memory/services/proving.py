"""Proving a night: questions of the user's own memory are answered before it and after each step that has changed it.

A step after which recall is lower than before the night by more than is tolerated is taken back, as an undo would. All
that is kept while the night goes on are ids of facts and figures, in its report, where forgetting reaches them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Protocol

from memory.errors import NothingToUndo, is_away
from memory.model.commands import Command
from memory.model.ids import command_id
from memory.model.scopes import Sensitivity, View
from memory.model.timeline import Instant
from memory.retrieval.query import Question
from memory.rules.holding import TAKEN_BACK, rows_of
from memory.rules.proof import DEPTH, ProofFact, ProofQuestion, lost, questions_of, reaches, recalled, shuffled
from memory.services.recall import Recollection
from memory.services.told import reason_of
from memory.services.undoing_nights import Undoer

log = logging.getLogger("memoray.night")
STEP = "proof"
MOST_QUESTIONS = 200
ASKED_S = 30.0
"""Seconds within which the questions are asked at first; those that are left then are not asked (chosen: a tenth of
what a night over 100,000 entities may take)."""
AGAIN = 2.0
"""How much longer than that they may take after a step: the same questions, while the step is still told of."""
TRIES = 3
"""Times a question is asked if a leg was late: a busy machine must not look like a step that does harm."""
Ask = Callable[[str, str, Instant], Awaitable[Sequence[int] | None]]
"""User, question, now -> keys of segments, best first; None if not every leg has answered in time."""


class ProofReads(Protocol):
    """The facts questions are made of."""

    async def sample(self, user_id: str, most: int, seed: str) -> Sequence[ProofFact]:
        """At most `most` active facts with a predicate and a segment as evidence, by memory.rules.proof.spread."""

    async def facts(self, user_id: str, fact_ids: Sequence[str]) -> Sequence[ProofFact]:
        """These facts, in this order; what was forgotten is left out."""


class ProofRecall(Protocol):
    """Who answers a question as GET /v1/context does."""

    async def recall(self, question: Question, only: None, understood: None) -> Recollection:
        """What answers a question."""


@dataclass(frozen=True)
class Proving:
    """With what nights are proved, and by how many questions; 0 = not at all."""

    reads: ProofReads
    ask: Ask
    undoer: Undoer
    questions: int = MOST_QUESTIONS
    seconds: float = ASKED_S
    """Within which they are asked at first."""
    clock: Callable[[], float] = time.monotonic


@dataclass
class ProofState:
    """A proof that is under way, as it stands in the report of its night."""

    questions: int
    """How many were asked and answered."""
    before: float | None
    after: float | None
    undone: list[str] = field(default_factory=list)
    """Steps that were taken back."""
    asked: list[tuple[list[str], float]] | None = None
    """Of each question the ids of its facts, and its recall before; None once the proof is over."""
    proved: list[str] = field(default_factory=list)
    """Steps that need not be asked about again."""
    undoing: str | None = None
    """The step that is being taken back."""
    taken_back: dict[str, list[list[Any]]] = field(default_factory=dict)
    """Of each step that was, the rows that the next nights leave as they are (memory.rules.holding)."""
    left_out: int = 0
    """Questions for which there was no time."""

    def told(self) -> dict[str, Any]:
        """What is left of it when the night is over."""
        told = {name: getattr(self, name) for name in ("questions", "before", "after", "undone")}
        rare = {"left_out": self.left_out, TAKEN_BACK: self.taken_back}
        return {**told, **{name: value for name, value in rare.items() if value}}


class ProofLog(Protocol):
    """Where a proof is kept while its night goes on."""

    async def tell(self, user_id: str, night: date, step: str, figures: dict[str, Any]) -> None:
        """Put other figures of a step into the report of a night that is not over."""


class NightProof:
    """The proof of one night. `standing` is what an interrupted one has left in the report."""

    def __init__(
        self, user_id: str, night: tuple[date, Instant], proving: Proving | None, nights: ProofLog, standing: Any = None
    ) -> None:
        self._user, (self._night, self._now), self._nights = user_id, night, nights
        self._proving = proving if proving is not None and proving.questions else None
        self._state: ProofState | None = None
        self._waiting: dict[str, Sequence[Command]] = {}
        """Step -> what it has committed, of those that are asked about at the end."""
        if standing is not None and "asked" in standing:
            self._state = ProofState(**standing)
        elif standing is not None:  # it was over, or could not be made
            self._proving = None

    async def begin(self, commands: Sequence[Command]) -> None:
        """Ask before the first of a night's commands is committed; a night without any asks nothing."""
        if commands and self._proving is not None and self._state is None:
            await self._guarded(self._begin)

    async def judge(self, step: str, commands: Sequence[Command]) -> None:
        """Ask again after a step that has committed these, and take it back if it did harm.

        Steps that change nothing that a search reads are asked about once, all together, at the end.
        """
        if not commands or self._state is None or step in self._state.proved:
            return
        if reaches(commands):
            await self._guarded(lambda: self._judge({step: commands}))
        else:
            self._waiting[step] = commands

    async def end(self) -> None:
        """Ask about what waits, and leave only figures in the report."""
        if self._state is not None and self._waiting:
            await self._guarded(lambda: self._judge(self._waiting))
        if self._state is not None:
            await self._nights.tell(self._user, self._night, STEP, self._state.told())

    async def _guarded(self, act: Callable[[], Awaitable[None]]) -> None:
        """A proof that fails is told as its failure, and the night goes on without it; who is away is waited for."""
        try:
            await act()
        except Exception as error:
            if is_away(error):
                raise
            log.exception("the night of %s could not be proved", self._user)
            await self._nights.tell(self._user, self._night, STEP, {"failed": reason_of(error)})
            self._proving = self._state = None

    async def _begin(self) -> None:
        assert self._proving is not None
        seed = f"{self._user}/{self._night}"
        sampled = await self._proving.reads.sample(self._user, self._proving.questions, seed)
        questions = shuffled(questions_of(sampled), seed)
        found = await self._answers(questions, self._proving.seconds)
        asked = [(list(each.fact_ids), got) for each, got in zip(questions, found, strict=False) if got is not None]
        share = _mean([before for _, before in asked])
        await self._keep(ProofState(len(asked), share, share, asked=asked, left_out=len(questions) - len(found)))

    async def _judge(self, steps: Mapping[str, Sequence[Command]]) -> None:
        """Ask about these steps, and take all of them back if less is found after them."""
        state = self._state
        assert state is not None
        harmful = state.undoing in steps or await self._has_lost()
        if harmful:
            for step, commands in reversed(list(steps.items())):
                if step not in state.undone:
                    await self._take_back(state, step, commands)
            await self._has_lost(settle=True)
        state.undoing = None
        state.proved += steps
        await self._keep(state)

    async def _take_back(self, state: ProofState, step: str, commands: Sequence[Command]) -> None:
        state.undoing = step  # told first: half taken back, it may do no harm any more
        await self._keep(state)
        await self._undo(step, commands)
        state.undone.append(step)
        if reaches(commands) and (rows := rows_of(commands)):  # of several it is not known which did harm
            state.taken_back[step] = rows
        await self._keep(state)

    async def _has_lost(self, *, settle: bool = False) -> bool:
        """Whether less is found than before the night; `settle` takes what is found now for what may be expected."""
        state = self._state
        assert state is not None
        assert state.asked is not None
        assert self._proving is not None
        questions = await self._remade(state.asked)
        found = await self._answers([each for each, _ in questions], AGAIN * self._proving.seconds)
        pairs = [(before, got) for (_, before), got in zip(questions, found, strict=False) if got is not None]
        state.after = _mean([got for _, got in pairs])
        if settle:
            known = {each.fact_ids: got for (each, _), got in zip(questions, found, strict=False) if got is not None}
            state.asked = [(ids, min(before, known.get(tuple(ids), before))) for ids, before in state.asked]
        return lost([before for before, _ in pairs], [got for _, got in pairs])

    async def _remade(self, asked: Sequence[tuple[list[str], float]]) -> list[tuple[ProofQuestion, float]]:
        """The questions as they can be made now, and what was found before; what was forgotten is not asked."""
        assert self._proving is not None
        ids = [each for some, _ in asked for each in some]
        facts = {each.fact_id: each for each in await self._proving.reads.facts(self._user, ids)}
        remade = []
        for some, before in asked:
            of = questions_of(facts[each] for each in some if each in facts)
            if len(of) == 1:
                remade.append((ProofQuestion(of[0].text, tuple(some), of[0].expected), before))
        return remade

    async def _answers(self, questions: Sequence[ProofQuestion], seconds: float) -> list[float | None]:
        """Recall of each, as far as they can be asked in so many seconds; None where one could not be answered.

        One is asked after the other: somebody who asks meanwhile finds the other core of a laptop free.
        """
        assert self._proving is not None
        found: list[float | None] = []
        until = self._proving.clock() + seconds
        for each in questions:
            if self._proving.clock() >= until:
                break
            found.append(await self._answer(each))
        return found

    async def _answer(self, question: ProofQuestion) -> float | None:
        assert self._proving is not None
        for _ in range(TRIES):
            found = await self._proving.ask(self._user, question.text, self._now)
            if found is not None:
                return recalled(found, question.expected)
        return None

    async def _undo(self, step: str, commands: Sequence[Command]) -> None:
        """Reverse what a step has committed, the last first; what has changed since is left."""
        assert self._proving is not None
        for each in reversed(commands):
            identity = command_id("undo", self._user, f"proof:{self._night}:{step}", each.command_id)
            try:
                await self._proving.undoer.undo(self._user, identity, each.command_id, "night", partly=True)
            except NothingToUndo:  # it changed nothing, was not committed, or was undone before an interruption
                log.debug("nothing to undo of %s", each.command_id)

    async def _keep(self, state: ProofState) -> None:
        self._state = state
        await self._nights.tell(self._user, self._night, STEP, asdict(state))


def asking(by: ProofRecall, hours_back: float | None = None) -> Ask:
    """Ask as GET /v1/context does, with everything of the user's own in sight; no access is recorded."""

    async def ask(user_id: str, text: str, now: Instant) -> Sequence[int] | None:
        view = View(user_id, clearance=Sensitivity.SENSITIVE)
        question = Question(text, view, now, limit=DEPTH, hours_back=hours_back, record_access=False)
        found = await by.recall(question, None, None)
        late = TimeoutError.__name__ in found.degraded.values()
        return None if late else [int(key) for key in found.keys]

    return ask


def _mean(shares: Sequence[float]) -> float | None:
    return round(sum(shares) / len(shares), 4) if shares else None
