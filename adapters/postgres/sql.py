"""SQL lives in `.sql` files; each statement carries its name in a `-- name:` comment and is looked up by it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "queries"
_MARK = "-- name:"


@cache
def queries(file: str) -> dict[str, str]:
    """The named statements of `queries/<file>.sql`."""
    statements: dict[str, list[str]] = {}
    name = ""
    for line in (_FOLDER / f"{file}.sql").read_text().splitlines():
        if line.startswith(_MARK):
            name = line.removeprefix(_MARK).strip()
            statements[name] = []
        elif name:
            statements[name].append(line)
    return {name: "\n".join(lines).strip().rstrip(";") for name, lines in statements.items()}
