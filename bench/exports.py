"""`python -m bench.exports`: how fast exports are read, and in how much memory, whatever their size.

It invents an export of the asked size, reads it in a process of its own as `memoray import` does, without sending
anything, and prints one row for each kind: megabytes, seconds, segments, sources, and the memory of the process before
it began and at most. Exit code 1 if the difference is above the bar.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from adapters.capture.formats import read
from adapters.capture.text import TextFile

BAR_MB = 128
"""Beyond what the process takes at rest, however large the export is (chosen: four conversations of the largest size
that is read would not fit)."""
_BEGAN = 1_600_000_000
_WORDS = (
    "the",
    "boat",
    "needs",
    "paint",
    "before",
    "Ana",
    "sails",
    "from",
    "Porto",
    "with",
    "Ben",
    "and",
    "tea",
    "in",
    "May",
)

Writer = Callable[[TextIO, int], None]


def _talk(chance: random.Random) -> str:
    return " ".join(chance.choices(_WORDS, k=chance.randint(5, 300)))


def _list(file: TextIO, size: int, items: Iterator[object]) -> None:
    """A list of JSON of at least so many characters."""
    file.write("[")
    for number, item in enumerate(items):
        file.write((",\n" if number else "") + json.dumps(item))
        if file.tell() >= size:
            break
    file.write("]")


def _chatgpt(chance: random.Random) -> Iterator[object]:
    for number in range(sys.maxsize):
        began, nodes, parent = _BEGAN + 90_000 * number, dict[str, object](), None
        for turn in range(40):
            key, role = f"{number}-{turn}", ("user", "assistant")[turn % 2]
            content = {"content_type": "text", "parts": [_talk(chance)]}
            message = {"id": key, "author": {"role": role}, "create_time": began + 60 * turn, "content": content}
            nodes[key] = {"id": key, "message": message, "parent": parent, "children": [f"{number}-{turn + 1}"]}
            parent = key
        yield {
            "title": f"Talk {number}",
            "create_time": began,
            "mapping": nodes,
            "current_node": parent,
            "id": str(number),
        }


def _claude(chance: random.Random) -> Iterator[object]:
    for number in range(sys.maxsize):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_BEGAN + 90_000 * number))
        said = [
            {
                "uuid": f"{number}-{turn}",
                "text": _talk(chance),
                "sender": ("human", "assistant")[turn % 2],
                "created_at": at,
            }
            for turn in range(40)
        ]
        yield {"uuid": str(number), "name": f"Talk {number}", "created_at": at, "chat_messages": said}


def _telegram(chance: random.Random) -> Iterator[object]:
    for number in range(sys.maxsize):
        yield {
            "id": number,
            "type": "message",
            "date_unixtime": str(_BEGAN + 300 * number),
            "from": "Ana",
            "from_id": "user2",
            "text": [_talk(chance), {"type": "bold", "text": "!"}],
        }


def write(kind: str, folder: Path, megabytes: int) -> Path:
    """An invented export."""
    chance, size = random.Random(kind), megabytes * 1_000_000
    path = folder / f"{kind}.json"
    with path.open("w") as file:
        if kind == "telegram":
            file.write('{"name": "Ana", "type": "personal_chat", "id": 1, "messages": ')
        _list(
            file, size, {"chatgpt": _chatgpt, "claude": _claude, "telegram": _telegram}[kind.partition("-")[0]](chance)
        )
        if kind == "telegram":
            file.write("}")
    if not kind.endswith("-zip"):
        return path
    packed = path.with_suffix(".zip")
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as pack:
        pack.write(path, "conversations.json")
    path.unlink()
    return packed


def read_all(path: Path) -> None:
    """Read an export and print what it took, as JSON."""
    rest, began, segments, sources = _most_mb(), time.monotonic(), 0, set()
    for body in read(TextFile(path)):
        segments += len(body["segments"])
        sources.add(body["source_id"])
    spent = {"seconds": round(time.monotonic() - began, 1), "segments": segments, "sources": len(sources)}
    print(json.dumps(spent | {"rest_mb": round(rest), "most_mb": round(_most_mb())}))


def _most_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Measure, print, and tell whether the bar is held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--kinds", nargs="*", default=["chatgpt", "chatgpt-zip", "claude", "telegram"])
    parser.add_argument("--read", type=Path, help="read this export in this process, and print what it took")
    asked = parser.parse_args()
    if asked.read:
        read_all(asked.read)
        return 0
    held = True
    print("| Export | MB | Seconds | Segments | Sources | MB at rest | Most MB |\n|---|--:|--:|--:|--:|--:|--:|")
    for kind in asked.kinds:
        with tempfile.TemporaryDirectory() as folder:
            path = write(kind, Path(folder), asked.megabytes)
            command = [sys.executable, "-m", "bench.exports", "--read", str(path)]
            told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        figures = [told[name] for name in ("seconds", "segments", "sources", "rest_mb", "most_mb")]
        print("| " + " | ".join(map(str, [kind, asked.megabytes, *figures])) + " |", flush=True)
        held = held and told["most_mb"] - told["rest_mb"] <= BAR_MB
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
