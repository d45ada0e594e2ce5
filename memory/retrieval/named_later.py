"""What was said later of what the best results name: it may have changed what they say.

"My vet is Mr Tamsett" answers "Who is my vet?". "Tamsett has retired, Grissom takes over" shares no word with the
question. It came later, and shares a rare word with the result.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.candidates import Traits

LEADS = 2
"""Results whose words are looked for."""
NAMED_LATER = 4
"""Candidates that are found in all. In memories that teach nothing 11 % of the questions have no evidence among ten
results; four such candidates hold it in 41 % of these, the next three results in 27 % (docs/decisions/0130)."""
_LEAST = 1.0
"""Inverse document frequency among the candidates that shared words must have in all: one rare word is enough."""


def named_later(traits: Traits, best: NDArray[np.int64], among: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows out of `among` that were said after one of the first of `best` and share its rarest words.

    At most NAMED_LATER; none where no words are known. Each lead gives its best in turn.
    """
    if not len(traits.word_starts) or not len(among):
        return among[:0]
    count = len(traits.keys)
    _, term, held = np.unique(traits.words, return_inverse=True, return_counts=True)
    rarity = np.log((count + 1) / (held + 0.5))[term]
    row = np.repeat(np.arange(count), np.diff(traits.word_starts))
    found: list[list[int]] = []
    for lead in best[:LEADS]:
        shared = np.isin(traits.words, traits.words_of(lead)) * rarity
        score = np.bincount(row, shared, count)[among]
        score[traits.at[among] <= traits.at[lead]] = 0
        order = np.argsort(-score, kind="stable")
        found.append(among[order[score[order] > _LEAST]][:NAMED_LATER].tolist())
    in_turn = [rows[place] for place in range(NAMED_LATER) for rows in found if place < len(rows)]
    return np.array(list(dict.fromkeys(in_turn))[:NAMED_LATER], np.int64)
