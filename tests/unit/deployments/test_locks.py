"""What `make up` and the tests install: every package pinned by hash, for both machines, without a host's name."""

from __future__ import annotations

import re
import tomllib
from functools import cache

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from config.settings import project_root
from deployments.environments import pinned
from deployments.requirements.resolve import OWN, TARGETS, Pin, Target, Unsolvable, locks, resolve

PROJECT = tomllib.loads((project_root() / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
WANTED = {
    "base": [],
    "dev": PROJECT["dependency-groups"]["dev"],
    **EXTRAS,
}
LINE = re.compile(r"[a-z0-9-]+==[\w.+!]+(?: ; [^-]+?)?(?: --hash=sha256:[0-9a-f]{64})+")


@cache
def pins(name: str, target: Target) -> dict[str, Pin]:
    """package -> what pip installs of a set on a target."""
    found: dict[str, Pin] = {}
    told = {"platform_machine": target.machine, "python_version": target.python, "sys_platform": "linux"}
    for line in pinned(OWN / f"{name}.txt"):
        wanted, *hashes = line.split(" --hash=sha256:")
        each = Requirement(wanted)
        if each.marker is None or each.marker.evaluate({**default_environment(), **told}):
            assert each.name not in found, f"{each.name} is there twice"
            found[each.name] = Pin(str(each.specifier).removeprefix("=="), frozenset(hashes), 0)
    return found


def test_there_is_a_set_for_what_make_up_installs_for_the_tests_and_for_each_extra() -> None:
    own = [name for name in locks() if "/" not in name]
    assert own == [*WANTED, "clients"]
    assert {path.stem for path in OWN.glob("*")} == {*WANTED, "clients"}


@pytest.mark.parametrize("name", [*WANTED, "clients"])
def test_every_line_is_one_version_with_hashes_and_nothing_says_where_it_came_from(name: str) -> None:
    assert [line for line in pinned(OWN / f"{name}.txt") if not LINE.fullmatch(line)] == []
    text = (OWN / f"{name}.txt").read_text()
    assert not re.search(r"://|--(?:extra-)?index|--find-links| @ |file:|www\.|\.org|\.com", text)


@pytest.mark.parametrize("name", WANTED)
@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_a_set_holds_what_pyproject_wants_of_it_and_what_builds_memoray(name: str, target: Target) -> None:
    held, base = pins(name, target), pins("base", target)
    for wanted in (*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"], *WANTED[name]):
        each = Requirement(wanted)
        if each.marker and not each.marker.evaluate({"platform_machine": target.machine}):
            assert each.name not in held
            continue
        assert held[canonicalize_name(each.name)].version in each.specifier, wanted
    differing = {package for package in base if held[package].version != base[package].version}
    assert not differing, "the sets are laid over each other"


@pytest.mark.parametrize("name", [*WANTED, "clients"])
def test_a_set_that_resolves_as_it_is_written_is_whole(name: str) -> None:
    resolve(locks()[name], write=False, solve=lambda lock, target, held: pins(name, target))


def test_a_set_whose_wishes_have_changed_is_told_with_what_to_do() -> None:
    newer = {"something-new": Pin("1.0", frozenset({"0" * 64}), 0)}
    with pytest.raises(Unsolvable, match=r"base\.txt is not what pyproject\.toml resolves to.*base --write"):
        resolve(locks()["base"], write=False, solve=lambda lock, target, held: {**pins("base", target), **newer})


def test_nothing_is_installed_but_by_hash() -> None:
    text = (project_root() / "Makefile").read_text().replace("\\\n", " ")
    installs = re.findall(r"pip install[^;\n]*", text)
    assert len(installs) == 4, "by uv and by pip: the packages, and ourselves"
    for line in installs:
        by_hash = "--require-hashes" in line and "--only-binary :all:" in line
        ours = "--no-build-isolation -e ." in line
        assert "--no-deps" in line, line
        assert by_hash or ours, line
    ci = (project_root() / ".ci" / "run").read_text()
    assert "pip install" not in ci, "it installs by make alone"


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_the_clients_stand_apart_and_are_those_that_pyproject_names(target: Target) -> None:
    held = pins("clients", target)
    for wanted in PROJECT["dependency-groups"]["clients"]:
        each = Requirement(wanted)
        assert held[canonicalize_name(each.name)].version in each.specifier, wanted
    assert "ray" not in held
