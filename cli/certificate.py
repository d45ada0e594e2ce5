"""The certificate by which the processes of one Ray know each other: who lacks it gets no further than a handshake.

`python -m cli.certificate FILE` makes it, in a process of its own: the library would stay in the supervisor's memory.
"""

from __future__ import annotations

import datetime
import ipaddress
import os
import subprocess
import sys
from pathlib import Path

from adapters.modules import module_command
from memory.errors import Unavailable

BEGINS = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
ENDS = datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=datetime.UTC)
"""For ever, as RFC 5280 (4.1.2.5) writes it: it proves that its holder can read the file, which no clock changes. A
machine whose clock is wrong must start, too. Whoever removes the file gets a new one with the next start."""
_LAST_LINE = b"-----END CERTIFICATE-----\n"
ADDRESSES = ("127.0.0.1", "::1")


def ensure_certificate(path: Path) -> Path:
    """The file of key and certificate, mode 0600; made first if there is none, or one that the power cut short. Raises
    Unavailable.
    """
    if not path.exists() or not path.read_bytes().endswith(_LAST_LINE):
        command = module_command("cli.certificate", str(path))
        done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Unavailable(f"The certificate of Ray cannot be made: {done.stderr.strip()[-300:]}")
    return path


def certificate() -> bytes:
    """A new key on P-256 and the certificate that it signs for itself, PEM: authority, server and client in one."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Ray of Memoray")])
    # some of Ray's clients look for the address among the names, as Ray's own test certificates have it
    names = [x509.DNSName("localhost"), *(x509.DNSName(address) for address in ADDRESSES[:1])]
    addresses = [x509.IPAddress(ipaddress.ip_address(address)) for address in ADDRESSES]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(BEGINS)
        .not_valid_after(ENDS)
        .add_extension(x509.SubjectAlternativeName([*addresses, *names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    return key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain) + made.public_bytes(pem)


def main() -> None:
    """Make the file in one step: a reader sees all of it or nothing."""
    path = Path(sys.argv[1])
    partial = path.with_suffix(".partial")
    with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(certificate())
    partial.replace(path)


if __name__ == "__main__":
    main()
