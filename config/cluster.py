"""The running cluster as a program started from a shell finds it: what Ray must know before it is imported."""

from __future__ import annotations

import json
import os
from pathlib import Path


def adopt_cluster(home: Path) -> None:
    """Set Ray's environment to the cluster this home runs, unless something has set it already, as Ray does in a job.

    Does nothing if none runs; connecting then says so.
    """
    runtime = home / "run" / "runtime.json"
    if "RAY_ADDRESS" in os.environ or not runtime.is_file():
        return
    told = json.loads(runtime.read_text())
    os.environ["RAY_ADDRESS"] = told["ray_address"]
    os.environ["RAY_AUTH_MODE"] = "token"
    os.environ["RAY_AUTH_TOKEN_PATH"] = told["ray_token_file"]
    # without it Ray replaces loopback by the address of the network, where nothing listens
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
