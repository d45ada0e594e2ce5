"""The file of the weights that tell whether a later turn says that a promise was kept."""

from __future__ import annotations

import json
from pathlib import Path

from memory.errors import ConfigError
from memory.rules.fulfilment import FulfilmentWeights


def load_fulfilment(path: Path) -> FulfilmentWeights:
    """The weights of a file whose digest has been checked. Raises ConfigError if it is of another shape."""
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        weights, rarity = (_numbers(read[name]) for name in ("weights", "rarity"))
        return FulfilmentWeights(weights, rarity, float(read["rarest"]), float(read["cut"]))
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise ConfigError(f"The weights of fulfilment {path} do not fit this version: teach them anew.") from error


def _numbers(told: dict[str, object]) -> dict[str, float]:
    return {str(name): float(str(value)) for name, value in told.items()}
