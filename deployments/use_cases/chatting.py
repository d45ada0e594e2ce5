"""Chatting: what was said last is answered from memory, in a model's words or in quotations, and the talk remembered.

Clients send the whole talk each time, and send it again when an answer is late or lost. So what is remembered of a
request is what is new in it, which is what the user said since the assistant's last words, and the answer; and the ids
of both are made of the talk so far (decision 0080).
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from itertools import takewhile

from ray.exceptions import RayError

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.kinds import MOST_QUERY
from deployments.use_cases.answers import CONSIDERED, findings
from deployments.use_cases.asking import AskIn, Citation, citations_of
from deployments.use_cases.contexts import asks_again, hit_of
from deployments.use_cases.questions import Recalled, ask
from deployments.use_cases.searching import question_of
from deployments.use_cases.telling import RoleMessageIn, SourceIn, tell
from memory.errors import AnswerCut, DomainError, ModelFailed, Unavailable
from memory.model.ids import digest
from memory.model.profile import Profile
from memory.model.prompts import Prompt, SpokenTurn
from memory.model.timeline import Instant
from memory.ports import LanguageModel
from memory.retrieval.packing import BYTES_PER_TOKEN, tokens
from memory.retrieval.query import Question
from memory.retrieval.verdicts import JUDGED
from memory.services.answer import QUOTED, UNGENERATED, compose
from memory.services.answer import CitedSegment as Cited
from memory.services.answer import ComposedAnswer as Composed
from memory.services.pacing import StreamLimits, paced
from memory.words.cleaning import visible
from memory.words.spoken import spoken
from memory.words.tool_calls import without_tool_calls

log = logging.getLogger("memoray.gateway")
MOST_BRIEFING = 1_000
"""Tokens of memory that a language model is given (chosen: what a simple question is given, decision 0030)."""
MOST_ANSWER = 1_024
"""Tokens of an answer to a request that names no bound (chosen: a page)."""
MOST_GENERATED = 8_192
"""Tokens that a language model is asked for, whatever bound a request names: servers refuse more than they can hold."""
HIDDEN, HEARD_A_TOKEN = 16_000, 16
"""Characters that a model may say and that are not told, and those that it may say for each token that is wanted
(chosen: four times what a token has; whatever is beyond it comes from a server that is broken)."""
MODEL = "language"
"""What `degraded` calls a language model that failed."""
_CITED = re.compile(r"\[(\d{1,4})\]")
_PIECES = re.compile(r"(?:\S+\s*){1,3}|\s+")
NO_WORDS = "The language model has answered with nothing but calls of tools."
ENDLESS = "The language model says more and more that is no answer."
ErasureMark = tuple[int, float]
"""How many erasures have reached a memory, and when the last was asked for, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A talk so far, and how its answer is wanted."""

    turns: Sequence[SpokenTurn]
    """Who said what, user or assistant; the last turn is the user's."""
    instructions: str = ""
    """What the client tells a language model in front of the talk."""
    most: int = MOST_ANSWER
    """Tokens of the answer."""
    stops: Sequence[str] = ()
    """Words that end the answer in front of them."""
    provenance: Mapping[str, str] = field(default_factory=dict)
    """What is kept about where the talk came from."""
    named: Mapping[int, str] = field(default_factory=dict)
    """Place of a turn -> who says it, where the client tells. An unnamed user is the owner."""
    remembered: bool = True

    @property
    def asked(self) -> str:
        """What is to be answered."""
        return self.turns[-1][1]

    @property
    def most_generated(self) -> int:
        """Tokens that a language model is asked for."""
        return min(self.most, MOST_GENERATED)

    @property
    def most_heard(self) -> int:
        """Characters that a language model may say in one turn."""
        return HIDDEN + HEARD_A_TOKEN * self.most_generated


@dataclass(frozen=True, slots=True)
class Reminded:
    """What came to mind about what was said last, and where the talk is remembered."""

    question: Question
    recalled: Recalled
    source_id: str
    """The conversation of this day that the talk belongs to."""
    mark: ErasureMark
    """What had been forgotten before."""

    @property
    def context(self) -> str:
        """The briefing, between the tags that make it data; empty where nothing came to mind."""
        return self.recalled.context


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer, what it rests on, whether a language model wrote it, and what was away."""

    text: str
    kept: str
    """What is remembered of it."""
    generated: bool
    citations: Sequence[Citation]
    degraded: Sequence[str]
    cut: bool = False
    """Whether it was longer than was wanted."""


def turn_ids(turns: Sequence[SpokenTurn]) -> list[str]:
    """An id for each turn, and one for the answer to come.

    A user's turn is named by all that was said up to it, the assistant's by what it answers: an answer that is given
    again, in whatever words, takes the place of the one before.
    """
    ids, before = [], digest("talk").hex()
    for role, words in turns:
        after = digest("turn", before, role, words).hex()
        ids.append(after if role == "user" else _answer_id(before))
        before = after
    return [*ids, _answer_id(before)]


def _answer_id(before: str) -> str:
    return digest("answer", before).hex()


async def mark_of(app: AppContext, who: Caller) -> ErasureMark:
    """The mark of the caller's memory: another one, and something was forgotten since. Taken before a talk is read."""
    return await app.stores.erasure.receipts.reached(who.user_id)


async def remind(app: AppContext, who: Caller, talk: Talk, mark: ErasureMark) -> Reminded:
    """Search memory for what was said last. The talk itself answers nothing: whoever asks has it before their eyes."""
    asked = AskIn(query=talk.asked[:MOST_QUERY], record_access=talk.remembered)
    question = replace(
        await question_of(app, who, asked),
        considered=CONSIDERED,
        judged=JUDGED,
        budget_tokens=None if app.model is None else MOST_BRIEFING,  # quotations need no briefing
        besides=frozenset(turn_ids(talk.turns)),
    )
    conversation = _conversation(app, await app.profile(who.user_id), talk, question.now)
    return Reminded(question, await ask(app, question), conversation, mark)


def _conversation(app: AppContext, profile: Profile, talk: Talk, now: Instant) -> str:
    """The id of the source that holds what is said of a talk on a day."""
    day = datetime.fromtimestamp(now + app.offset(profile, now), UTC).date()
    first = next(words for role, words in talk.turns if role == "user")
    return f"chat-{digest('chat', first).hex()}-{day.isoformat()}"


async def reply(app: AppContext, who: Caller, talk: Talk, reminded: Reminded) -> Reply:
    """The answer. A language model that fails, or is late, costs its words and never the answer."""
    if app.model is None:
        return await quoted(app, who, talk, reminded)
    try:
        return await _generated(app, app.model, talk, reminded)
    except ModelFailed as error:
        log.warning("the language model gave no answer (%s); memory is quoted instead", type(error).__name__)
        return await quoted(app, who, talk, reminded, (MODEL,))


async def quoted(app: AppContext, who: Caller, talk: Talk, reminded: Reminded, missing: Sequence[str] = ()) -> Reply:
    """The answer in quotations; `missing` is what else was away."""
    found = await findings(app, who, reminded.question, reminded.recalled)
    composed = compose(found)
    told = f"{composed.text}\n{UNGENERATED}" if MODEL in missing else composed.text
    text, cut = bounded(visible(told), talk)
    return Reply(text, QUOTED, False, citations_of(composed, found.cited), [*_degraded(reminded), *missing], cut)


async def _generated(app: AppContext, model: LanguageModel, talk: Talk, reminded: Reminded) -> Reply:
    """A model's whole answer. Raises ModelFailed, also after what the settings let a call take."""
    limit_s, words, is_cut = app.settings.models.language.timeout_s, "", False
    try:
        async with aclosing(said_by(model, prompt_of(talk, reminded), StreamLimits(limit_s, limit_s, limit_s))) as said:
            async for piece in said:
                words += piece
                if len(words) > talk.most_heard:
                    raise ModelFailed(ENDLESS)
    except AnswerCut:
        is_cut = True
    told, is_bounded = bounded(spoken(without_tool_calls(words)).strip(), talk)
    return in_words(told, reminded, cut=is_cut or is_bounded)


def prompt_of(talk: Talk, reminded: Reminded) -> Prompt:
    """A talk in which no tools are called, as a language model is asked to go on with it."""
    earlier = list(talk.turns[:-1])
    return Prompt(system_of(talk, reminded), talk.asked, max_tokens=talk.most_generated, earlier=earlier)


async def said_by(model: LanguageModel, prompt: Prompt, limits: StreamLimits) -> AsyncGenerator[str]:
    """What a model says, in time. However it fails, here or elsewhere, that is a ModelFailed; nothing else is."""
    try:
        async with aclosing(paced(model.stream(prompt), limits)) as pieces:
            async for words in pieces:
                yield words
    except ModelFailed:
        raise
    except (Unavailable, RayError, TimeoutError) as error:
        raise ModelFailed(error.detail if isinstance(error, DomainError) else None) from error


def in_words(text: str, reminded: Reminded, found: Sequence[Citation] = (), *, cut: bool = False) -> Reply:
    """What a model has written, as it is shown, as an answer. Raises ModelFailed if there is nothing of it.

    `found` may be cited beside the briefing: it is what the model has looked up itself.
    """
    if not text:
        raise ModelFailed(NO_WORDS)
    return Reply(text, text, True, _rested_on(text, reminded, found), _degraded(reminded), cut)


def pieces(text: str) -> list[str]:
    """A text as it is streamed: a few words at a time, at least one piece."""
    return _PIECES.findall(text) or [""]


def _degraded(reminded: Reminded) -> list[str]:
    return sorted(reminded.recalled.recollection.degraded)


def system_of(talk: Talk, reminded: Reminded) -> str:
    """What a language model is told in front of the talk: the client's instructions, ours, and the memory as data."""
    return "\n\n".join(part for part in (talk.instructions, instructions(), reminded.context) if part)


def instructions() -> str:
    """How a language model is to use the memory."""
    return prompt_named("chat")


@cache
def prompt_named(name: str) -> str:
    """Instructions that come with the package."""
    return (files("memory.services") / "prompts" / f"{name}.md").read_text(encoding="utf-8").strip()


def _rested_on(text: str, reminded: Reminded, found: Sequence[Citation] = ()) -> list[Citation]:
    """What a text cites by its numbers, of the briefing and of what was `found`; all of the briefing if nothing."""
    hits = [hit_of(each) for each in reminded.recalled.shown]
    given = {int(number) for number in _CITED.findall(reminded.context)} & set(range(1, len(hits) + 1))
    named = {int(number) for number in _CITED.findall(text)}
    looked_up = [each for each in found if each.number in named]
    numbers = sorted(given & named or (set() if looked_up else given))
    cited = tuple(Cited(each, hits[each - 1].source_id, hits[each - 1].segment_id) for each in numbers)
    return [*citations_of(Composed(text, cited), hits), *looked_up]


def bounded(text: str, talk: Talk) -> tuple[str, bool]:
    """A text up to the first of the words that end it, within its tokens; and whether those were too few."""
    ends = [place for stop in talk.stops if (place := text.find(stop)) >= 0]
    text = text[: min(ends)] if ends else text
    low, high = 0, min(len(text), talk.most * BYTES_PER_TOKEN)
    if high == len(text) and tokens(text) <= talk.most:
        return text, False
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens(text[:middle]) <= talk.most else (low, middle - 1)
    return text[:low], True


async def standing(app: AppContext, who: Caller, reminded: Reminded, answered: Reply) -> Reply | None:
    """An answer that may be remembered; None of a model's own words if something was forgotten since it was asked.

    They may hold what is to be forgotten. Of a quotation nothing is kept that could.
    """
    if answered.generated and await mark_of(app, who) != reminded.mark:
        return None
    return answered


async def remember(app: AppContext, who: Caller, talk: Talk, reminded: Reminded, answered: Reply | None) -> str | None:
    """Store what is new of a talk with its answer, both or neither, in one conversation a day; its id, None if nothing.

    Without an answer, since that is still being told or is not to be remembered, what the user said is stored alone.
    A question that was asked and quoted an answer before tells nothing new: remembered each time it would stand before
    its answer. Raises Forbidden for a token that may only read.
    """
    is_generated = answered is None or answered.generated
    if not talk.remembered or (not is_generated and _is_asked_again(talk, reminded)):
        return None
    profile, now, source_id = await app.profile(who.user_id), reminded.question.now, reminded.source_id
    stored = await app.stores.reads.sources.segments(who.scope, source_id)
    known = {each.segment_id: each for each in stored}
    started = stored[0].at - stored[0].start if stored else now
    after = max(now - started, *(each.end for each in stored), 0.0)
    segments = [
        message.segment(profile).model_copy(
            update={
                "segment_id": name,
                "start": known[name].start if name in known else round(after + place / 1_000, 3),
            }
        )
        for place, (name, message) in enumerate(_fresh(talk, answered))
        if message.words().strip() and (name not in known or known[name].text != message.words())
    ]
    if segments:
        rest = {"provenance": {**talk.provenance}, **await _sensitivity(app, who, answered)}
        told = {"source_id": source_id, "started_at": started, "segments": segments, **rest}
        await tell(app, who, SourceIn.model_validate(told))
    return source_id


async def _sensitivity(app: AppContext, who: Caller, answered: Reply | None) -> dict[str, str]:
    """How sensitive a talk is from now on: with a model's own words as much as anything that the model may have used.

    It may have looked up whatever its caller sees, and need not cite it. The talk itself is in sight, too, so that it
    never becomes more open. Of a quotation nothing is kept; then the talk stays as it is.
    """
    if answered is None or not answered.generated:
        return {}
    return {"sensitivity": (await app.stores.reads.sources.highest(who.view)).name.lower()}


def _is_asked_again(talk: Talk, reminded: Reminded) -> bool:
    """Whether what was said last is a question that is remembered already, as the only thing that is new."""
    before = talk.turns[-2][0] if len(talk.turns) > 1 else "assistant"
    return before == "assistant" and any(asks_again(talk.asked, each.text) for each, _ in reminded.recalled.considered)


def _fresh(talk: Talk, answered: Reply | None) -> list[tuple[str, RoleMessageIn]]:
    """The user's last turns and the answer if there is one, each with its id."""
    ids = turn_ids(talk.turns)
    named = list(zip(ids, talk.turns, range(len(talk.turns)), strict=False))
    last = list(takewhile(lambda each: each[1][0] == "user", reversed(named)))
    said = [
        (name, RoleMessageIn(role="user", content=words, name=talk.named.get(place)))
        for name, (_, words), place in reversed(last)
    ]
    return said if answered is None else [*said, (ids[-1], RoleMessageIn(role="assistant", content=answered.kept))]
