"""Reading with a language model: a portion of an utterance a call, and only what its words carry is believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from adapters.extraction.model_answer import SCHEMA, SaidFact, SeenEntity, answer_of
from adapters.extraction.model_claims import claims_of
from adapters.extraction.model_grounds import UtteranceContext, grounds_of
from adapters.extraction.model_sightings import sightings_of
from adapters.extraction.tasks import tasks_of
from adapters.language.openai import OpenAiModel
from config.models import Endpoint
from memory.model.claims import Claim, Reading, Sighting, Utterance
from memory.model.prompts import Prompt
from memory.words.cleaning import visible
from memory.words.normalise import split_sentences
from memory.words.passages import passages
from memory.words.retractions import is_joke

_SILENT_ROLES = frozenset({"assistant", "tool"})
"""What an assistant or a tool said is no evidence."""
_EARLIER = 3
"""Lines before that are shown, for pronouns and answers."""
_EARLIER_CHARS = 200
_PORTION_CHARS = 600
"""Text of one call: small models lose the thread of more than a few sentences."""
_MAX_TOKENS = 768


class OpenAiExtractor:
    """Reads talk with the model behind an OpenAI-compatible URL: English best, other languages as bare statements.

    One call a portion, in order: a server with one slot keeps the prompt and its examples in its cache. A failed call
    fails the reading: what was not read stays due and is tried again.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._model = OpenAiModel(endpoint)
        self.name = f"openai:{self._model.name}"

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        """What these utterances say. Raises ModelFailed for any answer that is none."""
        speakers = tuple(dict.fromkeys(each.speaker for each in utterances if _speaks(each) and each.speaker))
        sightings: list[Sighting] = []
        claims: list[Claim] = []
        for place, utterance in enumerate(utterances):
            if utterance.context_only or not _speaks(utterance):
                continue
            grounds = grounds_of(utterance, utterances[max(0, place - _EARLIER) : place], speakers)
            if _takes_back(utterance):
                claims = list(_kept(claims, utterances[:place], utterance.speaker))
            seen, said = await self._read_one(grounds)
            sightings.extend((*seen, *tasks_of(utterance)))
            claims.extend(said)
        return Reading(tuple(sightings), tuple(claims), self.name)

    async def _read_one(self, grounds: UtteranceContext) -> tuple[list[Sighting], list[Claim]]:
        entities: list[SeenEntity] = []
        facts: list[SaidFact] = []
        for portion in portions(grounds.utterance.text):
            asked = Prompt(instructions(), prompt_of(portion, grounds), schema=SCHEMA, max_tokens=_MAX_TOKENS)
            answer = answer_of(await self._model.complete(asked))
            entities.extend(answer.entities)
            facts.extend(answer.facts)
        claims = list(claims_of(facts, grounds))
        return list(sightings_of(entities, claims, grounds)), claims


@cache
def instructions() -> str:
    """The system prompt: what to write down, and four examples, one of them empty."""
    return (files("memory.services") / "prompts" / "extract.md").read_text(encoding="utf-8").strip()


def prompt_of(portion: str, grounds: UtteranceContext) -> str:
    """The few lines before and the line to read, each on one line of its own, however it was typed."""
    earlier = [
        f"{_who(each, (grounds.utterance.speaker,))}: {_one_line(each.text)[-_EARLIER_CHARS:]}"
        for each in grounds.earlier
    ]
    before = ["Earlier:", *earlier] if earlier else []
    return "\n".join((*before, "Line:", f"{_who(grounds.utterance, grounds.listeners)}: {portion}", "Answer:"))


def portions(text: str) -> Iterator[str]:
    """What is read of a text in portions of whole sentences, at most 600 characters; a longer one is cut at a space."""
    held = ""
    for sentence in (each for passage in passages(text) for each in split_sentences(passage)):
        for piece in _pieces(_one_line(sentence)):
            if held and len(held) + len(piece) >= _PORTION_CHARS:
                yield held
                held = ""
            held = f"{held} {piece}".strip()
    if any(character.isalnum() for character in held):
        yield held


def _pieces(sentence: str) -> Iterator[str]:
    while len(sentence) > _PORTION_CHARS:
        cut = sentence.rfind(" ", 0, _PORTION_CHARS)
        cut = cut if cut > 0 else _PORTION_CHARS
        yield sentence[:cut].rstrip()
        sentence = sentence[cut:].lstrip()
    yield sentence


def _who(utterance: Utterance, others: Sequence[str]) -> str:
    listeners = [name for name in utterance.listeners or others if name != utterance.speaker]
    speaker = _one_line(utterance.speaker) or "Somebody"
    return f"{speaker} (to {' and '.join(map(_one_line, listeners))})" if listeners else speaker


def _one_line(text: str) -> str:
    return " ".join(visible(text).split())


def _speaks(utterance: Utterance) -> bool:
    return utterance.role not in _SILENT_ROLES


def _takes_back(utterance: Utterance) -> bool:
    sentences = split_sentences(next(passages(utterance.text)))
    return bool(sentences) and is_joke(sentences[0])


def _kept(claims: Sequence[Claim], before: Sequence[Utterance], speaker: str) -> Iterator[Claim]:
    """Without what a speaker's "just kidding" takes back: the last words of theirs that claimed something before."""
    keys = {each.segment_key for each in before if each.speaker == speaker}
    last = next((claim for claim in reversed(claims) if claim.segment_key in keys), None)
    return (
        claim for claim in claims if last is None or claim.segment_key != last.segment_key or claim.quote != last.quote
    )
