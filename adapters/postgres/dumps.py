"""Dumps of the whole database, by PostgreSQL's own pg_dump."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from adapters.capture.files import drafted
from memory.errors import Unavailable

EVERYBODY = "memoray.everybody=on"
"""What an owner that is no superuser says before it goes over the rows of all users."""


def dump(dsn: str, pg_dump: Path | str, target: Path) -> None:
    """Write the whole database into a file, as its owner: whoever else asked would be shown no rows.

    Rights are left out: they belong to roles of this server, and the next start gives them anew. What was there before
    stays until the dump is whole. A password goes by the environment, for whoever is on this machine reads arguments.
    Raises Unavailable.
    """
    environ = {**os.environ, "PGOPTIONS": f"{os.environ.get('PGOPTIONS', '')} -c {EVERYBODY}".strip()}
    told = conninfo_to_dict(dsn)
    if (password := told.pop("password", None)) is not None:
        environ["PGPASSWORD"] = str(password)
    known = make_conninfo("", **told)
    with drafted(target) as draft:
        command = [pg_dump, "--format=custom", "--enable-row-security", "--no-privileges", f"--file={draft}", known]
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            reason = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise Unavailable(f"pg_dump failed: {reason}")
