"""Loads what was taught beside an encoder: whether a turn answers a question, judged from its word pieces."""

from __future__ import annotations

from dataclasses import fields
from functools import cache

import numpy as np

from adapters.model_files import VERDICTS
from memory.errors import ConfigError
from memory.retrieval.verdicts import VerdictWeights


@cache
def taught_verdicts() -> VerdictWeights:
    """The packaged weights, in 32 bits. Raises ConfigError if the file is missing or another one."""
    path = VERDICTS.checked(VERDICTS.find())
    with np.load(path) as held:
        names = [each.name for each in fields(VerdictWeights)]
        if sorted(held.files) != sorted(names):
            raise ConfigError(f"The {VERDICTS.name} {path} holds other parts than {', '.join(names)}.")
        return VerdictWeights(**{name: held[name].astype(np.float32) for name in names})
