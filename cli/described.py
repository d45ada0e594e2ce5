"""What commands there are and what they do, as their modules' source says: opening all of them takes three seconds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType


def described(room: str) -> ModuleType:
    """A module like the room of this name, whose commands can be listed, and do nothing."""
    spec = find_spec(room)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"There is no module {room}.", name=room)
    module = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    told = {each.name: ast.get_docstring(each) or "" for each in module.body if isinstance(each, ast.FunctionDef)}
    listed = ModuleType(room, ast.get_docstring(module))
    listed.COMMANDS = [(name, _without_effect(told[command])) for name, command in _table(module)]  # type: ignore[attr-defined]
    return listed


def _table(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Names of commands and of their functions, from the module's `COMMANDS`."""
    for each in module.body:
        target = each.targets[0] if isinstance(each, ast.Assign) else getattr(each, "target", None)
        if isinstance(target, ast.Name) and target.id == "COMMANDS":
            for name, command in (row.elts for row in each.value.elts):  # type: ignore[attr-defined]
                yield name.value, command.id


def _without_effect(docstring: str) -> Callable[[], None]:
    def command() -> None:
        pass

    command.__doc__ = docstring
    return command
