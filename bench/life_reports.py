"""What is told of lives that were measured: a row each, a page to read, and the facts for a person to label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from bench.life_model import QUESTION_KINDS, LifeScript
from bench.life_scores import JudgedFacts, JudgedReply, figures, judged
from bench.lives import CommandResult, LifeFact, LifeResult

_NOBODY: Mapping[str, str] = {}


def cells(lived: LifeResult, labels: Mapping[str, str] = _NOBODY) -> dict[str, str]:
    """The one row of a life, column by column."""
    found, facts = figures(lived.replies), judged((fact.statement for fact in lived.facts), labels)
    return {
        "life": lived.life.name,
        "questions": str(found.questions),
        "right at a glance %": _percent(found.right),
        "wrong first lines %": _percent(found.wrong_first),
        "corrections obeyed %": _percent(found.corrections),
        "unanswerable silent or disclaimed %": _percent(found.unanswerable),
        "commands carried out": f"{sum(not each.failed for each in lived.commands)} of {len(lived.commands)}",
        "facts": str(len(lived.facts)),
        "wrong facts %": _labelled(facts),
        "promises": str(len(lived.promises)),
    }


def _labelled(facts: JudgedFacts) -> str:
    if facts.wrong_share is None:
        return "-"
    left = f" ({facts.unlabelled} unlabelled)" if facts.unlabelled else ""
    return f"{facts.wrong_share:.1f}{left}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1f}"


def fact_lines(lived: LifeResult, labels: Mapping[str, str] = _NOBODY) -> Iterator[str]:
    """A believed fact a line, to be labelled and given back: label, statement, predicate, times, turn, its words."""
    turns = lived.life.turns()
    for fact in lived.facts:
        said = [f"{each} {turns[each].speaker}: {turns[each].text}" if each in turns else each for each in fact.turns]
        yield " | ".join((labels.get(fact.statement, "?"), fact.statement, *_about(fact), " / ".join(said)))


def _about(fact: LifeFact) -> tuple[str, str]:
    until = "" if fact.valid_to is None else f" until {fact.valid_to}"
    return fact.predicate or "-", f"since {fact.valid_from}{until}"


def report(lived: LifeResult, labels: Mapping[str, str] = _NOBODY) -> str:
    """A page: the row, every answer that misses, all the others, what is believed, promised, kept and fallen for."""
    life, row = lived.life, cells(lived, labels)
    parts = (
        (f"# {life.name}", *(f"- {name}: {told}" for name, told in row.items()), "", *_by_kind(lived.replies)),
        ("## Commands", "", *map(_done, lived.commands)),
        ("## Questions not right at a glance", *_answers(lived.replies, right=False)),
        ("## Questions right at a glance", *_answers(lived.replies, right=True)),
        ("## Believed facts", "", *fact_lines(lived, labels)),
        ("## Promises", "", *map(_promise, lived.promises)),
        ("## What should be kept, and what is believed of its turn", *_claims(life, lived.facts)),
        ("## What must not be believed, and what is believed of its turn", *_traps(life, lived.facts)),
    )
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _by_kind(replies: Sequence[JudgedReply]) -> Iterator[str]:
    """How many of each kind are right, and how many mislead."""
    asked = Counter(each.question.kind for each in replies)
    right = Counter(each.question.kind for each in replies if each.right)
    wrong = Counter(each.question.kind for each in replies if each.wrong_first)
    for kind in QUESTION_KINDS:
        if asked[kind]:
            yield f"- {kind}: {right[kind]} of {asked[kind]} right, {wrong[kind]} wrong first lines"


def _done(each: CommandResult) -> str:
    several = f" ({each.matches} facts hold these words)" if each.matches > 1 else ""
    return f"- line {each.line}: {each.words}{several}{f' - NOT DONE: {each.failed}' if each.failed else ''}"


def _answers(replies: Sequence[JudgedReply], *, right: bool) -> Iterator[str]:
    for each in replies:
        if each.right == right:
            asked = each.question
            wanted = " & ".join("/".join(part) for part in (*asked.must, asked.turns) if part) or "-"
            yield f"\n### {asked.text} ({asked.kind}{', WRONG FIRST LINE' if each.wrong_first else ''})"
            yield f"must: {wanted}; mustnot: {', '.join(asked.mustnot) or '-'}"
            yield from (f"    {line}" for line in each.answer.splitlines())


def _promise(each: Mapping[str, object]) -> str:
    return " | ".join(str(each[name] or "-") for name in ("state", "by", "to", "due", "text", "quote"))


def _claims(life: LifeScript, facts: Sequence[LifeFact]) -> Iterator[str]:
    for turn, claims in groupby(life.claims, lambda each: each.turn):
        yield from _turn(life, turn)
        for one in claims:
            said = " | ".join(part for part in (one.subject, one.predicate, one.object, one.time) if part)
            yield f"{'!!' if one.important else '!'} {said}"
        yield from _believed(turn, facts)


def _traps(life: LifeScript, facts: Sequence[LifeFact]) -> Iterator[str]:
    for trap in life.traps:
        yield from _turn(life, trap.turn)
        yield f"x {trap.statement} ({trap.kind})"
        yield from _believed(trap.turn, facts)


def _turn(life: LifeScript, turn: str) -> Iterator[str]:
    said = life.turns()[turn]
    yield f"\n{turn} {said.speaker}: {said.text}"


def _believed(turn: str, facts: Sequence[LifeFact]) -> Iterator[str]:
    for fact in facts:
        if turn in fact.turns:
            yield f"    {fact.statement} ({'; '.join(_about(fact))})"
