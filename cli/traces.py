"""Traces: what a program of ours has said when it ended by an error."""

from __future__ import annotations

import re


def reason_of(trace: str) -> str:
    """The words of the exception that ended a program, in a line; of what is no trace, its last line."""
    lines = trace.strip().splitlines() or ["it said nothing"]
    begun = next((number for number in reversed(range(len(lines))) if _EXCEPTION.match(lines[number])), None)
    if begun is None:
        return lines[-1].strip()
    return " ".join(line.strip() for line in lines[begun:]).partition(": ")[2]


_EXCEPTION = re.compile(r"[\w.]*[a-z]\w*: ")
"""The line of an exception; those below it, such as DETAIL and HINT, are capitals or indented."""
