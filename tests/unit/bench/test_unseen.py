"""Invented worlds are read as they are written, and the gate is counted on what it has not seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.conversations import Conversation
from bench.fit_fusion import Weighed, fit, folds
from bench.fit_silence import Fitted, SilenceCase
from bench.unseen import chat, counted, known, left_out, lived, silence_row
from bench.unseen_worlds import FOLLOWED, LEFT_OUT, author_of, turns_of, world, worlds, worlds_left_out
from memory.errors import Invalid
from memory.retrieval.cut import CutRules
from memory.retrieval.silence import SilenceRules
from memory.retrieval.weighting import FEATURES

LINES = """\
# world: quarry | kind: assistant | language: en | people: Ottilie (she, owner), Assistant (it)
## 1 | 2024-03-02 19:10 | chat
Ottilie: I'd rather have weights in stones.
Assistant: Never again in kilos: noted.
Ottilie: No kilos: not ever.
## 2 | 2024-04-11 08:30 | chat
Ottilie: The crane was sold.
?? questions
? How do I lift the slab? | 1.1 1.3 | in stones | preference
? Was the crane sold? | 2.1 | yes, on 11 April | fact
? Could you say who bought it? | - | not said | unanswerable
!! claims
! 1.1 | Ottilie | wants | stones | since 2024-03-02 | preference
! 1.3 | Ottilie | does_not_want | kilos | since 2024-03-02 | preference
! 2.1 | Ottilie | sold | the crane | on 2024-04-11 | change
x 1.2 | the assistant wants stones | assistant
""".splitlines()


def test_a_world_is_a_conversation_with_questions() -> None:
    read = world("quarry", LINES)
    assert (read.kind, read.conversation.id, read.conversation.segments) == ("assistant", "world-quarry", 4)
    turns = [turn for body in read.conversation.bodies for turn in body["segments"]]
    assert [(turn["segment_id"], turn["role"]) for turn in turns] == [
        ("1.1", "user"),
        ("1.2", "assistant"),
        ("1.3", "user"),
        ("2.1", "user"),
    ]
    assert turns[2]["text"] == "No kilos: not ever."
    assert [(each.category, each.gold) for each in read.asked] == [
        (FOLLOWED, ("1.1", "1.3")),
        ("fact", ("2.1",)),
        ("abstention", ()),
    ]
    assert [each.text for each in read.conversation.questions] == ["How do I lift the slab?", "Was the crane sold?"]
    assert read.wished == {"1.1", "1.3"}


def test_what_is_wanted_among_friends_is_a_question_like_others() -> None:
    friends = world("quarry", [LINES[0].replace("kind: assistant", "kind: friends"), *LINES[1:]])
    assert [each.category for each in friends.asked] == ["preference", "fact", "abstention"]


@pytest.mark.parametrize(
    ("listed", "turns"), [("1.3 2.1-2.3", ["1.3", "2.1", "2.2", "2.3"]), ("1.4-6", ["1.4", "1.5", "1.6"]), ("-", [])]
)
def test_spans_of_turns(listed: str, turns: list[str]) -> None:
    assert list(turns_of(listed)) == turns


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        ([], "line 1"),
        (["# world: x | kind: work | language: en | people: Bo (he)"], "line 1"),
        ([LINES[0], "Ottilie: Before any session."], "line 2"),
        ([*LINES[:2], "Nobody says this"], "line 3"),
        ([LINES[0], "## 1 | yesterday | chat"], "line 2"),
        ([*LINES[:8], "? No kind"], "line 9"),
    ],
)
def test_what_is_no_world_is_refused_with_its_line(lines: list[str], where: str) -> None:
    with pytest.raises(Invalid, match=f"quarry, {where}"):
        world("quarry", lines)


def test_a_folder_of_worlds(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.txt").write_text("\n".join(LINES))
    (tmp_path / "notes.md").write_text("no world")
    assert [each.conversation.id for each in worlds(tmp_path)] == ["world-a", "world-b"]


def talk(wish: str, question: str) -> Conversation:
    turn = {"segment_id": "1", "speaker": "user", "text": wish, "start": 0.0, "end": 0.0, "role": "user"}
    return Conversation(question, "made up", ({"source_id": "s", "started_at": 0.0, "segments": [turn]},), ())


def test_the_gate_counts_wishes_requests_and_what_it_takes_for_one() -> None:
    found = lived(world("quarry", LINES))
    assert (found.wished, found.heeding) == (
        ("I'd rather have weights in stones.", "No kilos: not ever."),
        ("How do I lift the slab?",),
    )
    assert counted(found).__dict__ == {"wished": 1, "heeding": 1, "others": 1}


def test_a_form_that_no_other_chat_has_is_left_out_with_its_chat() -> None:
    asked = [("How do I lift it?", "instruction_following", frozenset({"1"}))]
    alike = [chat(talk(text, text), asked) for text in ("Always use stones.", "Never use kilos.")]
    alone = chat(talk("From now on, use stones.", "c"), asked)
    assert counted(alone).wished == 1
    assert counted(alone, known(alike)).wished == 0
    row = left_out("three", [*alike, alone])
    assert (row["wishes told"], row["requests told"]) == ("2 of 3 (67 %)", "3 of 3 (100 %)")


def test_a_row_of_silence_tells_what_is_refused_and_how_far_they_lie_apart() -> None:
    rules = SilenceRules(named=0.0, gap=10.0, usual=0.0, least=-1.0)

    def one(category: str, gap: float) -> SilenceCase:
        return SilenceCase(
            "made up", "a", category, np.array([0.0, gap]), np.zeros(1, np.float32), np.zeros(1, np.bool_), 1
        )

    asked = [one("fact", 0.1), one("fact", -0.4), one("abstention", -0.2), one("summarization", -9)]
    row = silence_row("made up", asked, lambda _: Fitted(rules, CutRules()))
    assert (row["with / without an answer"], row["AUC"]) == ("2 / 1", "50.0")
    assert row["refused, of those without"] == "1 of 1 (100 %)"
    assert row["refused, of those with"] == "1 of 2 (50 %)"


def test_worlds_that_are_left_out_are_those_of_some_authors(tmp_path: Path) -> None:
    for name in ("i-quarry", "b-quarry", "aa-01-quarry"):
        (tmp_path / f"{name}.txt").write_text("\n".join(LINES), encoding="utf-8")
    found = [each.conversation.id for each in worlds_left_out(tmp_path)]
    assert found == ["world-aa-01-quarry", "world-i-quarry"]
    assert {author_of(name) for name in found} <= set(LEFT_OUT)


def weighed(conversation: str, dataset: str, told: int) -> Weighed:
    """Two turns, of which the first is gold and has 1 of one feature, the other 1 of `text`."""
    rows = np.zeros((2, len(FEATURES)))
    rows[0, told] = rows[1, FEATURES.index("text")] = 1.0
    gold = np.array([True, False])
    return Weighed(
        dataset,
        conversation,
        rows,
        np.ones(2),
        np.array(["1", "2"]),
        gold,
        ("1",),
        np.zeros(2, np.int64),
        frozenset({0}),
    )


def test_weights_are_fitted_to_worlds_alone_and_each_author_is_judged_without_its_own() -> None:
    speaker, question = (FEATURES.index(name) for name in ("speaker", "question"))
    asked = [
        weighed("world-i-a", "worlds", speaker),
        weighed("world-i-b", "worlds", speaker),
        weighed("world-j-a", "worlds", question),
        weighed("chat-1", "beam", question),
    ]
    whole = fit(asked)
    assert whole[speaker] > whole[question] > 0 > whole[FEATURES.index("text")]
    fitted = folds(asked)
    assert fitted["chat-1"].tolist() == whole.tolist()
    assert fitted["world-i-a"][speaker] == 0 < fitted["world-i-a"][question]
    assert fitted["world-j-a"][question] == 0 < fitted["world-j-a"][speaker]


def test_a_fit_without_worlds_says_what_to_do() -> None:
    with pytest.raises(ValueError, match="name their folder"):
        fit([weighed("chat-1", "beam", FEATURES.index("speaker"))])
