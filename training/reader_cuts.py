"""Try cuts of the taught reader on worlds that are never taught: what each choice finds and believes.

    python -m training.reader_cuts READER [--authors h,l,o] [--set keep=0.3,0.4 --set wrong=0.4,0.5 ...]

READER is a folder of `training.reader`, or `packaged`. Each turn is read and scored once; then every combination of the
values is decided and judged as `memoray bench read` does, with a first row for the rules alone. Nothing is chosen here:
what `adapters.extraction.taught.Cuts` says is chosen by hand from these rows.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from adapters.embedding.hashing import HashingEmbedder
from adapters.extraction.taught import Cuts, Scored, TaughtReader
from adapters.model_files import digest_of
from bench.measure import markdown
from bench.reading import ReadingModels, figures_by_kind, measure_reading
from bench.reading_worlds import CHOSEN_ON, ReadingWorld, reading_worlds
from memory.model.claims import Reading, Utterance
from training.talk import WORLDS

Batch = tuple[tuple[str, str, bool], ...]
"""Which turns are read at once: source, turn, and whether it is context alone."""
_SHOWN = ("found", "facts", "useful", "beside", "wrong", "lasting closed", "traps")


def key_of(utterances: Sequence[Utterance]) -> Batch:
    """What tells a batch of one world from its others."""
    return tuple((each.source_id, each.segment_id, each.context_only) for each in utterances)


@dataclass(slots=True)
class KnownReader:
    """An Extractor that scores each batch of a world once, and cuts it anew each time."""

    reader: TaughtReader
    cuts: Cuts | None
    """None: what the rules read."""
    name: str = "taught"
    _scored: dict[tuple[str, Batch], Scored] = field(default_factory=dict)
    world: str = ""

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        """See memory.ports.Extractor."""
        key = self.world, key_of(utterances)
        if key not in self._scored:
            self._scored[key] = await asyncio.to_thread(self.reader.scored, tuple(utterances))
        scored = self._scored[key]
        return scored.reading if self.cuts is None else replace(self.reader, cuts=self.cuts).chosen(scored)


def row_of(worlds: Sequence[ReadingWorld], known: KnownReader) -> dict[str, str]:
    """What is found and believed with these cuts."""
    found = []
    for world in worlds:
        known.world = world.name
        found += measure_reading([world], ReadingModels(known, HashingEmbedder()))
    cells = figures_by_kind(found)["all"].cells()
    return {name: cells[name] for name in _SHOWN}


def choices(listed: Sequence[str]) -> Iterator[Mapping[str, float]]:
    """Every combination of `name=value,value`. Raises ValueError."""
    names = [each.partition("=")[0] for each in listed]
    values = [[float(value) for value in each.partition("=")[2].split(",")] for each in listed]
    for chosen in itertools.product(*values):
        yield dict(zip(names, chosen, strict=True))


def opened(folder: str) -> TaughtReader:
    """The packaged reader, or the one of a folder."""
    if folder == "packaged":
        return TaughtReader()
    files = Path(folder)
    trusted = [digest_of(files / name) for name in ("reader.onnx", "heads.npz")]
    return TaughtReader(trusted, folder=files)


def main() -> None:
    """Score, then print a row a choice."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("reader")
    arguments.add_argument("--authors", default=",".join(CHOSEN_ON))
    arguments.add_argument("--set", action="append", default=[], dest="listed")
    options = arguments.parse_args()
    worlds = list(reading_worlds(WORLDS, options.authors.split(",")))
    known, rows = KnownReader(opened(options.reader), None), list[dict[str, str]]()
    for chosen in (None, *choices(options.listed)):
        known.cuts = None if chosen is None else replace(Cuts(), **chosen)
        said = "rules" if chosen is None else ", ".join(f"{name} {value:g}" for name, value in chosen.items())
        rows.append({"cuts": said or "as packaged"} | row_of(worlds, known))
        print(markdown(rows[-1:]), flush=True)
    print(markdown(rows))


if __name__ == "__main__":
    main()
