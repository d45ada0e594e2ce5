"""Source summaries: a conversation, a memo or a mail in a few quoted sentences, with the words that it uses most.

Which sentences say most is decided as SumBasic does it (Nenkova and Vanderwende 2005, "The Impact of Frequency on
Summarization"): the sentence whose content words are the most frequent on average comes first, then the frequency of
these words is squared, so that the next one tells something else. Keywords are the most frequent content words (Luhn
1958). Without a language model nothing is written that was not said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import fsum

from memory.model.ids import fold
from memory.model.scopes import Sensitivity
from memory.model.timeline import DAY_S
from memory.rules.parameters import SourceSummaries
from memory.services.hits import retraction
from memory.services.summing_up import Summary, quoted_line
from memory.words.languages import spoken
from memory.words.normalise import split_sentences
from memory.words.retractions import retracts
from memory.words.stems import STOP_WORDS, stem, tokenise

LEAST_WORDS = 4
"""Different content words of a sentence that tells something; shorter ones greet, agree and thank (chosen)."""
LEAST_LETTERS = 3
"""Of a content word: shorter ones are ums and ahs, numbers and initials (chosen)."""
LEAST_SENTENCES = 3
"""Such sentences of a source that has a summary: less is trivial talk, or its own summary (seed 003: NONE)."""
_STOPS = STOP_WORDS["en"] | STOP_WORDS["de"]


@dataclass(frozen=True, slots=True)
class SourceSegment:
    """What a person said in a source, in its order."""

    segment_key: int
    speaker: str
    text: str
    gone: tuple[str, ...] = ()
    """Sentences of it that are not to be told: a fact that was read from them was forgotten."""
    revision: int = field(default=1, compare=False)
    """The revision of the segment that was read."""


@dataclass(frozen=True, slots=True)
class SourceTurns:
    """A source of the user's own: how many turns and characters it has, and of how many turns it was summed up last."""

    source_id: str
    turns: int
    chars: int
    silent_s: float
    """Seconds from its last turn to the night."""
    sensitivity: Sensitivity
    summed_up: int | None = None


def is_due(source: SourceTurns, rules: SourceSummaries) -> bool:
    """Whether a source needs a summary.

    From four turns on, then at every fifth (seed 003); what came after that is added once nobody has said anything for
    a day, for then the conversation is over (seed 004, where it ends with its session). Few turns of many words need
    one as well: a mail, a memo, a page.
    """
    if source.turns < rules.turns and source.chars < rules.chars:
        return False
    if source.summed_up is None:
        return True
    grown = source.turns - source.summed_up
    return grown >= rules.renewed or (grown != 0 and source.silent_s >= rules.over_days * DAY_S)


def summarised(segments: Sequence[SourceSegment], rules: SourceSummaries) -> Summary:
    """The sentences that say most, in their order, each a quotation of its segment; empty of trivial talk."""
    fresh: dict[str, _Sentence] = {}
    for one, each in _said(segments):
        fresh.setdefault(fold(each), _Sentence(one, each, _content(each)))
    told = [each for each in fresh.values() if len(each.words) >= LEAST_WORDS]
    if len(told) < LEAST_SENTENCES:
        return Summary()
    counts = Counter(word for each in told for word in each.words)
    shares = {word: count / counts.total() for word, count in counts.items()}
    left, chosen = set(range(len(told))), list[int]()
    while left and len(chosen) < rules.sentences:
        best = max(left, key=lambda place: (_mean(shares, told[place].words), -place))
        left.discard(best)
        chosen.append(best)
        shares |= {word: shares[word] ** 2 for word in told[best].words}
    lines = (told[place] for place in sorted(chosen))
    return Summary(
        tuple(quoted_line(each.said.speaker, each.text, (each.said.segment_key, each.said.revision)) for each in lines)
    )


def keywords(segments: Iterable[SourceSegment], most: int) -> tuple[str, ...]:
    """The content words said most often, at least twice, each in the form in which it was said most."""
    forms: dict[str, Counter[str]] = {}
    for segment in segments:
        for form, root in _rooted(segment.text):
            forms.setdefault(root, Counter())[form] += 1
    often = sorted((-each.total(), root) for root, each in forms.items() if each.total() > 1)
    return tuple(max(sorted(forms[root]), key=forms[root].__getitem__) for _, root in often[:most])


@dataclass(frozen=True, slots=True)
class _Sentence:
    said: SourceSegment
    text: str
    words: frozenset[str]


def _said(segments: Sequence[SourceSegment]) -> Iterator[tuple[SourceSegment, str]]:
    """The sentences that tell something: no question, nothing taken back at once, nothing that is to be forgotten."""
    for segment, after in zip(segments, (*segments[1:], None), strict=True):
        taken_back = after is not None and after.speaker == segment.speaker and retraction(after.text)
        if taken_back or retracts(segment.text):
            continue
        gone = [fold(each) for each in segment.gone if fold(each)]
        for each in split_sentences(segment.text):
            if not each.endswith("?") and not any(fold(each) in quote or quote in fold(each) for quote in gone):
                yield segment, each


def _content(text: str) -> frozenset[str]:
    return frozenset(root for _, root in _rooted(text))


def _rooted(text: str) -> Iterator[tuple[str, str]]:
    """(word, its stem) of the content words."""
    language = spoken(text)
    for word, _ in tokenise(text):
        if len(word) >= LEAST_LETTERS and word not in _STOPS and not word.isdecimal():
            yield word, stem(word, language)


def _mean(shares: dict[str, float], words: frozenset[str]) -> float:
    return fsum(shares[word] for word in words) / len(words)
