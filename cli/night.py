"""`memoray night`: run the night by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from cli.client import connect
from cli.console import HomeOption, JsonOption, UserOption, command, counted, err, show

NIGHT_S = 3_600.0
"""Seconds a night, or its undoing, may take: a first night over 300,000 facts takes minutes, and so do many texts."""

NowOption = Annotated[
    str | None, typer.Option("--now", help="The night of this date (YYYY-MM-DD); default: the last that is over.")
]


def night(now: NowOption = None, user: UserOption = None, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Run a night, after the missed ones before it, and tell what it found. One that was is only told again.

    Example: memoray night --now 2026-03-02
    """
    with connect(home, user, timeout_s=NIGHT_S) as client, err.status("The night goes on"):
        report = client.post("/v1/night", {"night": now})
    show(report, as_json, *_told(report, user, home))


def _told(report: Mapping[str, Any], user: str | None, home: Path | None) -> Iterator[str]:
    """The report for a person: what there is, what moved, what was written, what went wrong, and the way back."""
    undone = " (undone)" if report.get("undone") else ""
    yield f"[bold]The night of {report['night']}[/]{undone}"
    for name, tell in _LINES:
        if line := tell(report):
            yield f"  {name:<13} {line}"
    if _moved(report) and not undone:
        yield "  To take all of it back: " + command(f"undo --night {report['night']}", user, home)


def _strength(report: Mapping[str, Any]) -> str:
    decay = report["decay"]
    entities, facts = counted(decay["entities"], "entity", "entities"), counted(decay["facts"], "fact")
    return (
        f"{entities} of mean strength {_share(decay['mean_strength'])}, {decay['low_salience']} fading; "
        f"{facts} of {_share(decay['mean_fact_strength'])}"
    )


def _tiers(report: Mapping[str, Any]) -> str:
    tiers = report["tiers"]
    counts = ", ".join(f"{tier} {count}" for tier, count in tiers["after"].items())
    moves = f"{len(tiers['promoted'])} climbed, {len(tiers['demoted'])} sank, {tiers['contradicted']} contradicted"
    return f"{counts}; {moves}"


def _states(report: Mapping[str, Any]) -> str:
    states, pruned = report["states"], len(report["pruning"]["pruned"])
    notes = counted(report["notes"]["expired"], "note")
    told = f"{states['archived']} archived, {states['returned']} returned, {pruned} pruned, {notes} expired"
    held = len(states.get("held_back", ()))
    return f"{told}; {held} left as they are, because moving them did harm before" if held else told


def _alike(report: Mapping[str, Any]) -> str:
    found = report.get("duplicates", {})
    merged, apart = len(found.get("merged", ())), len(found.get("disagreeing", ()))
    told = f"{counted(merged, 'group')} of facts that say the same merged"
    return f"{told}, {counted(apart, 'pair')} alike but not the same" if merged or apart else ""


def _written(report: Mapping[str, Any]) -> str:
    found = report.get("descriptions", {})
    if not found.get("looked_at"):
        return ""
    how = " in quotations" if found["by"] == "extractive" else f" by {escape(found['by'])}"
    told = f"{counted(len(found['written']), 'description')}{how}, {found['unchanged']} unchanged"
    failed = "; the language model failed, so the rest is quoted" if found["model_failed"] else ""
    return f"{told}{'; more are left for the next night' if found['more'] else ''}{failed}"


def _storylines(report: Mapping[str, Any]) -> str:
    found = report.get("storylines", {})
    if not found.get("standing"):
        return ""
    told = f"{counted(found['standing'], 'storyline')}, {found['open']} open"
    parts = (
        (f"{len(found['opened'])} new", found["opened"]),
        (f"{counted(found['attached'], 'source')} joined", found["attached"]),
        (f"{len(found['closed'])} closed", found["closed"]),
        (f"{len(found['reopened'])} opened again", found["reopened"]),
        (counted(found["macros"], "macro"), found["macros"]),
        (f"{found['summed_up']} summed up", found["summed_up"]),
        (_support(found), _support(found)),
    )
    return "; ".join((told, *(words for words, there in parts if there)))


def _summaries(report: Mapping[str, Any]) -> str:
    found = report.get("summaries", {})
    if not found.get("written"):
        return ""
    how = " in quotations" if found["by"] == "extractive" else f" by {escape(found['by'])}"
    told = f"{counted(found['written'], 'source')}{how}"
    return "; ".join(filter(None, (told, _support(found))))


def _support(found: Mapping[str, Any]) -> str:
    """How many sentences a language model wrote in summaries, and how many of them were kept."""
    told = found.get("support", {})
    if not told.get("sentences"):
        return ""
    kept = f"{told['supported']} of {counted(told['sentences'], 'sentence')} of summaries supported"
    return f"{kept} ({_percent(told['support_rate'])}), the rest dropped"


def _consolidations(report: Mapping[str, Any]) -> str:
    found = report.get("consolidations", {})
    if not found.get("standing") and not _moved_by(found, _CONSOLIDATION_MOVES):
        return ""
    told = counted(found["standing"], "consolidation")
    parts = (
        (f"{len(found['opened'])} new", found["opened"]),
        (f"{counted(found['gathered'], 'source')} gathered", found["gathered"]),
        (f"{found['archived']} archived", found["archived"]),
        (f"{counted(found.get('facts', 0), 'fact')} with them", found.get("facts", 0)),
        (f"{counted(found['insights'], 'insight')}", found["insights"]),
        (f"{len(found['withdrawn'])} gone", found["withdrawn"]),
        (_support(found), _support(found)),
        (_proposed(found), "proposed" in found),
    )
    return "; ".join((told, *(words for words, there in parts if there)))


def _reasons(report: Mapping[str, Any]) -> str:
    found = report.get("causes", {})
    if not found.get("linked") and not found.get("generated"):
        return ""
    told = f"{counted(found['linked'], 'reason')} told"
    return f"{told}; {_proposed(found)}" if "proposed" in found else told


def _proposed(found: Mapping[str, Any]) -> str:
    """How much of what a language model said its lines support."""
    told = found.get("proposed", {})
    if not told.get("sentences"):
        return "the language model added none" if told else ""
    return f"{told['supported']} of {counted(told['sentences'], 'sentence')} of {escape(told['by'])} supported"


def _communities(report: Mapping[str, Any]) -> str:
    found = report.get("communities", {})
    if found.get("left_to_a_job"):
        return f"left to a job of their own, for {found['ties']} ties"
    if not found.get("standing") and not _moved_by(found, _COMMUNITY_MOVES):
        return ""
    told = f"{_counted_communities(found['standing'])}, {counted(found['patterns'], 'pattern')}"
    parts = (
        (f"{len(found['opened'])} new", found["opened"]),
        (f"{len(found['changed'])} with other members", found["changed"]),
        (f"{len(found['closed'])} gone", found["closed"]),
        (f"{counted(len(found['patterns_made']), 'pattern')} new", found["patterns_made"]),
        (f"{counted(len(found['patterns_withdrawn']), 'pattern')} gone", found["patterns_withdrawn"]),
    )
    return "; ".join((told, *(words for words, there in parts if there)))


def _counted_communities(count: int) -> str:
    return "1 community" if count == 1 else f"{count} communities"


def _moved_by(figures: Mapping[str, Any], names: Sequence[str]) -> bool:
    return any(figures.get(each) for each in names)


def _voices(report: Mapping[str, Any]) -> str:
    alike = len(report.get("voices", {}).get("alike", ()))
    told = f"{counted(alike, 'pair')} of voices may be one person"
    return f"{told}: memoray voices --proposals" if alike else ""


def _proof(report: Mapping[str, Any]) -> str:
    found = report.get("proof", {})
    if not found.get("questions"):
        return ""
    asked = f"{counted(found['questions'], 'question')} from this memory"
    told = f"{asked} found {_percent(found['before'])} before the night and {_percent(found['after'])} after it"
    told += f" ({found['left_out']} more were left out, for there was no time)" if found.get("left_out") else ""
    undone = ", ".join(escape(each) for each in found["undone"])
    return f"{told}; taken back, because less was found after it: {undone}" if undone else told


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _waiting(report: Mapping[str, Any]) -> str:
    return ", ".join(f"{count} for {escape(name)}" for name, count in report.get("pending", {}).items() if count)


def _failed(report: Mapping[str, Any]) -> str:
    steps = ((step, told) for step, told in report.items() if isinstance(told, Mapping) and "failed" in told)
    return "; ".join(f"{escape(step)}: {escape(str(told['failed']))}" for step, told in steps)


_STORYLINE_MOVES = ("opened", "attached", "closed", "reopened", "withdrawn", "summed_up")
_CONSOLIDATION_MOVES = ("opened", "gathered", "withdrawn", "summed_up")
_COMMUNITY_MOVES = ("opened", "changed", "closed", "patterns_made", "patterns_withdrawn")
"""Figures of a step by which a night has changed something."""
_LINES: tuple[tuple[str, Callable[[Mapping[str, Any]], str]], ...] = (
    ("Strength", _strength),
    ("Tiers", _tiers),
    ("Near at hand", _states),
    ("Alike", _alike),
    ("Written", _written),
    ("Reasons", _reasons),
    ("Summed up", _summaries),
    ("Storylines", _storylines),
    ("Gathered", _consolidations),
    ("Communities", _communities),
    ("Voices", _voices),
    ("Proof", _proof),
    ("Still waiting", _waiting),
    ("Failed", _failed),
)
"""What each line is called, and what it says; one that says nothing is left out."""


def _moved(report: Mapping[str, Any]) -> bool:
    """Whether the night has changed anything."""
    tiers, written = report["tiers"], report.get("descriptions", {})
    moved = (
        tiers["promoted"],
        tiers["demoted"],
        report["states"]["crossed"],
        report["pruning"]["pruned"],
        report["notes"]["expired"],
        report.get("duplicates", {}).get("merged"),
        written.get("written"),
        written.get("withdrawn"),
        report.get("summaries", {}).get("written"),
        _moved_by(report.get("storylines", {}), _STORYLINE_MOVES),
        _moved_by(report.get("consolidations", {}), _CONSOLIDATION_MOVES),
        _moved_by(report.get("communities", {}), _COMMUNITY_MOVES),
    )
    return any(moved)


def _share(strength: float | None) -> str:
    return f"{strength or 0:.2f}"


COMMANDS = (("night", night),)
