"""What the request gate and the sign of silence are worth on talk that they were not made on.

    python -m bench.unseen DATA.jsonl.gz... --worlds FOLDER [--cache FOLDER]

In process, like `bench.fit_fusion`, with the weights of the repository. Two tables:

1. The gate (memory/retrieval/wishes.py): of the owner's turns that hold a wish, how many are told by their form; of the
   questions whose answer heeds one, how many are told as requests; of all other questions, how many are taken for one;
   and recall@10 of those that heed a wish, with wishes at hand and without. Once by all forms; and, for the data files,
   each chat by those forms alone that a chat beside it has, too: what its own words brought in is left out with it.
2. Silence (memory/retrieval/silence.py): how far questions without an answer lie below those with one (AUC),
   and how many of either are refused; the data files each judged by a fit without it (`bench.fit_silence`), the
   invented worlds of FOLDER (`bench.unseen_worlds`), on which nothing was fitted, by the numbers in the repository.

A wish of the data files is a gold turn of the owner for a question about instructions or preferences. One of a world is
a turn from which a reader took that the owner wants something; tastes are among them.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from tempfile import gettempdir

import numpy as np

from bench.conversations import Conversation
from bench.fit_calibration import ENCODERS
from bench.fit_fusion import CachedEncoder, asked_of, ranked
from bench.fit_silence import Chosen, Fitted, SilenceCase, asked_in, auc, folds, judged, sureness_of
from bench.measure import markdown
from bench.unseen_worlds import ASSISTANT, FOLLOWED, UnseenWorld, worlds
from memory.model.sources import ROLES
from memory.retrieval.wishes import INSTRUCTIONS, LIFTING, PREFERENCES, REQUESTS, requests, wish
from memory.services.recall import RecallSettings

HEEDING = frozenset({FOLLOWED, "instruction_following"})
"""Categories of questions whose answer heeds a wish."""
_USER = ROLES.index("user")
Forms = tuple[re.Pattern[str], ...]
ALL: Forms = tuple(re.compile(form, re.I) for form in (*INSTRUCTIONS, *PREFERENCES, *REQUESTS))
"""Every form of a wish and of a request."""


@dataclass(frozen=True)
class UnseenTalk:
    """One conversation as the gate meets it."""

    conversation: Conversation
    wished: tuple[str, ...]
    """Turns of the owner that hold a wish."""
    heeding: tuple[str, ...]
    """Questions whose answer heeds one."""
    others: tuple[str, ...]


@dataclass(frozen=True)
class FormCounts:
    """How many of a talk's wishes, heeding questions and other questions have one of the forms."""

    wished: int
    heeding: int
    others: int


def chat(conversation: Conversation, asked: Sequence[tuple[str, str, frozenset[str]]]) -> UnseenTalk:
    """A conversation of a data file, with all its questions: text, category, gold."""
    gold = frozenset[str]().union(*(turns for _, category, turns in asked if category in HEEDING))
    return _talk(conversation, gold, [(text, category) for text, category, _ in asked])


def lived(world: UnseenWorld) -> UnseenTalk:
    """An invented world."""
    return _talk(world.conversation, world.wished, [(each.text, each.category) for each in world.asked])


def _talk(conversation: Conversation, wished: frozenset[str], asked: Sequence[tuple[str, str]]) -> UnseenTalk:
    turns = [turn for body in conversation.bodies for turn in body["segments"]]
    return UnseenTalk(
        conversation,
        tuple(turn["text"] for turn in turns if turn["segment_id"] in wished and turn["role"] == "user"),
        tuple(text for text, category in asked if category in HEEDING),
        tuple(text for text, category in asked if category not in HEEDING),
    )


def told(text: str, forms: Forms) -> bool:
    """Whether any of these forms is in a text, whatever its apostrophes."""
    return any(form.search(text.replace("’", "'")) for form in forms)


def counted(talk: UnseenTalk, forms: Forms = ALL) -> FormCounts:
    """What the gate finds in a talk if it knows these forms alone."""
    return FormCounts(
        sum(wish(text, _USER) not in (0, LIFTING) and told(text, forms) for text in talk.wished),
        *(sum(requests(text) and told(text, forms) for text in texts) for texts in (talk.heeding, talk.others)),
    )


def known(talks: Sequence[UnseenTalk]) -> Forms:
    """The forms that the wishes and heeding questions of these talks have."""
    return tuple(form for form in ALL if any(told(text, (form,)) for each in talks for text in _heard(each)))


def _heard(talk: UnseenTalk) -> Iterator[str]:
    yield from talk.wished
    yield from talk.heeding


def gate_row(
    name: str, talks: Sequence[UnseenTalk], found: Sequence[FormCounts], recalled: Sequence[str]
) -> dict[str, str]:
    """One row of the first table."""
    return {
        "set": name,
        "wishes told": _share(sum(each.wished for each in found), sum(len(each.wished) for each in talks)),
        "requests told": _share(sum(each.heeding for each in found), sum(len(each.heeding) for each in talks)),
        "others taken for requests": _share(
            sum(each.others for each in found), sum(len(each.others) for each in talks)
        ),
        "recall@10 with / without wishes at hand": " / ".join(recalled) or "-",
    }


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.0f} %)" if whole else "-"


def gate(name: str, talks: Sequence[UnseenTalk], encoder: CachedEncoder, settings: RecallSettings) -> dict[str, str]:
    """The row of a set by all forms."""
    recalled = [
        f"{100 * recall:.1f}"
        for standing in (True, False)
        if (recall := _recall(talks, encoder, settings, standing)) is not None
    ]
    return gate_row(name, talks, [counted(each) for each in talks], recalled)


def left_out(name: str, talks: Sequence[UnseenTalk]) -> dict[str, str]:
    """The row of a set in which each chat knows the forms of the others alone."""
    found = [counted(each, known([other for other in talks if other is not each])) for each in talks]
    return gate_row(name, talks, found, [])


def _recall(
    talks: Sequence[UnseenTalk], encoder: CachedEncoder, settings: RecallSettings, standing: bool
) -> float | None:
    """Recall@10 of the questions that heed a wish; None if there are none."""
    weights = np.array(astuple(settings.weights))
    found = [
        ranked(one.rows @ weights, one)["recall@10"]
        for talk in talks
        if (wanted := [each for each in talk.conversation.questions if each.category in HEEDING])
        for one in asyncio.run(asked_of(talk.conversation, wanted, encoder, settings, standing))
    ]
    return sum(found) / len(found) if found else None


def silence_row(name: str, asked: Sequence[SilenceCase], chosen: Chosen) -> dict[str, str]:
    """One row of the second table."""
    sure = np.array([sureness_of(one, chosen(one).silence) for one in asked])
    refused = sure < np.array([chosen(one).silence.least for one in asked])
    without = np.array([not one.answerable for one in asked])
    answered = np.array([one.answerable and one.plain for one in asked])
    return {
        "set": name,
        "with / without an answer": f"{answered.sum()} / {without.sum()}",
        "AUC": f"{100 * auc(sure[answered], sure[without]):.1f}" if without.any() else "-",
        "refused, of those without": _share(int(refused[without].sum()), int(without.sum())),
        "refused, of those with": _share(int(refused[answered].sum()), int(answered.sum())),
    }


def main() -> None:
    """Read, ask, print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", nargs="*", type=Path)
    arguments.add_argument("--worlds", type=Path, required=True, help="a folder of invented worlds")
    arguments.add_argument("--cache", type=Path, default=Path(gettempdir()) / "memoray-vectors")
    arguments.add_argument("--encoder", choices=sorted(ENCODERS), default="taught")
    options = arguments.parse_args()
    encoder, settings = CachedEncoder(options.cache, options.encoder), RecallSettings()
    files = [list(asked_in(path)) for path in options.data]
    found = list(worlds(options.worlds))
    print(markdown(_gates(files, found, encoder, settings)))
    print()
    print(markdown(_silences(files, found, encoder, settings)))


Files = Sequence[Sequence[tuple[Conversation, list[tuple[str, str, frozenset[str]]]]]]
Row = dict[str, str]


def _gates(files: Files, found: Sequence[UnseenWorld], encoder: CachedEncoder, settings: RecallSettings) -> list[Row]:
    rows = []
    for file in files:
        talks = [chat(conversation, asked) for conversation, asked in file]
        if any(talk.heeding for talk in talks):
            name = talks[0].conversation.dataset
            rows += [gate(name, talks, encoder, settings), left_out(f"{name}, each chat by the others' forms", talks)]
    for name, assisted in (("worlds with an assistant", True), ("other worlds", False)):
        talks = [lived(each) for each in found if (each.kind == ASSISTANT) == assisted]
        rows.append(gate(name, talks, encoder, settings))
    return rows


def _silences(
    files: Files, found: Sequence[UnseenWorld], encoder: CachedEncoder, settings: RecallSettings
) -> list[Row]:
    seen = [
        one
        for file in files
        for conversation, asked in file
        for one in asyncio.run(judged(conversation, asked, encoder, settings))
    ]
    without = folds(seen) if seen else {}
    rows = [
        silence_row(
            f"{name}, left out", [one for one in seen if one.dataset == name], lambda one: without[one.conversation]
        )
        for name in dict.fromkeys(one.dataset for one in seen)
    ]
    current = Fitted(settings.silence, settings.cut)
    unseen = [(each.kind, _judged(each, encoder, settings)) for each in found]
    for kinds in (*([kind] for kind in sorted({kind for kind, _ in unseen})), sorted({kind for kind, _ in unseen})):
        chosen = [one for kind, asked in unseen if kind in kinds for one in asked]
        rows.append(silence_row(f"worlds: {', '.join(kinds)}", chosen, lambda _: current))
    return rows


def _judged(world: UnseenWorld, encoder: CachedEncoder, settings: RecallSettings) -> list[SilenceCase]:
    asked = [(each.text, each.category, frozenset(each.gold)) for each in world.asked]
    return asyncio.run(judged(world.conversation, asked, encoder, settings))


if __name__ == "__main__":
    main()
