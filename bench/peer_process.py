"""A peer from outside: its process, what is said to it, and what it takes."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.conversations import Conversation, GoldQuestion
from bench.peers import IndexTimes, Spent, lines_of, turns_of
from memory.errors import Unavailable
from memory.words.stems import STOP_WORDS

PEERS = ("mem0", "mem0-bm25", "txtai")
REQUIREMENTS = ("mem0ai==2.2.1", "fastembed==0.9.1", "txtai==9.14.0")
"""What the peers' environment holds: the releases that docs/benchmarks.md tells of. fastembed is mem0's BM25."""
NOWHERE = "http://127.0.0.1:9"
"""A proxy that is not there: what a peer would send out goes nowhere, at once."""
SILENCE = {
    "MEM0_TELEMETRY": "False",
    "ANONYMIZED_TELEMETRY": "False",
    "POSTHOG_DISABLED": "1",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "http_proxy": NOWHERE,
    "https_proxy": NOWHERE,
    "HTTP_PROXY": NOWHERE,
    "HTTPS_PROXY": NOWHERE,
}
"""No telemetry and no network: the models these would fetch are not wanted, the vectors are given."""
_DRIVER = Path(__file__).with_name("peer_driver.py")


@dataclass
class PeerProcess:
    """A System behind two pipes. Raises Unavailable when the process ends before it has answered."""

    name: str
    folder: Path
    """What it stores lies below."""
    pss_of: Callable[[int], int]
    """Bytes of memory of a process."""
    process: subprocess.Popen[str]
    encodes = False
    degraded = 0

    def keep(self, conversation: Conversation, vectors: NDArray[np.float32]) -> IndexTimes:
        """An empty store, and all turns into it; seconds by the peer's own clock, without encoding."""
        self._say({"verb": "open", "dimensions": vectors.shape[1], "stop_words": sorted(STOP_WORDS["en"])})
        turns = [
            {"id": turn["segment_id"], "text": line, "vector": _text_of(vector)}
            for (_, turn), line, vector in zip(turns_of(conversation), lines_of(conversation), vectors, strict=True)
        ]
        seconds = float(self._say({"verb": "keep", "turns": turns})["seconds"])
        return IndexTimes(seconds, seconds)

    def find(self, question: GoldQuestion, vector: NDArray[np.float32], limit: int, *, whole: bool) -> tuple[str, ...]:
        """Ids of turns, best first, each once."""
        asked = {"text": question.text, "vector": _text_of(vector), "limit": limit, "whole": whole}
        return tuple(dict.fromkeys(self._say({"verb": "find", **asked})["found"]))

    def spent(self) -> Spent:
        """CPU by the peer's own count, memory by the kernel's, and the files of all its stores."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return Spent(
            cpu_s=float(self._say({"verb": "spent"})["cpu_s"]),
            pss_bytes=self.pss_of(self.process.pid),
            disk_bytes=sum(path.stat().st_blocks * 512 for path in files),
        )

    def _say(self, asked: Mapping[str, Any]) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(asked) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            line = ""
        else:
            line = self.process.stdout.readline()
        if not line:
            raise Unavailable(
                f"{self.name} has ended before it answered; the end of what it said:\n{self._last_words()}"
            )
        return json.loads(line)

    def _last_words(self) -> str:
        said = (self.folder / "said.log").read_text(errors="replace").strip()
        return said[-1500:] or "nothing"


@contextmanager
def peer_process(name: str, python: Path, pss_of: Callable[[int], int]) -> Iterator[PeerProcess]:
    """A peer, started in a folder that goes away with it. Raises Unavailable if that Python cannot be run."""
    with TemporaryDirectory(prefix=f"memoray-{name}-") as home:
        folder = Path(home)
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "OMP_NUM_THREADS") if key in os.environ}
        silent = {**kept, **SILENCE, "HOME": home, "MEM0_DIR": str(folder / "mem0")}
        with (folder / "said.log").open("w") as said:
            try:
                process = subprocess.Popen(
                    [str(python), str(_DRIVER), name, str(folder / "stores")],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    text=True,
                    env=silent,
                )
            except OSError as error:
                raise Unavailable(f"{python} cannot be run: {error.strerror}.") from error
            with process:
                try:
                    yield PeerProcess(name, folder, pss_of, process)
                finally:
                    process.kill()


def _text_of(vector: NDArray[np.float32]) -> str:
    return base64.b64encode(np.asarray(vector, np.float32).tobytes()).decode()
