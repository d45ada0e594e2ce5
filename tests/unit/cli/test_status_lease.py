"""What `memoray status` says of the lease."""

from __future__ import annotations

from cli.status import shown_lease


def test_who_holds_who_waits_and_what_is_declared() -> None:
    told = {"device": "gpu", "budget": 102.4, "declared": 9.6, "waiting": [{"user": "live", "since_s": 0.3}]}
    held = [{"user": "sweep", "since_s": 4.2}]
    assert shown_lease(told | {"held": held}) == "9.6 of 102.4 GB of the GPU; held by sweep 4.2 s; waiting: live 0.3 s"


def test_nobody_holds_it_or_nobody_knows() -> None:
    told = {"device": "cpu", "budget": 2.0, "declared": 0.0, "held": [], "waiting": []}
    assert shown_lease(told) == "0 of 2 processors; held by nobody"
    assert shown_lease(None) == "unknown"
