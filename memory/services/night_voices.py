"""Voices that are probably one person, listed each night for somebody to compare; nothing merges them by rule."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from memory.model.scopes import user_scope
from memory.model.voices import VoiceBank
from memory.rules.night_steps import NightName, StepResult
from memory.rules.voices import proposals

STEP = "voices"


class VoiceReads(Protocol):
    """What the step reads of a memory."""

    async def bank(self, scope: str) -> VoiceBank:
        """All voices and prints."""

    async def told_apart(self, scope: str) -> Collection[tuple[str, str]]:
        """Pairs of voices of which somebody has said that they are different people's."""


async def alike_voices(of: NightName, reads: VoiceReads | None) -> StepResult:
    """Pairs that sound like one person, by ids; no command. Without a bank there are none."""
    if reads is None:
        return StepResult((), {})
    scope = user_scope(of.user_id)
    bank = await reads.bank(scope)
    found = proposals(bank, list(bank.standing()), await reads.told_apart(scope))
    return StepResult((), {"alike": [[each.voice_id, each.other_id, each.similarity] for each in found]})
