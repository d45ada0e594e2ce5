"""The proofs have teeth: of moved constants and turned rules a sample is tried (all: `tests.conformance.mutate`)."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields, is_dataclass
from typing import Any

import yaml

from memory.rules import parameters
from tests.conformance.changes import KINDS, parsed, written
from tests.conformance.conformance import ROOT, statements
from tests.conformance.mutate import TABLE, every_mutant, mutants

SAMPLE, SEED = 12, 3
SPARED = 16
"""One of so many is written out in full, which takes a fiftieth of a second each."""
UNMARKED = {"Revision.manner", "Revision.compared"}
"""A way of working, and a bound that saves time alone, of which no founding design speaks."""


def test_every_number_of_a_lifetime_is_moved() -> None:
    table = yaml.safe_load(TABLE.read_text())["constants"]["memory.rules.parameters"]
    kinds = [each for each in vars(parameters).values() if isinstance(each, type) and is_dataclass(each)]
    plain = {f"{kind.__name__}.{each.name}" for kind in kinds for each in fields(kind) if not _is_a_part(kind, each)}
    assert plain == table.keys() | UNMARKED


def _is_a_part(kind: type, each: Any) -> bool:
    return is_dataclass(getattr(kind(), each.name))


def test_every_mutant_has_statements_and_tests_that_need_no_server() -> None:
    table, known = yaml.safe_load(TABLE.read_text()), statements()
    meant = {each for kind in KINDS for symbols in table[kind].values() for ids in symbols.values() for each in ids}
    assert meant <= known.keys()
    assert [each.name for each in mutants() if not each.nodes] == []


def test_what_has_no_effect_is_a_mutant_and_says_why() -> None:
    reasons = yaml.safe_load(TABLE.read_text())["without_effect"]
    assert reasons.keys() <= {each.lasting_name for each in every_mutant()}
    assert all(reasons.values())


def test_a_mutant_differs_from_what_it_was_made_of_and_from_every_other() -> None:
    chosen = mutants()[::SPARED]
    made = {(each.module, each.text()) for each in chosen}
    assert len(made) == len(chosen)
    modules = {module for module, _ in made}
    assert not made & {(each, written(parsed(each))) for each in modules}


def test_everything_in_the_table_can_be_changed() -> None:
    table = yaml.safe_load(TABLE.read_text())
    named = {(module, symbol) for kind in KINDS for module, symbols in table[kind].items() for symbol in symbols}
    assert named == {(each.module, each.symbol) for each in every_mutant()}


def test_a_sample_of_mutants_is_killed() -> None:
    command = [sys.executable, "-m", "tests.conformance.mutate", "--sample", str(SAMPLE), "--seed", str(SEED)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"killed {SAMPLE} of {SAMPLE} mutants" in done.stdout
