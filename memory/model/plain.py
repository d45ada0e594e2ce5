"""Plain: values of the model as JSON knows them, and back, driven by nothing but their type hints.

A type or a field that is added is written and read without another line here; one that cannot be is refused when its
reader is made, not years later when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from memory.errors import Invalid
from memory.model.changes import ChangeSet

Reader = Callable[[Any], Any]


def plain(value: object) -> Any:
    """A value as dictionaries, lists and scalars. What has been committed is named by the id of its command."""
    match value:
        case None | bool() | str():
            return value
        case ChangeSet():
            return value.command_id
        case Enum():
            return value.value
        case int() | float():
            return value
        case tuple() | list():
            return [plain(each) for each in value]
        case Mapping():
            return {str(name): plain(each) for name, each in value.items()}
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    raise TypeError(f"{type(value).__name__} has no plain form")


def reader(hint: Any) -> Reader:
    """What makes values of a type out of their plain form. Raises TypeError for a type that has none.

    The reader raises Invalid for what is no value of the type. A field that is missing has its default: it was added
    later. A change set reads as None: whoever replays looks it up by the id that stands for it.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _either(arguments)
    if origin is tuple:
        return _tuple(arguments)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(arguments)
    if hint in _SCALARS:
        return _SCALARS[hint]
    if hint is ChangeSet:
        return lambda _: None
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _checked(hint, hint)
    if isinstance(hint, type) and is_dataclass(hint):
        return _record(hint)
    raise TypeError(f"{hint!r} has no plain form")


def _checked(hint: Any, read: Reader) -> Reader:
    def checked(value: Any) -> Any:
        try:
            return read(value)
        except (TypeError, ValueError, AttributeError) as error:
            raise Invalid(f"This is no {getattr(hint, '__name__', hint)}.") from error

    return checked


def _scalar(kind: type) -> Reader:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise Invalid(f"This is no {kind.__name__}.")
        return value

    return read


def _float(value: Any) -> float:
    if type(value) not in (int, float):
        raise Invalid("This is no float.")
    return float(value)


_SCALARS: dict[Any, Reader] = {
    **{kind: _scalar(kind) for kind in (str, int, bool, NoneType)},
    float: _float,
    object: lambda value: value,
}


def _either(arguments: tuple[Any, ...]) -> Reader:
    """`X | None`; other unions cannot be told apart once they are plain."""
    rest = [each for each in arguments if each is not NoneType]
    if len(rest) != 1 or len(arguments) != 2:
        raise TypeError(f"{arguments!r} cannot be told apart")
    read = reader(rest[0])
    return lambda value: None if value is None else read(value)


def _tuple(arguments: tuple[Any, ...]) -> Reader:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        read = reader(arguments[0])
        return _checked(tuple, lambda value: tuple(read(each) for each in _listed(value)))
    readers = [reader(each) for each in arguments]
    return _checked(tuple, lambda value: tuple(one(each) for one, each in zip(readers, _listed(value), strict=True)))


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _mapping(arguments: tuple[Any, ...]) -> Reader:
    if arguments[0] is not str:
        raise TypeError("only words name the values of a plain mapping")
    read = reader(arguments[1])
    return _checked(Mapping, lambda value: {name: read(each) for name, each in value.items()})


def _record(kind: type) -> Reader:
    hints = get_type_hints(kind)
    readers = {each.name: reader(hints[each.name]) for each in fields(kind)}

    def read(value: Any) -> Any:
        if not isinstance(value, dict) or not value.keys() <= readers.keys():
            raise Invalid(f"This is no {kind.__name__}, or a later version of Memoray wrote it.")
        return kind(**{name: readers[name](each) for name, each in value.items()})

    return _checked(kind, read)
