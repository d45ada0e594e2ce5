"""The night as a Ray job: `python -m jobs.nightly`, or `ray job submit ... -- python -m jobs.nightly`.

Without arguments it runs every night that is due, for every user, in order. It counts and plans here,
from the tables, and lets the shard commit; a night that was is only told again.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from datetime import date

from config.settings import Settings
from jobs.starting import Report, job_parser, run_job


def main() -> None:
    """Run what is due and print one report a line."""
    parser = job_parser("jobs.nightly", main.__doc__)
    parser.add_argument("--night", type=date.fromisoformat, help="this night (YYYY-MM-DD) instead of all that are due")
    run_job(parser, _sleep, "nights told")


async def _sleep(settings: Settings, asked: Namespace) -> Sequence[Report]:
    from jobs.nights import run

    return await run(settings, asked.user, asked.night)


if __name__ == "__main__":
    main()
