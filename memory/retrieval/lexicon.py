"""What segments say, read many at a time: stems, where they begin, and marks.

No token and no mark holds a space, and people say the same between two of them again and again: that is read once and
numbered, and a text is then the numbers of what stands between its spaces. To look numbers up and to pick from arrays
by them takes a tenth of what it takes to read each text by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.flags import marks
from memory.retrieval.postings import HEADER, Grown, Ints, ranges
from memory.words.stems import STEMMERS, plain, terms

ROOM = 2**19
"""Characters that a lexicon holds before it is begun anew: those of a working vocabulary (65,536 words), or of a few
long ones that hardly come twice."""
RUN = 128
"""Segments read at once: what is picked for them fits a processor's cache, and other threads get a turn."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenizedTexts:
    """The words of some texts, one text after another."""

    counts: Ints
    """[texts] Stems of each; stop words are left out."""
    terms: Ints
    """Ids of the stems (memory.words.stems)."""
    begins: Ints
    """The character of its text, in the plain form, that each begins at."""
    marks: NDArray[np.uint8]
    """[texts] What `flags.marks` tells of each."""


class Lexicon(dict[str, int]):
    """What stands between two spaces -> its number, in one language; what is not there yet is read.

    Several threads may look up at once: a number is given away when all is there that belongs to it.
    """

    def __init__(self, language: str) -> None:
        super().__init__()
        self.characters = 0
        self._language = language
        self._lock = Lock()
        self._ends, self._marks = Grown(np.int64), Grown(np.uint8)
        self._ends.extend(np.zeros(1, np.int64))
        self._terms, self._begins = Grown(np.int64), Grown(np.int64)

    def __missing__(self, chunk: str) -> int:
        with self._lock:
            if chunk not in self:
                ids, begins = terms(chunk, self._language)
                self._terms.extend(np.array(ids, np.int64))
                self._begins.extend(np.array(begins, np.int64))
                self._ends.extend(np.array([self._terms.size]))
                self._marks.extend(np.array([marks(chunk)], np.uint8))
                self.characters += len(chunk)
                self[chunk] = self._marks.size - 1
        return self[chunk]

    def words(self, texts: Sequence[str]) -> TokenizedTexts:
        """The words of some texts (at least one), which are in the plain form."""
        chunks = " ".join(texts).split(" ")
        numbers = np.fromiter(map(self.__getitem__, chunks), np.int64, len(chunks))
        held = np.array([text.count(" ") for text in texts]) + 1
        first = np.cumsum(held) - held
        starts = self._ends.view[numbers]
        counts = self._ends.view[numbers + 1] - starts
        picked = ranges(starts, counts)
        room = np.fromiter(map(len, chunks), np.int64, len(chunks)) + 1
        at = np.cumsum(room) - room
        at -= np.repeat(at[first], held)
        return TokenizedTexts(
            np.add.reduceat(counts, first),
            self._terms.view[picked],
            self._begins.view[picked] + np.repeat(at, counts),
            np.bitwise_or.reduceat(self._marks.view[numbers], first),
        )


def read(texts: Sequence[str], headers: Sequence[str], languages: Sequence[str]) -> TokenizedTexts:
    """The words of each text and then those of its header, all of which begin at `HEADER`; marks of the texts alone."""
    parts = [_read(language, texts[run], headers[run]) for language, run in _runs(languages)]
    columns = ([getattr(part, name) for part in parts] for name in TokenizedTexts.__slots__)
    return TokenizedTexts(*(np.concatenate(column) for column in columns))


def _read(language: str, texts: Sequence[str], headers: Sequence[str]) -> TokenizedTexts:
    lexicon = _lexicon_of(language)
    plainly = [plain(text) for text in texts]
    words = lexicon.words(list(chain.from_iterable(zip(plainly, map(plain, headers), strict=True))))
    told = words.marks[::2] if plainly == list(texts) else lexicon.words(texts).marks
    in_header = np.repeat(np.arange(len(words.counts)) % 2, words.counts) > 0
    begins = np.where(in_header, HEADER, words.begins)
    return TokenizedTexts(words.counts.reshape(-1, 2).sum(axis=1), words.terms, begins, told)


def _runs(languages: Sequence[str]) -> Iterator[tuple[str, slice]]:
    """Rows in a row that are of one language, not too many at once."""
    first = 0
    for language, rows in groupby(languages):
        end = first + sum(1 for _ in rows)
        yield from ((language, slice(at, min(at + RUN, end))) for at in range(first, end, RUN))
        first = end


_lexicons: dict[str, Lexicon] = {}


def _lexicon_of(language: str) -> Lexicon:
    """The lexicon of a language as far as it is known; all without a stemmer share one."""
    language = language if language in STEMMERS else ""
    known = _lexicons.get(language)
    if known is None or known.characters > ROOM:
        known = _lexicons[language] = Lexicon(language)
    return known
