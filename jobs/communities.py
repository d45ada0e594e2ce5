"""Communities as a Ray job: `python -m jobs.communities`, or `ray job submit ... -- python -m jobs.communities`.

It finds now what the next night would find, for some users (`--user`, once for each) or for all. What stands as it was
is not written again. The scheduler submits it for those whose graph a night has left to it.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from config.settings import Settings
from jobs.starting import Report, job_parser, run_job


def main() -> None:
    """Find communities and patterns, and print one report a line."""
    run_job(job_parser("jobs.communities", main.__doc__, several=True), _find, "memories looked through")


async def _find(settings: Settings, asked: Namespace) -> Sequence[Report]:
    from jobs.clusterings import run

    return await run(settings, asked.user)


if __name__ == "__main__":
    main()
