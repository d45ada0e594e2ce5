"""What each GPU part installs: whole, pinned, without a host's name, and fit to be laid over Memoray's own."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from ray.runtime_env import RuntimeEnv

from config.settings import project_root
from deployments.environments import FOLDER, requirement_sets, requirements, runtime_env
from deployments.requirements.resolve import (
    LEFT_OUT,
    TARGETS,
    Lock,
    Pin,
    Pins,
    Target,
    Unsolvable,
    condition,
    gpu_lock,
    resolve,
)

SETS = requirement_sets()
LINE = re.compile(r"[a-z0-9-]+==[\w.+!]+(?: ; [^-]+?)?(?: --hash=sha256:[0-9a-f]{64})+")
ON_THE_SPARK = Target("aarch64", "3.12")


def wanted(name: str) -> Iterator[Requirement]:
    """What a set says it wants."""
    for line in (FOLDER / f"{name}.in").read_text().splitlines():
        if line and not line.startswith("#"):
            yield Requirement(line)


def pins(name: str, target: Target, *, held: bool = True) -> Pins:
    """package -> what pip installs there."""
    found: dict[str, Pin] = {}
    environment = {"platform_machine": target.machine, "python_version": target.python, "sys_platform": "linux"}
    for line in requirements(name):
        pinned, *hashes = line.split(" --hash=sha256:")
        each = Requirement(pinned)
        if each.marker is None or each.marker.evaluate(environment):
            assert each.name not in found, f"{each.name} is there twice"
            found[each.name] = Pin(str(each.specifier).removeprefix("=="), frozenset(hashes), 0)
    return found


def test_there_is_a_set_for_each_part() -> None:
    assert SETS == ("communities", "embedding", "language", "retrieval", "speech")


@pytest.mark.parametrize("name", SETS)
def test_every_line_is_one_version_and_the_hashes_of_its_wheels(name: str) -> None:
    assert [line for line in requirements(name) if not LINE.fullmatch(line)] == []


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("ending", ["in", "txt"])
def test_no_set_names_a_host_an_index_or_a_path(name: str, ending: str) -> None:
    text = (FOLDER / f"{name}.{ending}").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert (
        re.findall(r"://| @ |--(?:extra-)?index|--find-links|^-|(?<!\w)\.{0,2}/", "\n".join(lines), re.MULTILINE) == []
    )
    assert "://" not in text


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_a_set_holds_what_it_wants_and_what_memoray_wants_and_never_ray(name: str, target: Target) -> None:
    held = pins(name, target)
    ours = tomllib.loads((project_root() / "pyproject.toml").read_text())["project"]["dependencies"]
    for each in [*wanted(name), *map(Requirement, ours)]:
        package = canonicalize_name(each.name)
        if package not in LEFT_OUT:
            assert held[package].version in each.specifier, f"{package} {held[package].version}"
    assert not LEFT_OUT & held.keys(), "Ray's version is the cluster's"


def test_what_excludes_each_other_is_apart() -> None:
    """vLLM wants numba 0.65.0 and cuGraph less; WhisperX wants torch 2.8 and vLLM 2.13."""
    language, speech, retrieval = (pins(name, ON_THE_SPARK) for name in ("language", "speech", "retrieval"))
    assert (language["vllm"].version, language["numba"].version) == ("0.29.0", "0.65.0")
    for apart in (retrieval, pins("communities", ON_THE_SPARK)):
        assert not {"numba", "cugraph-cu13", "vllm"} & apart.keys()
    assert language["torch"].version != speech["torch"].version
    assert language["torch"].version == pins("embedding", ON_THE_SPARK)["torch"].version


@pytest.mark.parametrize("name", SETS)
def test_ray_takes_the_environment_as_it_is(name: str) -> None:
    environment = runtime_env(name)
    assert environment is not None
    taken = RuntimeEnv(**environment)
    assert taken["pip"]["packages"] == requirements(name)
    assert "--no-cache-dir" not in taken["pip"]["pip_install_options"]
    assert RuntimeEnv(**(runtime_env(name, "/opt/python") or {})).py_executable() == "/opt/python"
    assert runtime_env(None) is None


@pytest.mark.parametrize(
    ("targets", "marker"),
    [
        (TARGETS, ""),
        ([each for each in TARGETS if each.machine == "x86_64"], " ; platform_machine == 'x86_64'"),
        ([each for each in TARGETS if each.python == "3.11"], " ; python_version == '3.11'"),
        ([ON_THE_SPARK], " ; (platform_machine == 'aarch64' and python_version == '3.12')"),
    ],
)
def test_a_marker_is_no_longer_than_it_must_be(targets: list[Target], marker: str) -> None:
    assert condition(targets, TARGETS) == marker


@pytest.mark.parametrize("name", SETS)
def test_a_set_that_resolves_as_it_is_written_is_whole(name: str) -> None:
    resolve(gpu_lock(name), write=False, solve=lambda lock, target, held: pins(name, target))


def test_a_set_whose_wishes_have_changed_is_not_whole_any_more() -> None:
    def solve(lock: Lock, target: Target, *, held: bool) -> Pins:
        return {**pins(lock.path.stem, target), "something-new": Pin("1.0", frozenset({"0" * 64}), 0)}

    with pytest.raises(Unsolvable, match=r"embedding\.txt is not what embedding\.in and pyproject\.toml resolves to"):
        resolve(gpu_lock("embedding"), write=False, solve=solve)
