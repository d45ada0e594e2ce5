"""Extractive summaries of conversations against what people wrote of them: `python -m bench.summaries FILE`.

The reference of a conversation is all answers to its questions. Of each summary the first `--words` words are scored by
ROUGE-1 (Lin 2004): precision, recall and F1 of single words, folded, not stemmed. Ours stands beside the first words of
the conversation and beside LexRank (Erkan and Radev 2004) by sumy, if that is installed. Supported are those of our
lines whose words stand in the segment that they cite, and those sentences of the others whose words stand in any.

`--model local` adds what the packaged small model makes of our lines, as a night lets it sum up a source: supported are
its sentences that the lines they name support, and the others are dropped. Where none is left our lines are quoted.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from statistics import fmean

from bench.conversations import Conversation, read
from bench.measure import markdown
from config.models import Endpoint
from memory.errors import ModelFailed
from memory.ports import LanguageModel
from memory.rules.parameters import SourceSummaries
from memory.services.reviewing import SentenceCount
from memory.services.source_summaries import SourceSegment, summarised
from memory.services.summing_up import SummaryLine, generated
from memory.words.normalise import split_sentences
from memory.words.spelling import quotable
from memory.words.stems import tokenise

MOST_SENTENCES = 1_500
"""Sentences that LexRank is given: its time grows with their square."""
ANSWER_S = 300.0
"""Seconds for one summary: a small model reads a second line a second on a busy core."""
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
    return _told(_as_many(segments, words))


def _as_many(segments: Sequence[SourceSegment], words: int) -> Sequence[SummaryLine]:
    found: Sequence[SummaryLine] = ()
    for sentences in range(1, words):
        fresh = _lines(segments, sentences)
        if len(fresh) == len(found) or len(" ".join(_told(fresh)).split()) >= words:
            return fresh
        found = fresh
    return found


def _told(lines: Sequence[SummaryLine]) -> list[str]:
    """The sentences without who said them."""
    return [line.text.partition(": ")[2].strip('"') for line in lines]


def first_words(segments: Sequence[SourceSegment], words: int) -> list[str]:
    """How the conversation begins, up to the segment in which so many words are reached."""
    before = accumulate((len(each.text.split()) for each in segments), initial=0)
    return [each.text for each, said in zip(segments, before, strict=False) if said < words]


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
    """(lines whose words stand in the segment that they cite, lines) of our summary.

    Both are compared after `quotable`, so what that alone alters is not seen here.
    """
    said = {
        each.segment_key: _words(" ".join(quotable(one) for one in split_sentences(each.text))) for each in segments
    }
    lines = _lines(segments, sentences)
    quoted = [(_words(line.text.partition(": ")[2]), said[line.segments[0]]) for line in lines]
    # the last word of a long sentence may be cut
    return sum(text.rpartition(" ")[0] in whole for text, whole in quoted), len(lines)


def standing(segments: Sequence[SourceSegment], sentences: Sequence[str]) -> tuple[int, int]:
    """(sentences whose words stand in some segment, sentences) of a summary that cites nothing."""
    said = [_words(each.text) for each in segments]
    return sum(any(_words(each) in whole for whole in said) for each in sentences), len(sentences)


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
    heard = [segments_of(each) for each in conversations]
    kept = [supported(each, SourceSummaries().sentences) for each in heard]
    rows = []
    for name, summarize in summarizers.items():
        told = [summarize(each, words) for each in heard]
        stands = kept if summarize is ours else [standing(*each) for each in zip(heard, told, strict=True)]
        counted = f"{sum(good for good, _ in stands)} of {sum(lines for _, lines in stands)} lines"
        rows.append(_row(name, conversations, told, words, counted))
    return rows


async def written(conversations: Sequence[Conversation], words: int, model: LanguageModel) -> dict[str, str]:
    """The row of what a model makes of our lines, at most as many sentences as these are."""
    count, told, quoted = SentenceCount(), list[list[str]](), 0
    for each in conversations:
        lines = _as_many(segments_of(each), words)
        try:
            summary = await generated("the conversation", lines, len(lines), model, count)
            told.append([line.text for line in summary.lines])
        except ModelFailed:
            told.append(_told(lines))
            quoted += 1
    counted = f"{count.supported} of {count.sentences} sentences, {quoted} of {len(told)} quoted instead"
    return _row(model.name, conversations, told, words, counted)


def _row(
    name: str, conversations: Sequence[Conversation], told: Sequence[Sequence[str]], words: int, counted: str
) -> dict[str, str]:
    cut = [" ".join(each).split()[:words] for each in told]
    asked = [" ".join(question.answer for question in each.questions) for each in conversations]
    scores = [rouge_1(" ".join(own), wanted) for own, wanted in zip(cut, asked, strict=True)]
    means = [f"{100 * fmean(each):.1f}" for each in zip(*scores, strict=True)]
    return {
        "summary": name,
        "words": f"{fmean(map(len, cut)):.0f}",
        **dict(zip(("precision", "recall", "ROUGE-1 F1"), means, strict=True)),
        "supported": counted,
    }


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.summaries", description=__doc__)
    parser.add_argument("file", type=Path, help="conversations (JSONL, may be gzipped)")
    parser.add_argument("--words", type=int, default=200, help="words of each summary (default: 200)")
    parser.add_argument("--first", type=int, help="only the first N conversations")
    parser.add_argument("--model", choices=["local"], help="what the packaged small model writes, too")
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/memoray"), help="folder for its file, 491 MB")
    asked = parser.parse_args()
    conversations = read(asked.file)[: asked.first]
    rows = measure(conversations, asked.words)
    if asked.model:
        rows.append(_by_the_packaged_model(conversations, asked.words, asked.cache.expanduser()))
    print(markdown(rows))


def _by_the_packaged_model(conversations: Sequence[Conversation], words: int, cache: Path) -> dict[str, str]:
    """Raises ConfigError where the extra `language` is missing."""
    from adapters.language import local
    from adapters.language.openai import OpenAiModel

    server = local.serve(local.assemble(cache))
    model = OpenAiModel(Endpoint(url=f"{server.listening_address}/v1", model=local.NAME, timeout_s=ANSWER_S))
    return asyncio.run(written(conversations, words, model))


if __name__ == "__main__":
    main()
