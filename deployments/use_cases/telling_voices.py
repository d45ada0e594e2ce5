"""A source that comes with voices: whose they are tells the bank of voices of that memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from deployments.app_context import AppContext
from deployments.kinds import Body, ShortText
from memory.errors import Invalid
from memory.model.sound import HeardVoice
from memory.model.sources import Segment, Source
from memory.model.voices import SOMEBODY
from memory.services.recognising import Recording, recognised

MOST_HEARD = 64
"""Voices of one recording (chosen: of so many nobody is told apart any more)."""
LEAST_LENGTH = 1e-6
VoiceNumber = Annotated[int, Field(ge=1, le=MOST_HEARD)]
Component = Annotated[float, Field(ge=-1_000, le=1_000, allow_inf_nan=False)]


class HeardVoiceIn(Body):
    """A voice of a recording: its number there, for how long it was heard, and its print by a model, of any length."""

    number: VoiceNumber
    seconds: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
    model: ShortText
    embedding: Annotated[list[Component], Field(min_length=1, max_length=1_024)]

    def heard(self) -> HeardVoice:
        """The same with a print of unit length. Raises Invalid of one without a direction."""
        length = math.sqrt(sum(each * each for each in self.embedding))
        if length < LEAST_LENGTH:
            raise Invalid("voices: an embedding must not be zero.")
        return HeardVoice(self.number, self.seconds, self.model, tuple(each / length for each in self.embedding))


async def told_by_voices(
    app: AppContext, source: Source, numbers: Sequence[int | None], voices: Sequence[HeardVoiceIn]
) -> Source:
    """The source with the speakers that its voices have; `numbers` has the voice of each segment, None where unknown.

    Segments of voices that are not to be told are left out. Raises Invalid and Stale.
    """
    where = Recording(source.scope, source.source_id, source.started_at, source.offset_s)
    heard = {each.number: each.heard() for each in voices}
    policy = app.settings.sound.strangers
    speakers = await recognised(app.stores.sound.voices, [*heard.values()], where, app.clock.now(), policy)
    if not speakers:
        return source
    told: list[Segment] = []
    for each, number in zip(source.segments, numbers, strict=True):
        speaker = SOMEBODY if number is None else speakers.get(number, each.speaker)
        if speaker is not None:
            told.append(replace(each, speaker=speaker))
    return replace(source, segments=tuple(told))


async def forget_prints(app: AppContext, source: Source) -> None:
    """Erase what was learnt from a source that may not be told any more."""
    bank = await app.stores.sound.voices.bank(source.scope)
    prints = [each.print_id for each in bank.prints.values() if each.source_id == source.source_id]
    await app.stores.sound.voices.erase(source.scope, (), prints)
