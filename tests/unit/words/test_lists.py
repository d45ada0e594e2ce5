"""The data files of words: each list is read by somebody, folded, and holds each word once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from memory.words.vocabulary import listed, lists, read, table, words

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted(path.name.removesuffix(".yaml") for path in (ROOT / "memory" / "words" / "lists").glob("*.yaml"))
OF_LANGUAGES = [name for name in FILES if name != "predicates"]
MOST_WORDS = 25
"""Words of a list that may stand in code, beside the rule that needs it."""


def _texts(found: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(found, dict):
        for name, inner in found.items():
            yield from _texts(inner, (*path, name))
    elif isinstance(found, str):
        yield path, found


TEXTS = [(path, text) for name in OF_LANGUAGES for path, text in _texts(dict(read(name)), (name,))]


def test_the_files_are_packaged_with_the_module_that_reads_them() -> None:
    assert FILES == ["de", "en", "heard", "names", "predicates"]
    for name in FILES:
        assert (files("memory.words") / "lists" / f"{name}.yaml").is_file()


@pytest.mark.parametrize(("path", "text"), TEXTS, ids=lambda value: ".".join(value) if isinstance(value, tuple) else "")
def test_a_list_holds_each_word_once_and_folded(path: tuple[str, ...], text: str) -> None:
    parts = [part.strip() for part in text.split(",")] if "," in text else text.split()
    assert parts, path
    assert len(parts) == len(set(parts)), [part for part in set(parts) if parts.count(part) > 1]
    assert [part for part in parts if part != part.lower() or not part] == []


def test_every_list_is_read() -> None:
    said = {
        node.value
        for room in ("memory", "adapters", "bench")
        for path in (ROOT / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    named = {
        word for kind in read("en")["kinds"].values() for word in f"{kind.get('members')} {kind.get('heads')}".split()
    }
    assert {path[1] for path, _ in TEXTS} - said - named == set()


def test_a_long_list_is_a_data_file() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for room in ("memory", "adapters", "deployments", "actors")
        for path in (ROOT / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("words", "frozenset")
        for argument in node.args
        if (isinstance(argument, ast.Constant) and isinstance(argument.value, str) and _length(argument.value))
        or (isinstance(argument, ast.List | ast.Set | ast.Tuple) and len(argument.elts) > MOST_WORDS)
    ]
    assert long == []


def _length(text: str) -> bool:
    return len(text.split()) > MOST_WORDS


def test_lists_of_several_languages_are_read_together() -> None:
    assert "television" in listed("broadcasters")
    assert {"television", "fernseher"} <= listed("broadcasters", "en", "de")


def test_a_table_tells_what_a_word_stands_for() -> None:
    assert table("kin")["mum"] == "mother"
    assert "flat white" in lists("preferred")["coffee"]
    assert words("oat milk, soy milk") == {"oat milk", "soy milk"}


def test_a_missing_list_is_no_empty_one() -> None:
    with pytest.raises(KeyError):
        listed("no_such_list")
