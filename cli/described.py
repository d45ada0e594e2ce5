"""What commands there are and what they do, as their modules' source says: opening all of them takes four seconds."""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType


def described(room: str) -> ModuleType:
    """A module like the room of this name, whose commands can be listed, and do nothing.

    A room whose `COMMANDS` are not written out as a tuple of names and functions of its own is opened.
    """
    spec = find_spec(room)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"There is no module {room}.", name=room)
    module = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    told = {each.name: ast.get_docstring(each) or "" for each in module.body if isinstance(each, ast.FunctionDef)}
    table = _table(module)
    if not table or not told.keys() >= {command for _, command in table}:
        return import_module(room)
    listed = ModuleType(room, ast.get_docstring(module))
    listed.COMMANDS = [(name, _without_effect(told[command])) for name, command in table]  # type: ignore[attr-defined]
    return listed


def _table(module: ast.Module) -> list[tuple[str, str]]:
    """Names of commands and of their functions, as far as `COMMANDS` has them written out."""
    rows: list[ast.expr] = []
    for each in module.body:
        match each:
            case (
                ast.Assign(targets=[ast.Name("COMMANDS")], value=ast.Tuple(found))
                | ast.AnnAssign(target=ast.Name("COMMANDS"), value=ast.Tuple(found))
            ):
                rows = found
    pairs = [each.elts for each in rows if isinstance(each, ast.Tuple)]
    written = [
        (str(name.value), command.id)
        for name, command in pairs
        if isinstance(name, ast.Constant) and isinstance(command, ast.Name)
    ]
    return written if len(written) == len(rows) else []


def _without_effect(docstring: str) -> Callable[[], None]:
    def command() -> None:
        pass

    command.__doc__ = docstring
    return command
