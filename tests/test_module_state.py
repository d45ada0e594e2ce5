"""No module holds mutable state: what changes while the product runs lives in an object that somebody was given.

There are several shards, gateways and workers, and whoever dies begins anew. A table in a module is one a process, and
is gone with it. Constants are fine, and so is what a function remembers of its own results (functools): it is the same
wherever it is asked for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.test_house import MODULES, ROOT


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


OURS = [path for path in MODULES if path.relative_to(ROOT).parts[0] not in ("tests", "bench", "training")]
"""What is a program of its own, begun for one measurement or one lesson, may keep what it likes."""
CONTAINERS = _words("""
    dict list set bytearray defaultdict Counter deque OrderedDict ChainMap count cycle WeakKeyDictionary
    WeakValueDictionary WeakSet Lock RLock Semaphore BoundedSemaphore Event Condition Queue SimpleQueue
    ThreadPoolExecutor ProcessPoolExecutor local Random Thread Barrier
""")
"""What is made to be changed."""
CHANGES = _words("""
    append extend insert remove pop clear sort reverse add discard update popitem setdefault move_to_end
    appendleft popleft difference_update intersection_update symmetric_difference_update subtract __setitem__
    __delitem__
""")
"""Methods that change a container."""
READ_ONLY = ("Mapping", "Sequence", "Collection", "Set", "AbstractSet", "Iterable", "Final")
"""Types by which a constant says that nobody changes it."""
EXCEPTIONS = {
    "memory/retrieval/beside.py: _BESIDE": "threads, which are a process's own, begin when they are first needed",
    "memory/retrieval/lexicon.py: _lexicons": "what a word's stem is, and how often it was asked for, by language",
    "memory/words/stems.py: _lock": "the stemmers of a process take one caller at a time",
    "adapters/extraction/rules_model.py: _CHOICE": "which pipeline a process loads, said once before it loads it",
}
"""Where it stands -> why it may."""


@dataclass
class Module:
    """What a module binds, and what its functions do to names."""

    name: str
    tree: ast.Module
    bound: dict[str, ast.expr] = field(default_factory=dict)
    typed: dict[str, str] = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Name here -> (module, name there)."""

    @classmethod
    def read(cls, path: Path) -> Module:
        found = cls(str(path.relative_to(ROOT)), ast.parse(path.read_text()))
        for node in found.tree.body:
            if isinstance(node, ast.Assign):
                found.bound |= {name.id: node.value for target in node.targets for name in _names(target)}
            elif isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
                found.bound[node.target.id] = node.value
                found.typed[node.target.id] = ast.unparse(node.annotation)
            elif isinstance(node, ast.ImportFrom) and node.module:
                there = node.module.replace(".", "/") + ".py"
                found.imported |= {each.asname or each.name: (there, each.name) for each in node.names}
        return found

    def changed(self) -> Iterator[str]:
        """Names that a function of this module changes, and does not bind itself."""
        for function in ast.walk(self.tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield from set(_changed(function)) - set(_bound_within(function))


def _names(target: ast.expr) -> Iterator[ast.Name]:
    return (node for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))


def _changed(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Global):
            yield from node.names
        elif isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            if isinstance(node.value, ast.Name):
                yield node.value.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
            if isinstance(node.func.value, ast.Name):
                yield node.func.value.id
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _bound_within(function: ast.AST) -> Iterator[str]:
    shared = {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in shared:
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def _state(module: Module, name: str, stateful: frozenset[str]) -> bool:
    """Whether what a name is bound to was made to be changed."""
    value = module.bound[name]
    if isinstance(value, ast.Dict | ast.List) and not (value.keys if isinstance(value, ast.Dict) else value.elts):
        return not module.typed.get(name, "").startswith(READ_ONLY)  # an empty one is of use when it is filled
    made = value.func if isinstance(value, ast.Call) else None
    called = made.attr if isinstance(made, ast.Attribute) else made.id if isinstance(made, ast.Name) else ""
    return called in CONTAINERS | stateful


def _stateful_classes(modules: list[Module]) -> frozenset[str]:
    """Our classes whose instances change themselves: a method puts something into `self` after it was made."""
    found = set()
    for node in (each for module in modules for each in ast.walk(module.tree) if isinstance(each, ast.ClassDef)):
        methods = [each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
        later = [each for each in methods if each.name not in ("__init__", "__post_init__", "__new__")]
        if any("self" in _changed(each) for each in later):
            found.add(node.name)
    return frozenset(found)


def _held(paths: list[Path]) -> set[str]:
    modules = [Module.read(path) for path in paths]
    stateful, known = _stateful_classes(modules), {module.name: module for module in modules}
    held = {(module.name, name) for module in modules for name in module.bound if _state(module, name, stateful)}
    for module in modules:
        for name in module.changed():
            where = (module.name, name) if name in module.bound else module.imported.get(name)
            if where is not None and where[0] in known and where[1] in known[where[0]].bound:
                held.add(where)
    return {f"{module}: {name}" for module, name in held}


def test_no_module_holds_mutable_state() -> None:
    assert _held(OURS) - set(EXCEPTIONS) == set()


def test_every_exception_is_one() -> None:
    assert set(EXCEPTIONS) - _held(OURS) == set()
