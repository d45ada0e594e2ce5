"""Settings: layers in order, unknown keys refused by name, wrong types refused without showing the value."""

from __future__ import annotations

import ast
import dataclasses
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from config.loading import Layer, compose
from config.settings import Settings, assert_own_packages, default_home, load, preset_names, project_root
from memory.errors import ConfigError
from memory.rules.parameters import Gates

DOCUMENTED = (
    "config/settings.py",
    "config/models.py",
    "config/doors.py",
    "memory/rules/parameters.py",
    "memory/retrieval/parameters.py",
)


def from_file(home: Path, text: str, environ: dict[str, str] | None = None) -> Settings:
    (home / "memory.yaml").write_text(text, encoding="utf-8")
    return load(home, environ=environ or {})


@pytest.mark.conforms(
    "000:constants", "001:constants.decay", "002:constants.decay", "003:constants.decay", "004:constants.decay"
)
def test_the_shipped_page_states_every_default(tmp_path: Path) -> None:
    assert load(tmp_path, environ={}) == Settings(home=tmp_path)
    page = yaml.safe_load((project_root() / "config" / "memory.yaml").read_text(encoding="utf-8"))
    tree = dataclasses.asdict(Settings(home=tmp_path))
    del tree["home"]
    assert page == tree


def test_later_layers_win_one_key_at_a_time(tmp_path: Path) -> None:
    environ = {"MEMORAY_HTTP__PORT": "9001", "MEMORAY_TIERS__L1_SOURCES": "4"}
    text = "preset: annie\nhttp: {port: 9000, host: 127.0.0.2}\nrecall: {fusion: {k: 30}}\ntiers: {l1_sources: 2}\n"
    (tmp_path / "memory.yaml").write_text(text, encoding="utf-8")
    settings = load(tmp_path, {"tiers": {"l1_sources": 5}}, environ)
    assert (settings.recall.order, settings.recall.fusion.k) == ("decayed", 30.0), "preset, then home"
    assert (settings.http.host, settings.http.port) == ("127.0.0.2", 9001), "home, then environment"
    assert settings.tiers.l1_sources == 5, "overrides last"
    assert settings.tiers.l2_sources == 3, "untouched keys keep their default"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("recal: {pool: 60}", "did you mean recall?"),
        ("recall: {fusoin: {k: 60}}", "recall.fusoin ("),
        ("recall: {fusoin: {k: 60}}", "did you mean fusion?"),
        ("revision: {supprots: 3}", "did you mean supports?"),
        ("models: {encoder: {knid: hashing}}", "models.encoder.knid"),
        ("home: /elsewhere", "home ("),
        ("zzzz: 1", "known: auth, causes, chat"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_spelling(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        from_file(tmp_path, text)
    assert said in refused.value.detail


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("http: {port: '8001'}", "http.port ("),
        ("http: {port: 8001.0}", "whole number, not float"),
        ("http: {port: true}", "whole number, not bool"),
        ("http: {port: 70000}", "between 1 and 65535"),
        ("http: {port: null}", "whole number, not NoneType"),
        ("http: 8000", "http ("),
        ("[a, b]", "must be a mapping"),
        ("gates: {person: 1.5}", "between 0 and 1"),
        ("gates: {person: .nan}", "between 0 and 1"),
        ("tiers: {l2_requires_community: 1}", "true or false"),
        ("recall: {diversity: {by: cosine}}", "must be one of vectors, words"),
        ("auth: {default_user: 7}", "must be text, not int"),
        ("http: {port: 1", "not valid YAML at line"),
        ("preset: ani", "did you mean annie?"),
        ("preset: ../../etc/passwd", "no preset of that name"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        from_file(tmp_path, text)
    assert said in refused.value.detail


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stores: {graph: neo4j}", "comes with a later version"),
        ("stores: {vectors: qdrant}", "comes with a later version"),
        ("models: {extraction: {kind: openai, url: 'http://h/v1'}}", "needs url and model"),
        ("models: {language: {kind: openai, model: m}}", "needs url and model"),
        ("models: {contradiction: {kind: openai, model: m}}", "needs url and model"),
        ("revision: {contradict_above: 0.9}", "contradict_above <= reinforce_above"),
        ("revision: {relate_above: 0.8}", "relate_above <= contradict_above"),
        ("tiers: {l1_after_days: 91}", "l1_after_days"),
        ("lifecycle: {active_at: 11}", "active_at"),
        ("decay: {spaced: {gradient_least: 3.5}}", "gradient_least"),
        ("decay: {half_life_days: 0}", "above 0"),
        ("decay: {stability: {half_life_days: 0}}", "above 0"),
        ("decay: {stretched: {scale: 0}}", "above 0"),
        ("recall: {fusion: {k: 0}}", "fusion.k"),
        ("recall: {diversity: {pool: 301}}", "diversity.pool"),
        ("extraction: {retry_base_s: 3601}", "retry_base_s"),
    ],
)
def test_values_that_contradict_each_other_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        from_file(tmp_path, text)
    assert said in refused.value.detail


def test_an_error_never_shows_a_value(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, environ={"MEMORAY_HTTP__PORT": "hunter2"})
    assert "hunter2" not in str(refused.value)
    assert "hunter2" not in repr(Settings(home=tmp_path, dsn="postgresql://me:hunter2@db/memory"))


@pytest.mark.parametrize(
    ("variable", "text", "path", "value"),
    [
        ("MEMORAY_DSN", "postgresql://db/memory", "dsn", "postgresql://db/memory"),
        ("MEMORAY_PRESET", "cosmo", "preset", "cosmo"),
        ("MEMORAY_HTTP__PORT", "8123", "http.port", 8123),
        ("MEMORAY_RECALL__HOURS_BACK", "168", "recall.hours_back", 168.0),
        ("MEMORAY_RECALL__HOURS_BACK", "", "recall.hours_back", None),
        ("MEMORAY_RECALL__FUSION__WEIGHTS__GRAPH", "0.5", "recall.fusion.weights.graph", 0.5),
        ("MEMORAY_TIERS__L2_REQUIRES_COMMUNITY", "true", "tiers.l2_requires_community", True),
        ("MEMORAY_MODELS__LANGUAGE__MODEL", "3.5", "models.language.model", "3.5"),
        ("MEMORAY_MODELS__ENCODER__PATH", "/models/minilm", "models.encoder.path", Path("/models/minilm")),
    ],
)
def test_the_environment_takes_the_type_its_setting_asks_for(
    tmp_path: Path, variable: str, text: str, path: str, value: object
) -> None:
    found: object = load(tmp_path, environ={variable: text})
    for step in path.split("."):
        found = getattr(found, step)
    assert found == value
    assert type(found) is type(value)


def test_the_environment_of_others_is_left_alone_but_a_misspelt_setting_is_not(tmp_path: Path) -> None:
    assert load(tmp_path, environ={"MEMORAY_PG_BIN": "/usr/bin", "OTHER__KEY": "1"}) == Settings(home=tmp_path)
    for variable in ("MEMORAY_HTPP__PORT", "MEMORAY_HTTP__PROT", "MEMORAY_HTTP__PORT__X"):
        with pytest.raises(ConfigError, match="environment"):
            load(tmp_path, environ={variable: "1"})
    with pytest.raises(ConfigError, match="none below"):
        load(tmp_path, environ={"MEMORAY_HTTP__PORT": "1", "MEMORAY_HTTP__PORT__X": "1"})


def test_home_is_the_argument_then_the_environment_then_beside_the_packages(tmp_path: Path) -> None:
    environ = {"MEMORAY_HOME": str(tmp_path / "named")}
    assert load(tmp_path, environ=environ).home == tmp_path
    assert load(environ=environ).home == tmp_path / "named"
    assert default_home({}) == project_root() / "data"
    assert load(tmp_path, environ={}).token_path == tmp_path / "token"


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_loads(tmp_path: Path, name: str) -> None:
    assert load(tmp_path, {"preset": name}, {}).preset == name


def test_presets_carry_the_numbers_of_their_seed(tmp_path: Path) -> None:
    assert preset_names() == ("default", "annie", "cosmo", "graph-memory", "personal-ai")
    annie, cosmo, graph = (load(tmp_path, {"preset": name}, {}) for name in ("annie", "cosmo", "graph-memory"))
    assert (annie.recall.order, annie.recall.fusion.k, annie.recall.hours_back) == ("decayed", 60.0, 168.0)
    assert (annie.recall.diversity.by, annie.recall.diversity.balance) == ("words", 0.7)
    assert {cosmo.gates.of(kind) for kind in ("person", "topic", "habit")} == {0.7}
    assert (graph.recall.fusion.k, graph.recall.fusion.weights.hot) == (60.0, 0.0)
    assert load(tmp_path, environ={}).recall.hours_back is None, "a memory that only looks a week back forgets"


def test_gates_are_those_of_seed_001() -> None:
    gates = Gates()
    assert (gates.of("promise"), gates.of("person"), gates.of("topic"), gates.of("habit"), gates.of("of")) == (
        0.7,
        0.6,
        0.5,
        0.5,
        0.5,
    )


def test_our_own_packages_are_the_ones_imported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert_own_packages()
    assert (project_root() / "memory" / "errors.py").is_file()
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "jobs", raising=False)
    with pytest.raises(ConfigError, match="jobs"):
        assert_own_packages()


def test_settings_are_frozen(tmp_path: Path) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        load(tmp_path, environ={}).http.port = 1  # type: ignore[misc]


@pytest.mark.parametrize("path", DOCUMENTED)
def test_every_setting_says_what_it_is(path: str) -> None:
    tree = ast.parse((project_root() / path).read_text(encoding="utf-8"))
    for kind in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for field, after in zip(kind.body, [*kind.body[1:], None], strict=True):
            if isinstance(field, ast.AnnAssign):
                documented = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                assert documented, f"{path}: {kind.name}.{ast.unparse(field.target)} has no docstring"


SHARES = st.floats(0, 1)


@given(
    low=st.dictionaries(st.sampled_from(["person", "topic", "other"]), SHARES),
    high=st.dictionaries(st.sampled_from(["person", "topic", "other"]), SHARES),
)
def test_laying_one_layer_over_another_is_a_dictionary_update(low: dict[str, float], high: dict[str, float]) -> None:
    gates = compose(Gates, (Layer("low", low), Layer("high", high)))
    assert gates == Gates(**{**low, **high})
