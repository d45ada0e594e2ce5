"""Check worlds before they teach: broken evidence, unknown kinds, questions that quote what they ask for.

    python -m training.check [FILE or FOLDER ...]

Prints a line for each fault, then what there is; ends with 1 if a fault was found. CONTRIBUTING.md tells the format.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.unseen_worlds import turns_of, world
from memory.errors import Invalid
from training.talk import LEAST_QUESTIONS, WORLDS

QUESTIONS = {
    *("fact", "when", "who", "why", "list", "count"),
    *("change", "infer", "preference", "contradiction", "unanswerable"),
}
CLAIMS = {"state", "change", "event", "plan", "promise", "trait", "preference"}
TRAPS = {
    *("idiom", "joke", "hypothetical", "question", "hearsay"),
    *("denied", "retracted", "assistant", "quote", "plan_dropped"),
}
MOST_QUOTED = 5
"""Words in a row that a question may share with a turn of its evidence: names and titles need some."""
CORRECTIONS = {"corrects", "changes"}
"""What a later turn does to an earlier one: it was wrong, or it was so and is otherwise now."""
_FIELDS = {"?": (4, QUESTIONS), "!": (6, CLAIMS), "x": (3, TRAPS), "~": (3, CORRECTIONS)}
"""Of each kind of line: how many fields it has, and what its last one may be."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a file holds, and what is wrong with it."""

    turns: int
    questions: int
    unanswerable: int
    faults: tuple[str, ...]


def checked(path: Path) -> Checked:
    """A file, read as training reads it."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        read = world(path.stem, lines)
    except (Invalid, OSError, UnicodeDecodeError) as error:
        return Checked(0, 0, 0, (str(error),))
    said = {turn["segment_id"]: turn["text"] for body in read.conversation.bodies for turn in body["segments"]}
    faults = [f"line {number}: {fault}" for number, line in enumerate(lines, 1) for fault in _faults(line, said)]
    if len(read.conversation.questions) < LEAST_QUESTIONS:
        faults.append(f"{len(read.conversation.questions)} questions with an answer; {LEAST_QUESTIONS} are needed.")
    unanswerable = len(read.asked) - len(read.conversation.questions)
    return Checked(len(said), len(read.asked), unanswerable, tuple(faults))


def _faults(line: str, said: dict[str, str]) -> Iterator[str]:
    mark, _, rest = line.partition(" ")
    if mark not in _FIELDS:
        return
    wanted, kinds = _FIELDS[mark]
    fields = [each.strip() for each in rest.split("|")]
    if len(fields) != wanted or not all(fields):
        yield f"{len(fields)} fields, not {wanted}, or an empty one."
        return
    if fields[-1].partition(" ")[0] not in kinds:
        yield f"no kind {fields[-1]!r}: {', '.join(sorted(kinds))}."
    listed = {"?": fields[1], "~": f"{fields[0]} {fields[1]}"}.get(mark, fields[0])
    turns = list(turns_of(listed))
    if unknown := [turn for turn in turns if turn not in said]:
        yield f"no turn {', '.join(unknown)}."
    if (fields[-1] == "unanswerable") != (listed == "-") or (not turns and listed != "-"):
        yield f"evidence {listed!r} of a line of the kind {fields[-1]!r}."
    elif mark == "~" and _place(turns[0]) <= _place(turns[-1]):
        yield f"{fields[0]} is not later than {fields[1]}."
    elif mark == "?" and (quoted := _quoted(fields[0], (said[turn] for turn in turns if turn in said))):
        yield f"the question quotes its evidence: {quoted!r}."


def _place(turn: str) -> tuple[int, ...]:
    """The session and the number of a turn."""
    return tuple(map(int, turn.split(".")))


def _quoted(question: str, texts: Iterable[str]) -> str:
    """Words in a row, more than MOST_QUOTED, that a question shares with a text."""
    asked, shortest = _words(question), MOST_QUOTED + 1
    runs = {" ".join(asked[start : start + shortest]) for start in range(len(asked) - shortest + 1)}
    held = (f" {' '.join(_words(text))} " for text in texts)
    return next((run for text in held for run in sorted(runs) if f" {run} " in text), "")


def _words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.casefold())


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, print, and tell whether all is well."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[WORLDS], help="files or folders of worlds")
    paths = [each for path in parser.parse_args(arguments).paths for each in _files(path)]
    found = [(path, checked(path)) for path in paths]
    for path, each in found:
        for fault in each.faults:
            print(f"{path.name}, {fault}")
    turns, questions, unanswerable = (
        sum(getattr(each, name) for _, each in found) for name in ("turns", "questions", "unanswerable")
    )
    faulty = sum(bool(each.faults) for _, each in found)
    print(f"{len(found)} worlds, {turns} turns, {questions} questions ({unanswerable} unanswerable); {faulty} faulty")
    return 1 if faulty or not found else 0


def _files(path: Path) -> list[Path]:
    return sorted(path.glob("*.txt")) if path.is_dir() else [path]


if __name__ == "__main__":
    sys.exit(main())
