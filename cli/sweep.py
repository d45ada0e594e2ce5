"""`memoray sweep`: what was heard in a session is heard once more, if wished by a better model."""

from __future__ import annotations

from typing import Annotated, get_args

import typer

from cli.client import connect, route
from cli.console import HomeOption, JsonOption, UserOption, show
from memory.errors import Invalid
from memory.services.ears import HearingModel


def sweep(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The id of a session whose sound is kept.")],
    model: Annotated[
        str | None, typer.Option("--model", help=f"With what: {', '.join(get_args(HearingModel))}. Else as configured.")
    ] = None,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Hear a session once more in the background; by another model, which replaces all but what you have corrected.

    Example: memoray sweep a1b2c3d4 --model base
    """
    if model is not None and model not in get_args(HearingModel):
        raise Invalid(f"There is no model of that name; there are {', '.join(get_args(HearingModel))}.")
    with connect(home, user) as client:
        asked = {} if model is None else {"model": model}
        told = client.ask("POST", route("sweep", session), params=asked)
    show(told, as_json, f"{told['sound_s']:g} s of sound, {told['swept_s']:g} s of it heard: {told['sweep']}.")


COMMANDS = (("sweep", sweep),)
