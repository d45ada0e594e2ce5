"""What a mutant changes in a file: a constant moved, a comparison turned around, a bound moved by its very point."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from tests.conformance.conformance import ROOT

Change = tuple[str, Callable[[], object]]
"""What it is called, and what does it to the tree it was found in."""
Definition = ast.FunctionDef | ast.AsyncFunctionDef
_CONTRARY: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_NEIGHBOUR: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
"""Comparisons that differ in one point only: the very bound."""
_REVERSE: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
_EXTREMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}
_OTHER_NAMES = {"half_life": "stretched", "active": "archived", "candidate": "active", "L0": "L1", "month": "year"}


def path_of(module: str) -> Path:
    """The file of a module, or of a preset, which is named by its path."""
    return ROOT / (module if module.endswith(".yaml") else f"{module.replace('.', '/')}.py")


def parsed(module: str) -> Any:
    """A module as a tree, or a preset as mappings, as they stand on disk."""
    text = path_of(module).read_text()
    return yaml.safe_load(text) if module.endswith(".yaml") else ast.parse(text)


def written(tree: Any) -> str:
    """The text of either."""
    return ast.unparse(ast.fix_missing_locations(tree)) if isinstance(tree, ast.Module) else yaml.safe_dump(tree)


def moved(tree: ast.Module, symbol: str) -> list[Change]:
    """A constant a tenth higher and lower (a whole number by one at least), a flag the other way, a name another.

    The symbol of a function means the numbers in it.
    """
    found = _found(tree, symbol)
    changes = list(_moves(found))
    return [each for each in changes if not isinstance(found, Definition) or each[0][:1] in "0123456789"]


def set_otherwise(tree: dict[str, Any], symbol: str) -> list[Change]:
    """The same for what stands under a key of a preset."""
    return list(_resets(tree, symbol, symbol))


def _resets(tree: dict[str, Any], key: str, name: str) -> Iterator[Change]:
    if isinstance(tree[key], dict):
        for inner in tree[key]:
            yield from _resets(tree[key], inner, f"{name}.{inner}")
    else:
        for other in _others(tree[key]):
            yield f"{name}: {tree[key]!s} -> {other}", partial(tree.__setitem__, key, other)


def _found(tree: ast.Module, symbol: str) -> ast.AST:
    """What a name of the module, or of a class in it, stands for: a value, or a function."""
    *owner, name = symbol.split(".")
    body = tree.body
    if owner:
        body = next(each.body for each in body if isinstance(each, ast.ClassDef) and each.name == owner[0])
    values = (pair for each in body for pair in _named(each))
    return next((value for given, value in values if given == name), None) or _nowhere(symbol)


def _named(statement: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    """The names a statement gives, each with what it stands for."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, statement
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            yield from ((ast.unparse(name), value) for name, value in zip(names, values, strict=True))


def _nowhere(symbol: str) -> ast.AST:
    raise LookupError(f"There is no {symbol}")


def _moves(value: ast.AST) -> Iterator[Change]:
    for node in ast.walk(value):
        if isinstance(node, ast.Set):
            for place, element in enumerate(node.elts):
                yield f"without {ast.unparse(element)}", partial(node.elts.pop, place)
        elif isinstance(node, ast.Constant) and not _in_a_set(value, node) and not _is_key(value, node):
            for other in _others(node.value):
                yield f"{node.value!s} -> {other}", partial(setattr, node, "value", other)


def _in_a_set(tree: ast.AST, node: ast.Constant) -> bool:
    return any(isinstance(each, ast.Set) and node in each.elts for each in ast.walk(tree))


def _is_key(tree: ast.AST, node: ast.Constant) -> bool:
    return any(isinstance(each, ast.Dict) and node in each.keys for each in ast.walk(tree))


def _others(value: object) -> list[object]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        step = max(1, round(value / 10))
        return [value + step, value - step]
    if isinstance(value, float):
        return [round(value * 1.1, 9), round(value * 0.9, 9)] if value else [0.1]
    if isinstance(value, str):
        return [_OTHER_NAMES.get(value, "half_life" if value in ("spaced", "stability") else "keep_forever")]
    return []


def turned(tree: ast.Module, symbol: str) -> list[Change]:
    """Each comparison, condition and junction of columns in a function, turned around."""
    return list(_turns(_found(tree, symbol)))


def finely_turned(tree: ast.Module, symbol: str) -> list[Change]:
    """Beyond that, bounds moved by their very point, arithmetic reversed, and for or, least for most."""
    function = _found(tree, symbol)
    return [*_turns(function), *_fine_turns(function)]


def _fine_turns(function: ast.AST) -> Iterator[Change]:
    typed = {id(part) for each in ast.walk(function) for part in ast.walk(_annotation(each))}
    for node in (each for each in ast.walk(function) if id(each) not in typed):
        match node:
            case ast.Compare(ops=[first, *rest]) if type(first) in _NEIGHBOUR:
                neighbour = _NEIGHBOUR[type(first)]()
                yield f"bound of {_at(node)}", partial(setattr, node, "ops", [neighbour, *rest])
            case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in _REVERSE:
                yield f"reversed {_at(node)}", partial(setattr, node, "op", _REVERSE[type(op)]())
            case ast.BoolOp(op=op):
                other = ast.Or() if isinstance(op, ast.And) else ast.And()
                yield f"and for or, {_at(node)}", partial(setattr, node, "op", other)
            case ast.UnaryOp(op=ast.USub()):
                yield f"sign of {_at(node)}", partial(setattr, node, "op", ast.UAdd())
            case ast.Name(id=name) if name in _EXTREMES:
                yield f"other extreme ({node.lineno}): {name}", partial(setattr, node, "id", _EXTREMES[name])
            case ast.Attribute(attr=name) if name in _EXTREMES:
                yield f"other extreme ({node.lineno}): {name}", partial(setattr, node, "attr", _EXTREMES[name])
            case ast.comprehension():
                plain = (place for place, test in enumerate(node.ifs) if not isinstance(test, ast.Compare))
                yield from (_negated(node, place) for place in plain)


def _negated(node: ast.comprehension, place: int) -> Change:
    """A condition of a comprehension that is no comparison, turned around; comparisons are anyway."""
    test = node.ifs[place]
    return f"not {_at(test)}", partial(node.ifs.__setitem__, place, ast.UnaryOp(ast.Not(), test))


def _turns(function: ast.AST) -> Iterator[Change]:
    typed = {id(part) for each in ast.walk(function) for part in ast.walk(_annotation(each))}
    for node in ast.walk(function):
        if id(node) in typed:
            continue
        if isinstance(node, ast.Compare):
            contrary = [_CONTRARY[type(node.ops[0])](), *node.ops[1:]]
            yield f"not {_at(node)}", partial(setattr, node, "ops", contrary)
        elif isinstance(node, ast.If | ast.IfExp) and not isinstance(node.test, ast.Compare):
            yield f"not {_at(node.test)}", partial(setattr, node, "test", ast.UnaryOp(ast.Not(), node.test))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
            other = ast.BitOr() if isinstance(node.op, ast.BitAnd) else ast.BitAnd()
            yield f"& for |, {_at(node)}", partial(setattr, node, "op", other)


def _annotation(node: ast.AST) -> ast.AST:
    """What only says of which type something is."""
    return getattr(node, "annotation", None) or getattr(node, "returns", None) or ast.Pass()


def _at(node: ast.expr | ast.stmt) -> str:
    words = ast.unparse(node)
    return f"{words if len(words) <= 60 else words[:57] + '...'} ({node.lineno})"


KINDS: Mapping[str, Callable[[Any, str], list[Change]]] = {
    "constants": moved,
    "presets": set_otherwise,
    "rules": turned,
    "finely": finely_turned,
}
"""Parts of the table, and what is done to what they name."""
