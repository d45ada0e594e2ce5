"""How a module of Memoray is begun as a program of its own."""

from __future__ import annotations

import os
import sys


def module_command(module: str, *words: str) -> list[str]:
    """The command that runs a module with these words.

    `-P` keeps the current folder off the path of imports: a person may stand in a folder whose files somebody else
    wrote, and one of them may bear the name of a module.
    """
    return [sys.executable, "-P", "-m", module, *words]


def same_imports() -> dict[str, str]:
    """The environment in which a program finds the modules that this one finds."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
