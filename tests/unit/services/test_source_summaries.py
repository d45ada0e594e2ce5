"""Sources are summed up in what was said in them, when they have grown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.inmemory.journal import InMemoryJournal
from adapters.inmemory.sources import InMemorySources
from adapters.inmemory.summaries import InMemorySourceReads
from memory.model.commands import ArrangeGroups
from memory.model.scopes import Sensitivity, user_scope
from memory.model.sources import Segment, Source
from memory.model.working_set import WorkingSet
from memory.rules.night_steps import NightName
from memory.rules.parameters import SourceSummaries
from memory.services.night_sources import sum_up_sources
from memory.services.source_summaries import SourceSegment, SourceTurns, is_due, keywords, summarised
from memory.services.summing_up import Summary, read_summary
from tests.unit.language.test_answer import ScriptedModel

RULES, DAY = SourceSummaries(), 86_400.0
TALK = (
    "The harbour office wants the mooring fee for the boat in March.",
    "Fine!",
    "Did you pay the mooring fee last year?",
    "I paid the mooring fee for the boat at the harbour office in April.",
    "We could sell the old boat and buy a smaller one next summer.",
    "My brother repaired the engine of the boat for nothing.",
)


def said(*texts: str, gone: tuple[str, ...] = ()) -> list[SourceSegment]:
    return [SourceSegment(key, f"Speaker {key % 2}", text, gone) for key, text in enumerate(texts, 1)]


@pytest.mark.conforms("003:consolidation.turns", "002:sources.summary")
@pytest.mark.parametrize(
    ("turns", "chars", "summed_up", "silent_s", "due"),
    [
        (3, 90, None, 0.0, False),
        (4, 90, None, 0.0, True),
        (1, 1_000, None, 0.0, True),
        (1, 999, None, 9 * DAY, False),
        (8, 90, 4, 0.0, False),
        (9, 90, 4, 0.0, True),
        (5, 90, 4, DAY - 1, False),
        (5, 90, 4, DAY, True),
        (4, 90, 4, 9 * DAY, False),
        (4, 90, 5, DAY, True),
    ],
)
def test_a_source_is_summed_up_from_four_turns_and_at_every_fifth(
    turns: int, chars: int, summed_up: int | None, silent_s: float, due: bool
) -> None:
    assert is_due(SourceTurns("s", turns, chars, silent_s, Sensitivity.OPEN, summed_up), RULES) is due


@pytest.mark.conforms("003:consolidation.turns")
def test_trivial_talk_has_no_summary() -> None:
    assert summarised(said("Hi!", "Hello there.", "How are you?", "Good, thanks.", "Bye then."), RULES) == Summary()
    assert summarised(said("Where is the old green bicycle of Tom?", *["Okay."] * 9), RULES) == Summary()


@pytest.mark.conforms("003:consolidation.turns")
async def test_one_night_sums_up_five_hundred_sources_the_latest_first() -> None:
    sources, nothing = InMemorySources(InMemoryJournal()), WorkingSet("ann")
    for number in range(560):
        turns = tuple(Segment(f"g{place}", "Ann", "Hi!", place, place + 1.0) for place in range(4))
        sources.store(Source(f"s{number}", user_scope("ann"), "conversation", float(number), segments=turns))
    grown = await InMemorySourceReads(sources, lambda: nothing).grown("ann", 9e9, RULES)
    assert len(grown) == 500
    assert grown[0].source_id == "s559"


@pytest.mark.conforms("002:sources.summary")
def test_the_sentences_that_say_most_are_quoted_in_their_order() -> None:
    found = summarised(said(*TALK), SourceSummaries(sentences=2))
    assert [line.text for line in found.lines] == [
        'Speaker 1: "The harbour office wants the mooring fee for the boat in March."',
        'Speaker 1: "We could sell the old boat and buy a smaller one next summer."',
    ], "the second says something else than the first"
    assert found.quotes == (1, 5)
    assert found == summarised(said(*TALK), SourceSummaries(sentences=2))


def test_what_is_asked_taken_back_or_forgotten_is_not_quoted() -> None:
    told = said(*TALK, "I sold the boat to the harbour office yesterday.", gone=(TALK[3],))
    taken_back = [*told, SourceSegment(8, "Speaker 1", "Just kidding!")]
    quotes = summarised(taken_back, SourceSummaries(sentences=9)).quotes
    assert quotes == (1, 5, 6)


@given(st.lists(st.text("abcdef ,-'", max_size=60), min_size=3, max_size=30))
def test_every_line_is_supported_by_the_segment_that_it_names(texts: list[str]) -> None:
    segments = said(*(f"The harbour office wants mooring fee {place} {text}." for place, text in enumerate(texts)))
    found = summarised(segments, RULES).lines
    assert 0 < len(found) <= RULES.sentences
    for line in found:
        [key] = line.segments
        speaker, _, quoted = line.text.partition(": ")
        assert speaker == segments[key - 1].speaker
        assert quoted.strip('"…') in " ".join(segments[key - 1].text.split())


@pytest.mark.parametrize(
    ("reply", "first", "support"),
    [
        ("The fee is due in March [1]. They met in Oslo [1].", "Generated", (2, 1, 0.5)),
        ("They met in Oslo [1].", "Extractive", (1, 0, 0.0)),
        (None, "Extractive", (0, 0, None)),
    ],
)
async def test_a_night_tells_how_many_sentences_of_its_model_were_kept(
    reply: str | None, first: str, support: tuple[int, int, float | None]
) -> None:
    sources, nothing = InMemorySources(InMemoryJournal()), WorkingSet("ann")
    turns = tuple(Segment(f"g{place}", "Ann", text, place, place + 1.0) for place, text in enumerate(TALK))
    sources.store(Source("s", user_scope("ann"), "conversation", 0.0, segments=turns))
    reads = InMemorySourceReads(sources, lambda: nothing)
    found = await sum_up_sources(NightName("ann", "2026-03-02"), 9e8, reads, ScriptedModel(reply), RULES)
    [command] = found.commands
    assert isinstance(command, ArrangeGroups)
    assert (command.arranged[0].group.summary or "").startswith(first)
    names = ("sentences", "supported", "support_rate")
    assert found.figures["support"] == {"asked": 1, **dict(zip(names, support, strict=True))}
    quoted = await sum_up_sources(NightName("ann", "2026-03-02"), 9e8, reads, None, RULES)
    assert "support" not in quoted.figures, "what is quoted is supported"


@pytest.mark.conforms("003:consolidation.turns", "002:sources.summary", "002:sources.keywords")
def test_a_long_talk_has_five_sentences_and_eight_keywords() -> None:
    words = [f"word{letter}" for letter in "abcdefghijklm"]
    talk = said(*(f"{' '.join(words)} number {place}." for place in range(20)))
    assert len(summarised(talk, RULES).lines) == 5
    assert len(keywords(talk, RULES.keywords)) == 8


@pytest.mark.conforms("002:sources.keywords")
def test_keywords_are_what_was_said_most_in_the_form_in_which_it_was() -> None:
    assert keywords(said(*TALK), 3) == ("boat", "fee", "mooring")
    assert keywords(said("Boats, boats and a boat.", "Nothing twice here."), 8) == ("boats",)


@pytest.mark.conforms("002:sources.keywords", "model:summing_up")
def test_keywords_are_kept_with_a_summary() -> None:
    whole = summarised(said(*TALK), RULES)
    kept = Summary(whole.lines, keywords=("boat", "fee"))
    assert read_summary(kept.text(), kept.quotes) == kept
    assert read_summary(whole.text(), whole.quotes) == whole


@pytest.mark.conforms("002:sources.keywords", "model:summing_up")
def test_who_is_called_keywords_is_quoted() -> None:
    whole = summarised([SourceSegment(each.segment_key, "Keywords", each.text) for each in said(*TALK)], RULES)
    assert whole.lines[-1].text.startswith("Keywords: ")
    assert read_summary(whole.text(), whole.quotes) == whole
