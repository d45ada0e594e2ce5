"""The web as a chat reaches it: no machine that is not public, within bounds of bytes and seconds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

import httpx
import pytest

from adapters import web
from adapters.web import Unfit, WebClient, is_public
from memory.errors import ConfigError, DomainError, Invalid

PUBLIC = "93.184.216.34"
NAMES: Mapping[str, Sequence[str]] = {
    "example.org": [PUBLIC],
    "inside.example": ["10.0.0.7"],
    "both.example": [PUBLIC, "127.0.0.1"],
    "none.example": [],
    "2130706433": ["127.0.0.1"],
    "localhost": ["127.0.0.1", "::1"],
}


class Stream(httpx.AsyncByteStream):
    """A body in blocks, which may come slowly."""

    def __init__(self, blocks: int, delay_s: float) -> None:
        self._blocks, self._delay_s = blocks, delay_s
        self.sent = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for _ in range(self._blocks):
            await asyncio.sleep(self._delay_s)
            self.sent += 1
            yield b"word " * 20_000


class Site(httpx.AsyncBaseTransport):
    """The web: answers what it is told to, and remembers what it was asked."""

    def __init__(self, answer: Callable[[httpx.Request], httpx.Response]) -> None:
        self._answer = answer
        self.asked: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        return self._answer(request)


async def resolve(host: str, _: int) -> Sequence[str]:
    if host in NAMES:
        return NAMES[host]
    if is_public(host) or not host.strip("[]0123456789abcdef.:"):
        return [host.strip("[]")]
    raise OSError("no such name")


def reaching(site: Site) -> WebClient:
    return WebClient("http://127.0.0.1:8888", True, resolve, site)


def page(text: str, kind: str = "text/html; charset=utf-8", **headers: str) -> httpx.Response:
    return httpx.Response(200, headers={"content-type": kind, **headers}, stream=httpx.ByteStream(text.encode()))


def moved(there: str) -> httpx.Response:
    return httpx.Response(302, headers={"location": there}, stream=httpx.ByteStream(b""))


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fec0::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001:0:53aa::1",
        "nonsense",
        "",
    ],
)
def test_what_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", [PUBLIC, "8.8.8.8", "2606:2800:220:1::1", "::ffff:8.8.8.8"])
def test_what_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/",
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://inside.example/",
        "http://[::1]/",
        "http://both.example/",
        "http://none.example/",
        "http://unknown.example/",
        "http://169.254.169.254/latest",
        "http://[::ffff:127.0.0.1]/",
        "file:///etc/passwd",
        "ftp://example.org/",
        "http://example.org:8080/",
        "http://me:word@example.org/",
        "http://",
        "example.org",
        "http://exa mple.org/",
        "//example.org/",
    ],
)
async def test_nothing_but_public_pages_is_asked_for(url: str) -> None:
    site = Site(lambda _: page("secret"))
    with pytest.raises(DomainError):
        await reaching(site).fetch(url)
    assert site.asked == []


async def test_the_address_that_was_looked_at_is_the_one_that_is_asked() -> None:
    site = Site(lambda _: page("<title>x</title><p>Hello <b>there</b></p><script>no</script>"))
    assert await reaching(site).fetch("https://example.org/a?b=c#d") == "Hello there"
    [asked] = site.asked
    assert (asked.url.host, asked.headers["host"], asked.url.raw_path) == (PUBLIC, "example.org", b"/a?b=c")
    assert asked.extensions["sni_hostname"] == "example.org"
    assert "authorization" not in asked.headers
    assert "cookie" not in asked.headers


@pytest.mark.parametrize(
    "there", ["http://localhost/", "http://inside.example/x", "//127.0.0.1/", "file:///etc/passwd"]
)
async def test_no_redirect_leads_inside(there: str) -> None:
    site = Site(lambda _: moved(there))
    with pytest.raises(DomainError):
        await reaching(site).fetch("http://example.org/")
    assert len(site.asked) == 1


async def test_redirects_are_followed_a_few_times() -> None:
    answers = [moved("/next"), page("There.", "text/plain")]
    site = Site(lambda _: answers.pop(0))
    assert await reaching(site).fetch("http://example.org/") == "There."
    site = Site(lambda _: moved("/again"))
    with pytest.raises(Unfit, match="from one to the next"):
        await reaching(site).fetch("http://example.org/")
    assert len(site.asked) == web.REDIRECTS + 1


async def test_a_page_without_end_is_read_to_a_bound() -> None:
    stream = Stream(1_000, 0.0)
    site = Site(lambda _: httpx.Response(200, headers={"content-type": "text/plain"}, stream=stream))
    assert len(await reaching(site).fetch("http://example.org/")) == web.MOST_WORDS
    assert stream.sent <= 11


async def test_a_slow_page_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "PAGE_S", 0.1)
    site = Site(lambda _: httpx.Response(200, headers={"content-type": "text/plain"}, stream=Stream(10, 0.2)))
    with pytest.raises(Unfit, match="not there within"):
        await reaching(site).fetch("http://example.org/")


@pytest.mark.parametrize(
    "answer",
    [
        page("x", "image/png"),
        page("x", "text/html; charset=zlib"),
        page("x", "text/html", **{"content-encoding": "gzip"}),
        httpx.Response(404, stream=httpx.ByteStream(b"")),
        httpx.Response(302, stream=httpx.ByteStream(b"")),
    ],
    ids=["a picture", "a codec", "packed", "missing", "leads nowhere"],
)
async def test_what_is_no_page_is_told(answer: httpx.Response) -> None:
    with pytest.raises(DomainError):
        await reaching(Site(lambda _: answer)).fetch("http://example.org/")


async def test_a_search_asks_the_engine_of_the_settings() -> None:
    results = [{"title": f"t{n}", "url": "http://example.org", "content": "c" * 9_000, "more": 1} for n in range(20)]
    site = Site(lambda _: page(json.dumps({"results": results}), "application/json"))
    found = await reaching(site).search("figs & tea")
    assert (len(found), set(found[0]), len(found[0]["content"])) == (web.MOST_FOUND, {"title", "url", "content"}, 500)
    assert str(site.asked[0].url) == "http://127.0.0.1:8888/search?q=figs+%26+tea&format=json"


@pytest.mark.parametrize("body", ["<html>", "[]", '{"results": 3}', '{"results": [1]}', "{}"])
async def test_an_engine_that_gives_no_results_is_told(body: str) -> None:
    with pytest.raises(Unfit, match="JSON"):
        await reaching(Site(lambda _: page(body))).search("figs")


@pytest.mark.parametrize("url", ["127.0.0.1:8888", "file:///x", "http://", "http://x:y", ""])
def test_an_engine_needs_an_address(url: str) -> None:
    with pytest.raises(ConfigError, match="search_url"):
        WebClient(url, False)


async def test_names_are_resolved_by_the_system() -> None:
    found: Any = await web.addresses_of("127.0.0.1", 80)
    assert list(found) == ["127.0.0.1"]
    with pytest.raises(Invalid):
        await WebClient(None, True).fetch("gopher://example.org")
