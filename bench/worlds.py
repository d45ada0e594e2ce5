"""What the LLM-free extractor believes of invented worlds: `python -m bench.worlds FILE ... [--show WHAT]`.

A world is a text file of talk: `# world: ... | people: Ana (she, owner), Bo (he)`, sessions `## 1 | 2024-03-02 19:10 |
chat`, turns `Ana: text`, claims a good memory keeps (`! 1.3 | Ana | owns | a bike | since 2024-02 | state`: turn,
subject, predicate, object, time, kind) and traps (`x 2.9 | Bo is dead | idiom`: turn, what must not be believed, why).

Printed are the traps that a claim of their turn says, by kind; the claims that a claim of their turn holds in words, by
kind; the read claims that dangle; how many are read a turn; and turns a CPU-second. All of it is counted by words, so
it compares two versions of the rules and is no measure of truth: for that somebody reads what `--show all` prints.
WHAT may also be `traps` or `dangling`.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from adapters.extraction.rules import read
from adapters.extraction.rules_model import load
from bench.extraction import content_words
from memory.model.claims import Claim, Utterance
from memory.model.ids import fold
from memory.model.timeline import iso

TURN_S = 20.0
"""Seconds between two turns: a session fits an evening."""
ENOUGH = 0.6
"""Share of the content words of a claim or trap that a read claim holds if it says that."""
WEIGHTY = 4
"""From this importance on facts are shown and promoted."""
_DENIED = re.compile(r"n't\b|\b(?:not|never|no|nobody|nothing|no longer)\b", re.IGNORECASE)
_POINTS = r"(?:it|they|them|he|she|him|her|their|theirs|its|his|you|your)"
_DANGLES = re.compile(rf"^{_POINTS}\b|\b(?:it|them|their|theirs|its|my|your|the|a)$", re.IGNORECASE)
"""A statement that begins with a word that only points, or ends with one, or before the thing it is about."""


@dataclass(frozen=True, slots=True)
class WorldLine:
    """A claim or a trap of a world: the turn it stands in, whom it is about (empty for a trap), its words, its kind."""

    turn: str
    subject: str
    words: str
    kind: str


@dataclass(slots=True)
class World:
    """One world: its sessions of utterances, what should be believed of it, and what must not be."""

    name: str
    sessions: list[list[Utterance]] = field(default_factory=list)
    claims: list[WorldLine] = field(default_factory=list)
    traps: list[WorldLine] = field(default_factory=list)


@dataclass(slots=True)
class WorldCounts:
    """Counts over worlds: lines by (found, kind), read claims, those that dangle or weigh, turns, CPU seconds."""

    found: Counter[tuple[bool, str]] = field(default_factory=Counter)
    believed: Counter[tuple[bool, str]] = field(default_factory=Counter)
    read: int = 0
    weighty: int = 0
    dangling: int = 0
    turns: int = 0
    cpu_s: float = 0.0


def parsed(path: Path) -> World:
    """A world as written; lines of other kinds (questions, comments) are left out."""
    world = World(path.stem)
    roles: Mapping[str, str] = {}
    at, key = 0.0, 0
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# world"):
            roles = _roles(line)
        elif line.startswith("## "):
            at = datetime.strptime(line.split("|")[1].strip(), "%Y-%m-%d %H:%M").replace(tzinfo=UTC).timestamp()
            world.sessions.append([])
        elif line.startswith(("! ", "x ")):
            _add(world, [part.strip() for part in line[2:].split("|")], trap=line[0] == "x")
        elif world.sessions and (said := re.match(r"([A-Z][^:?!]{0,40}): (.+)", line)) and not line.startswith("?"):
            key += 1
            session = world.sessions[-1]
            where = (f"{len(world.sessions)}", f"{len(world.sessions)}.{len(session) + 1}", key, 1)
            session.append(
                Utterance(*where, said[1], said[2], at + TURN_S * len(session), role=roles.get(said[1], "other"))
            )
    return world


def _roles(line: str) -> Mapping[str, str]:
    people = re.findall(r"(?:people: |, )([A-Z][^(,]*?) \(([^)]*)\)", line)
    return {
        name: "assistant" if name == "Assistant" else "user" if "owner" in told else "other" for name, told in people
    }


def _add(world: World, parts: Sequence[str], *, trap: bool) -> None:
    if trap and len(parts) > 2:
        world.traps.append(WorldLine(parts[0], "", parts[1], parts[2]))
    elif len(parts) > 5:
        world.claims.append(WorldLine(parts[0], parts[1], f"{parts[3]}", parts[5].split()[0]))


def says(claim: Claim, line: WorldLine) -> bool:
    """Whether a read claim holds the words of a line, and, of a trap, is of its polarity."""
    wanted = content_words(line.words)
    if line.subject and not _is_about(claim, line.subject):
        return False
    if not line.subject:
        wanted -= content_words(line.words.split(maxsplit=1)[0])
        if claim.polarity == bool(_DENIED.search(line.words)):
            return False
    held = content_words(f"{claim.statement} {claim.object or ''}")
    return bool(wanted) and len(wanted & held) >= ENOUGH * len(wanted)


def _is_about(claim: Claim, subject: str) -> bool:
    name = fold(subject.split(maxsplit=1)[0])
    return name in fold(claim.subject) or name in fold(claim.statement)


def dangles(claim: Claim) -> bool:
    """Whether its statement begins or ends with a word that only points, or points for its subject or object."""
    pointing = re.compile(rf"(?:{_POINTS})", re.IGNORECASE)
    named = (claim.subject, claim.object or "-")
    return bool(_DANGLES.search(claim.statement) or any(pointing.fullmatch(each) for each in named))


def read_world(world: World, measured: WorldCounts) -> dict[str, list[Claim]]:
    """What is read of a world, by turn; its counts are added to those `measured`."""
    by_turn: dict[str, list[Claim]] = {}
    for session in world.sessions:
        began = time.process_time()
        claims = read(session).claims
        measured.cpu_s += time.process_time() - began
        measured.turns += len(session)
        names = {utterance.segment_key: utterance.segment_id for utterance in session}
        for claim in claims:
            by_turn.setdefault(names[claim.segment_key], []).append(claim)
            measured.read += 1
            measured.weighty += claim.importance >= WEIGHTY
            measured.dangling += dangles(claim)
    for listed, counts in ((world.claims, measured.found), (world.traps, measured.believed)):
        for line in listed:
            counts[any(says(claim, line) for claim in by_turn.get(line.turn, [])), line.kind] += 1
    return by_turn


def report(measured: WorldCounts) -> Iterator[str]:
    """The figures, one a line."""
    for name, counts in (("traps believed", measured.believed), ("claims found", measured.found)):
        kinds = sorted({kind for _, kind in counts})
        told = ", ".join(f"{kind} {counts[True, kind]}/{counts[True, kind] + counts[False, kind]}" for kind in kinds)
        said = sum(counts[True, kind] for kind in kinds)
        every = max(1, said + sum(counts[False, kind] for kind in kinds))
        yield f"{name}: {said}/{every} = {100 * said / every:.1f} % ({told})"
    share = 100 * measured.dangling / max(1, measured.read)
    yield f"dangling: {measured.dangling} of {measured.read} claims = {share:.1f} %"
    turns = max(1, measured.turns)
    yield f"claims a turn {measured.read / turns:.2f}, importance >= {WEIGHTY} {measured.weighty / turns:.2f}"
    yield f"{measured.turns} turns, {measured.turns / max(measured.cpu_s, 1e-9):.0f} a CPU-second"


def shown(world: World, by_turn: Mapping[str, Sequence[Claim]], what: str) -> Iterator[str]:
    """What somebody reads beside the figures: `traps` and `dangling` claims with their words, or `all`."""
    texts = {each.segment_id: f"{each.speaker}: {each.text}" for session in world.sessions for each in session}
    for turn, text in texts.items():
        claims = by_turn.get(turn, [])
        traps = [line for line in world.traps if line.turn == turn and any(says(claim, line) for claim in claims)]
        kept = [claim for claim in claims if dangles(claim)] if what == "dangling" else claims
        if what == "traps" and not traps:
            continue
        if kept or what == "traps":
            yield f"{world.name} {turn} {text}"
            yield from (f"    TRAP {line.kind}: {line.words}" for line in traps)
            yield from (f"    {_told(claim)}" for claim in kept)


def _told(claim: Claim) -> str:
    when = f"{iso(claim.valid_from) or ''}..{iso(claim.valid_to) or iso(claim.due) or ''}"
    named = f"{claim.predicate or '-'}({claim.subject}, {claim.object or '-'})"
    return f"{claim.importance} {'+' if claim.polarity else '-'} {named} {claim.tense} {when}: {claim.statement}"


def main(arguments: Sequence[str]) -> None:
    """Print the figures of all files, and what was asked for beside them."""
    load()
    what = arguments[arguments.index("--show") + 1] if "--show" in arguments else ""
    measured = WorldCounts()
    for name in arguments:
        if name.endswith(".txt"):
            world = parsed(Path(name))
            by_turn = read_world(world, measured)
            if what:
                print(*shown(world, by_turn, what), sep="\n")
    print(*report(measured), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
