"""Give out tokens and take them back."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape

from cli.client import connect, route
from cli.console import HomeOption, JsonOption, UserOption, show

ExpiresOption = Annotated[str | None, typer.Option("--expires", help="When it ends: 90d, 12h. Never, if not given.")]
Name = Annotated[str, typer.Argument(help="What the token is called, such as the device that holds it.")]


class Permission(StrEnum):
    """What a token may do."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class Clearance(StrEnum):
    """The most private thing a token may see."""

    OPEN = "open"
    PRIVATE = "private"
    SENSITIVE = "sensitive"


def create(
    name: Name,
    user: UserOption = None,
    team: Annotated[list[str] | None, typer.Option(help="A team it belongs to; may be given again.")] = None,
    permission: Annotated[Permission, typer.Option(help="What it may do.")] = Permission.WRITE,
    clearance: Annotated[Clearance, typer.Option(help="The most private thing it may see.")] = Clearance.PRIVATE,
    expires: ExpiresOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a token. It is shown this once and cannot be looked up.

    Example: memoray token create phone --permission write --expires 90d
    """
    body = {
        "name": name,
        "teams": team or [],
        "permission": permission.value,
        "clearance": clearance.value,
        "expires_in_s": _seconds(expires),
    }
    with connect(home, user) as client:
        made = client.post("/v1/tokens", body)
    show(made, as_json, made["token"], f"[dim]{escape(name)}: {made['permission']} for {escape(made['user_id'])}[/]")


def every(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the tokens, without what only their holders know.

    Example: memoray token list
    """
    with connect(home) as client:
        tokens = client.get("/v1/tokens")
    lines = (
        f"[bold]{escape(each['name'])}[/] {each['permission']}, sees {each['clearance']}, for {escape(each['user_id'])}"
        + (f" and {escape(', '.join(each['teams']))}" if each["teams"] else "")
        + (f", until {each['expires_at']}" if each["expires_at"] else "")
        for each in tokens
    )
    show(tokens, as_json, *lines)


def revoke(name: Name, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Take a token back.

    Example: memoray token revoke phone
    """
    with connect(home) as client:
        answer = client.delete(route("tokens", name))
    show(answer, as_json, f"Revoked: {escape(name)}.")


def rotate(
    name: Name,
    grace: Annotated[
        str, typer.Option(help="How long the old one still lets in: 24h, 7d; 0s for a leaked one.")
    ] = "24h",
    expires: ExpiresOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a new token in place of an old one. The administrator's goes into the token file by itself.

    Example: memoray token rotate phone --grace 7d
    """
    with connect(home) as client:
        body = {"grace_s": _seconds(grace), "expires_in_s": _seconds(expires)}
        made = client.post(f"{route('tokens', name)}/rotate", body)
    show(made, as_json, made["token"], f"[dim]{escape(name)}: the one before it ends in {escape(grace)}[/]")


def _seconds(span: str | None) -> int | None:
    """`90d`, `12h`, `30m`, `0s` -> seconds. Raises typer.BadParameter."""
    if span is None:
        return None
    found = re.fullmatch(r"(\d{1,6})([smhdw])", span.strip())
    if not found:
        raise typer.BadParameter(f"{span!r} is no span of time; 90d, 12h and 30m are.")
    return int(found[1]) * {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}[found[2]]


COMMANDS = (("token create", create), ("token list", every), ("token rotate", rotate), ("token revoke", revoke))
