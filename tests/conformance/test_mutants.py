"""The proofs have teeth: of moved constants and turned rules a sample is tried (all: `tests.conformance.mutate`)."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import fields, is_dataclass
from typing import Any

import yaml

from memory.rules import parameters
from tests.conformance.conformance import ROOT, statements
from tests.conformance.mutate import KINDS, TABLE, every_mutant, mutants, parsed

SAMPLE, SEED = 12, 3
UNMARKED = {"Revision.manner", "Revision.compared"}
"""A way of working, and a bound that saves time alone; no founding design speaks of them."""


def test_every_number_of_a_lifetime_is_moved() -> None:
    written = yaml.safe_load(TABLE.read_text())["constants"]["memory.rules.parameters"]
    kinds = [each for each in vars(parameters).values() if isinstance(each, type) and is_dataclass(each)]
    plain = {f"{kind.__name__}.{each.name}" for kind in kinds for each in fields(kind) if not _is_a_part(kind, each)}
    assert plain == written.keys() | UNMARKED


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


def test_a_mutant_differs_from_what_it_was_made_of() -> None:
    made = {(each.module, ast.dump(each.tree)) for each in mutants()}
    assert len(made) == len(mutants())
    modules = {module for module, _ in made}
    assert not made & {(each, ast.dump(parsed(each))) for each in modules}


def test_a_sample_of_mutants_is_killed() -> None:
    command = [sys.executable, "-m", "tests.conformance.mutate", "--sample", str(SAMPLE), "--seed", str(SEED)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"killed {SAMPLE} of {SAMPLE} mutants" in done.stdout
