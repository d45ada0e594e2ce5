"""An extractor that knows what a few sentences mean: the port's promises and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memory.model.claims import Claim, Reading, Sighting, Utterance


class ScriptedExtractor:
    """`meanings`: the text of an utterance to (predicate, object, statement about its speaker)."""

    name = "scripted"

    def __init__(self, meanings: Mapping[str, tuple[str, str, str]]) -> None:
        self._meanings = meanings

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        """A sighting of every speaker, and a claim for every utterance whose meaning is known."""
        heard = [u for u in utterances if not u.context_only and u.role not in ("assistant", "tool")]
        seen = tuple(Sighting("person", u.speaker, 0.95, u.text, u.segment_key) for u in heard)
        return Reading(seen, tuple(self._claim(u) for u in heard if u.text in self._meanings), self.name)

    def _claim(self, utterance: Utterance) -> Claim:
        predicate, object_, statement = self._meanings[utterance.text]
        return Claim(
            subject=utterance.speaker,
            statement=statement,
            segment_key=utterance.segment_key,
            quote=utterance.text,
            predicate=predicate,
            object=object_,
            confidence=0.7,
            valid_from=utterance.at,
        )
