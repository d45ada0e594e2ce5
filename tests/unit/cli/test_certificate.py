"""The certificate of Ray's processes: whoever holds the file gets in, and nobody else."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from cli.certificate import ensure_certificate


def test_it_is_private_and_made_once(tmp_path: Path) -> None:
    path = ensure_certificate(tmp_path / "ray_tls.pem")
    assert path.stat().st_mode & 0o777 == 0o600
    first = path.read_bytes()
    assert ensure_certificate(path).read_bytes() == first
    assert [each.name for each in tmp_path.iterdir()] == ["ray_tls.pem"]


def test_a_handshake_needs_the_file_itself(tmp_path: Path) -> None:
    ours, another = (ensure_certificate(tmp_path / name) for name in ("ours.pem", "another.pem"))
    assert shake_hands(server(ours), client(ours, shown=ours))
    with pytest.raises(ssl.SSLError):
        shake_hands(server(ours), client(ours, shown=None))
    with pytest.raises(ssl.SSLError):
        shake_hands(server(ours), client(ours, shown=another))
    with pytest.raises(ssl.SSLError, match="CERTIFICATE_VERIFY_FAILED"):
        shake_hands(server(another), client(ours, shown=ours))


def server(path: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    context.load_verify_locations(path)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def client(trusted: Path, shown: Path | None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(trusted)
    if shown is not None:
        context.load_cert_chain(shown)
    return context


def shake_hands(server: ssl.SSLContext, client: ssl.SSLContext) -> bool:
    """A handshake in memory, at the address where Ray's processes meet, and a first byte."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    answering = server.wrap_bio(there, back, server_side=True)
    asking = client.wrap_bio(back, there, server_hostname="127.0.0.1")
    for _ in range(6):
        for side in (asking, answering):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    asking.write(b".")
    return answering.read(1) == b"."


def test_one_that_the_power_cut_short_is_made_anew(tmp_path: Path) -> None:
    whole = ensure_certificate(tmp_path / "certificate.pem").read_bytes()
    assert ensure_certificate(tmp_path / "certificate.pem").read_bytes() == whole
    for left in (b"", whole[: len(whole) // 2], bytes(len(whole))):
        (tmp_path / "certificate.pem").write_bytes(left)
        made = ensure_certificate(tmp_path / "certificate.pem").read_bytes()
        assert made.startswith(whole[:27]), "a key, and then a certificate"
        assert made.endswith(whole[-26:])
        assert made != whole
