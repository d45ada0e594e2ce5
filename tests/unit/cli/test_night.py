"""The report of a night as a person reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cli.night import _told

QUIET: dict[str, Any] = {
    "night": "2026-03-02",
    "pending": {"embedding": 0, "extraction": 0},
    "decay": {
        "entities": 0,
        "mean_strength": None,
        "low_salience": 0,
        "facts": 0,
        "mean_fact_strength": None,
        "sources": 0,
        "mean_source_strength": None,
    },
    "tiers": {"contradicted": 0, "before": {}, "after": {"L0": 0, "L1": 0, "L2": 0}, "promoted": [], "demoted": []},
    "states": {"crossed": 0, "archived": 0, "returned": 0},
    "pruning": {"pruned": []},
    "notes": {"expired": 0},
}
BUSY: dict[str, Any] = QUIET | {
    "pending": {"embedding": 0, "extraction": 2},
    "decay": QUIET["decay"] | {"entities": 35, "mean_strength": 0.618, "low_salience": 3, "facts": 46},
    "tiers": QUIET["tiers"] | {"after": {"L0": 20, "L1": 10, "L2": 5}, "promoted": ["e-1"], "contradicted": 1},
    "states": {"crossed": 3, "archived": 2, "returned": 1},
    "notes": {"expired": 1},
    "duplicates": {"merged": [["f-1", "f-2"]], "disagreeing": [["f-3", "f-4"], ["f-3", "f-5"]]},
    "descriptions": {
        "looked_at": 6,
        "written": ["e-1"],
        "withdrawn": [],
        "unchanged": 5,
        "more": False,
        "by": "extractive",
        "model_failed": False,
    },
    "storylines": {
        "standing": 12,
        "open": 3,
        "opened": ["s-1"],
        "attached": 1,
        "closed": ["s-2", "s-3"],
        "reopened": [],
        "withdrawn": [],
        "summed_up": 2,
        "macros": 1,
        "macros_opened": [],
        "by": "extractive",
        "model_failed": False,
    },
    "consolidations": {
        "standing": 3,
        "opened": ["k-1"],
        "gathered": 4,
        "archived": 4,
        "facts": 2,
        "withdrawn": [],
        "summed_up": 2,
        "insights": 1,
        "by": "extractive",
        "model_failed": False,
    },
    "communities": {
        "standing": 4,
        "opened": ["g-1"],
        "changed": ["g-2", "g-3"],
        "closed": [],
        "patterns": 1,
        "patterns_made": [],
        "patterns_withdrawn": ["p-1"],
        "ties": 90,
    },
}


def told(report: dict[str, Any]) -> list[str]:
    return list(_told(report, None, None))


def test_a_night_over_nothing_is_three_lines() -> None:
    assert told(QUIET) == [
        "[bold]The night of 2026-03-02[/]",
        "  Strength      0 entities of mean strength 0.00, 0 fading; 0 facts of 0.00",
        "  Tiers         L0 0, L1 0, L2 0; 0 climbed, 0 sank, 0 contradicted",
        "  Near at hand  0 archived, 0 returned, 0 pruned, 0 notes expired",
    ]


def test_communities_that_a_job_is_to_find_are_told() -> None:
    left = QUIET | {"communities": {"left_to_a_job": True, "ties": 600_000}}
    assert "  Communities   left to a job of their own, for 600000 ties" in told(left)


def test_what_a_night_has_done_is_told_with_the_way_back() -> None:
    assert told(BUSY)[1:] == [
        "  Strength      35 entities of mean strength 0.62, 3 fading; 46 facts of 0.00",
        "  Tiers         L0 20, L1 10, L2 5; 1 climbed, 0 sank, 1 contradicted",
        "  Near at hand  2 archived, 1 returned, 0 pruned, 1 note expired",
        "  Alike         1 group of facts that say the same merged, 2 pairs alike but not the same",
        "  Written       1 description in quotations, 5 unchanged",
        "  Storylines    12 storylines, 3 open; 1 new; 1 source joined; 2 closed; 1 macro; 2 summed up",
        "  Gathered      3 consolidations; 1 new; 4 sources gathered; 4 archived; 2 facts with them; 1 insight",
        "  Communities   4 communities, 1 pattern; 1 new; 2 with other members; 1 pattern gone",
        "  Still waiting 2 for extraction",
        "  To take all of it back: memoray undo --night 2026-03-02",
    ]


def test_a_night_that_was_undone_says_so() -> None:
    lines = told(BUSY | {"undone": True})
    assert lines[0] == "[bold]The night of 2026-03-02[/] (undone)"
    assert not any("take all of it back" in line for line in lines)


def test_a_step_that_failed_is_named_with_its_reason() -> None:
    lines = told(QUIET | {"descriptions": {"failed": "model-failed: [no] model"}})
    assert lines[-1] == "  Failed        descriptions: model-failed: \\[no] model"


def test_a_model_is_named_and_what_it_left_is_told() -> None:
    written = BUSY["descriptions"] | {"by": "small", "more": True, "model_failed": True}
    line = next(each for each in told(BUSY | {"descriptions": written}) if "Written" in each)
    assert line.endswith(
        "1 description by small, 5 unchanged; more are left for the next night"
        "; the language model failed, so the rest is quoted"
    )


def test_a_night_that_only_closed_a_storyline_can_be_taken_back() -> None:
    nothing = dict.fromkeys(("opened", "attached", "closed", "reopened", "withdrawn", "summed_up", "macros"), 0)
    quiet = QUIET | {"storylines": {**BUSY["storylines"], **dict.fromkeys(nothing, ())}}
    quiet["storylines"] |= {"attached": 0, "summed_up": 0, "macros": 0}
    assert not any("take all of it back" in line for line in told(quiet))
    closed = quiet | {"storylines": {**quiet["storylines"], "closed": ["s-2"]}}
    assert any("take all of it back" in line for line in told(closed))


def test_how_a_night_was_proved_is_a_sentence_and_says_what_was_taken_back() -> None:
    proof: dict[str, Any] = {"questions": 200, "before": 0.889, "after": 0.8871, "undone": []}
    line = "  Proof         200 questions from this memory found 88.9% before the night and 88.7% after it"
    assert line in told(QUIET | {"proof": proof})
    [*_, last] = told(QUIET | {"proof": proof | {"undone": ["states"]}})
    assert last == f"{line}; taken back, because less was found after it: states"
    [*_, failed] = told(QUIET | {"proof": {"failed": "ModelFailed: no"}})
    assert failed == "  Failed        proof: ModelFailed: no"
    assert not any("Proof" in each for each in told(QUIET | {"proof": proof | {"questions": 0}}))


def test_what_a_model_added_is_told_with_what_counted_of_it() -> None:
    proposed: dict[str, Any] = {"asked": 2, "sentences": 3, "supported": 1, "support_rate": 0.3333, "by": "small"}
    causes = {"linked": 2, "more": False, "generated": 1, "proposed": proposed}
    gathered = BUSY["consolidations"] | {"proposed": proposed | {"sentences": 0, "supported": 0}}
    lines = told(QUIET | {"causes": causes, "consolidations": gathered})
    assert "  Reasons       2 reasons told; 1 of 3 sentences of small supported" in lines
    assert any(line.endswith("1 insight; the language model added none") for line in lines)
    assert not any("Reasons" in line for line in told(QUIET | {"causes": {"linked": 0, "more": False}}))


def test_what_is_held_back_and_what_was_not_asked_is_told() -> None:
    held = QUIET["states"] | {"held_back": [["fact", "f-1", "archived", 3]]}
    assert any("1 left as they are, because" in line for line in told(QUIET | {"states": held}))
    proof: dict[str, Any] = {"questions": 50, "before": 0.9, "after": 0.9, "undone": [], "left_out": 150}
    assert any("(150 more were left out, for there was no time)" in line for line in told(QUIET | {"proof": proof}))


def test_what_a_model_wrote_in_summaries_is_told_with_how_much_of_it_was_kept() -> None:
    support: dict[str, Any] = {"asked": 2, "sentences": 8, "supported": 6, "support_rate": 0.75}
    kept = "6 of 8 sentences of summaries supported (75.0%), the rest dropped"
    summaries = {"written": 2, "trivial": 1, "more": False, "by": "[small]", "model_failed": False, "support": support}
    stories, gathered = (BUSY[each] | {"support": support} for each in ("storylines", "consolidations"))
    lines = told(BUSY | {"summaries": summaries, "storylines": stories, "consolidations": gathered})
    assert f"  Summed up     2 sources by \\[small]; {kept}" in lines
    assert sum(line.endswith(kept) for line in lines) == 3
    quoted = {"written": 1, "trivial": 0, "more": False, "by": "extractive", "model_failed": False}
    lines = told(QUIET | {"summaries": quoted})
    assert lines[-2:] == [
        "  Summed up     1 source in quotations",
        "  To take all of it back: memoray undo --night 2026-03-02",
    ]
    silent = told(QUIET | {"summaries": quoted | {"written": 0, "trivial": 3}})
    assert len(silent) == 4


def test_the_way_back_is_that_of_the_same_memory() -> None:
    assert list(_told(BUSY, None, None))[-1] == "  To take all of it back: memoray undo --night 2026-03-02"
    *_, last = _told(BUSY, "maya o'neil", Path("/srv/her memory"))
    options = """--user 'maya o'"'"'neil' --home '/srv/her memory'"""
    assert last == f"  To take all of it back: memoray undo --night 2026-03-02 {options}"
