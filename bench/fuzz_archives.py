"""`python -m bench.fuzz_archives`: thousands of damaged archives against a running Memoray.

It tells a memory of its own, exports it, and sends one changed archive after the other into an empty memory. What is
restored by chance is asked, told and erased again. Nothing may answer 500 or worse; meanwhile /health is asked all the
time, and the memory of the processes is looked at. Exit code 1 if anything broke, or a bar was missed.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson

from bench.archive_faults import Faults
from memory.model.ids import segment_key
from memory.model.scopes import user_scope

USER, OTHER = "fuzz-archives", "fuzz-archives-other"
MOST_MEMORY, MOST_HEALTH_S = 200_000_000, 0.1
"""The bars: bytes above rest, and seconds for /health."""
LOOK_S, BEAT_S = 0.05, 0.02
"""Seconds between looks at the memory, and between two questions to /health."""
REST_S = 2.0
CONVERSATION = (
    ("Mira", "I moved to Aarhus in January and I work at Tidewater Radio."),
    ("Jonas", "My brother Emil visits on Friday."),
    ("Mira", "I promise to send you the tape by Sunday. I feel happy about the garden."),
    ("Jonas", "I am allergic to walnuts, and I run every morning."),
    ("Mira", "I no longer live in Aarhus, I moved to Odense last week."),
)
AFTERWARDS = (
    "/v1/stats",
    "/v1/facts?status=all",
    "/v1/entities",
    "/v1/sources",
    "/v1/promises",
    "/v1/timeline",
    "/v1/profile",
    "/v1/context?query=Where+does+Mira+live",
    "/v1/ask?q=Where+does+Mira+live",
)
"""What is read of a memory that was restored."""


class Broken(Exception):
    """Something answered as nothing may."""


Send = Callable[..., httpx.Response]


def prepare(send: Send, settled: Callable[[], None]) -> tuple[bytes, tuple[int, ...]]:
    """Tell a memory much of what can be told, and take it out; the archive, and keys of another person's segments."""
    send("DELETE", "/v1/memory", user=USER)
    send("PUT", "/v1/profile", user=USER, json={"name": "Mira", "time_zone": "Europe/Copenhagen"})
    for number in range(3):
        segments = [
            {"segment_id": str(place), "speaker": who, "text": f"{text} {number}", "start": place, "end": place}
            for place, (who, text) in enumerate(CONVERSATION)
        ]
        body = {"source_id": f"talk-{number}", "started_at": f"2026-03-0{number + 1}T08:00:00Z", "segments": segments}
        for user in (USER, OTHER):
            expect(send("POST", "/v1/sources", user=user, json=body), 202)
    settled()
    told = expect(send("POST", "/v1/facts", user=USER, json={"text": "I play the oboe."}), 201).json()
    send("POST", f"/v1/facts/{told['fact_id']}/confirm", user=USER)
    entity = send("GET", "/v1/entities", user=USER).json()["entities"][0]["entity_id"]
    send("POST", f"/v1/entities/{entity}/notes", user=USER, json={"text": "A remark."})
    send("POST", f"/v1/entities/{entity}/alias", user=USER, json={"alias": "Mi"})
    send("POST", "/v1/night", user=USER)
    send("DELETE", "/v1/sources/talk-2", user=USER)
    archive = expect(send("GET", "/v1/export", user=USER), 200).content
    expect(send("DELETE", "/v1/memory", user=USER), 200)
    scope = user_scope(OTHER)
    return archive, tuple(segment_key(scope, f"talk-{talk}", str(place)) for talk in range(4) for place in range(2))


def try_one(send: Send, archive: bytes) -> int:
    """Send an archive, and see that its memory works, or is as empty as before; the status. Raises Broken."""
    answer = send("POST", "/v1/import", user=USER, content=archive)
    if answer.status_code == 409 and "not empty" in answer.text:  # what went on in the background came after the end
        expect(send("DELETE", "/v1/memory", user=USER), 200)
        answer = send("POST", "/v1/import", user=USER, content=archive)
    status = answer.status_code
    if status == 201:
        for path in AFTERWARDS:
            send("GET", path, user=USER)
        send("POST", "/v1/facts", user=USER, json={"text": "I play the viola."})
        send("POST", "/v1/undo", user=USER)
        expect(send("GET", "/v1/export", user=USER), 200)
        expect(send("DELETE", "/v1/memory", user=USER), 200)
    elif any(send("GET", "/v1/stats", user=USER).json()[f"{name}_count"] for name in ("segments", "entities")):
        raise Broken(f"an archive was refused with {status} and left something")
    return status


def expect(answer: httpx.Response, status: int) -> httpx.Response:
    """The answer, if it has this status. Raises Broken."""
    if answer.status_code != status:
        raise Broken(f"{answer.request.method} {answer.request.url.path}: {answer.status_code} {answer.text[:300]}")
    return answer


# ---------------------------------------------------------------------------------------------------- a running system


@dataclass
class Watch:
    """What was seen meanwhile."""

    health_s: list[float] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    most_bytes: int = 0
    rest_bytes: int = 0


def own_bytes(root: int) -> int:
    """Bytes that the processes below a process have for themselves: resident, without what they share."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has ended meanwhile
    below, found = {root}, 0
    while fresh := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= fresh
    for pid in below:
        try:
            resident, shared = Path(f"/proc/{pid}/statm").read_text().split()[1:3]
            found += (int(resident) - int(shared)) * 4096
        except OSError:
            continue
    return found


@contextmanager
def watching(url: str, root: int) -> Iterator[Watch]:
    """Ask /health and look at the memory, beside whatever goes on."""
    watch, over = Watch(rest_bytes=own_bytes(root)), threading.Event()

    def ask() -> None:
        with httpx.Client(base_url=url, timeout=30) as client:
            while not over.wait(BEAT_S):
                begun = time.perf_counter()
                try:
                    client.get("/health").raise_for_status()
                except httpx.HTTPError as error:
                    watch.unanswered.append(f"GET /health: {error!r}")
                watch.health_s.append(time.perf_counter() - begun)

    def look() -> None:
        while not over.wait(LOOK_S):
            watch.most_bytes = max(watch.most_bytes, own_bytes(root))

    threads = [threading.Thread(target=each, daemon=True) for each in (ask, look)]
    for each in threads:
        each.start()
    try:
        yield watch
    finally:
        over.set()
        for each in threads:
            each.join()


def sender(client: httpx.Client) -> Send:
    """What sends a request for a user. Raises Broken on 500 and above."""

    def send(method: str, path: str, *, user: str, **rest: Any) -> httpx.Response:
        answer = client.request(method, path, headers={"X-User-Id": user}, **rest)
        if answer.status_code >= 500:
            raise Broken(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer

    return send


def await_read(send: Send) -> None:
    """Wait until all that was told is read."""
    for user in (USER, OTHER):
        while any(send("GET", "/v1/stats", user=user).json()["pending"].values()):
            time.sleep(0.5)


def run(home: Path, cases: int, seed: int) -> int:
    """Send that many archives, print what came of it; how many broke something."""
    runtime = orjson.loads((home / "run" / "runtime.json").read_bytes())
    token = Path(runtime["token_file"]).read_text().strip()
    statuses, broken = Counter[int](), list[str]()
    with httpx.Client(base_url=runtime["url"], headers={"X-Internal-Token": token}, timeout=120) as client:
        send = sender(client)
        archive, foreign = prepare(send, lambda: await_read(send))
        faults = Faults(seed, foreign)
        time.sleep(REST_S)
        with watching(runtime["url"], runtime["pids"]["supervisor"]) as watch:
            for case in range(cases):
                kind, changed = faults.draw(archive)
                try:
                    statuses[try_one(send, changed)] += 1
                except (Broken, httpx.HTTPError) as error:
                    broken.append(f"case {case} ({kind}): {error!r}")
                    with suppress(Broken, httpx.HTTPError):
                        send("DELETE", "/v1/memory", user=USER)
                if not (case + 1) % 500:
                    print(f"{case + 1} of {cases}: {dict(statuses)}, broken {len(broken)}", file=sys.stderr)
        for user in (USER, OTHER):
            send("DELETE", "/v1/memory", user=user)
    return _told(urlsplit(runtime["url"]).netloc, statuses, [*broken, *watch.unanswered], watch)


def _told(place: str, statuses: Counter[int], broken: list[str], watch: Watch) -> int:
    """Print what came of it; 0 if nothing broke and every bar was met."""
    above, waits = watch.most_bytes - watch.rest_bytes, sorted(watch.health_s)
    print(f"archives sent to {place} and answered: {dict(sorted(statuses.items()))}; broken: {len(broken)}")
    print(f"memory above rest: {above / 1e6:.0f} MB at most (bar {MOST_MEMORY / 1e6:.0f})")
    print(
        f"/health: {1000 * waits[-1]:.0f} ms at most, p99 {1000 * waits[int(len(waits) * 0.99)]:.0f} ms, "
        f"{len(waits)} times (bar {1000 * MOST_HEALTH_S:.0f})"
    )
    for each in broken[:20]:
        print(each)
    return int(bool(broken) or above > MOST_MEMORY or waits[-1] > MOST_HEALTH_S)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.fuzz_archives", description=__doc__)
    parser.add_argument("--home", type=Path, default=Path("data"), help="of the running Memoray; default: data")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sys.exit(run(given.home, given.cases, given.seed))


if __name__ == "__main__":
    main()
