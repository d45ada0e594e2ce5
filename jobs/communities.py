"""Communities as a Ray job: `python -m jobs.communities`, or `ray job submit ... -- python -m jobs.communities`.

It finds now what the next night would find, for one user or for all. What stands as it was is not written again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from adapters import build
from config.cluster import adopt_cluster
from config.settings import load
from memory.errors import DomainError


def main() -> None:
    """Find communities and patterns, and print one report a line."""
    parser = argparse.ArgumentParser(prog="python -m jobs.communities", description=main.__doc__)
    parser.add_argument("--home", type=Path, help="the data folder (default: MEMORAY_HOME, else ./data)")
    parser.add_argument("--user", help="only this user")
    arguments = parser.parse_args()
    try:
        settings = build.attached(load(arguments.home))
        adopt_cluster(settings.home)
        # only now, for Ray reads its environment when it is imported
        from actors.directory import connect
        from jobs.clusterings import run

        connect()
        reports = asyncio.run(run(settings, arguments.user))
    except DomainError as error:
        sys.exit(f"{error.kind}: {error.detail}")
    for report in reports:
        print(json.dumps(report))
    print(f"{len(reports)} memories looked through", file=sys.stderr)


if __name__ == "__main__":
    main()
