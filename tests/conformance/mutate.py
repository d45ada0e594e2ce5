"""Whether the proofs have teeth: move a constant or turn a rule around, and a test of its statement must fail.

`python -m tests.conformance.mutate` tries everything in mutants.yaml, `--sample 12 --seed 3` a part, `--only TEXT` what
is named so. Nothing in the tree is touched: every mutant is a fork of this process, into which the changed module is
compiled in place of the one on disk, and which runs only the tests marked with its statements: the quickest first, up
to the first that fails.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import importlib.abc
import importlib.util
import io
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

import pytest
import yaml
from hypothesis import HealthCheck, Phase, settings

from tests.conformance.conformance import HERE, ROOT, proofs

TABLE = HERE / "mutants.yaml"
LIMIT_S = 30
"""Seconds of computing a mutant may take, five times the longest; one that never ends has been noticed."""
IN_PROCESS = ("tests/unit/", "tests/oracle/test_time_machine.py")
"""Tests that need no server, and so can be run in a fork."""
NOTICED, SURVIVED, BROKEN = "killed", "survived", "broken"
_PYTEST = (
    "-x", "--tb=no", "--assert=plain", "-p", "pytest_asyncio.plugin",
    "-p", "_hypothesis_pytestplugin", "--hypothesis-profile=mutation",
)  # fmt: skip
_OURS = ("memory", "config", "adapters", "bench", "cli", "tests.unit", "tests.oracle", "tests.fakes")
_BELOW = ("memory.errors", "memory.model", "memory.words")
"""What knows nothing of the rules, and so stays as it is when one of them changes."""
_CONTRARY: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_NEIGHBOUR: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
}  # fmt: skip
"""Comparisons that differ in one point only: the very bound."""
_REVERSE: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
}  # fmt: skip
_EXTREMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}
_OTHER_NAMES = {"half_life": "stretched", "active": "archived", "candidate": "active", "L0": "L1", "month": "year"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one module, and the tests that must notice it."""

    module: str
    symbol: str
    change: str
    tree: ast.Module
    nodes: tuple[str, ...]

    @property
    def name(self) -> str:
        """What was changed, for the list of survivors."""
        return f"{self.module.removeprefix('memory.')}:{self.symbol} {self.change}"

    @property
    def lasting_name(self) -> str:
        """The same without lines, which move."""
        return re.sub(r" \(\d+\)", "", self.name)


def mutants() -> list[Mutant]:
    """Everything in the table, in its order, but for what changes nothing."""
    without_effect = yaml.safe_load(TABLE.read_text())["without_effect"]
    return [each for each in every_mutant() if each.lasting_name not in without_effect]


@cache
def every_mutant() -> list[Mutant]:
    """Everything in the table, in its order."""
    table, known = yaml.safe_load(TABLE.read_text()), proofs()
    found = []
    for kind, places in KINDS.items():
        for module, symbols in table[kind].items():
            for symbol, ids in symbols.items():
                marked = dict.fromkeys(proof.node for each in ids for proof in known.get(each, ()))
                nodes = tuple(node for node in marked if node.startswith(IN_PROCESS))
                found += [Mutant(module, symbol, change, tree, nodes) for change, tree in places(module, symbol)]
    return found


# ------------------------------------------------------------------------------------------------- changing a tree

Change = tuple[str, Callable[[], object]]
"""What it is called, and what does it to the tree it was found in."""


def parsed(module: str) -> ast.Module:
    """A module as it stands on disk."""
    return ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text())


def _each_change(module: str, changes: Callable[[ast.Module], list[Change]]) -> Iterator[tuple[str, ast.Module]]:
    """Every change on a tree of its own."""
    for place in range(len(changes(parsed(module)))):
        tree = parsed(module)
        name, apply = changes(tree)[place]
        apply()
        yield name, ast.fix_missing_locations(tree)


def _moved(module: str, symbol: str) -> Iterator[tuple[str, ast.Module]]:
    """A constant a tenth higher and lower (a whole number by one at least), a flag the other way, a name another."""
    return _each_change(module, lambda tree: list(_moves(_value_of(tree, symbol))))


def _value_of(tree: ast.Module, symbol: str) -> ast.AST:
    *owner, name = symbol.split(".")
    body = tree.body
    if owner:
        body = next(each.body for each in body if isinstance(each, ast.ClassDef) and each.name == owner[0])
    for each in body:
        targets = (
            each.targets if isinstance(each, ast.Assign) else [each.target] if isinstance(each, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return each
    raise LookupError(f"{symbol} is no constant")


def _moves(assigned: ast.AST) -> Iterator[Change]:
    value = assigned.value  # type: ignore[attr-defined]
    for node in ast.walk(value):
        if isinstance(node, ast.Set):
            for place, element in enumerate(node.elts):
                yield f"without {ast.unparse(element)}", partial(node.elts.pop, place)
        elif isinstance(node, ast.Constant) and not _in_a_set(value, node) and not _is_key(value, node):
            for other in _others(node.value):
                yield f"{node.value!s} -> {other}", partial(setattr, node, "value", other)


def _in_a_set(tree: ast.AST, node: ast.Constant) -> bool:
    return any(isinstance(each, ast.Set) and node in each.elts for each in ast.walk(tree))


def _is_key(tree: ast.AST, node: ast.Constant) -> bool:
    return any(isinstance(each, ast.Dict) and node in each.keys for each in ast.walk(tree))


def _others(value: object) -> list[object]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        step = max(1, round(value / 10))
        return [value + step, value - step]
    if isinstance(value, float):
        return [round(value * 1.1, 9), round(value * 0.9, 9)] if value else [0.1]
    if isinstance(value, str):
        return [_OTHER_NAMES.get(value, "half_life" if value in ("spaced", "stability") else "keep_forever")]
    return []


def _turned(module: str, symbol: str) -> Iterator[tuple[str, ast.Module]]:
    """Each comparison, condition and junction of columns in a function, turned around."""
    return _each_change(module, lambda tree: list(_turns(_function(tree, symbol))))


def _finely_turned(module: str, symbol: str) -> Iterator[tuple[str, ast.Module]]:
    """Beyond that, bounds moved by their very point, arithmetic reversed, and for or, least for most."""
    return _each_change(module, lambda tree: [*_turns(function := _function(tree, symbol)), *_fine_turns(function)])


def _fine_turns(function: ast.FunctionDef) -> Iterator[Change]:
    typed = {id(part) for each in ast.walk(function) for part in ast.walk(_annotation(each))}
    for node in (each for each in ast.walk(function) if id(each) not in typed):
        match node:
            case ast.Compare(ops=[first, *rest]) if type(first) in _NEIGHBOUR:
                neighbour = _NEIGHBOUR[type(first)]()
                yield f"bound of {_at(node)}", partial(setattr, node, "ops", [neighbour, *rest])
            case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in _REVERSE:
                yield f"reversed {_at(node)}", partial(setattr, node, "op", _REVERSE[type(op)]())
            case ast.BoolOp(op=op):
                other = ast.Or() if isinstance(op, ast.And) else ast.And()
                yield f"and for or, {_at(node)}", partial(setattr, node, "op", other)
            case ast.UnaryOp(op=ast.USub()):
                yield f"sign of {_at(node)}", partial(setattr, node, "op", ast.UAdd())
            case ast.Name(id=name) if name in _EXTREMES:
                yield f"other extreme ({node.lineno}): {name}", partial(setattr, node, "id", _EXTREMES[name])
            case ast.Attribute(attr=name) if name in _EXTREMES:
                yield f"other extreme ({node.lineno}): {name}", partial(setattr, node, "attr", _EXTREMES[name])
            case ast.comprehension():
                plain = (place for place, test in enumerate(node.ifs) if not isinstance(test, ast.Compare))
                yield from (_negated(node, place) for place in plain)


def _negated(node: ast.comprehension, place: int) -> Change:
    """A condition of a comprehension that is no comparison, turned around; comparisons are anyway."""
    test = node.ifs[place]
    return f"not {_at(test)}", partial(node.ifs.__setitem__, place, ast.UnaryOp(ast.Not(), test))


def _function(tree: ast.Module, name: str) -> ast.FunctionDef:
    return next(each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == name)


def _turns(function: ast.FunctionDef) -> Iterator[Change]:
    typed = {id(part) for each in ast.walk(function) for part in ast.walk(_annotation(each))}
    for node in ast.walk(function):
        if id(node) in typed:
            continue
        if isinstance(node, ast.Compare):
            contrary = [_CONTRARY[type(node.ops[0])](), *node.ops[1:]]
            yield f"not {_at(node)}", partial(setattr, node, "ops", contrary)
        elif isinstance(node, ast.If | ast.IfExp) and not isinstance(node.test, ast.Compare):
            yield f"not {_at(node.test)}", partial(setattr, node, "test", ast.UnaryOp(ast.Not(), node.test))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
            other = ast.BitOr() if isinstance(node.op, ast.BitAnd) else ast.BitAnd()
            yield f"& for |, {_at(node)}", partial(setattr, node, "op", other)


KINDS = {"constants": _moved, "rules": _turned, "finely": _finely_turned}
"""Parts of the table, and what is done to what they name."""


def _annotation(node: ast.AST) -> ast.AST:
    """What only says of which type something is."""
    return getattr(node, "annotation", None) or getattr(node, "returns", None) or ast.Pass()


def _at(node: ast.expr | ast.stmt) -> str:
    words = ast.unparse(node)
    return f"{words if len(words) <= 60 else words[:57] + '...'} ({node.lineno})"


# ------------------------------------------------------------------------------------------------- running the tests


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives out the changed tree where the module is imported."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The module's own place, loaded by us."""
        if name != self._mutant.module:
            return None
        real = PathFinder.find_spec(name, path)
        return importlib.util.spec_from_file_location(name, real.origin if real else None, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed tree in place of the file."""
        exec(compile(self._mutant.tree, str(module.__file__), "exec"), module.__dict__)


def prepare(nodes: Sequence[str]) -> dict[str, float]:
    """Run the tests as things are; returns the seconds each took. All they import from elsewhere, the forks inherit.

    Raises:
        RuntimeError: a test fails without any mutant, so that there is nothing to learn from them.
    """
    os.environ.update(OMP_NUM_THREADS="1", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    os.chdir(ROOT)
    settings.register_profile(
        "mutation", derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck),
        phases=(Phase.explicit, Phase.generate),
    )  # fmt: skip
    clock, said = _Clock(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = pytest.main([*_PYTEST, *nodes], plugins=[clock])
    if code:
        raise RuntimeError(f"The tests fail as things are:\n{said.getvalue()}")
    gc.collect()
    gc.freeze()  # a fork that sweeps what it inherited copies all of it
    return clock.took


class _Clock:
    """How long each test takes, its parameters together."""

    def __init__(self) -> None:
        self.took: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One of the three parts of a test is over."""
        node = report.nodeid.partition("[")[0]
        self.took[node] = self.took.get(node, 0.0) + report.duration


def outcome(mutant: Mutant, took: Mapping[str, float]) -> str:
    """What becomes of its tests in a fork."""
    child = os.fork()
    if not child:
        _run(mutant, sorted(mutant.nodes, key=lambda node: took[node]))
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return NOTICED if os.WTERMSIG(status) == signal.SIGPROF else BROKEN
    return {0: SURVIVED, 1: NOTICED, 2: NOTICED}.get(os.WEXITSTATUS(status), BROKEN)


def _run(mutant: Mutant, nodes: Sequence[str]) -> None:
    """Run the tests in this very process, quietly, and end it with pytest's own code."""
    code = 70
    with contextlib.suppress(BaseException):
        signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
        output = os.open(os.environ.get("MUTANT_OUTPUT", os.devnull), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.dup2(output, 1)
        os.dup2(output, 2)
        kept = () if mutant.module.startswith(_BELOW) else _BELOW
        for name in [each for each in sys.modules if each.startswith(_OURS) and not each.startswith(kept)]:
            del sys.modules[name]  # imported anew, from the changed tree
        sys.meta_path.insert(0, _Changed(mutant))
        with tempfile.TemporaryDirectory() as folder:
            code = int(pytest.main([*_PYTEST, f"--basetemp={folder}/t", *nodes]))
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the mutants and tell how many were killed; 1 if one survived, or a test fails without any."""
    options = _options(arguments)
    chosen = [each for each in mutants() if options.only in each.name]
    if options.sample and options.sample < len(chosen):
        chosen = random.Random(options.seed).sample(chosen, options.sample)
    took = prepare(tuple(dict.fromkeys(node for each in chosen for node in each.nodes)))
    began, results = time.monotonic(), Counter[tuple[str, str]]()
    for number, each in enumerate(chosen, start=1):
        result = outcome(each, took)
        results[each.module, result] += 1
        if options.verbose or result != NOTICED:
            sys.stdout.write(f"[{number}/{len(chosen)}] {result}: {each.name}\n")
            sys.stdout.flush()
    for module in dict.fromkeys(each.module for each in chosen):
        tried = sum(each.module == module for each in chosen)
        sys.stdout.write(f"{module}: {results[module, NOTICED]} of {tried}\n")
    killed = sum(results[module, NOTICED] for module in {each.module for each in chosen})
    sys.stdout.write(f"killed {killed} of {len(chosen)} mutants in {time.monotonic() - began:.0f} s\n")
    return int(killed < len(chosen))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.conformance.mutate", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--sample", type=int, default=0, help="how many, drawn by --seed; 0 = all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="those whose name holds this text")
    parser.add_argument("--verbose", action="store_true", help="also name the killed")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
