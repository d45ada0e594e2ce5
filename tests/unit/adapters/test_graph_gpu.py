"""What becomes of a GPU's engine that fails, answers half, or sees something else than the CPU's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from adapters import build_models
from adapters.graph.agreeing import club, must_agree
from adapters.graph.cpu import CpuGraphEngine
from adapters.graph.gpu import CugraphEngine
from memory.errors import ConfigError, EngineFailed
from tests.fakes import rapids


def over(**instead: Any) -> CugraphEngine:
    """An engine over libraries where something is another thing."""
    libraries = rapids.pylibcugraph()
    for name, act in instead.items():
        setattr(libraries, name, act)
    return CugraphEngine(libraries, rapids.cupy())


def test_it_agrees_with_the_cpu() -> None:
    must_agree(over(), CpuGraphEngine())


def test_an_engine_that_sees_something_else_is_refused_by_what_it_sees() -> None:
    def alone(handle: Any, graph: rapids.SGGraph, degree_type: str, check: bool) -> Any:
        nodes, cores = rapids.core_number(handle, graph, degree_type, check)
        return nodes, 2 * cores

    with pytest.raises(ConfigError, match="gpu does not agree with cpu on cores"):
        must_agree(over(core_number=alone), CpuGraphEngine())


@pytest.mark.parametrize("half", [slice(0, -1), slice(1, None), [0] * 36])
def test_an_answer_that_is_not_about_every_node_is_none(half: Any) -> None:
    def some(*arguments: Any) -> Any:
        nodes, labels, quality = rapids.leiden(*arguments)
        return nodes[half], labels[half], quality

    with pytest.raises(EngineFailed, match="every node"):
        over(leiden=some).partition(club())


def test_what_the_device_raises_is_told_by_its_name_alone() -> None:
    def broken(*arguments: Any, **named: Any) -> Any:
        raise RuntimeError("an address, a name, a path")

    engine = over(leiden=broken, pagerank=broken, core_number=broken, weakly_connected_components=broken)
    for act in (engine.partition, engine.rank, engine.cores, engine.components):
        with pytest.raises(EngineFailed) as failed:
            act(club())
        assert failed.value.ids == {"nodes": 36, "error": "RuntimeError"}
        assert "address" not in failed.value.detail


def test_a_walk_that_does_not_settle_is_no_rank() -> None:
    def restless(*arguments: Any, **named: Any) -> Any:
        return (*rapids.pagerank(*arguments, **named)[:2], False)

    with pytest.raises(EngineFailed, match="did not settle"):
        over(pagerank=restless).rank(club())


def test_arrays_outlive_the_call_and_go_with_the_graph() -> None:
    """The stand-in looks at them when it is asked, and holds none of them."""
    seen = []

    def looked(*arguments: Any) -> Any:
        seen.append(arguments[1])
        return rapids.core_number(*arguments)

    assert over(core_number=looked).cores(club()).max() == 4
    assert [each() for each in seen[0].arrays] == [None] * 4
    with pytest.raises(RuntimeError, match="illegal memory access"):
        seen[0].read()


def test_where_there_is_no_gpu_it_is_not_made() -> None:
    with pytest.raises(ConfigError, match="no GPU"):
        CugraphEngine(rapids.pylibcugraph(), rapids.cupy(devices=0))
    broken = SimpleNamespace(ResourceHandle=lambda: 1 / 0)
    with pytest.raises(ConfigError, match="ZeroDivisionError"):
        CugraphEngine(broken, rapids.cupy())


def test_where_the_libraries_are_missing_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pylibcugraph", None)
    with pytest.raises(ConfigError, match=r"communities\.in"):
        build_models.graph_engine("gpu")
    assert build_models.graph_engine("cpu").name == "cpu"


def test_ranks_are_laid_out_by_their_nodes() -> None:
    """What the library gives back is in whatever order."""
    path = CpuGraphEngine()
    found, known = over().rank(club()), path.rank(club())
    assert np.abs(found - known).sum() < 1e-4
