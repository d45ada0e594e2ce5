"""Values that hold arrays are compared by identity: arrays have no one answer to whether they are equal."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import get_args, get_type_hints

import numpy as np
import pytest

import memory.retrieval as ours
from adapters.embedding import minilm
from memory.rules import decay, lifecycle, rivals, time_machine
from memory.services import recall

RETRIEVAL = (importlib.import_module(f"memory.retrieval.{each.name}") for each in pkgutil.iter_modules(ours.__path__))
MODULES = (*RETRIEVAL, decay, lifecycle, rivals, time_machine, recall, minilm)


def parts(hint: object) -> Iterator[object]:
    yield getattr(hint, "__origin__", hint)
    for each in get_args(hint):
        yield from parts(each)


def hold_arrays() -> list[type]:
    """The dataclasses of these modules with a field in which an array may be."""
    own = {
        each
        for module in MODULES
        for each in vars(module).values()
        if isinstance(each, type) and is_dataclass(each) and each.__module__ == module.__name__
    }
    held = {each for each in own if any(np.ndarray in parts(hint) for hint in get_type_hints(each).values())}
    return sorted(held, key=lambda each: (each.__module__, each.__name__))


@pytest.mark.parametrize("kind", hold_arrays(), ids=lambda kind: kind.__name__)
def test_what_holds_arrays_is_equal_to_itself_alone(kind: type) -> None:
    assert kind.__eq__ is object.__eq__
    assert kind.__hash__ is object.__hash__
