"""The documentation, as tests: what it names exists."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
import typer
from starlette.routing import WebSocketRoute
from typer.testing import CliRunner

from cli import main as cli_main
from deployments import routes
from deployments.dialect import every_dialect
from deployments.gateway import create_app

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
ARCHITECTURE = ROOT / "docs" / "architecture.md"
APP = cli_main.command_line(cli_main.rooms())
PAGES_OF_FOLDERS = (ARCHITECTURE, ROOT / "CONTRIBUTING.md")

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
ROUTE = re.compile(r"\b(GET|POST|PUT|DELETE|PATCH) (/[\w/{}.-]*)")
PATH = re.compile(r"(?<![\w/])(/v1/[\w/{}-]+|/health(?:/\w+)?)")
FILE = re.compile(r"(?<![\w/$.:~-])(?:[\w.-]+/)+[\w.-]+\.(?:py|sql|yaml|md|toml|jsonl?|svg)")
MAKE = re.compile(r"\bmake ([a-z]+)\b")
TEST = re.compile(r"\b(tests/[\w/]+\.py)::(\w+)")
VARIABLE = re.compile(r"\bMEMORAY_[A-Z_]+\b(?!_)")
SAMPLE = re.compile(r"\bNora\b|\bGhent\b|\bdemo-\d|\bf-5670\b")
"""What only the sample conversation knows."""
ABROAD = re.compile(
    r"memory[- ]model[,:)]|interfaces?\.md|\(interfaces?:|\bshared/(?:design|seeds|research|eval|teach)\b"
)
"""Citations of papers on which the design rests and which no reader of the repository has."""
CITED = re.compile(r"\b(?:decisions? |docs/decisions/)(\d{4})\b")
MOST_WORDS = 90
"""Rows of the glossary."""
MOST_LINES, MOST_LINES_SUPERSEDED = 50, 6
"""Lines of a decision: a page, or what superseded it and why."""
FEWEST_WORDS = 5
QUESTION_WORD = re.compile(r"(?:What|When|Where|Which|Who|Whom|Whose|Why|How)\b")
"""How a title begins that asks rather than says what was decided."""
SUPERSEDED = re.compile(r"^Superseded by \[(\d{4})\]\(", re.MULTILINE)
PACKAGES = ("actors", "adapters", "bench", "cli", "config", "deployments", "jobs", "memory", "training")
ROOMS = (*PACKAGES, "clients", "docs", "tests")
MADE_LATER = ("data/", "run/")
"""Files that a running Memoray makes."""


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _anchors(page: Path) -> set[str]:
    """The anchors that headings get."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def _code(page: Path) -> Iterator[str]:
    """Every line of code a page shows, inline or in blocks."""
    text = page.read_text()
    for language, block in FENCE.findall(text):
        if language not in ("yaml", "json", "python"):
            yield from block.replace("\\\n", " ").splitlines()
    yield from CODE.findall(FENCE.sub("", text))


def _commands(page: Path) -> Iterator[list[str]]:
    """The words after each `memoray` that is run, up to a pipe, a comment or the next command."""
    for line in _code(page):
        found = re.match(r"(?:\$ )?(?:\S*/)?memoray ((?:[a-z]|-).*)", line.strip())
        if found:
            yield re.split(r"\s[#|&;>]", found.group(1))[0].split()


def _below(command: Any) -> Mapping[str, Any]:
    """The commands of a group; none of a command that does something itself."""
    found: Mapping[str, Any] = getattr(command, "commands", {})
    return found


def _leaves(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The words of every command that does something itself."""
    below = _below(command)
    for name, one in below.items():
        yield from _leaves(one, (*path, name))
    if not below:
        yield path


@cache
def _operations() -> Mapping[str, Mapping[str, Any]]:
    """Path template of every route -> method in capitals -> what OpenAPI says of it."""
    paths = create_app(object()).openapi()["paths"]  # type: ignore[arg-type]
    return {path: {method.upper(): told for method, told in methods.items()} for path, methods in paths.items()}


def _streams() -> list[str]:
    """Paths of WebSockets, of which OpenAPI says nothing."""
    ours = [import_module(f"{routes.__name__}.{each.name}").router for each in iter_modules(routes.__path__)]
    foreign = [each.router for each in every_dialect() if each.router is not None]
    return [route.path for router in (*ours, *foreign) for route in router.routes if isinstance(route, WebSocketRoute)]


def _fits(path: str, template: str) -> bool:
    shape = re.sub(r"\\\{[^}]*\\\}", "[^/]+", re.escape(template))
    return re.fullmatch(shape, re.sub(r"\{[^}]*\}", "x", path).rstrip("/") or "/") is not None


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in LINK.findall(FENCE.sub("", page.read_text())):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        file, _, anchor = target.partition("#")
        aim = (page.parent / file).resolve() if file else page
        if not aim.exists() or (anchor and anchor not in _anchors(aim)):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_commands_exist(page: Path) -> None:
    root = typer.main.get_command(APP)
    for words in _commands(page):
        command, name = root, "memoray"
        while (below := _below(command)) and words and not words[0].startswith("-"):
            name = f"{name} {words[0]}"
            assert words[0] in below, f"there is no `{name}`"
            command = below[words.pop(0)]
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        unknown = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)} - known - {"--help", "-h"}
        assert unknown == set(), f"`{name}` has no {', '.join(sorted(unknown))}"


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_commands_about_the_sample_act_for_its_user(page: Path) -> None:
    """Who types them as they stand asks their own memory, which knows nobody of the sample."""
    about = [words for words in _commands(page) if SAMPLE.search(" ".join(words))]
    assert [words for words in about if "--user demo" not in " ".join(words)] == []


def test_every_command_shows_an_example() -> None:
    for path in _leaves(typer.main.get_command(APP), ()):
        shown = CliRunner().invoke(APP, [*path, "--help"])
        assert shown.exit_code == 0, shown.output
        assert "Example" in shown.output, f"`memoray {' '.join(path)} --help` shows no example"


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_routes_exist(page: Path) -> None:
    text = page.read_text()
    for method, path in ROUTE.findall(text):
        methods = {one for template, found in _operations().items() if _fits(path, template) for one in found}
        assert method in methods, f"there is no {method} {path}"
    known = [*_operations(), *_streams()]
    missing = {path for path in PATH.findall(text) if not any(_fits(path, template) for template in known)}
    assert missing - {"/v1/"} == set()


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_targets_of_make_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {target for line in _code(page) for target in MAKE.findall(line)}
    assert named - targets == set()


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_named_files_exist(page: Path) -> None:
    named = {file for line in _code(page) for file in FILE.findall(line) if "NNNN" not in file and "@" not in line}
    missing = {file for file in named if not (ROOT / file).exists() and not file.startswith(MADE_LATER)}
    assert missing == set()


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_named_tests_exist(page: Path) -> None:
    named = set(TEST.findall(page.read_text()))
    assert {(file, name) for file, name in named if f"def {name}(" not in (ROOT / file).read_text()} == set()


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_variables_are_read_somewhere(page: Path) -> None:
    code = "".join(path.read_text() for room in ("config", "adapters", "cli") for path in (ROOT / room).rglob("*.py"))
    code += (ROOT / "tests" / "conftest.py").read_text()
    named = {name for name in VARIABLE.findall(page.read_text()) if "__" not in name and not name.endswith("_")}
    missing = {name for name in named if name not in code and f"PREFIX}}{name.removeprefix('MEMORAY_')}" not in code}
    assert missing - {"MEMORAY_DSN"} == set()


@pytest.mark.parametrize(
    "row",
    re.findall(r"^\| ([^|]+) \| [^|]+ \| `([\w.]+)` \|$", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE),
    ids=lambda row: row[0],
)
def test_a_term_is_where_the_glossary_says(row: tuple[str, str]) -> None:
    module, found = row[1], ""
    while not (ROOT / module.replace(".", "/")).with_suffix(".py").exists():
        module, _, last = module.rpartition(".")
        assert module, f"{row[0]}: there is no {row[1]}"
        found = f"{last}.{found}".rstrip(".")
    thing: object = import_module(module)
    for name in filter(None, found.split(".")):
        assert hasattr(thing, name), f"{row[0]}: there is no {row[1]}"
        thing = getattr(thing, name)
    code = re.sub(r"[\W_]", "", (ROOT / module.replace(".", "/")).with_suffix(".py").read_text()).lower()
    assert re.sub(r"\W", "", row[0]).lower() in code, f"{module} has another name for {row[0]}"


def test_the_glossary_is_short_and_every_row_names_its_place() -> None:
    rows = re.findall(r"^\| (?!Word|---)(.*)\|$", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE)
    words = [row.partition(" |")[0] for row in rows]
    assert 0 < len(words) <= MOST_WORDS
    assert len({word.lower() for word in words}) == len(words), "a word has two rows"
    assert [row for row in rows if not re.search(r"`[\w.]+` $", row)] == []


@pytest.mark.parametrize("page", PAGES_OF_FOLDERS, ids=_name)
def test_the_tree_is_the_tree(page: Path) -> None:
    tree = next(block for _, block in FENCE.findall(page.read_text()) if block.startswith("memory/"))
    shown: list[Path] = []
    for line in tree.splitlines():
        indent, name = len(line) - len(line.lstrip()), line.split()[0].rstrip("/")
        shown.append(shown_parent(shown) / name if indent else Path(name))
    assert [path for path in shown if not (ROOT / path).is_dir()] == []
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")} | {"clients", "tests", "docs", "requirements"}
    assert {path.parts[0] for path in shown} == rooms


@pytest.mark.parametrize("page", PAGES_OF_FOLDERS, ids=_name)
def test_the_layers_are_those_of_the_contract(page: Path) -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    told = re.sub(r"\s+", " ", page.read_text()).replace("` and `", "`, `")
    assert ", ".join(f"`{layer}`" for layer in layers) in told


def shown_parent(shown: list[Path]) -> Path:
    """The room that an indented line of a tree belongs to."""
    return next(path for path in reversed(shown) if len(path.parts) == 1)


def test_the_architecture_shows_every_package() -> None:
    tree = next(block for _, block in FENCE.findall(ARCHITECTURE.read_text()) if block.startswith("memory/"))
    named = {line.split()[0].rstrip("/") for line in tree.splitlines()}
    inner = {
        path.parent.name
        for room in ("memory", "adapters", "deployments")
        for path in ROOT.glob(f"{room}/*/__init__.py")
    }
    assert inner - named == set()


def test_decisions_are_numbered_without_a_gap() -> None:
    assert [record.name[:5] for record in DECISIONS] == [f"{number:04d}-" for number in range(1, len(DECISIONS) + 1)]


@pytest.mark.parametrize("record", DECISIONS, ids=lambda record: record.stem)
def test_a_decision_fits_on_a_page_and_says_what_was_decided(record: Path) -> None:
    text, number = record.read_text(), record.name[:4]
    heading = re.match(rf"# {number}\. (.+)\n", text)
    assert heading, f"{record.name} has no title with its number"
    title = heading.group(1)
    assert not QUESTION_WORD.match(title), f"{record.name}: a title says what was decided, and does not ask"
    assert len(title.split()) >= FEWEST_WORDS, f"{record.name}: a title is a sentence with a subject and a verb"
    assert f"- [{number} {title}](decisions/{record.name})" in ARCHITECTURE.read_text(), f"{record.name} is not linked"
    replaced = SUPERSEDED.search(text)
    if replaced:
        assert replaced.group(1) > number, f"{record.name} is superseded by an earlier decision"
        assert len(text.splitlines()) <= MOST_LINES_SUPERSEDED
    else:
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences"]
        assert len(text.splitlines()) <= MOST_LINES


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_cited_is_in_the_repository(room: str) -> None:
    kinds, known = (".py", ".sql", ".yaml", ".md", ".txt"), {record.name[:4] for record in DECISIONS}
    texts = {
        _name(path): path.read_text()
        for path in (ROOT / room).rglob("*")
        if path.suffix in kinds and path != Path(__file__)
    }
    assert [(name, found) for name, text in texts.items() for found in ABROAD.findall(text)] == []
    assert [(name, each) for name, text in texts.items() for each in CITED.findall(text) if each not in known] == []


def test_every_route_is_documented() -> None:
    silent = [
        f"{method} {path}"
        for path, methods in _operations().items()
        for method, told in methods.items()
        if not told.get("description")
    ]
    assert silent == []
