"""`make requirements`: whether every set can be installed, on x86-64 and aarch64, and with --write what it holds.

Nothing is installed: uv reads the index's metadata and looks for wheels that fit. A set is resolved together with
Memoray's own requirements, since Ray lays its packages over a copy of Memoray's environment; Ray itself is left out,
for it must be the cluster's.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from config.settings import project_root
from deployments.environments import FOLDER, requirement_sets, requirements

MACHINES, PYTHONS = ("x86_64", "aarch64"), ("3.11", "3.12", "3.13")
GLIBC = "manylinux_2_35"
"""Ubuntu 22.04 and later, Debian 12 and later; DGX OS 7 has 2.39. Below it vLLM has no whole set of wheels."""
LEFT_OUT = frozenset({"ray"})
HEADER = """\
# Every package of this set, for Linux (glibc 2.35) on x86-64 and aarch64, Python 3.11 to 3.13.
# Written by `make requirements ARGS=--write` from {name}.in and pyproject.toml: change those instead.
"""


@dataclass(frozen=True, slots=True, order=True)
class Target:
    """A kind of machine a set is to be installed on."""

    machine: str
    python: str


@dataclass(frozen=True, slots=True)
class Pin:
    """One package as it is installed on one target."""

    version: str
    hashes: frozenset[str]
    """SHA-256 of the wheels that fit; pip takes one of them."""
    size: int
    """Bytes of the largest of them, 0 where the index does not say."""


Pins = Mapping[str, Pin]


class Solve(Protocol):
    """How a set is resolved for one target."""

    def __call__(self, name: str, target: Target, *, held: bool) -> Pins:
        """package -> what is installed. Raises Unsolvable."""


TARGETS = tuple(Target(*each) for each in itertools.product(MACHINES, PYTHONS))


class Unsolvable(Exception):
    """A set that cannot be installed on a target; uv's own reasons."""


def resolved(name: str, target: Target, *, held: bool) -> dict[str, Pin]:
    """package -> what is installed. With `held` only versions of the written set may be used. Raises Unsolvable."""
    with tempfile.TemporaryDirectory() as folder:
        lock, limits = Path(folder) / "pylock.toml", Path(folder) / "limits.txt"
        limits.write_text("\n".join(_without_hashes(requirements(name))) if held else "")
        command = [*_uv(), "pip", "compile", "--quiet", "--no-header", "--only-binary", ":all:"]
        command += ["--python-version", target.python, "--python-platform", f"{target.machine}-{GLIBC}"]
        command += ["--constraint", str(limits), "--format", "pylock.toml", "--output-file", str(lock)]
        command += [str(project_root() / "pyproject.toml"), str(FOLDER / f"{name}.in")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Unsolvable(done.stderr.strip())
        packages = tomllib.loads(lock.read_text())["packages"]
    return {package["name"]: _pin(package) for package in packages if package["name"] not in LEFT_OUT}


def _pin(package: Mapping[str, Any]) -> Pin:
    wheels = package["wheels"]
    hashes = frozenset(wheel["hashes"]["sha256"] for wheel in wheels)
    return Pin(package["version"], hashes, max(wheel.get("size", 0) for wheel in wheels))


def _without_hashes(lines: Iterable[str]) -> list[str]:
    return [line.partition(" --hash")[0] for line in lines]


def _uv() -> list[str]:
    """uv as a module of this Python, where it is one, else from the path."""
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.is_file() else shutil.which("uv")
    if found is None:
        sys.exit("uv is needed to resolve: pip install uv")
    return [found]


def written(found: Mapping[Target, Pins]) -> list[str]:
    """The lines of a set: each package once a version, where it is installed, the hashes of its wheels."""
    where: dict[tuple[str, str], list[Target]] = defaultdict(list)
    hashes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for target, pins in found.items():
        for name, pin in pins.items():
            where[name, pin.version].append(target)
            hashes[name, pin.version] |= pin.hashes
    lines = []
    for name, version in sorted(where):
        marker = condition(where[name, version], found)
        lines.append(" \\\n".join([f"{name}=={version}{marker}", *_options(hashes[name, version])]))
    return lines


def _options(hashes: Iterable[str]) -> list[str]:
    return [f"    --hash=sha256:{each}" for each in sorted(hashes)]


def condition(targets: Iterable[Target], of: Iterable[Target]) -> str:
    """The marker that is true on these targets of all: none where it is true on every one."""
    chosen, everywhere = sorted(targets), sorted(of)
    machines, pythons = ({getattr(each, part) for each in chosen} for part in ("machine", "python"))
    if chosen == everywhere:
        return ""
    if chosen == [each for each in everywhere if each.machine in machines]:
        return f" ; {_one_of('platform_machine', machines)}"
    if chosen == [each for each in everywhere if each.python in pythons]:
        return f" ; {_one_of('python_version', pythons)}"
    each_alone = (f"({_marker(each)})" for each in chosen)
    return f" ; {' or '.join(each_alone)}"


def _marker(target: Target) -> str:
    return f"platform_machine == '{target.machine}' and python_version == '{target.python}'"


def _one_of(variable: str, values: Iterable[str]) -> str:
    return " or ".join(f"{variable} == '{value}'" for value in sorted(values))


def resolve(name: str, *, write: bool, solve: Solve = resolved) -> None:
    """Resolve one set for all targets, tell, and write it. Raises Unsolvable, also for a set that is not whole."""
    found = {target: solve(name, target, held=not write) for target in TARGETS}
    for target, pins in found.items():
        size = sum(pin.size for pin in pins.values()) / 1e9
        print(f"{name:<10} {target.machine:<8} Python {target.python}  {len(pins)} packages, {size:.1f} GB of wheels")
    text = HEADER.format(name=name) + "\n".join(written(found)) + "\n"
    path = FOLDER / f"{name}.txt"
    if write:
        path.write_text(text, encoding="utf-8")
    elif path.read_text(encoding="utf-8") != text:
        raise Unsolvable(f"{path.name} is not what {name}.in resolves to any more: make requirements ARGS=--write")


def main() -> None:
    """Resolve every set, or those named; exit code 1 if one cannot be."""
    parser = argparse.ArgumentParser(prog="python -m deployments.requirements.resolve", description=main.__doc__)
    parser.add_argument("sets", nargs="*", choices=[[], *requirement_sets()], help="which sets (default: all)")
    parser.add_argument("--write", action="store_true", help="take the newest versions, and write them down")
    arguments = parser.parse_args()
    failed = False
    for name in arguments.sets or requirement_sets():
        try:
            resolve(name, write=arguments.write)
        except Unsolvable as error:
            failed = True
            print(f"{name}: {error}", file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
