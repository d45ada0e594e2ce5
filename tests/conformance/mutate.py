"""Whether the proofs have teeth: move a constant or turn a rule around, and a test of its statement must fail.

`python -m tests.conformance.mutate` tries everything in mutants.yaml, `--sample 12 --seed 3` a part, `--only TEXT ...`
what is named so. Nothing in the tree is touched: every mutant is a fork of this process, which reads the changed text
in place of the file on disk, and runs only the tests marked with its statements: the quickest first, up to the first
that fails.
"""

from __future__ import annotations

import argparse
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
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from hypothesis import HealthCheck, Phase, settings

from tests.conformance.changes import KINDS, parsed, path_of, written
from tests.conformance.conformance import HERE, ROOT, proofs

TABLE = HERE / "mutants.yaml"
LIMIT_S = 30
"""Seconds of computing a mutant may take, five times the longest; one that never ends has been noticed."""
LIKELY = 4
"""Tests that killed the last mutants of a module and are tried first, which spares collecting all the others."""
IN_PROCESS = ("tests/unit/", "tests/oracle/test_time_machine.py")
"""Tests that need no server, and so can be run in a fork."""
NOTICED, SURVIVED, BROKEN = "killed", "survived", "broken"
_PYTEST = (
    "-x",
    "--tb=no",
    "--assert=plain",
    "-p",
    "pytest_asyncio.plugin",
    "-p",
    "_hypothesis_pytestplugin",
    "--hypothesis-profile=mutation",
)
_OURS = ("memory", "config", "adapters", "bench", "cli", "tests.unit", "tests.oracle", "tests.fakes")
_BELOW = ("memory.errors", "memory.model", "memory.words")
"""What knows nothing of the rules, and so stays as it is when one of them changes."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one module or preset, and the tests that must notice it."""

    kind: str
    module: str
    symbol: str
    place: int
    """Which of the changes of its symbol it is, from 0."""
    change: str
    nodes: tuple[str, ...]

    @property
    def name(self) -> str:
        """What was changed, for the list of survivors."""
        return f"{self.module.removeprefix('memory.')}:{self.symbol} {self.change}"

    @property
    def lasting_name(self) -> str:
        """The same without lines, which move."""
        return re.sub(r" \(\d+\)", "", self.name)

    def text(self) -> str:
        """The whole file, changed."""
        tree = parsed(self.module)
        KINDS[self.kind](tree, self.symbol)[self.place][1]()
        return written(tree)


def mutants() -> list[Mutant]:
    """Everything in the table, in its order, but for what changes nothing."""
    without_effect = yaml.safe_load(TABLE.read_text())["without_effect"]
    return [each for each in every_mutant() if each.lasting_name not in without_effect]


@cache
def every_mutant() -> list[Mutant]:
    """Everything in the table, in its order."""
    table, known = yaml.safe_load(TABLE.read_text()), proofs()
    found = []
    for kind, changes in KINDS.items():
        for module, symbols in table[kind].items():
            tree = parsed(module)
            for symbol, ids in symbols.items():
                marked = dict.fromkeys(proof.node for each in ids for proof in known.get(each, ()))
                nodes = tuple(node for node in marked if node.startswith(IN_PROCESS))
                names = enumerate(name for name, _ in changes(tree, symbol))
                found += [Mutant(kind, module, symbol, place, name, nodes) for place, name in names]
    return found


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives out the changed text where the module is imported."""

    def __init__(self, mutant: Mutant) -> None:
        self._module = mutant.module
        self._text = mutant.text()

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The module's own place, loaded by us."""
        if name != self._module:
            return None
        return importlib.util.spec_from_file_location(name, path_of(name), loader=self)

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed text in place of the file."""
        exec(compile(self._text, str(module.__file__), "exec"), module.__dict__)


def _give_out(mutant: Mutant) -> None:
    """Let this process read the changed text in place of the file."""
    if not mutant.module.endswith(".yaml"):
        sys.meta_path.insert(0, _Changed(mutant))
        return
    read, changed, text = Path.read_text, path_of(mutant.module), mutant.text()
    Path.read_text = lambda path, *a, **k: text if path == changed else read(path, *a, **k)  # type: ignore[method-assign]


def prepare(nodes: Sequence[str]) -> dict[str, float]:
    """Run the tests as things are; returns the seconds each took. All they import from elsewhere, the forks inherit.

    Raises:
        RuntimeError: a test fails without any mutant, so that there is nothing to learn from them.
    """
    os.environ.update(OMP_NUM_THREADS="1", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    os.chdir(ROOT)
    settings.register_profile(
        "mutation",
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.explicit, Phase.generate),
    )
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


class _Killer:
    """Tells, on a pipe, which test fails first."""

    def __init__(self, told: int) -> None:
        self._told = told

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One of the three parts of a test is over."""
        if report.failed:
            os.write(self._told, report.nodeid.partition("[")[0].encode() + b"\n")


def outcome(mutant: Mutant, took: Mapping[str, float], likely: Sequence[str]) -> tuple[str, str | None]:
    """What becomes of its tests in a fork, and the test that fails; those that `likely` will are tried first."""
    first = [node for node in likely if node in mutant.nodes]
    others = sorted(set(mutant.nodes) - set(first), key=lambda node: (took[node], node))
    reading, told = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _run(mutant, [nodes for nodes in (first, others) if nodes], told)
    os.close(told)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reading) as heard:
        killer = next(iter(heard.read().splitlines()), None)
    if os.WIFSIGNALED(status):
        return (NOTICED if os.WTERMSIG(status) == signal.SIGPROF else BROKEN), killer
    return {0: SURVIVED, 1: NOTICED, 2: NOTICED}.get(os.WEXITSTATUS(status), BROKEN), killer


def _run(mutant: Mutant, batches: Sequence[Sequence[str]], told: int) -> None:
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
        _give_out(mutant)
        with tempfile.TemporaryDirectory() as folder:
            for nodes in batches:
                code = int(pytest.main([*_PYTEST, f"--basetemp={folder}/t", *nodes], plugins=[_Killer(told)]))
                if code:
                    break
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the mutants and tell how many were killed; 1 if one survived, or a test fails without any."""
    options = _options(arguments)
    chosen = [each for each in mutants() if any(text in each.name for text in options.only)]
    if options.sample and options.sample < len(chosen):
        chosen = random.Random(options.seed).sample(chosen, options.sample)
    took = prepare(tuple(dict.fromkeys(node for each in chosen for node in each.nodes)))
    began, results = time.monotonic(), Counter[tuple[str, str]]()
    likely = defaultdict[str, deque[str]](lambda: deque(maxlen=LIKELY))
    for number, each in enumerate(chosen, start=1):
        result, killer = outcome(each, took, likely[each.module])
        results[each.module, result] += 1
        if killer is not None and killer not in likely[each.module]:
            likely[each.module].appendleft(killer)
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
    parser.add_argument("--only", nargs="+", default=[""], help="those whose name holds one of these texts")
    parser.add_argument("--verbose", action="store_true", help="also name the killed")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
