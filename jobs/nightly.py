"""The night as a Ray job: `python -m jobs.nightly`, or `ray job submit ... -- python -m jobs.nightly`.

Without arguments it runs every night that is due, for every user, in order. It counts and plans here,
from the tables, and lets the shard commit; a night that was is only told again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from datetime import date
from pathlib import Path

from adapters import build
from config.cluster import adopt_cluster
from config.settings import load
from memory.errors import DomainError


def main() -> None:
    """Run what is due and print one report a line."""
    parser = argparse.ArgumentParser(prog="python -m jobs.nightly", description=main.__doc__)
    parser.add_argument("--home", type=Path, help="the data folder (default: MEMORAY_HOME, else ./data)")
    parser.add_argument("--user", help="only this user")
    parser.add_argument("--night", type=date.fromisoformat, help="this night (YYYY-MM-DD) instead of all that are due")
    arguments = parser.parse_args()
    try:
        settings = build.attached(load(arguments.home))
        adopt_cluster(settings.home)
        # only now, for Ray reads its environment when it is imported
        from actors.directory import connect
        from jobs.nights import run

        connect()
        reports = asyncio.run(run(settings, arguments.user, arguments.night))
    except DomainError as error:
        sys.exit(f"{error.kind}: {error.detail}")
    for report in reports:
        print(json.dumps(report))
    print(f"{len(reports)} nights told", file=sys.stderr)


if __name__ == "__main__":
    main()
