"""The running cluster as a program started from a shell finds it: what Ray must know before it is imported."""

from __future__ import annotations

import json
import os
from pathlib import Path

CERTIFICATE = "ray_tls.pem"
"""The file in a home's folder `run` by which the processes of its Ray know each other."""


def certified(certificate: Path) -> dict[str, str]:
    """The environment in which Ray's gRPC asks for this file of key and certificate, and shows it."""
    names = ("RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY", "RAY_TLS_CA_CERT")
    # the token is asked for too late: one call without it ends the GCS and the raylet (ray_syncer_server.cc of 2.60)
    return {"RAY_USE_TLS": "1", **dict.fromkeys(names, str(certificate))}


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
    os.environ.update(certified(home / "run" / CERTIFICATE))
    # without it Ray replaces loopback by the address of the network, where nothing listens
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
