"""What the founding designs say of the life of a fact, and what proves it: docs/reference/conformance.md.

Statements stand in statements.yaml, proofs in the tests: `@pytest.mark.conforms("002:state.core_at")`. Run
`python -m tests.conformance.conformance` to write the page anew.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STATEMENTS = HERE / "statements.yaml"
PAGE = ROOT / "docs" / "reference" / "conformance.md"
DECISIONS = ROOT / "docs" / "decisions"

SEEDS = {
    "000": "Three tiers",
    "001": "Architecture and data flow",
    "002": "Lifecycle, spaced recall, lifetimes",
    "003": "Beliefs",
    "004": "Graph memory",
    "model": "What decisions added",
}
"""Section of the table -> the heading of its part of the page."""
_CITED = re.compile(r"(?P<record>\d{4})(?:, (?P<point>\d+))?: (?P<says>.+)")
_INTRODUCTION = """\
# Conformance: the life of a fact

This page lists every numbered statement, constant and threshold of the five founding designs that concerns the life of
a memory: birth, strength, tiers, states, revision, upkeep, the night with its storylines, macros, consolidations and
communities. For each it names the tests that prove it. Where a design errs or two disagree, it names the decision that
applies instead. Statements about later parts of the product say so. For recall, the figures are listed that a preset
keeps; of capture, the phases of a source, its summary, keywords and tags. The designs are not part of the repository:
"seed 003" in a comment means the section of that number below.

The statements are in `tests/conformance/statements.yaml`, the proofs are marked in the tests, and
`python -m tests.conformance.conformance` writes this page from both; a test keeps it up to date.
`python -m tests.conformance.mutate` shows that the proofs detect errors. It changes every constant by a tenth,
including those of the presets and of `config/memory.yaml`, and inverts every rule; the tests marked with the statement
must fail. For decay, slots, word rules that judge, settled facts, withdrawals, storylines, communities and patterns it
also moves bounds by their smallest step and reverses arithmetic (`finely` in `tests/conformance/mutants.yaml`, which
also lists mutations without effect, and why). A full run takes forty minutes of one quiet core and counts the
detected mutations by module. Last count, all on one tree, before storylines, communities, groups and proofs were
listed: 1,988 of 2,004 detected. Of the 16 others four have no effect. Twelve were given tests and counted again with
later changes, and all were detected. First count of what was listed since: 514 of 627 detected. Most of the others were
given tests; what those leave is not counted yet.
"""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement, in our words; `decided` and `later` say why it is not proven as it was written."""

    id: str
    says: str
    decided: str = ""
    later: str = ""

    @property
    def seed(self) -> str:
        """The section it stands in."""
        return self.id.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Proof:
    """A test, by its file below the root and its name."""

    path: str
    test: str

    @property
    def node(self) -> str:
        """As pytest is told to run it."""
        return f"{self.path}::{self.test}"


def statements(table: Path = STATEMENTS) -> dict[str, Statement]:
    """Every statement by its id, in the order of the table."""
    found = {}
    for seed, lines in yaml.safe_load(table.read_text()).items():
        for name, line in lines.items():
            given = {"says": line} if isinstance(line, str) else line
            found[f"{seed}:{name}"] = Statement(f"{seed}:{name}", **given)
    return found


def proofs(tests: Path = ROOT / "tests") -> dict[str, list[Proof]]:
    """Statement id -> the tests that carry its marker."""
    found: dict[str, list[Proof]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        for name, ids in _marked(ast.parse(path.read_text())):
            for identity in ids:
                found.setdefault(identity, []).append(Proof(path.relative_to(ROOT).as_posix(), name))
    return found


def _marked(tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for mark in function.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.conforms":
                    yield function.name, [ast.literal_eval(each) for each in mark.args]


def faults(stated: Mapping[str, Statement], proven: Mapping[str, Sequence[Proof]]) -> list[str]:
    """What is wrong: statements that nothing proves, markers that mean none, and what is proven and said to be open."""
    unproven = [f"{each.id} has no proof" for each in stated.values() if not _accounted(each, proven)]
    unknown = [f"{identity} is no statement ({proven[identity][0].node})" for identity in proven.keys() - stated.keys()]
    both = [f"{each.id} is proven and said to be open" for each in stated.values() if each.later and each.id in proven]
    return [*unproven, *sorted(unknown), *both]


def _accounted(statement: Statement, proven: Mapping[str, Sequence[Proof]]) -> bool:
    return bool(statement.decided or statement.later or proven.get(statement.id))


def page(stated: Mapping[str, Statement], proven: Mapping[str, Sequence[Proof]]) -> str:
    """The page, in Markdown."""
    tested = sum(each in proven for each in stated)
    decided = sum(bool(each.decided) for each in stated.values())
    later = sum(bool(each.later) for each in stated.values())
    parts = [
        _INTRODUCTION,
        f"{len(stated)} statements: {tested} proven by tests, {decided} decided otherwise or in part "
        f"(and proven so where a test is named), {later} of later parts.\n",
    ]
    for seed, heading in SEEDS.items():
        rows = "\n".join(_row(each, proven) for each in stated.values() if each.seed == seed)
        parts.append(f"## {heading} ({seed})\n\n| Statement | Says | Proof |\n|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def uncited(stated: Mapping[str, Statement], folder: Path = DECISIONS) -> list[str]:
    """Statements decided otherwise that name no record of this folder, or a point that their record does not have."""
    return [each.id for each in stated.values() if each.decided and not _is_cited(each.decided, folder)]


def _is_cited(decided: str, folder: Path) -> bool:
    cited = _CITED.fullmatch(decided)
    record = cited and next(folder.glob(f"{cited['record']}-*.md"), None)
    if not cited or not record:
        return False
    return cited["point"] is None or f"\n{cited['point']}. " in record.read_text()


def _linked(decided: str) -> str:
    """What was decided, with a link to its record."""
    cited = _CITED.fullmatch(decided)
    if cited is None:
        raise ValueError(f"{decided!r} names no decision.")
    (record,) = DECISIONS.glob(f"{cited['record']}-*.md")
    point = f", {cited['point']}" if cited["point"] else ""
    return f"[{cited['record']}](../decisions/{record.name}){point}: {cited['says']}"


def _row(statement: Statement, proven: Mapping[str, Sequence[Proof]]) -> str:
    tests = [f"[{each.test}](../../{each.path})" for each in proven.get(statement.id, ())]
    decided = [f"Decided: {_linked(statement.decided)}."] if statement.decided else []
    later = [f"Later: {statement.later}."] if statement.later else []
    name = statement.id.partition(":")[2]
    return f"| `{name}` | {statement.says} | {'<br>'.join([*decided, *later, *tests])} |"


if __name__ == "__main__":
    PAGE.write_text(page(statements(), proofs()))
