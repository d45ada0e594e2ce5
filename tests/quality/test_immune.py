"""The immune system: what the open red team and the lines that must become facts leave behind, as floors."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from adapters.extraction.rules import read as extract
from bench import immune
from memory.errors import Invalid
from memory.model.claims import Claim, Reading
from memory.model.working_set import evolve
from memory.rules.decider import Rules, decide

HERE = Path(__file__).parent
OPEN, MUST = HERE / "redteam_open.jsonl", HERE / "must_become.jsonl"
SECOND, MUST_SECOND = HERE / "redteam_open_2.jsonl", HERE / "must_become_2.jsonl"


@cache
def verdicts(path: Path) -> tuple[immune.LineVerdict, ...]:
    return tuple(immune.measure(path))


def test_nearly_nothing_wrong_arises_from_the_open_red_team() -> None:
    right, lines = immune.shares(verdicts(OPEN))["all"]
    assert lines == 259
    assert right / lines >= 0.97, immune.faults(verdicts(OPEN))


def test_no_category_of_the_red_team_is_lost() -> None:
    shares = immune.shares(verdicts(OPEN))
    assert min(right / lines for right, lines in shares.values()) >= 0.85, shares


def test_what_must_become_a_fact_does() -> None:
    right, lines = immune.shares(verdicts(MUST))["all"]
    assert lines == 243
    assert right / lines >= 0.97, immune.faults(verdicts(MUST))


def test_what_the_second_red_team_forbids_is_rarely_believed() -> None:
    right, lines = immune.shares(verdicts(SECOND))["all"]
    assert lines == 240
    assert right / lines >= 0.90, immune.faults(verdicts(SECOND))


def test_what_must_become_a_fact_by_inference_mostly_does() -> None:
    """200 of 240: eight lines that only point ("it's always been flat 9") became facts before decision 0059."""
    right, lines = immune.shares(verdicts(MUST_SECOND))["all"]
    assert lines == 240
    assert right / lines >= 0.83, immune.faults(verdicts(MUST_SECOND))


@pytest.mark.parametrize(
    ("text", "good", "silent"),
    [("I moved to Rome in May.", False, False), ("I love jazz.", True, False), ("Did I move to Rome?", True, True)],
)
def test_only_what_is_forbidden_is_a_fault_where_a_line_says_what_that_is(text: str, good: bool, silent: bool) -> None:
    line = immune.ScriptLine("a", "x", immune.ScriptTurn("Sam", "user", text), (), forbid="Sam moved to Rome")
    verdict = immune.judge(line)
    assert (verdict.good, verdict.silent) == (good, silent)


def test_an_assistants_words_are_no_evidence_whatever_an_extractor_makes_of_them() -> None:
    line = immune.ScriptLine("a", "assistant", immune.ScriptTurn("Assistant", "assistant", "Sam lives in Utrecht."), ())
    utterances = immune.utterances_of(line)
    forged = Reading(claims=(Claim("Sam", "Sam lives in Utrecht", 1, line.said.text, "lives_in", "Utrecht"),))
    memory = immune.empty_memory()
    changes = decide(memory, immune.command_of("a", utterances, forged), immune.NOON, Rules())
    assert evolve(memory, changes.changes).facts == {}


@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_a_belief_that_is_repeated_to_its_owner_gains_nothing(role: str) -> None:
    said = immune.ScriptTurn("Sam", "user", "I live in Utrecht.")
    first = immune.utterances_of(immune.ScriptLine("a", "x", said, ()))
    memory = immune.empty_memory()
    memory = evolve(memory, decide(memory, immune.command_of("a", first, extract(first)), immune.NOON, Rules()).changes)
    echoed = [replace(first[0], source_id="t", segment_key=2, role=role, speaker="Assistant")]
    heard = replace(extract(first), claims=tuple(replace(c, segment_key=2) for c in extract(first).claims))
    after = evolve(memory, decide(memory, immune.command_of("b", echoed, heard), immune.NOON, Rules()).changes)
    assert after.facts == memory.facts


@pytest.mark.parametrize("revision", [1, 2])
def test_reading_the_same_words_again_adds_nothing(revision: int) -> None:
    """A sweep, a retry and an import bring the same segment again; a later revision of it is read anew."""
    line = immune.ScriptLine(
        "a", "x", immune.ScriptTurn("Sam", "user", "I live in Utrecht and I have a dog named Rex."), ()
    )
    utterances = immune.utterances_of(line)
    memory = immune.empty_memory()
    command = immune.command_of("a", utterances, extract(utterances))
    memory = evolve(memory, decide(memory, command, immune.NOON, Rules()).changes)
    again = [replace(u, revision=revision) for u in utterances]
    changes = decide(memory, immune.command_of("b", again, extract(again)), immune.NOON + 60, Rules()).changes
    after = evolve(memory, changes)

    def told(facts: object) -> set[tuple[str, float, str]]:
        return {(f.statement, f.confidence, f.status) for f in facts.values()}  # type: ignore[attr-defined]

    assert told(after.facts) == told(memory.facts)
    assert len(after.facts) == len(memory.facts) > 0


def test_a_line_that_is_not_of_the_format_is_named(tmp_path: Path) -> None:
    odd = tmp_path / "odd.jsonl"
    odd.write_text('{"id": "x"}\n')
    with pytest.raises(Invalid, match="line 1"):
        immune.read(odd)


def test_a_report_names_every_category_and_the_sum_last() -> None:
    rows = immune.report(OPEN, verdicts(OPEN)).splitlines()
    assert rows[0].startswith("| redteam_open.jsonl | clean |")
    assert rows[-1].startswith("| all |")
    assert len(rows) == 2 + len(immune.shares(verdicts(OPEN)))
