"""The step of a night that sums up sources: what it gives as commands, and what it tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from memory.model.commands import ArrangedGroup
from memory.model.groups import SUMMARY, Group
from memory.model.ids import summary_id
from memory.model.timeline import Instant
from memory.ports import LanguageModel
from memory.rules.grouping import group_stamp
from memory.rules.night_steps import NightName, StepResult
from memory.rules.parameters import SourceSummaries
from memory.services.reflect import EXTRACTIVE
from memory.services.source_summaries import SourceSegment, SourceTurns, is_due, keywords, summarised
from memory.services.storylines import SummaryWriter
from memory.services.summing_up import Summary

STEP = "summaries"
READ_AT_ONCE = 20
"""Sources whose words are read at once (chosen: a day of meetings is a megabyte)."""


class SourceReads(Protocol):
    """What summing up sources reads of a memory."""

    async def grown(self, user_id: str, now: Instant, rules: SourceSummaries) -> Sequence[SourceTurns]:
        """Sources that are long enough, of as many turns of persons as their summary is not of, the latest first.

        Those of a team are among them once they were read for this user: the summary is in the memory of each.
        """

    async def said(self, user_id: str, source_ids: Sequence[str]) -> Sequence[Sequence[SourceSegment]]:
        """What persons said in each of these, in order: nothing of an assistant or a tool, and nothing hidden."""

    async def summaries(self, user_id: str, source_ids: Sequence[str]) -> Sequence[Group]:
        """The summaries that stand of these."""


async def sum_up_sources(
    of: NightName, now: Instant, reads: SourceReads | None, model: LanguageModel | None, rules: SourceSummaries
) -> StepResult:
    """Sum up what was said in sources that have grown (seeds 002 and 003); without reads nothing is done."""
    if reads is None:
        return StepResult((), {})
    grown = await reads.grown(of.user_id, now, rules)
    due = [each for each in grown if is_due(each, rules)]
    known = {each.group_id: each for each in await reads.summaries(of.user_id, [each.source_id for each in due])}
    writer, arranged = SummaryWriter(model), list[ArrangedGroup]()
    for start in range(0, len(due), READ_AT_ONCE):
        some = due[start : start + READ_AT_ONCE]
        said = await reads.said(of.user_id, [each.source_id for each in some])
        for source, segments in zip(some, said, strict=True):
            summary = await _written(writer, segments, rules)
            arranged.append(_arranged(of.user_id, source, summary, now, known))
    figures = {
        "written": sum(each.group.summary is not None for each in arranged),
        "trivial": sum(each.group.summary is None for each in arranged),
        "more": len(grown) == rules.most,
        "by": EXTRACTIVE if model is None else model.name,
        "model_failed": model is not writer.model,
        **writer.told(),
    }
    return StepResult(of.arranging(STEP, arranged, ()), figures)


async def sum_up_again(
    user_id: str,
    source: SourceTurns,
    now: Instant,
    reads: SourceReads,
    model: LanguageModel | None,
    rules: SourceSummaries,
) -> ArrangedGroup | None:
    """The summary of one source as it would be written now, whatever stands; None where it is too short for one.

    How many turns and characters it has is counted here.
    """
    [said] = await reads.said(user_id, [source.source_id])
    told = replace(source, turns=len(said), chars=sum(len(each.text) for each in said), summed_up=None)
    if not is_due(told, rules):
        return None
    summary = await _written(SummaryWriter(model), said, rules)
    known = {each.group_id: each for each in await reads.summaries(user_id, [source.source_id])}
    return _arranged(user_id, told, summary, now, known)


async def _written(writer: SummaryWriter, segments: Sequence[SourceSegment], rules: SourceSummaries) -> Summary:
    """The summary of a source with its keywords; of trivial talk neither."""
    lines = summarised(segments, rules).lines
    if not lines:
        return Summary()
    written = await writer.write("the conversation", lines, rules.sentences)
    return replace(written, keywords=keywords(segments, rules.keywords))


def _arranged(
    user_id: str, source: SourceTurns, summary: Summary, now: Instant, known: Mapping[str, Group]
) -> ArrangedGroup:
    row = _row(user_id, source, summary, now)
    old = known.get(row.group_id)
    row = row if old is None else replace(row, opened_at=old.opened_at)
    return ArrangedGroup(row, None if old is None else group_stamp(old), summary.read)


def _row(user_id: str, source: SourceTurns, summary: Summary, now: Instant) -> Group:
    return Group(
        group_id=summary_id(user_id, source.source_id),
        kind=SUMMARY,
        opened_at=now,
        summary=summary.text() or None,
        members=(source.source_id,),
        quotes=summary.quotes,
        sources=source.turns,
        sensitivity=source.sensitivity,
    )
