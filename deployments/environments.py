"""The Ray runtime environment of each GPU part: what it installs beside Memoray, and why no two share one.

vLLM wants numba 0.65, cuGraph less than that; WhisperX wants torch 2.8, vLLM 2.13: no environment holds them all. So
each part names a set of `deployments/requirements`: NAME.in says what it wants, NAME.txt what is installed, every
package with its version and the hashes of its wheels (`make requirements`, docs/howto/dgx-spark.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("requirements")
SETUP_S = 3_600
"""Seconds an installation may take; Ray's own 600 are too few for vLLM's wheels on a slow line."""
PIP_OPTIONS = ("--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--require-hashes")
"""The sets are whole, so nothing is looked for that they do not name. Unlike Ray's own options these use pip's cache:
an environment lasts as long as its Ray, and the next one shall not fetch its wheels again."""


def requirement_sets() -> tuple[str, ...]:
    """The names of all sets."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.in")))


def requirements(name: str) -> list[str]:
    """The set's packages, one a string: `name==version ; marker --hash=...`."""
    return pinned(FOLDER / f"{name}.txt")


def pinned(path: Path) -> list[str]:
    """The packages of a written set, one a string."""
    lines = path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    return [" ".join(line.split()) for line in lines if line.strip() and not line.startswith("#")]


def runtime_env(name: str | None, python: str | None = None) -> dict[str, Any] | None:
    """Ray's `runtime_env` for a set, or for the interpreter of an environment that holds it; None where neither is."""
    if python is not None:
        return {"py_executable": python}
    if name is None:
        return None
    pip = {"packages": requirements(name), "pip_check": False, "pip_install_options": list(PIP_OPTIONS)}
    return {"pip": pip, "config": {"setup_timeout_seconds": SETUP_S}}
