"""A page that gives its own name our address is not answered (DNS rebinding)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cli.ports import free_port
from config.settings import Http
from deployments.hosts import name_of
from deployments.listening import listen
from tests.unit.deployments.test_half_sent import app, ended, shut, status


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", 200),
        ("LOCALHOST:80", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("localhost.", 200),
        ("memory.lan", 200),
        ("evil.example", 421),
        ("evil.example:8000", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost@evil.example", 421),
        ("evil.example, localhost", 421),
        ("10.0.0.7", 421),
        ("", 421),
        (None, 400),
    ],
)
async def test_it_answers_to_its_names_alone(host: str | None, expected: int) -> None:
    http = Http(port=free_port(0), hosts="proxy.lan, memory.lan:443")
    listener = await listen(app, Path("/nowhere"), http)
    named = b"" if host is None else f"Host: {host}\r\n".encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", http.port)
    writer.write(b"GET /health HTTP/1.1\r\n" + named + b"connection: close\r\n\r\n")
    told = await ended((reader, writer))
    assert status(told) == expected
    assert expected == 200 or (b"urn:memoray:host" in told and b"evil" not in told)
    await shut(listener)


async def test_two_names_are_one_too_many() -> None:
    http = Http(port=free_port(0))
    listener = await listen(app, Path("/nowhere"), http)
    reader, writer = await asyncio.open_connection("127.0.0.1", http.port)
    writer.write(b"GET /health HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n\r\n")
    assert status(await ended((reader, writer))) == 400
    await shut(listener)


@pytest.mark.parametrize(
    ("given", "name"),
    [("[fe80::1]:8000", "fe80::1"), ("fe80::1", "fe80::1"), (" Memory.LAN:1", "memory.lan"), ("a.", "a"), ("", "")],
)
def test_the_name_of_a_host(given: str, name: str) -> None:
    assert name_of(given) == name
