"""How a job starts: it joins the cluster of its home, does its work, and prints one report a line."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from adapters import build
from config.cluster import adopt_cluster
from config.settings import Settings, load
from memory.errors import DomainError

Report = Mapping[str, Any]
"""What is printed of a piece of work: JSON."""
Work = Callable[[Settings, argparse.Namespace], Coroutine[Any, Any, Sequence[Report]]]
"""What a job does with the settings and its arguments. It imports what needs Ray when it is called, and not before."""


def job_parser(module: str, does: str | None, *, several: bool = False) -> argparse.ArgumentParser:
    """The arguments that every job has; `several` users may be named to some."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=does)
    parser.add_argument("--home", type=Path, help="the data folder (default: MEMORAY_HOME, else ./data)")
    parser.add_argument("--user", action="append" if several else "store", help="only this user")
    return parser


def run_job(parser: argparse.ArgumentParser, work: Work, counted: str) -> None:
    """Do the work and print its reports, and at last how many were `counted`. What is away ends it with its reason."""
    arguments = parser.parse_args()
    try:
        settings = build.attached(load(arguments.home))
        adopt_cluster(settings.home)
        # only now, for Ray reads its environment when it is imported
        from actors.directory import connect

        connect()
        reports = asyncio.run(work(settings, arguments))
    except DomainError as error:
        sys.exit(f"{error.kind}: {error.detail}")
    for report in reports:
        print(json.dumps(report))
    print(f"{len(reports)} {counted}", file=sys.stderr)
