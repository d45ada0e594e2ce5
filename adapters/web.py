"""The web, for a chat whose settings allow it: a search by SearXNG, and public pages as words.

An address may come from anybody's words. So a page is read from no machine that is not public: each name is resolved
here, every address of it must be global, and the connection goes to the very address that was looked at; the same again
for every redirect. Bytes, seconds and kinds of documents are bounded, nothing is sent along, and no proxy is used.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import httpx

from adapters.capture.html import words_of
from memory.errors import ConfigError, DomainError, Invalid

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""A name and a port to its addresses, as text."""
PAGE_S = 10.0
"""Seconds for a page or a search, redirects and names included."""
MOST_BYTES = 1_000_000
"""Bytes of a document that are read; the rest is left."""
MOST_WORDS = 5_000
"""Characters of a page that are told."""
MOST_FOUND = 8
"""Results of a search that are told."""
REDIRECTS = 3
MOST_URL = 2_000
_PORTS = {"http": 80, "https": 443}
_KINDS = re.compile(r"(?:text/|application/(?:json|xhtml\+xml|xml))", re.IGNORECASE)
_WITHIN = tuple(
    IPv6Network(network)
    for network in ("::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16", "fec0::/10")
)
"""Networks whose addresses hold another, of IPv4, which may lead anywhere; and one that was private once."""
_HEADERS = {"User-Agent": "memoray", "Accept": "text/html, text/plain, application/json", "Accept-Encoding": "identity"}


class Unfit(DomainError):
    """That page cannot be read."""

    kind = "unfit"


def is_public(address: str) -> bool:
    """Whether an address is of a machine that everybody may reach."""
    try:
        found: Address = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        found = found.ipv4_mapped or found
    within = isinstance(found, IPv6Address) and any(found in network for network in _WITHIN)
    return found.is_global and not (found.is_multicast or found.is_reserved or within)


async def addresses_of(host: str, port: int) -> Sequence[str]:
    """Every address of a name, as the system resolves it. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(each[4][0]) for each in found]


class WebClient:
    """What a chat may reach beside memory: `search_url` is a SearXNG's, None for no search; `fetches` are pages."""

    def __init__(
        self,
        search_url: str | None,
        fetches: bool,
        resolve: Resolve = addresses_of,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.searches, self.fetches = search_url is not None, fetches
        self._search_url = "" if search_url is None else _engine(search_url)
        self._resolve = resolve
        self._http = httpx.AsyncClient(
            transport=transport,
            headers=_HEADERS,
            timeout=PAGE_S,
            follow_redirects=False,
            trust_env=False,
            # a connection serves one request: the next one to this address may be for a name it was not proven for
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    async def search(self, query: str) -> list[dict[str, str]]:
        """What SearXNG finds: title, url and some words of each. Raises Unfit."""
        request = self._http.build_request("GET", f"{self._search_url}/search", params={"q": query, "format": "json"})
        _, body = await self._read(request)
        try:
            results = json.loads(body)["results"][:MOST_FOUND]
            return [{name: str(each.get(name) or "")[:500] for name in ("title", "url", "content")} for each in results]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise Unfit("The search engine gave no results as JSON; allow that format in its settings.") from error

    async def fetch(self, url: str) -> str:
        """The words of a public page. Raises Invalid of an address that is none, and Unfit."""
        try:
            async with asyncio.timeout(PAGE_S):
                return await self._fetch(url)
        except TimeoutError as error:
            raise Unfit(f"That page was not there within {PAGE_S:g} s.") from error

    async def _fetch(self, url: str) -> str:
        for _ in range(REDIRECTS + 1):
            address = _web_address(url)
            response, body = await self._read(await self._request(address))
            if response.has_redirect_location:
                url = _joined(address, response.headers["location"])
                continue
            if not response.is_success:
                raise Unfit(f"That page answers with status {response.status_code}.")
            kind = response.headers.get("content-type", "")
            if not _KINDS.match(kind):
                raise Unfit("That is no page of words.")
            text = _decoded(body, response.charset_encoding or "utf-8")
            words = await asyncio.to_thread(words_of, text) if "html" in kind else text
            return words[:MOST_WORDS]
        raise Unfit("That page leads from one to the next.")

    async def _request(self, address: httpx.URL) -> httpx.Request:
        """A request to an address that was looked at; its name goes along, also for the certificate. Raises Unfit."""
        host, port = address.raw_host.decode("ascii"), _PORTS[address.scheme]
        try:
            found = await self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise Unfit("There is no machine of that name.") from error
        if not found or not all(map(is_public, found)):
            raise Unfit("Only public pages are read.")
        there = address.copy_with(host=found[0])
        headers = {"Host": address.netloc.decode("ascii")}
        return self._http.build_request("GET", there, headers=headers, extensions={"sni_hostname": host})

    async def _read(self, request: httpx.Request) -> tuple[httpx.Response, bytes]:
        """A response and the beginning of its body, as it was sent. Raises Unfit."""
        body = bytearray()
        try:
            async with asyncio.timeout(PAGE_S):
                response = await self._http.send(request, stream=True)
                try:
                    if response.headers.get("content-encoding", "identity") != "identity":
                        raise Unfit("That page is packed, though nobody asked for that.")
                    async for block in response.aiter_raw():
                        body += block[: MOST_BYTES - len(body)]
                        if len(body) >= MOST_BYTES or response.is_redirect:
                            break
                finally:
                    await response.aclose()
        except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError) as error:
            raise Unfit("That cannot be reached.") from error
        except TimeoutError as error:
            raise Unfit(f"That was not there within {PAGE_S:g} s.") from error
        return response, bytes(body)


def _engine(url: str) -> str:
    """The base address of a search engine. Raises ConfigError."""
    try:
        if httpx.URL(url).scheme in _PORTS and httpx.URL(url).host:
            return url.rstrip("/")
    except httpx.InvalidURL as error:
        raise ConfigError("chat.search_url is no URL: write it like http://127.0.0.1:8888.") from error
    raise ConfigError("chat.search_url is no web address: write it like http://127.0.0.1:8888.")


def _joined(address: httpx.URL, location: str) -> str:
    try:
        return str(address.join(location))
    except (httpx.InvalidURL, UnicodeError) as error:
        raise Unfit("That page leads nowhere.") from error


def _decoded(body: bytes, charset: str) -> str:
    try:
        return body.decode(charset, errors="replace")
    except (LookupError, ValueError) as error:
        raise Unfit("That page is written in signs that nobody knows.") from error


def _web_address(url: str) -> httpx.URL:
    """A URL as one of the web. Raises Invalid."""
    try:
        address = httpx.URL(url[:MOST_URL])
    except (httpx.InvalidURL, UnicodeError) as error:
        raise Invalid("url: that is no address of a page.") from error
    port = _PORTS.get(address.scheme)
    if port is None or not address.host or address.userinfo or address.port not in (None, port):
        raise Invalid("url: must be http or https at its own port, without a user.")
    return address.copy_with(fragment=None)
