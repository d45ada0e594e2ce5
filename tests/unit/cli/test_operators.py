"""What the verbs on all facts say was done."""

from __future__ import annotations

from typing import Any

import pytest
from rich.text import Text

from cli.operators import SHOWN_PAIRS, _done, _reported

FACT = {"statement": "Maya likes tea", "fact_id": "f-1", "reason": "pruned"}
PAIR = {"similarity": 0.951, "one": FACT, "other": FACT | {"fact_id": "f-2"}}


@pytest.mark.parametrize(
    ("changed", "dry_run", "last"),
    [
        (0, False, "Nothing to do."),
        (1, True, "1 fact would change; nothing was done."),
        (2, False, "2 facts changed; `memoray undo` takes it back."),
    ],
)
def test_what_was_done_is_counted(changed: int, dry_run: bool, last: str) -> None:
    done: dict[str, Any] = {"changed": [FACT] * changed, "dry_run": dry_run}
    assert list(_done(done))[-1] == last


def test_of_many_alike_the_first_are_shown_and_all_are_counted() -> None:
    assert [Text.from_markup(line).plain for line in _reported([PAIR])] == [
        "not merged 0.95 Maya likes tea f-1 | Maya likes tea f-2"
    ]
    many = list(_reported([PAIR] * (SHOWN_PAIRS + 5)))
    assert len(many) == SHOWN_PAIRS + 1
    assert f"{SHOWN_PAIRS} of {SHOWN_PAIRS + 5} pairs" in many[-1]
