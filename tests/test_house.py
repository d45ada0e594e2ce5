"""The rules of the house, as tests: how rooms import each other, how long a thing may be, what no file may hold."""

from __future__ import annotations

import ast
import inspect
import io
import re
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import memory.errors
import memory.ports
import memory.ports_sound
from adapters.postgres.sql import queries
from memory.errors import DomainError
from memory.words.predicates import TABLE

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("memory", "config", "adapters", "actors", "deployments", "jobs", "cli", "bench", "training")
ROOMS = (*PACKAGES, "clients", "tests")
MODULES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
OURS = [path for path in MODULES if path.relative_to(ROOT).parts[0] != "tests"]
"""The product, without its tests."""
SQL = sorted((ROOT / "adapters" / "postgres" / "queries").glob("*.sql"))
TEXTS = sorted(
    {
        *(path for room in (*ROOMS, "docs") for path in (ROOT / room).rglob("*") if path.is_file()),
        *(path for path in ROOT.iterdir() if path.is_file()),
    }
)
READABLE = {".py", ".sql", ".md", ".yaml", ".toml", ".html", ".css", ".svg", ".json", ".jsonl", ""}

MOST_LINES = 400
MOST_FUNCTION_LINES = 40
MOST_METHODS = 4
MOST_PREDICATES_NAMED = 20
EXPLAINED_FROM_LINES = 12
"""A statement of this many lines is explained; a shorter one may speak for itself."""

INDEX_HOSTS = re.compile("|".join(map(re.escape, ("pypi" + ".org", "python" + "hosted", "registry.npm" + "js"))))
PRIVATE_PATHS = re.compile(r"(?<![\w.~-])/(?:work|root)(?![\w-])")
UNFORMATTED = re.compile("fmt" + r": *(?:skip|off)\b")
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
VAGUE = re.compile(r"(?:Manager|Helper|Utils?|Handler|Processor|Wrapper|Data|Info|Item)$")


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _texts() -> Iterator[tuple[Path, str]]:
    for path in TEXTS:
        if path.suffix in READABLE and "__pycache__" not in path.parts:
            yield path, path.read_text(errors="replace")


def _nodes(path: Path, *kinds: type[ast.AST]) -> Iterator[Any]:
    return (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, kinds))


def _where(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{_name(path)}:{number}"
        for path, text in _texts()
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]


def test_imports_fall() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_module_is_longer_than_a_person_reads_at_once() -> None:
    lengths = {_name(path): len(path.read_text().splitlines()) for path in MODULES}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_a_dialect_only_translates() -> None:
    folder = ROOT / "deployments" / "dialects"
    lengths = {
        each.name: sum(map(_code_lines, [each] if each.is_file() else each.rglob("*.py")))
        for each in folder.iterdir()
        if each.suffix == ".py" or (each / "__init__.py").exists()
    }
    assert len(lengths) > 1
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_no_entry_point_reads_a_store() -> None:
    entries = [path for path in MODULES if path.parts[-2] in ("routes", "page", "mcp") or "dialects" in path.parts]
    assert len(entries) > 40
    assert [_name(path) for path in entries for node in _nodes(path, ast.Attribute) if node.attr == "stores"] == []


def test_no_store_hands_out_rows() -> None:
    """A store returns types that say what they hold. Only the pool returns rows."""
    folder = ROOT / "adapters" / "postgres"
    methods = [
        (path, method)
        for path in sorted(folder.rglob("*.py"))
        if path.name != "pool.py"
        for owner in _nodes(path, ast.ClassDef)
        for method in owner.body
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and not method.name.startswith("_")
    ]
    assert len(methods) > 200
    assert [
        f"{_name(path)}: {method.name}"
        for path, method in methods
        if method.returns and re.search(r"DictRow|Mapping\[str, Any\]", ast.unparse(method.returns))
    ] == []


def _code_lines(path: Path) -> int:
    """Lines of a module that hold more than blanks, comments and docstrings."""
    told = {
        line
        for node in _nodes(path, ast.Expr)
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    tokens = [each for each in tokenize.generate_tokens(io.StringIO(path.read_text()).readline) if each.string.strip()]
    said = [each for each in tokens if each.type != tokenize.COMMENT]
    return len({line for each in said for line in range(each.start[0], each.end[0] + 1)} - told)


def test_no_function_is_longer_than_a_page() -> None:
    long = [
        f"{_name(path)}: {node.name} has {node.end_lineno - node.lineno + 1} lines"
        for path in MODULES
        for node in _nodes(path, ast.FunctionDef, ast.AsyncFunctionDef)
        if node.end_lineno - node.lineno + 1 > MOST_FUNCTION_LINES
    ]
    assert long == []


def test_a_package_says_in_one_docstring_what_it_is() -> None:
    """One that other programs install also names what they import, and holds nothing else."""
    for path in MODULES:
        if path.name == "__init__.py":
            tree = ast.parse(path.read_text())
            published = path.relative_to(ROOT).parts[0] == "clients"
            told = [each for each in tree.body if not (published and _names_alone(each))]
            assert len(told) == 1, f"{_name(path)} holds more than its docstring"
            assert ast.get_docstring(tree), f"{_name(path)} does not say what the package is"


def _names_alone(statement: ast.stmt) -> bool:
    named = isinstance(statement, ast.Assign) and [ast.unparse(each) for each in statement.targets] == ["__all__"]
    return isinstance(statement, ast.ImportFrom) or named


def test_every_module_says_what_it_is() -> None:
    silent = [_name(path) for path in OURS if not ast.get_docstring(ast.parse(path.read_text()))]
    assert silent == []


def test_names_mean_something() -> None:
    classes = [
        f"{_name(path)}: {node.name}" for path in OURS for node in _nodes(path, ast.ClassDef) if VAGUE.search(node.name)
    ]
    files = [_name(path) for path in OURS if VAGUE.search(path.stem.title().replace("_", ""))]
    assert classes + files == []


def test_a_public_class_name_means_one_thing() -> None:
    named: defaultdict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        if path.relative_to(ROOT).parts[0] in PACKAGES:
            for node in _nodes(path, ast.ClassDef):
                named[node.name].append(_name(path))
    twice = {name: paths for name, paths in named.items() if len(paths) > 1 and not name.startswith("_")}
    assert twice == {}


def test_no_file_names_a_package_index() -> None:
    assert _where(INDEX_HOSTS) == []


def test_no_file_names_a_private_path() -> None:
    assert _where(PRIVATE_PATHS) == []


def test_nothing_is_kept_from_the_formatter() -> None:
    """What would be too long when it is laid out is split by what it means, and not packed into fewer lines."""
    assert _where(UNFORMATTED) == []


def test_nothing_is_left_for_later() -> None:
    assert _where(UNFINISHED) == []


def test_modules_are_begun_in_one_way() -> None:
    """Without `-P` Python would run a file of the folder that a person stands in."""
    product = [path for path in OURS if path.relative_to(ROOT).parts[0] not in ("bench", "training", "clients")]
    begun = [_name(path) for path in product if re.search(r'sys\.executable, "-[mc]"', path.read_text())]
    assert begun == []


def test_rules_ask_what_a_predicate_is_and_not_for_its_name() -> None:
    """Most of the names that are left are also words for something else: what is `read`, whom one has `met`.

    One with "_" can only be meant as a name. Some stand in examples and measurements.
    """
    known = {row.name for row in TABLE}
    found: dict[str, list[str]] = {}
    for path in OURS:
        if path.relative_to(ROOT).parts[0] in PACKAGES and _name(path) != "memory/words/predicates.py":
            said = (node.value.split() for node in _nodes(path, ast.Constant) if isinstance(node.value, str))
            for word in {word for words in said if known.issuperset(words) for word in words}:
                found.setdefault(word, []).append(_name(path))
    assert len(found) <= MOST_PREDICATES_NAMED, found
    rules = [place for word, places in found.items() if "_" in word for place in places]
    assert [place for place in rules if place.startswith(("memory/", "adapters/"))] == []


@pytest.mark.parametrize("path", SQL, ids=lambda path: path.name)
def test_every_statement_is_used(path: Path) -> None:
    readers = [module for module in OURS if f'queries("{path.stem}")' in module.read_text()]
    assert readers, f"no module reads {path.name}"
    words, beginnings = set(), set()
    for module in readers:
        words |= {node.value for node in _nodes(module, ast.Constant) if isinstance(node.value, str)}
        beginnings |= {node.values[0].value for node in _nodes(module, ast.JoinedStr) if _begun(node)}
    composed = {beginning + word for beginning in beginnings for word in words}
    assert set(queries(path.stem)) - words - composed == set()


def _begun(node: ast.JoinedStr) -> bool:
    """Whether an f-string begins with a word: f"put_{noun}" names a row of statements."""
    return bool(node.values) and isinstance(node.values[0], ast.Constant)


@pytest.mark.parametrize("path", SQL, ids=lambda path: path.name)
def test_sql_is_explained(path: Path) -> None:
    first = path.read_text().splitlines()[0]
    assert first.startswith("-- "), f"{path.name} does not begin with what it is for"
    assert not first.startswith("-- name:"), f"{path.name} does not begin with what it is for"
    unexplained = [
        name
        for name, statement in queries(path.stem).items()
        if len(statement.splitlines()) >= EXPLAINED_FROM_LINES and not statement.startswith("--")
    ]
    assert unexplained == []


@pytest.mark.parametrize("path", SQL, ids=lambda path: path.name)
def test_words_are_never_joined_with_sources_alone(path: Path) -> None:
    """Both share a scope: a planner that takes them first pairs every source with all words (see reads.sql)."""
    with_sources = {name: text for name, text in queries(path.stem).items() if re.search(r"JOIN sources\b", text)}
    assert [name for name, text in with_sources.items() if re.search(r"(?<!LEFT )JOIN content c\b", text)] == []


def test_ports_are_small() -> None:
    rooms = (memory.ports, memory.ports_sound)
    ports = [each for room in rooms for _, each in inspect.getmembers(room, inspect.isclass)]
    own = [port for port in ports if getattr(port, "_is_protocol", 0) and port.__module__.startswith("memory.ports")]
    methods = {port.__name__: [name for name in vars(port) if inspect.isfunction(vars(port)[name])] for port in own}
    public = {name: [one for one in found if not one.startswith("_")] for name, found in methods.items()}
    assert public, "there are no ports"
    assert {name: found for name, found in public.items() if len(found) > MOST_METHODS} == {}


def test_errors_are_one_tree_and_tell_apart() -> None:
    errors: list[Any] = [each for _, each in inspect.getmembers(memory.errors, inspect.isclass)]
    assert all(issubclass(error, DomainError) and error.__doc__ for error in errors)
    assert len({error.kind for error in errors}) == len(errors)
