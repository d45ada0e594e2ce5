"""One peer in a process of its own: `PYTHON bench/peer_driver.py SYSTEM FOLDER`, spoken to by `bench/peer_process.py`.

Runs under the Python of the peers' environment, which knows nothing of Memoray, so it imports nothing of it. A line of
JSON comes in, a line goes out, in turn; what a peer prints goes to the standard error. Vectors are base64 of float32.
"""

from __future__ import annotations

import base64
import json
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

KEY = "none"
"""mem0 wants an OpenAI key for the language model and the encoder, neither of which it is given anything to do."""

Vector = NDArray[np.float32]
Turns = Sequence[Mapping[str, Any]]
Opening = Mapping[str, Any]
"""`dimensions` of the vectors, and `stop_words` of English."""


class Peer(Protocol):
    """A memory of one conversation."""

    def keep(self, turns: Turns) -> None:
        """Remember turns: `id`, `text`, `vector`."""

    def find(self, text: str, limit: int, *, whole: bool) -> list[str]:
        """Ids of turns, best first; by the peer's own threshold unless it shall be `whole`."""


class Mem0:
    """mem0 without a language model (infer=False), on Qdrant's local mode; with its BM25 leg or without."""

    def __init__(self, folder: Path, vectors: Given, opening: Opening, *, with_words: bool) -> None:
        model = {"provider": "openai", "config": {"api_key": KEY}}
        store = {"path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": opening["dimensions"]}
        self._memory = import_module("mem0").Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
                "llm": model,
                "embedder": model,
            }
        )
        self._memory.embedding_model = vectors
        bm25 = with_words and import_module("fastembed").SparseTextEmbedding(
            "Qdrant/bm25", specific_model_path=str(folder), stopwords=set(opening["stop_words"])
        )
        self._memory.vector_store._bm25_encoder = bm25

    def keep(self, turns: Turns) -> None:
        """One call a turn, as it is meant to be used."""
        for turn in turns:
            self._memory.add(turn["text"], user_id="u", infer=False, metadata={"turn": turn["id"]})

    def find(self, text: str, limit: int, *, whole: bool) -> list[str]:
        """Its own threshold (0.1), or none."""
        own = {"threshold": 0.0} if whole else {}
        found = self._memory.search(text, filters={"user_id": "u"}, top_k=limit, **own)
        return [hit["metadata"]["turn"] for hit in found["results"]]


class Txtai:
    """txtai's hybrid search (BM25 and faiss, combined with equal weights as it does), kept in a folder."""

    def __init__(self, folder: Path, vectors: Given) -> None:
        self._folder = folder

        def transform(texts: Sequence[str]) -> Vector:  # a plain function, for anything else it would call to get one
            return vectors.many(texts)

        settings = {"method": "external", "transform": transform, "hybrid": True, "content": False}
        self._index = import_module("txtai").Embeddings(settings)

    def keep(self, turns: Turns) -> None:
        """One index of all turns, written to the folder."""
        self._index.index([(turn["id"], turn["text"], None) for turn in turns])
        self._index.save(str(self._folder / "index"))

    def find(self, text: str, limit: int, *, whole: bool) -> list[str]:
        """It has no threshold."""
        return [turn for turn, _ in self._index.search(text, limit)]


class Given:
    """The encoder of every peer: it knows the vectors that came with the texts."""

    def __init__(self) -> None:
        self._known: dict[str, Vector] = {}

    def learn(self, text: str, vector: str) -> None:
        """Remember what a text's vector is; peers may ask without its outer blanks."""
        self._known[text.strip()] = np.frombuffer(base64.b64decode(vector), np.float32)

    def embed(self, text: str, *_: object) -> list[float]:
        """One vector, as mem0 asks for it."""
        numbers: list[float] = self._known[text.strip()].tolist()
        return numbers

    def embed_batch(self, texts: Sequence[str], *_: object) -> list[list[float]]:
        """Several vectors, as mem0 asks for them."""
        return [self.embed(text) for text in texts]

    def many(self, texts: Sequence[str]) -> Vector:
        """Several vectors, as txtai asks for them."""
        return np.stack([self._known[text.strip()] for text in texts])


def peer_of(system: str, folder: Path, vectors: Given, opening: Opening) -> Peer:
    """A new, empty memory in a folder of its own."""
    folder.mkdir(parents=True)
    if system == "txtai":
        return Txtai(folder, vectors)
    return Mem0(folder, vectors, opening, with_words=system == "mem0-bm25")


def answer(peer: Peer, vectors: Given, asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a request brings, with the seconds that the peer itself took."""
    if asked["verb"] == "spent":
        return {"cpu_s": time.process_time()}
    for each in asked["turns"] if asked["verb"] == "keep" else [asked]:
        vectors.learn(each["text"], each["vector"])
    began = time.perf_counter()
    if asked["verb"] == "keep":
        peer.keep(asked["turns"])
        return {"seconds": time.perf_counter() - began}
    found = peer.find(asked["text"], asked["limit"], whole=asked["whole"])
    return {"found": found, "seconds": time.perf_counter() - began}


def main() -> None:
    """Answer until the input ends. A new conversation is a new, empty memory."""
    system, folder = sys.argv[1], Path(sys.argv[2])
    spoken, sys.stdout = sys.stdout, sys.stderr
    vectors, peer, stores = Given(), None, 0
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["verb"] == "open":
            vectors, stores = Given(), stores + 1
            peer = peer_of(system, folder / str(stores), vectors, asked)
            told: Mapping[str, Any] = {}
        else:
            told = answer(peer, vectors, asked)  # type: ignore[arg-type]
        print(json.dumps(told), file=spoken, flush=True)


if __name__ == "__main__":
    main()
