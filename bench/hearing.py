"""How well recordings are heard: words, who speaks when, who says what, and what it costs.

    python -m bench.hearing FOLDER [--kind tiny.en] [--only NAME...]

FOLDER holds sound files. Beside each may lie what is true of it: `NAME.rttm` (who speaks when), `NAME.stm` (who says
what), or a text in `manifest.json`, a list of `{"file", "text"}`. It runs in this process, with the models that an
import uses. CPU seconds are those of the process for each second of sound, the loading of models left out.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from adapters.capture.voice_memos import SUFFIXES
from adapters.hearing.segmentation import SpeakerSegmentation
from adapters.hearing.silero import SileroActivity
from adapters.hearing.sound_files import PyavDecoder
from adapters.hearing.voice_print import CamPlusPlus
from adapters.hearing.whisper import WhisperTranscriber
from bench.measure import markdown
from bench.speech_metrics import cp_errors, diarisation_error, errors, words_of
from memory.model.sound import Diarisation, HeardSound
from memory.services.diarising import Diariser, VoiceModels
from memory.services.hearing import Ears, hear

MOST_S = 4 * 3600.0
COLLARS_S = (0.0, 0.25)
COLUMNS = ("file", "seconds", "voices", "true voices", "DER 0", "DER 0.25", "WER", "cpWER", "CPU/s voices", "CPU/s all")


@dataclass(frozen=True, slots=True)
class SpokenTruth:
    """What is true of one file; what is not known is empty."""

    turns: Sequence[tuple[float, float, str]] = ()
    lines: Sequence[tuple[str, str]] = ()
    """Who says what, in order."""


def truth_of(path: Path) -> SpokenTruth:
    """What lies beside a sound file."""
    turns, lines = [], []
    if (rttm := path.with_suffix(".rttm")).exists():
        fields = [line.split() for line in rttm.read_text().splitlines() if line.startswith("SPEAKER")]
        turns = [(float(each[3]), float(each[3]) + float(each[4]), each[7]) for each in fields]
    if (stm := path.with_suffix(".stm")).exists():
        parts = [line.split(maxsplit=5) for line in stm.read_text().splitlines() if not line.startswith(";;")]
        lines = [(each[2], each[5]) for each in sorted(parts, key=lambda each: float(each[3])) if len(each) == 6]
    elif (manifest := path.with_name("manifest.json")).exists():
        told = [each.get("text") for each in json.loads(manifest.read_text()) if each["file"] == path.name]
        lines = [("only", text) for text in told if text]
    return SpokenTruth(turns, lines)


def main() -> None:
    """Print one row for each file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", default="base", choices=("base", "tiny.en"))
    parser.add_argument("--only", nargs="*", default=())
    asked = parser.parse_args()
    models = VoiceModels(SpeakerSegmentation(), CamPlusPlus())
    ears = Ears(PyavDecoder(), SileroActivity(), WhisperTranscriber(asked.kind), models)
    files = [path for path in sorted(asked.folder.iterdir()) if path.suffix.lower() in SUFFIXES]
    files = [path for path in files if not asked.only or path.stem in asked.only]
    with files[0].open("rb") as file:  # so that loading is not counted
        hear(ears, file, MOST_S)
    print(markdown([dict(zip(COLUMNS, _row(path, ears, models), strict=True)) for path in files]))


def _row(path: Path, ears: Ears, models: VoiceModels) -> Iterator[str]:
    truth = truth_of(path)
    found, voices_s = _diarised(path, models)
    began = time.process_time()
    with path.open("rb") as file:
        heard = hear(ears, file, MOST_S)
    all_s = time.process_time() - began
    yield path.name
    yield f"{heard.seconds:.1f}"
    yield str(len(found.voices))
    yield str(len({who for _, _, who in truth.turns}) or "")
    turns = [(turn.start, turn.end, str(turn.voice)) for turn in found.turns]
    for collar_s in COLLARS_S:
        wrong, spoken = diarisation_error(truth.turns, turns, heard.seconds, collar_s)
        yield f"{100 * wrong / spoken:.1f}" if spoken else ""
    yield from _word_errors(truth, heard)
    yield f"{voices_s / heard.seconds:.3f}"
    yield f"{all_s / heard.seconds:.3f}"


def _diarised(path: Path, models: VoiceModels) -> tuple[Diarisation, float]:
    diariser = Diariser(models)
    with path.open("rb") as file:
        blocks = list(PyavDecoder().open(file).blocks)
    began = time.process_time()
    for block in blocks:
        diariser.hear(block)
    return diariser.finish(), time.process_time() - began


def _word_errors(truth: SpokenTruth, heard: HeardSound) -> Iterator[str]:
    """WER and cpWER in percent."""
    said, told = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for who, text in truth.lines:
        said[who] += words_of(text)
    for each in heard.sentences:
        told[str(each.voice)] += words_of(each.text)
    count = sum(map(len, said.values()))
    if not count:
        yield from ("", "")
        return
    in_order = [word for _, text in truth.lines for word in words_of(text)]
    yield f"{100 * errors(in_order, [word for each in heard.sentences for word in words_of(each.text)]) / count:.1f}"
    yield f"{100 * cp_errors(said, told) / count:.1f}"


if __name__ == "__main__":
    main()
