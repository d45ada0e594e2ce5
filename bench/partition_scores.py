"""How alike two partitions are, beyond chance."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[Any]
"""[nodes] whole numbers, one a part."""


def adjusted_mutual_information(one: Labels, other: Labels) -> float:
    """1 for the same parts, 0 on average for parts drawn at random of the same sizes (Vinh, Epps and Bailey 2010).

    Normalised by the mean of both entropies. 1 too where both are a single part, or every node is alone in both.
    """
    _, one = np.unique(one, return_inverse=True)
    _, other = np.unique(other, return_inverse=True)
    nodes = len(one)
    sizes, others = np.bincount(one), np.bincount(other)
    if nodes == 0 or (len(sizes) == len(others) and len(sizes) in (1, nodes)):
        return 1.0
    pairs, counts = np.unique(one.astype(np.int64) * len(others) + other, return_counts=True)
    shared = counts / nodes
    apart = sizes[pairs // len(others)] / nodes * (others[pairs % len(others)] / nodes)
    mutual = float((shared * np.log(shared / apart)).sum())
    expected = _expected(sizes, others, nodes)
    most = (_entropy(sizes / nodes) + _entropy(others / nodes)) / 2
    return (mutual - expected) / (most - expected)


def _entropy(shares: NDArray[np.float64]) -> float:
    return float(-(shares * np.log(shares)).sum())


def _expected(sizes: NDArray[np.int64], others: NDArray[np.int64], nodes: int) -> float:
    """The mutual information to be expected of parts of these sizes, if who is in which is drawn at random."""
    from scipy.special import gammaln

    log = gammaln(np.arange(nodes + 2) + 1.0)  # of factorials
    whole = 0.0
    rows, columns = (np.unique(each, return_counts=True) for each in (sizes, others))
    for (a, times), (b, more) in product(zip(*rows, strict=True), zip(*columns, strict=True)):
        both = np.arange(max(1, a + b - nodes), min(a, b) + 1)
        chance = log[a] + log[b] + log[nodes - a] + log[nodes - b] - log[nodes]
        chance = chance - log[both] - log[a - both] - log[b - both] - log[nodes - a - b + both]
        term = both / nodes * np.log(nodes * both / (float(a) * float(b))) * np.exp(chance)
        whole += float(term.sum()) * int(times) * int(more)
    return whole
