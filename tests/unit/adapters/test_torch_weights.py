"""Weights out of a file of PyTorch: tensors come as they are, and whatever else a file holds or tries is refused."""

from __future__ import annotations

import io
import os
import pickle
import sys
import types
import zipfile
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from adapters.hearing.torch_weights import read_weights
from memory.errors import Invalid

STORAGES = {"<f4": "FloatStorage", "<f2": "HalfStorage", "<i8": "LongStorage", "<i4": "IntStorage"}


class Kind:
    """Stands for a type of numbers of PyTorch, which need not be installed to write its files."""


def _rebuild_tensor_v2(*given: Any) -> None:
    """Stands for PyTorch's function of that name."""


class Stored:
    """A tensor as PyTorch saves it."""

    def __init__(self, numbers: np.ndarray, **told: Any) -> None:
        self.numbers, self.told = numbers, told


class Writer(pickle.Pickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=2)
        self.stored: list[np.ndarray] = []

    def reducer_override(self, given: Any) -> Any:
        if not isinstance(given, Stored):
            return NotImplemented
        shape = given.numbers.shape
        strides = tuple(int(np.prod(shape[place + 1 :])) for place in range(len(shape)))
        self.stored.append(given.numbers)
        kind = getattr(sys.modules["torch"], STORAGES[given.numbers.dtype.str])
        told = {"offset": 0, "shape": shape, "strides": strides, "count": given.numbers.size} | given.told
        mark = Mark(("storage", kind, str(len(self.stored) - 1), "cpu", told["count"]))
        asked = (mark, told["offset"], told["shape"], told["strides"], False, OrderedDict())
        return sys.modules["torch._utils"]._rebuild_tensor_v2, asked

    def persistent_id(self, given: Any) -> Any:
        return given.told if isinstance(given, Mark) else None


class Mark:
    """What stands in a pickle for the numbers of a tensor."""

    def __init__(self, told: Any) -> None:
        self.told = told


@pytest.fixture(autouse=True)
def torch_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names as PyTorch's, so that what is pickled here names them."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
    for name in (*STORAGES.values(), "Tensor"):
        kind = type(name, (Kind,), {"__module__": "torch", "__qualname__": name})
        setattr(torch, name, kind)
    rebuild = types.FunctionType(_rebuild_tensor_v2.__code__, {}, "_rebuild_tensor_v2")
    rebuild.__module__, rebuild.__qualname__ = "torch._utils", "_rebuild_tensor_v2"
    utils._rebuild_tensor_v2 = rebuild  # type: ignore[attr-defined]
    torch._utils = utils  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torch._utils", utils)


def written(path: Path, told: Any, compress: int = zipfile.ZIP_STORED, **files: bytes) -> Path:
    """A file as `torch.save` writes it."""
    pickled = io.BytesIO()
    writer = Writer(pickled)
    writer.dump(told)
    with zipfile.ZipFile(path, "w", compress) as archive:
        archive.writestr("archive/data.pkl", pickled.getvalue())
        for number, each in enumerate(writer.stored):
            archive.writestr(f"archive/data/{number}", each.tobytes())
        for name, content in files.items():
            archive.writestr(f"archive/{name}", content)
    return path


numbers = st.sampled_from(sorted(STORAGES)).flatmap(
    lambda kind: arrays.arrays(kind, arrays.array_shapes(min_dims=0, max_dims=4, max_side=5))
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text("abc.", min_size=1, max_size=6), numbers, max_size=5))
def test_tensors_come_as_they_are(tmp_path: Path, told: dict[str, np.ndarray]) -> None:
    path = written(tmp_path / "weights.pt", OrderedDict((name, Stored(each)) for name, each in told.items()))
    found = read_weights(path)
    assert set(found) == set(told)
    for name, each in told.items():
        assert found[name].dtype == each.dtype
        assert found[name].tobytes() == each.tobytes()
        assert found[name].shape == each.shape


def test_inner_dictionaries_are_found_by_their_keys_and_settings_are_passed_over(tmp_path: Path) -> None:
    weight = Stored(np.ones((2, 3), np.float32))
    told = {"epoch": 3, "name": "a model", "model": {"head": {"weight": weight, "size": (2, 3)}}}
    path = written(tmp_path / "weights.pt", told, byteorder=b"little", version=b"3\n")
    assert list(read_weights(path)) == ["model.head.weight"]
    assert list(read_weights(path, ("model",))) == ["head.weight"]
    for within in (("nothing",), ("epoch", "x"), ("model", "head", "weight", "x")):
        with pytest.raises(Invalid):
            read_weights(path, within)


class Calls:
    """Unpickling one calls something."""

    def __init__(self, function: Any, *given: Any) -> None:
        self.made = function, given

    def __reduce__(self) -> Any:
        return self.made


@pytest.mark.parametrize(
    "attack",
    [
        lambda mark: Calls(os.system, f"touch {mark}"),
        lambda mark: Calls(open, str(mark), "w"),
        lambda mark: Calls(eval, f"open({str(mark)!r}, 'w')"),
        lambda mark: {"weight": Calls(exec, f"open({str(mark)!r}, 'w')")},
        lambda mark: Calls(getattr, OrderedDict, "fromkeys"),
        lambda mark: Path("x"),
        lambda mark: np.ones(3),
        lambda mark: sys.modules["torch"].Tensor,
    ],
    ids=["system", "open", "eval", "exec", "getattr", "path", "array", "tensor"],
)
def test_a_pickle_that_names_anything_else_is_refused_and_calls_nothing(tmp_path: Path, attack: Any) -> None:
    mark = tmp_path / "mark"
    with pytest.raises(Invalid):
        read_weights(written(tmp_path / "weights.pt", attack(mark)))
    assert not mark.exists()


@pytest.mark.parametrize(
    "told",
    [
        {"offset": 1},
        {"offset": -1},
        {"offset": True},
        {"shape": (2, -3)},
        {"shape": (10**9, 10**9), "strides": (10**9, 1)},
        {"shape": (2, 4)},
        {"shape": [2, 3]},
        {"strides": (0, 0)},
        {"strides": (1, 2)},
        {"strides": (1,)},
        {"count": 7},
        {"count": 10**12},
        {"count": "6"},
    ],
    ids=str,
)
def test_a_tensor_that_is_not_its_numbers_is_refused(tmp_path: Path, told: dict[str, Any]) -> None:
    stored = Stored(np.arange(6, dtype=np.float32).reshape(2, 3), **told)
    with pytest.raises(Invalid):
        read_weights(written(tmp_path / "weights.pt", {"weight": stored}))


def test_what_unpacks_to_more_than_it_holds_is_refused(tmp_path: Path) -> None:
    told = {"weight": Stored(np.zeros(100_000, np.float32))}
    with pytest.raises(Invalid):
        read_weights(written(tmp_path / "weights.pt", told, zipfile.ZIP_DEFLATED))


def test_another_order_of_bytes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid):
        read_weights(written(tmp_path / "weights.pt", {}, byteorder=b"big"))


def test_a_pickle_that_asks_for_room_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "weights.pt", "w") as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02}r\xff\xff\xff\x7f.")
    with pytest.raises(Invalid):
        read_weights(tmp_path / "weights.pt")


def test_a_dictionary_that_holds_itself_ends(tmp_path: Path) -> None:
    told: dict[str, Any] = {"weight": Stored(np.ones(1, np.float32))}
    told["again"] = told
    assert list(read_weights(written(tmp_path / "weights.pt", told))) == ["weight"]


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_damaged_file_is_refused_or_holds_tensors(tmp_path: Path, data: st.DataObject) -> None:
    told = {"a": Stored(np.arange(6, dtype=np.float32)), "b": {"c": Stored(np.ones((2, 2), np.int64))}, "d": 1.5}
    content = bytearray(written(tmp_path / "weights.pt", told).read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=8)):
        content[place] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(content))) if data.draw(st.booleans()) else len(content)
    (tmp_path / "damaged.pt").write_bytes(content[:end])
    try:
        found = read_weights(tmp_path / "damaged.pt")
    except Invalid:
        return
    assert all(isinstance(each, np.ndarray) for each in found.values())


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_no_pickle_does_anything_but_be_refused_or_give_tensors(tmp_path: Path, told: bytes) -> None:
    with zipfile.ZipFile(tmp_path / "weights.pt", "w") as archive:
        archive.writestr("archive/data.pkl", told)
    with suppress(Invalid):
        assert read_weights(tmp_path / "weights.pt") == {}
