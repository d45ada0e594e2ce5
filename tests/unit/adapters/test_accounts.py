"""Who PostgreSQL runs as where root starts it, and how its data change hands."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from adapters.postgres import account as accounts
from adapters.postgres.account import SERVICE, SHARED, Account, hand_over, lent_account
from adapters.postgres.embedded import EmbeddedPostgres, end_orphans
from adapters.temporary import vacate
from cli import accounts as machine
from cli.accounts import account_of, provide_account
from memory.errors import ConfigError
from tests.accounts import STRANGER, acting_as, below, only_root, trespasses
from tests.rooms import room

pytestmark = only_root

STAND_IN = "daemon"
"""An account that every Linux has, in the place of our own."""


@pytest.fixture
def home() -> Iterator[Path]:
    with room() as place:
        yield place
        end_orphans(place)
        vacate(place)


@pytest.fixture
def theirs(home: Path) -> Path:
    """A server's data, of an account that others share."""
    data = home / "postgres"
    (data / "base").mkdir(parents=True)
    for file in (data / "PG_VERSION", data / "base" / "1"):
        file.write_text("18")
    stranger = pwd.getpwnam(STRANGER)
    for path in below(data):
        os.chown(path, stranger.pw_uid, stranger.pw_gid)
    return data


def stand_in() -> Account:
    entry = pwd.getpwnam(STAND_IN)
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def test_the_owner_of_a_home_runs_its_server_and_for_root_our_own_account(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "SERVICE", STAND_IN)
    assert lent_account(home) == lent_account(home / "not there yet") == stand_in()
    os.chown(home, pwd.getpwnam("bin").pw_uid, -1)
    found = lent_account(home)
    assert found is not None
    assert (found.name, found.shared) == ("bin", False)


def test_where_our_own_account_is_missing_and_cannot_be_made_a_shared_one_is_lent(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "SERVICE", "memoray-is-not-here")
    monkeypatch.setattr(machine, "PAUSE_S", 0.0)
    monkeypatch.setattr(machine, "ATTEMPTS", 1)
    monkeypatch.setenv("PATH", "")
    for command in (("false",), ("/no/such/useradd",)):
        monkeypatch.setattr(machine, "MAKE", command)
        assert not provide_account(home)
    monkeypatch.setattr(machine, "MAKE", ("useradd", "--help"))
    assert provide_account(home), "it is found, whatever the PATH of root"
    found = lent_account(home)
    assert found is not None
    assert found.shared
    assert found.name in SHARED


def test_nothing_is_made_where_an_account_of_its_own_is_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "SERVICE", STAND_IN)
    monkeypatch.setattr(machine, "MAKE", ("touch", str(home / "made")))
    assert not provide_account(home)
    assert not (home / "made").exists()
    assert machine.MAKE[-1] != SERVICE
    assert account_of(os.getpid()) == "root"


def test_data_change_hands_in_full_and_whoever_had_them_is_shut_out(theirs: Path) -> None:
    for _ in range(2):  # the second time there is nothing to do
        hand_over(theirs, stand_in())
        assert {path.stat().st_uid for path in below(theirs)} == {stand_in().uid}
    theirs.chmod(0o700)
    assert acting_as(STRANGER, lambda: trespasses([theirs / "PG_VERSION", theirs / "base" / "1"])) == []


def test_a_handing_over_that_was_killed_begins_again(theirs: Path) -> None:
    os.chown(theirs, 0, 0)
    hand_over(theirs, stand_in())
    assert {path.stat().st_uid for path in below(theirs)} == {stand_in().uid}


def test_what_a_link_points_to_is_not_given_away(theirs: Path, tmp_path: Path) -> None:
    secret, folder = tmp_path / "secret", tmp_path / "folder"
    secret.touch()
    folder.mkdir()
    (folder / "secret").touch()
    (theirs / "base" / "link").symlink_to(secret)
    (theirs / "base" / "folder").symlink_to(folder)
    hand_over(theirs, stand_in())
    assert {path.stat().st_uid for path in (secret, folder, folder / "secret")} == {0}
    os.chown(theirs, 0, 0)
    os.link(secret, theirs / "base" / "second_name")
    with pytest.raises(ConfigError, match="second name"):
        hand_over(theirs, stand_in())
    assert secret.stat().st_uid == 0


@pytest.mark.postgres
def test_a_memory_that_a_shared_account_kept_is_served_by_our_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = EmbeddedPostgres(home)
    for name, kept in (("memoray-is-not-here", 0), (STAND_IN, 1)):
        monkeypatch.setattr(accounts, "SERVICE", name)
        dsn = server.start()
        assert server.pid is not None
        assert account_of(server.pid) in ((STAND_IN,) if kept else SHARED)
        with psycopg.connect(dsn) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS kept (n int)")
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (kept,)
            connection.execute("INSERT INTO kept VALUES (1)")
        sockets = below(Path(str(psycopg.conninfo.conninfo_to_dict(dsn)["host"])))
        assert acting_as("bin", lambda sockets=sockets: trespasses([*sockets, *below(home / "postgres")])) == []  # type: ignore[misc]
        server.stop()
