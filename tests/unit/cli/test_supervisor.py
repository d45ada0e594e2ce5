"""The parts of the supervisor that need no server: waiting times, ports, the Serve file."""

import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.ray_head import Ports, free_port, serve_config
from cli.supervisor import Backoff
from config.settings import Http, Settings
from memory.errors import ConfigError


def test_each_wait_is_twice_the_last_up_to_a_minute() -> None:
    backoff = Backoff()
    waits, now = [], 0.0
    for _ in range(8):
        waits.append(backoff.next(now))
        now += waits[-1] + 30
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]


def test_after_a_quiet_spell_it_starts_from_the_beginning() -> None:
    backoff = Backoff()
    assert [backoff.next(0), backoff.next(10), backoff.next(20)] == [1, 2, 4]
    assert backoff.next(321) == 1


@given(st.lists(st.floats(0, 1000), max_size=30))
def test_no_wait_is_shorter_than_a_second_or_longer_than_a_minute(gaps: list[float]) -> None:
    backoff, now = Backoff(), 0.0
    for gap in gaps:
        now += gap
        assert 1 <= backoff.next(now) <= 60


def test_a_busy_port_is_replaced_by_a_free_one() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        busy = taken.getsockname()[1]
        assert free_port(busy) not in (busy, 0)
        assert Ports.choose(busy).http != busy
    assert free_port(busy) == busy


def test_the_serve_file_listens_where_the_settings_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "serve.yaml"
    file.write_text("http_options: {host: 0.0.0.0, port: 1, request_timeout_s: 30}\napplications: [{name: one}]\n")
    monkeypatch.setenv("MEMORAY_SERVE_CONFIG", str(file))
    assert serve_config(Settings(home=tmp_path, http=Http(host="127.0.0.1")), 8123) == {
        "http_options": {"host": "127.0.0.1", "port": 8123, "request_timeout_s": 30},
        "applications": [{"name": "one"}],
    }


@pytest.mark.parametrize("content", [None, "{not: [yaml"])
def test_a_serve_file_that_cannot_be_read_is_named(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "serve.yaml"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("MEMORAY_SERVE_CONFIG", str(file))
    with pytest.raises(ConfigError, match=r"serve\.yaml"):
        serve_config(Settings(home=tmp_path), 8000)
