"""Lists as every command prints them: a table for a person, a line a row for a pipe, JSON for a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

from cli.client import HttpClient
from cli.console import out, print_json, print_table

_WORDS = ("name", "what", "promise", "fact")
"""Columns that may break into lines; the others are short and told whole."""


def print_rows(
    client: HttpClient, answer: Any, as_json: bool, titles: tuple[str, ...], rows: Sequence[tuple[str, ...]], total: int
) -> None:
    """Print the rows of an answer and how many more there are, or that there are none, or nothing at all."""
    if as_json:
        print_json(answer)
        return
    if not rows:
        out.print(client.emptiness() or "There is nothing to list.", markup=False)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in titles:
        table.add_column(title, no_wrap=title not in _WORDS, overflow="fold")
    for row in rows:
        table.add_row(*(escape(cell if out.is_terminal else " ".join(cell.split())) for cell in row))
    print_table(table)
    if total > len(rows):
        out.print(f"[dim]{len(rows)} of {total}; --limit shows more.[/]")
