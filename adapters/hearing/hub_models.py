"""Where models of a GPU are loaded from: a folder whose weights are known, or what a hub has given before.

Their files hold pickles, which can run code. So in a folder of one's own every file of weights must be one whose
SHA-256 the settings trust, and nothing is fetched from a hub unless the settings say so.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from adapters.model_files import digest_of
from memory.errors import ConfigError

WEIGHTS = frozenset((".bin", ".ckpt", ".npz", ".onnx", ".pt", ".pth", ".safetensors"))
"""Endings of files that hold weights."""


def stay_offline() -> None:
    """Let nothing be fetched. The hub's package reads this once, when it is imported: call it before."""
    os.environ["HF_HUB_OFFLINE"] = "1"


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A model: a folder, or a name on a hub that is loaded from the hub's cache unless it may be fetched."""

    name: str
    fetch: bool = False
    trusted: Collection[str] = ()
    """SHA-256 of files of weights."""

    @property
    def is_folder(self) -> bool:
        """Whether it is a path; a name on a hub has one stroke at most, and never at its beginning."""
        return self.name.startswith((".", "/", "~"))

    @property
    def called(self) -> str:
        """A short name of it."""
        return Path(self.name).name

    def place(self) -> str:
        """What to load. Raises ConfigError of a folder that is missing, or holds weights that nobody trusts."""
        if not self.is_folder:
            return self.name
        folder = Path(self.name).expanduser()
        if not folder.is_dir():
            raise ConfigError(f"{folder}: there is no model.")
        for path in sorted(each for each in folder.rglob("*") if each.suffix in WEIGHTS):
            if (found := digest_of(path)) not in self.trusted:
                raise ConfigError(
                    f"{path} was not loaded: its SHA-256 is {found}. Compare it with its maker's, and put it into the "
                    f"setting models.trusted."
                )
        return str(folder)
