"""Extractive summaries of conversations against what people wrote of them: `python -m bench.summaries FILE`.

The reference of a conversation is all answers to its questions. Of each summary the first `--words` words are scored by
ROUGE-1 (Lin 2004): precision, recall and F1 of single words, folded, not stemmed. Ours stands beside the first words of
the conversation and beside LexRank (Erkan and Radev 2004) by sumy, if that is installed. The support rate is the share
of our lines whose words stand in the segment that they cite.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

from bench.conversations import Conversation, read
from bench.measure import markdown
from memory.rules.parameters import SourceSummaries
from memory.services.source_summaries import SourceSegment, summarised
from memory.services.summing_up import SummaryLine
from memory.words.normalise import split_sentences
from memory.words.spelling import quotable
from memory.words.stems import tokenise

MOST_SENTENCES = 1_500
"""Sentences that LexRank is given: its time grows with their square."""
Summarizer = Callable[[Sequence[SourceSegment], int], list[str]]
"""(segments, words) -> sentences of about as many words or more."""


def rouge_1(text: str, reference: str) -> tuple[float, float, float]:
    """Precision, recall and F1 of the words of a text."""
    told, wanted = (Counter(word for word, _ in tokenise(each)) for each in (text, reference))
    common = (told & wanted).total()
    if not common:
        return 0.0, 0.0, 0.0
    precision, recall = common / told.total(), common / wanted.total()
    return precision, recall, 2 * precision * recall / (precision + recall)


def ours(segments: Sequence[SourceSegment], words: int) -> list[str]:
    """What a night would quote, in as many sentences as are needed."""
    found: list[str] = []
    for sentences in range(1, words):
        fresh = [line.text.partition(": ")[2].strip('"') for line in _lines(segments, sentences)]
        if len(fresh) == len(found) or len(" ".join(fresh).split()) >= words:
            return fresh
        found = fresh
    return found


def first_words(segments: Sequence[SourceSegment], words: int) -> list[str]:
    """How the conversation begins."""
    return [each.text for each in segments[:words]]


def lexrank(segments: Sequence[SourceSegment], words: int) -> list[str]:
    """The sentences that LexRank puts first, in their order."""
    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
    from sumy.nlp.stemmers import null_stemmer
    from sumy.summarizers.lex_rank import LexRankSummarizer

    class Words:
        def to_words(self, text: object) -> list[str]:
            return re.findall(r"[a-z']+", str(text).lower())

    every = [each for segment in segments for each in split_sentences(segment.text) if len(each.split()) > 3]
    document = ObjectDocumentModel([Paragraph([Sentence(each, Words()) for each in every[:MOST_SENTENCES]])])
    return [str(each) for each in LexRankSummarizer(null_stemmer)(document, words // 6)]


def supported(segments: Sequence[SourceSegment], sentences: int) -> tuple[int, int]:
    """(lines whose words stand, without fillers, in the segment that they cite, lines) of our summary."""
    said = {
        each.segment_key: _words(" ".join(quotable(one) for one in split_sentences(each.text))) for each in segments
    }
    lines = _lines(segments, sentences)
    quoted = [(_words(line.text.partition(": ")[2]), said[line.segments[0]]) for line in lines]
    # the last word of a long sentence may be cut
    return sum(text.rpartition(" ")[0] in whole for text, whole in quoted), len(lines)


def _words(text: str) -> str:
    return " ".join(word for word, _ in tokenise(text))


def _lines(segments: Sequence[SourceSegment], sentences: int) -> Sequence[SummaryLine]:
    return summarised(segments, SourceSummaries(sentences=sentences)).lines


def segments_of(conversation: Conversation) -> list[SourceSegment]:
    """Its turns."""
    turns = [turn for body in conversation.bodies for turn in body["segments"]]
    return [SourceSegment(number, turn["speaker"], turn["text"]) for number, turn in enumerate(turns, 1)]


def measure(conversations: Sequence[Conversation], words: int) -> list[dict[str, str]]:
    """A row a summarizer."""
    summarizers: dict[str, Summarizer] = {"ours": ours, "the first words": first_words}
    if importlib.util.find_spec("sumy"):
        summarizers["LexRank (sumy)"] = lexrank
    rows = []
    for name, summarize in summarizers.items():
        scores = [_score(each, summarize, words) for each in conversations]
        means = [f"{100 * fmean(each):.1f}" for each in zip(*scores, strict=True)]
        rows.append({"summary": name, **dict(zip(("precision", "recall", "ROUGE-1 F1"), means, strict=True))})
    kept = [supported(segments_of(each), SourceSummaries().sentences) for each in conversations]
    rows[0]["supported"] = f"{sum(good for good, _ in kept)} of {sum(lines for _, lines in kept)} lines"
    return [{**dict.fromkeys(rows[0], "-"), **row} for row in rows]


def _score(conversation: Conversation, summarize: Summarizer, words: int) -> tuple[float, float, float]:
    told = " ".join(summarize(segments_of(conversation), words)).split()[:words]
    return rouge_1(" ".join(told), " ".join(each.answer for each in conversation.questions))


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.summaries", description=__doc__)
    parser.add_argument("file", type=Path, help="conversations (JSONL, may be gzipped)")
    parser.add_argument("--words", type=int, default=200, help="words of each summary (default: 200)")
    asked = parser.parse_args()
    print(markdown(measure(read(asked.file), asked.words)))


if __name__ == "__main__":
    main()
