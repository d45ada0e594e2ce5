"""The embedded server: starts again after anything, touches nobody's folders, says precisely what is wrong."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from adapters.postgres import embedded
from adapters.postgres.binaries import find_binaries
from adapters.postgres.embedded import EmbeddedPostgres, end_orphans, server_dsn
from adapters.postgres.roles import product_dsn
from adapters.temporary import found_folder, vacate
from config.settings import Settings, project_root
from memory.errors import ConfigError, Conflict
from tests.rooms import room

pytestmark = pytest.mark.postgres
as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root lends an account")


@pytest.fixture
def home() -> Iterator[Path]:
    with room() as place:
        yield place
        end_orphans(place)
        vacate(place)


def ask(dsn: str, statement: str) -> object:
    with psycopg.connect(dsn, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchone() if cursor.description else None


def test_what_was_committed_outlives_every_kind_of_end(home: Path) -> None:
    server = EmbeddedPostgres(home)
    dsn = server.start()
    assert dsn == server.dsn == server_dsn(Settings(home=home))
    assert conninfo_to_dict(server.product_dsn) == conninfo_to_dict(product_dsn(dsn))
    ask(dsn, "CREATE TABLE kept (n int)")
    ask(dsn, "INSERT INTO kept VALUES (1)")
    server.stop()
    assert not server.alive()
    server.stop()  # a second time does nothing

    server.start()
    ask(dsn, "INSERT INTO kept VALUES (2)")
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)  # with the zombie still there
    server = EmbeddedPostgres(home)
    server.start()
    ask(dsn, "INSERT INTO kept VALUES (3)")

    with pytest.raises(Conflict):
        EmbeddedPostgres(home).start()
    assert ask(dsn, "SELECT count(*) FROM kept") == (3,), "whoever came second has disturbed nobody"
    server.stop()

    start = (
        f"import os, pathlib, adapters.postgres.embedded as e; e.EmbeddedPostgres(pathlib.Path({str(home)!r})).start()"
    )
    subprocess.run([sys.executable, "-c", f"{start}; os._exit(0)"], cwd=project_root(), check=True, timeout=100)
    successor = EmbeddedPostgres(home)  # the parent was killed: its server is an orphan
    assert ask(successor.dsn, "SELECT count(*), sum(n) FROM kept") == (3, 6)
    successor.start()
    assert ask(dsn, "SELECT count(*), sum(n) FROM kept") == (3, 6)
    successor.stop()


def test_the_door_is_a_socket_that_only_we_can_reach_and_words_stay_out_of_the_log(home: Path) -> None:
    server = EmbeddedPostgres(home)
    dsn = server.start()
    try:
        assert ask(dsn, "SHOW listen_addresses") == ("",)
        assert ask(dsn, "SHOW fsync") == ("on",)
        folder = found_folder(home)
        assert (folder / "pg").stat().st_mode & 0o777 == 0o700
        assert folder.stat().st_mode & 0o777 == (0o710 if os.getuid() == 0 else 0o700)
        with pytest.raises(psycopg.Error):
            ask(dsn, "SELECT 'my secret words' FROM nowhere")
        for quoted in ("SELECT 'my secret words'::int", "SELECT to_date('my secret words', 'YYYY')"):
            with pytest.raises(psycopg.Error, match="my s"):
                ask(dsn, quoted)  # the error itself quotes what it could not read
        with psycopg.connect(dsn) as connection, pytest.raises(psycopg.Error):
            connection.execute("SELECT %(words)s::text::int", {"words": "my secret words"})
        assert "my s" not in server.log.read_text()
        assert ask(dsn, "SHOW wal_recycle") == ("off",)
    finally:
        server.stop()
    assert not (folder / "pg").exists()


def test_a_start_that_was_killed_half_way_is_repeated(home: Path) -> None:
    for stale in ("postgres.partial", "postgres.x1y2.partial"):
        (home / stale).mkdir()
        (home / stale / "half").touch()
    server = EmbeddedPostgres(home)
    assert ask(server.start(), "SELECT 1") == (1,)
    server.stop()
    assert sorted(path.name for path in home.iterdir()) == ["logs", "postgres", "postgres.lock"]


def test_data_of_another_major_version_is_refused(home: Path) -> None:
    server = EmbeddedPostgres(home)
    server.start()
    server.stop()
    (home / "postgres" / "PG_VERSION").write_text("12\n")
    with pytest.raises(ConfigError, match="PostgreSQL 12"):
        EmbeddedPostgres(home).start()


@as_root
def test_a_closed_home_stays_closed_and_its_data_are_not_lost_from_sight(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    system = home / "system"
    system.mkdir(mode=0o711)
    monkeypatch.setattr(embedded, "SYSTEM_ROOT", system)
    closed = home / "closed"
    closed.mkdir(mode=0o700)
    private = closed / "home"
    server = EmbeddedPostgres(private)
    ask(server.start(), "CREATE TABLE kept (n int)")
    server.stop()
    assert closed.stat().st_mode & 0o777 == 0o700
    assert not (private / "postgres").exists()

    closed.chmod(0o711)  # reachable now, but the data are where they are
    assert ask(server.start(), "SELECT count(*) FROM kept") == (0,)
    server.stop()
    vacate(private)


@as_root
def test_data_that_became_unreachable_are_never_replaced_by_an_empty_folder(home: Path) -> None:
    server = EmbeddedPostgres(home)
    server.start()
    server.stop()
    home.chmod(0o700)
    with pytest.raises(ConfigError, match="cannot enter"):
        server.start()


def test_a_wrong_setting_is_an_error_and_not_a_reason_to_use_another(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="MEMORAY_PG_BIN"):
        find_binaries({"MEMORAY_PG_BIN": str(tmp_path)})
    assert (find_binaries({}) / "initdb").is_file()


def test_a_live_server_is_not_taken_for_an_orphan_of_another_home(home: Path) -> None:
    server = EmbeddedPostgres(home)
    server.start()
    end_orphans(home / "other")
    time.sleep(0.1)
    assert server.alive()
    server.stop()
