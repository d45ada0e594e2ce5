"""Recognising voices: whose a voice is, what a bank may learn of it, and which voices are probably one person.

All figures are of section 4 of the recipe that was measured on nine people, through a device with echo and noise, from
ten seconds each: they hold for their model alone. Cosines are compared as they are, for prints have no other use.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memory.model.sound import HeardVoice
from memory.model.voices import EXCLUSIONS, LEARNT, STRANGERS, KnownVoice, VoiceBank, VoicePrint


@dataclass(frozen=True, slots=True)
class VoiceLimits:
    """From which similarity on a voice is somebody's, and from which on it may be learnt from."""

    seconds: float
    """Least speech of a voice that is recognised."""
    accept: float
    """Least cosine to a print."""
    margin: float
    """How much nearer it must be than anybody else's."""
    learn: float
    """Least cosine to an original print of a voice that is learnt."""
    novelty: float
    """Least distance (1 - cosine) from all prints that are known of it."""
    learn_seconds: float
    """Least speech of a voice that is learnt."""
    most: int = 8
    """Prints that a bank learns of one voice."""


LIMITS: Mapping[str, VoiceLimits] = {
    "campp": VoiceLimits(2.0, 0.70, 0.10, 0.75, 0.20, 4.0),
    "ge2e": VoiceLimits(4.0, 0.85, 0.05, 0.85, 0.08, 4.0),
    "community-1": VoiceLimits(5.0, 0.35, 0.10, 0.55, 0.15, 5.0, most=0),
}
"""Model -> its limits: with the first two, strangers in the bank were 0 of 50, and false accepts 0 % before and after.
The last are the published field figures of a wearable (accepted below a distance of 0.65 with 0.10 to the next, 5 s of
speech). Nobody has measured them here, so nothing is learnt by them."""
MOST_VOICES = 2_000
"""Voices of one scope (chosen: a bank of so many prints is compared in 2 ms)."""
MOST_STYLES = 32
"""Prints that one voice is enrolled with (chosen: devices, languages, moods)."""
MOST_PROPOSALS = 50
"""Pairs that are proposed at once (chosen)."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """The voice that was recognised, None of a stranger's; the cosines to the nearest and to the next other voice."""

    voice_id: str | None
    similarity: float = 0.0
    runner_up: float = 0.0


@dataclass(frozen=True, slots=True)
class MergeProposal:
    """Two voices that are probably one person, and the best cosine between their prints."""

    voice_id: str
    other_id: str
    similarity: float


def identify(prints: Iterable[VoicePrint], voice: HeardVoice) -> Recognised:
    """Whose a voice is. It is nobody's if it is short, not near enough, or about as near to somebody else.

    Prints of other models say nothing, and neither does the order of the prints.
    """
    limits, near = LIMITS.get(voice.model), _nearest(prints, voice)
    if limits is None or not near:
        return Recognised(None)
    (first, best), *others = sorted(near.items(), key=lambda each: (-each[1], each[0]))
    second = others[0][1] if others else -1.0
    sure = voice.seconds >= limits.seconds and best >= limits.accept and best - second >= limits.margin
    return Recognised(first if sure else None, best, second)


def may_learn(prints: Sequence[VoicePrint], voice: HeardVoice, of: str) -> bool:
    """Whether a voice that was recognised as somebody's adds to what is known of theirs.

    It must resemble what a person vouched for: a style that matches only another style is how strangers come in.
    """
    limits, own = LIMITS[voice.model], [each for each in prints if each.voice_id == of and each.model == voice.model]
    original = _nearest([each for each in own if each.is_original], voice).get(of, -1.0)
    known = _nearest(own, voice).get(of, -1.0)
    others = max(_nearest([each for each in prints if each.voice_id != of], voice).values(), default=-1.0)
    return (
        voice.seconds >= limits.learn_seconds
        and original >= limits.learn
        and original - others >= limits.margin
        and 1.0 - known >= limits.novelty
        and sum(each.origin == LEARNT for each in own) < limits.most
    )


def towards_strangers(bank: VoiceBank, model: str, policy: str) -> str:
    """How strictly to treat an unknown voice that this model hears, one of `STRANGERS`.

    If the owner excluded somebody whose voice only another model knows, any unknown voice might be theirs, so the
    strictest such wish holds.
    """
    strictest = policy
    for voice in (each for each in bank.standing() if each.exclusion):
        of = {each.model for each in bank.prints.values() if bank.root(each.voice_id) == voice}
        if of and model not in of:
            strictest = max(strictest, STRANGERS[EXCLUSIONS.index(voice.exclusion)], key=STRANGERS.index)
    return strictest


def proposals(
    bank: VoiceBank, standing: Sequence[KnownVoice], apart: Collection[tuple[str, str]] = ()
) -> list[MergeProposal]:
    """Pairs of these voices that resemble each other like one person, the nearest first; nobody merges them by rule.

    A voice that was learnt is not compared: only what each was known by from the first. Those of `apart` are different
    people's, and so are the voices that became one with them.
    """
    of = {each.voice_id for each in standing}
    known = (pair for pair in apart if bank.voices.keys() >= {*pair})
    refused = {tuple(sorted(bank.root(each).voice_id for each in pair)) for pair in known}
    found: dict[tuple[str, str], float] = {}
    for model, limits in LIMITS.items():
        prints = [p for p in bank.prints.values() if p.model == model and p.voice_id in of and p.is_original]
        if len(prints) < 2:
            continue
        vectors = np.array([each.embedding for each in prints], np.float32)
        alike = vectors @ vectors.T
        for left, right in np.argwhere(np.triu(alike, 1) >= limits.accept).tolist():
            pair = tuple(sorted((prints[left].voice_id, prints[right].voice_id)))
            if pair[0] != pair[1] and pair not in refused:
                found[pair] = max(found.get(pair, -1.0), float(alike[left, right]))  # type: ignore[index, arg-type]
    nearest = sorted(found.items(), key=lambda each: (-each[1], each[0]))[:MOST_PROPOSALS]
    return [MergeProposal(one, other, round(alike, 4)) for (one, other), alike in nearest]


def _nearest(prints: Iterable[VoicePrint], voice: HeardVoice) -> dict[str, float]:
    """KnownVoice -> the best cosine between its prints and what was heard."""
    same = [p for p in prints if p.model == voice.model and len(p.embedding) == len(voice.embedding)]
    if not same:
        return {}
    # summed row by row: what a product of matrices gives depends on its other rows in the last digit
    cosines = (np.array([each.embedding for each in same]) * np.array(voice.embedding)).sum(axis=1)
    best: dict[str, float] = {}
    for each, cosine in zip(same, cosines.tolist(), strict=True):
        best[each.voice_id] = max(cosine, best.get(each.voice_id, -1.0))
    return best
