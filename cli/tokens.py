"""Give out tokens and take them back."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape

from cli.client import connect, route
from cli.console import HomeOption, JsonOption, UserOption, show

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
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a token. It is shown this once and cannot be looked up.

    Example: memoray token create phone --permission write
    """
    body = {"name": name, "teams": team or [], "permission": permission.value, "clearance": clearance.value}
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


COMMANDS = (("token create", create), ("token list", every), ("token revoke", revoke))
