"""Splitting a voice: what was taken for one person's is two people's, and so is what was read from their words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.commands import turn
from deployments.kinds import Body, Id, ShortText
from deployments.use_cases.speakers import taken_back
from deployments.use_cases.voice_changes import VoiceChanged, changed_so, made_before, standing_changes
from deployments.use_cases.voices import shown_voice, voice_meant
from memory.errors import Conflict, Invalid, NotFound
from memory.model.commands import PartSpeaker
from memory.model.voices import SPLIT, BankChange, KnownVoice, VoiceBank
from memory.rules.voice_bank import applied
from memory.rules.voice_splits import brought_by, labels_of, labels_split, prints_split
from memory.rules.voice_turns import turn_id
from memory.services.voices import day_called

MOST_SAID = 200_000
"""Segments that can become another person's at once: what rests on several of them goes only with all of these, so
they are one command (chosen: one of 2 MB, and more than one voice says in a year)."""
Several = Field(max_length=100)


class VoiceSplitting(Body):
    """What goes out of a voice: labels that it was heard under, or prints by which it is known, and not both."""

    labels: Annotated[list[ShortText], Several] = Field(default_factory=list)
    prints: Annotated[list[Id], Several] = Field(default_factory=list)

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"labels": ["Speaker 1 of 6 May"]}]}}


async def split_voice(app: AppContext, who: Caller, key: str, voice_id: str, body: VoiceSplitting) -> VoiceChanged:
    """Let labels or prints go out of a voice into one of their own. Raises NotFound, Invalid, and Conflict where
    nothing would be left of it, or where it has said too much."""
    bank, voice = await voice_meant(app, writing(who), voice_id)
    if known := await made_before(app, who, key, SPLIT, voice):
        return await _again(app, who, bank, known)
    if bool(body.labels) == bool(body.prints):
        raise Invalid("Say which labels go out, or which prints; one of the two.")
    undone = list[str]()
    if body.labels:
        brought, turns = brought_by(bank, await standing_changes(app, who, bank, voice), body.labels)
        brought = brought or await _heard_under(app, who, bank, voice, body.labels)
        change = labels_split(bank, key, app.clock.now(), voice.voice_id, body.labels, brought)
        command = await _parting(app, who, bank, change, body.labels, None)
        for each in turns:  # the latest first
            undone += await taken_back(app, who, [each])
    else:
        change, sources = await _prints_out(app, who, key, bank, voice, body.prints)
        command = await _parting(app, who, bank, change, [voice.label], sources)
    return await changed_so(app, who, change, [command], change.apart[1], undone)


async def _heard_under(
    app: AppContext, who: Caller, bank: VoiceBank, voice: KnownVoice, labels: Sequence[str]
) -> set[str]:
    """Prints of where a voice spoke under these labels alone. No change tells of a merge that an archive brought."""
    rest = [each for each in labels_of(bank, voice) if each not in labels]
    sources, others = [await app.stores.sound.voices.sources_said(who.scope, which) for which in (labels, rest)]
    return {each.print_id for each in bank.prints_of(voice.voice_id) if each.source_id in sources - others}


async def _prints_out(
    app: AppContext, who: Caller, key: str, bank: VoiceBank, voice: KnownVoice, ids: Sequence[str]
) -> tuple[BankChange, list[str]]:
    """The change that lets prints go out, and the sources that they were heard in. Raises NotFound of one out of
    sight, and Invalid of one that came with a voice that became one with this."""
    heard = {bank.prints[each].source_id for each in ids if each in bank.prints} - {None}
    sources = sorted(str(each) for each in heard)
    if set(sources) - await app.stores.sound.voices.sources_in_sight(who.view, sources):
        raise NotFound("This voice is not known by such a print.", voice_id=voice.voice_id)
    changes = await standing_changes(app, who, bank, voice)
    for label in labels_of(bank, voice)[1:]:
        if brought_by(bank, changes, [label])[0] & set(ids):
            raise Invalid(
                "A print came with another label of this voice; let that label go out.", voice_id=voice.voice_id
            )
    days = await app.stores.sound.voices.days(who.scope, sources)
    now = app.clock.now()
    day = day_called(min(days.values(), default=now), 0)
    return prints_split(bank, key, now, who.scope, voice.voice_id, ids, day), sources


async def _parting(
    app: AppContext,
    who: Caller,
    bank: VoiceBank,
    change: BankChange,
    labels: Sequence[str],
    sources: Sequence[str] | None,
) -> PartSpeaker:
    """The turn that goes with a split: whoever said this is who the new voice is. Raises Conflict if it is too much."""
    keys = await app.stores.sound.voices.keys_said(who.scope, labels, sources)
    if len(keys) > MOST_SAID:
        several = len(labels if sources is None else sources) > 1
        what = "Let them go out one after the other, and merge the voices that they become." if several else ""
        told = f"They said {len(keys):,} segments there, and {MOST_SAID:,} can become another person's at once."
        raise Conflict(f"{told} Nothing was changed. {what}".strip(), voice_id=change.apart[0])
    old, new = bank.shown(change.apart[0]), applied(bank, change).shown(change.apart[1])
    return _turn(change.change_id, old, new, keys)


def _turn(key: str, old: str, new: str, keys: Sequence[int]) -> PartSpeaker:
    return PartSpeaker(command_id=turn_id(key), name=old, label=new, segment_keys=tuple(sorted(keys)))


async def _again(app: AppContext, who: Caller, bank: VoiceBank, known: BankChange) -> VoiceChanged:
    """A split that was asked for before: a turn that it still lacks, as after a failure in between, is made up for."""
    kept, fresh = (bank.root(each if each in bank.voices else known.apart[0]) for each in known.apart)
    if kept != fresh:
        keys = await app.stores.sound.voices.keys_said(who.scope, labels_of(bank, fresh), None)
        await turn(app, who, _turn(known.change_id, bank.shown(kept.voice_id), bank.shown(fresh.voice_id), keys))
    return VoiceChanged(
        change_id=known.change_id, voice=await shown_voice(app, who, bank, fresh), commands=list(known.commands)
    )
