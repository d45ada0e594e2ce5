"""Layers of untyped settings made into one typed, frozen tree. Unknown keys and wrong types are refused by name.

A layer is a mapping as YAML gives it. The tree's dataclasses are the schema: their fields are the keys, their
annotations the types, `memory.model.quantities` the bounds. Values never appear in an error, for one may be a secret.
"""

from __future__ import annotations

import difflib
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import yaml

from memory.errors import ConfigError
from memory.model.quantities import Range

Tree = TypeVar("Tree")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""In C where it is there: the file with all defaults is read in a tenth of the time, and every command reads it."""


class Text(str):
    """A value from the environment: text that takes the type its setting asks for."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Layer:
    """One source of settings and the name it is blamed by."""

    origin: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands: `models.extraction.url` in `/etc/memory.yaml`."""

    origin: str
    path: tuple[str, ...] = ()

    def __truediv__(self, key: str) -> _Place:
        return _Place(self.origin, (*self.path, key))

    def refuse(self, why: str) -> ConfigError:
        """The error for this place."""
        name = ".".join(self.path) or "the settings"
        return ConfigError(f"{name} ({self.origin}) {why}")


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint that names the closest spelling, or else all that is known."""
    choices = sorted(known)
    close = difflib.get_close_matches(word, choices, n=1, cutoff=0.5)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(choices)}."


def compose(kind: type[Tree], layers: Iterable[Layer], **given: object) -> Tree:
    """Check every layer against the tree, lay the later ones over the earlier, and build it.

    `given` are fields of the root that no layer may set. Raises ConfigError.
    """
    merged: dict[str, Any] = {}
    for layer in layers:
        _lay(merged, _section(kind, layer.values, _Place(layer.origin), closed=frozenset(given)))
    return _build(kind, {**merged, **given})


def environment_layer(variables: Mapping[str, str], prefix: str, scalars: Iterable[str]) -> Layer:
    """The layer that `PREFIX_<SECTION>__<KEY>` variables spell, plus the top-level `scalars` (`PREFIX_DSN`).

    Other variables with the prefix belong to other parts of the program and are left alone.
    """
    values: dict[str, Any] = {}
    for name in sorted(variables):
        path = name.removeprefix(prefix).lower().split("__")
        if name.startswith(prefix) and (len(path) > 1 or path[0] in scalars):
            branch = values
            for step in path[:-1]:
                branch = branch.setdefault(step, {})
                if not isinstance(branch, dict):
                    raise ConfigError(f"{name} (environment) is no setting; {step} has none below it.")
            branch[path[-1]] = Text(variables[name])
    return Layer("environment", values)


def file_layer(path: Path) -> Layer:
    """The layer a YAML file holds; a file that is not there is an empty layer. Raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Layer(str(path), {})
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {type(error).__name__}.") from error
    try:
        values = yaml.load(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        raise ConfigError(f"{path} is not valid YAML{where}.") from None
    return Layer(str(path), {} if values is None else values)


@cache
def _schema(kind: type[Any]) -> Mapping[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in fields(kind)}


def _section(kind: type, raw: object, place: _Place, closed: frozenset[str] = frozenset()) -> dict[str, Any]:
    if not isinstance(raw, Mapping):
        raise place.refuse("must be a mapping of settings.")
    schema = {name: hint for name, hint in _schema(kind).items() if name not in closed}
    for key in raw:
        if key not in schema:
            raise (place / str(key)).refuse(f"is no setting; {nearest(str(key), schema)}")
    return {key: _value(schema[key], value, place / key) for key, value in raw.items()}


def _value(hint: Any, raw: object, place: _Place) -> Any:
    if is_dataclass(hint):
        return _section(cast(type, hint), raw, place)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        inner = next(argument for argument in arguments if argument is not type(None))
        return None if raw is None or (isinstance(raw, Text) and raw in ("", "null")) else _value(inner, raw, place)
    if origin is Annotated:
        return _bounded(_scalar(arguments[0], raw, place), arguments[1], place)
    if origin is Literal:
        return _choice(arguments, raw, place)
    return _scalar(hint, raw, place)


def _bounded(number: Any, bounds: Range, place: _Place) -> Any:
    if not bounds.least <= number <= bounds.most:
        raise place.refuse(f"must be {bounds.unit} between {bounds.least:g} and {bounds.most:g}.")
    return number


def _choice(choices: tuple[str, ...], raw: object, place: _Place) -> str:
    for choice in choices:
        if raw == choice:
            return choice
    raise place.refuse(f"must be one of {', '.join(choices)}.")


def _whole(raw: object) -> int | None:
    return raw if isinstance(raw, int) and not isinstance(raw, bool) else None


def _number(raw: object) -> float | None:
    return float(raw) if isinstance(raw, int | float) and not isinstance(raw, bool) else None


_SCALARS: Mapping[type, tuple[str, Callable[[Any], Any]]] = {
    bool: ("true or false", lambda raw: raw if isinstance(raw, bool) else None),
    int: ("a whole number", _whole),
    float: ("a number", _number),
    str: ("text", lambda raw: str(raw) if isinstance(raw, str) else None),
    Path: ("a path", lambda raw: Path(raw).expanduser() if isinstance(raw, str | Path) else None),
}


def _scalar(kind: type, raw: object, place: _Place) -> Any:
    named, convert = _SCALARS[kind]
    value = convert(_untext(raw) if isinstance(raw, Text) and kind not in (str, Path) else raw)
    if value is None:
        raise place.refuse(f"must be {named}, not {type(raw).__name__}.")
    return value


def _untext(text: Text) -> object:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def _lay(below: dict[str, Any], above: Mapping[str, Any]) -> None:
    for key, value in above.items():
        if isinstance(value, dict) and isinstance(below.get(key), dict):
            _lay(below[key], value)
        else:
            below[key] = value


def _build(kind: type[Tree], values: Mapping[str, Any]) -> Tree:
    schema = _schema(cast(type, kind))
    return kind(
        **{key: _build(schema[key], value) if isinstance(value, dict) else value for key, value in values.items()}
    )
