"""Weights out of a file of PyTorch, without PyTorch: tensors of numbers in dictionaries, and nothing else.

Such a file is a ZIP of a pickle, which tells names and shapes, and of one file of bytes for each tensor. A pickle can
call whatever it can name, so this one can name four things, none of which does anything but make a tensor. What it
tells is checked against the bytes that are there, and nothing is unpacked.
"""

from __future__ import annotations

import io
import math
import pickle
import pickletools
import struct
import zipfile
import zlib
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from memory.errors import Invalid

Weights = Mapping[str, NDArray[Any]]
"""Tensors by their names."""
MOST_TOLD_BYTES = 4_000_000
"""Of the pickle: that of a model of a thousand tensors has 133 kB."""
MOST_ENTRIES = 10_000
"""Files in the ZIP (chosen: ten times as many)."""
_OPCODES = frozenset(
    (
        *("PROTO", "STOP", "MARK", "NONE", "NEWTRUE", "NEWFALSE", "BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT"),
        *("BINUNICODE", "EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "EMPTY_LIST", "APPEND", "APPENDS"),
        *("EMPTY_DICT", "SETITEM", "SETITEMS", "BINPUT", "LONG_BINPUT", "BINGET", "LONG_BINGET"),
        *("GLOBAL", "REDUCE", "BUILD", "BINPERSID"),
    )
)
"""What a pickle may be made of: what PyTorch writes of tensors, settings and dictionaries."""
_KINDS = {"FloatStorage": "<f4", "HalfStorage": "<f2", "LongStorage": "<i8", "IntStorage": "<i4"}


@dataclass(frozen=True, slots=True)
class _Kind:
    """The type of the numbers of a tensor."""

    dtype: str


class _Pickle(pickle.Unpickler):
    """Reads the pickle of one file; whatever else it names is refused."""

    def __init__(self, told: bytes, archive: zipfile.ZipFile, folder: str) -> None:
        super().__init__(io.BytesIO(told))
        self._archive, self._folder = archive, folder
        self._read: dict[str, NDArray[Any]] = {}

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _Tensor()
        if module == "torch" and name in _KINDS:
            return _Kind(_KINDS[name])
        raise Invalid("These weights name something that is no tensor, and were not read.")

    def persistent_load(self, pid: Any) -> NDArray[Any]:
        """The numbers of one tensor."""
        mark, kind, key, _, count = pid
        if mark != "storage" or not isinstance(kind, _Kind) or not isinstance(key, str):
            _refused()
        dtype = np.dtype(kind.dtype)
        if (known := self._read.get(key)) is not None:
            return known
        found = self._archive.getinfo(f"{self._folder}data/{key}")
        if found.compress_type != zipfile.ZIP_STORED or found.file_size != count * dtype.itemsize:
            _refused()
        self._read[key] = np.frombuffer(self._archive.read(found), dtype)
        return self._read[key]


class _Tensor:
    """Makes a tensor of numbers that lie one behind the other, as all saved ones do; a pickle can set nothing on it."""

    __slots__ = ()

    def __call__(self, numbers: Any, offset: Any, shape: Any, strides: Any, *rest: Any) -> NDArray[Any]:
        if not isinstance(numbers, np.ndarray) or numbers.ndim != 1 or not _whole((offset,), shape, strides):
            _refused()
        count = math.prod(shape)
        told = [stride for stride, size in zip(strides, shape, strict=True) if size > 1]
        dense = [math.prod(shape[place + 1 :]) for place, size in enumerate(shape) if size > 1]
        if told != dense or offset + count > len(numbers):
            _refused()
        return numbers[offset : offset + count].reshape(shape)


def _whole(*many: Any) -> bool:
    return all(isinstance(each, tuple) and all(type(one) is int and one >= 0 for one in each) for each in many)


def read_weights(path: Path, within: Sequence[str] = ()) -> Weights:
    """The tensors of a file, or of the dictionary that is found in it by these keys; names of inner ones are dotted.

    Raises Invalid of a file that holds anything else, is damaged, or is larger than any model that is read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            told = _read(archive, path.stat().st_size)
            for key in within:
                told = told[key]
            return dict(_named(told))
    except _BROKEN as error:
        raise Invalid("This is no file of weights, or it is damaged.") from error


_BROKEN = (
    zipfile.BadZipFile,
    pickle.UnpicklingError,
    struct.error,
    zlib.error,
    RuntimeError,
    OSError,
    EOFError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,
)
"""What reading a damaged file raises; whatever these say is not told on."""


def _read(archive: zipfile.ZipFile, size: int) -> Any:
    """What the pickle tells, unless the ZIP unpacks to more than it holds."""
    names = archive.namelist()
    told = [each for each in names if each.count("/") == 1 and each.endswith("/data.pkl")]
    if len(told) != 1 or len(names) > MOST_ENTRIES or len(set(names)) != len(names):
        _refused()
    if sum(each.file_size for each in archive.infolist()) > size:
        _refused()
    folder = told[0].removesuffix("data.pkl")
    if f"{folder}byteorder" in names and archive.read(f"{folder}byteorder") != b"little":
        _refused()
    found = archive.getinfo(told[0])
    if found.file_size > MOST_TOLD_BYTES or found.compress_type != zipfile.ZIP_STORED:
        _refused()
    content = archive.read(found)
    for opcode, argument, _ in pickletools.genops(content):
        if opcode.name not in _OPCODES or (opcode.name == "LONG_BINPUT" and cast(int, argument) > len(content)):
            _refused()
    return _Pickle(content, archive, folder).load()


def _named(told: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    """The tensors in nested dictionaries, each dictionary once; settings beside them are passed over."""
    seen, held = set[int](), [("", told)]
    while held:
        name, each = held.pop()
        if isinstance(each, np.ndarray):
            yield name, each
        elif isinstance(each, dict) and id(each) not in seen:
            seen.add(id(each))
            held += [(f"{name}.{key}" if name else str(key), value) for key, value in each.items()]


def _refused() -> NoReturn:
    raise Invalid("These weights are not of the known form, and were not read.")
