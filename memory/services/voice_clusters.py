"""Vectors of voices put together: agglomerative clustering by the mean cosine between two clusters.

The mean cosine between all vectors of two clusters is the product of the clusters' means. So only the means are kept,
and no table of all pairs: two hours of speech (9,600 vectors) need 50 MB and not the 740 MB of such a table. Clusters
that are each other's nearest are merged at once, all of them in each round. With mean linkage this gives the same
clusters as one merge at a time, for a merged cluster is never nearer to a third one than its nearer part was.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""[vectors, dimensions], each row of unit length."""
Labels = NDArray[np.int64]
"""[vectors] the cluster of each; clusters are numbered from 0 in the order of their first vector."""
_DIGITS = 4
"""Digits in which vectors are the same one: where all are, each round would merge two of them alone."""
_BLOCK = 512
"""Rows that are compared with all others at once (chosen: 20 MB for two hours)."""


def clusters_of(vectors: Vectors, least: float, groups: Labels | None = None, penalty: float = 0.0) -> Labels:
    """Clusters whose mean cosine to each other is below `least`; vectors of one group are less alike by the penalty."""
    left, right = _sides(vectors, groups, penalty)
    _, first, copies = np.unique(np.round(left, _DIGITS), axis=0, return_index=True, return_inverse=True)
    clustering = _Clustering(left[first], right[first], np.bincount(copies.ravel()))
    while clustering.merge(least):
        pass
    return numbered(clustering.roots()[copies.ravel()])


def _sides(vectors: Vectors, groups: Labels | None, penalty: float) -> tuple[Vectors, Vectors]:
    """Two tables whose product is how alike vectors are: being in one group is one more dimension, which counts
    against it."""
    if groups is None or not penalty:
        return vectors, vectors
    member = (groups[:, None] == np.unique(groups)).astype(np.float32)
    return np.hstack((vectors, member)), np.hstack((vectors, -np.float32(penalty) * member))


class _Clustering:
    """Clusters while they are merged, each known by one of its vectors."""

    def __init__(self, left: Vectors, right: Vectors, sizes: Labels) -> None:
        count = len(left)
        self._left, self._right = left.copy(), right.copy()
        self._sizes = sizes.astype(np.float32)
        self._parents = np.arange(count)
        self._open = np.arange(count)
        self._nearest = np.full(count, -1)
        self._likeness = np.full(count, -np.inf, np.float32)
        self._stale = np.arange(count)

    def merge(self, least: float) -> bool:
        """One round; False where no two clusters are alike enough any more."""
        self._look()
        self._open = self._open[self._likeness[self._open] >= least]
        if len(self._open) < 2:
            return False
        nearest = self._nearest[self._open]
        is_first = (self._nearest[nearest] == self._open) & (self._open < nearest)
        first, second = self._open[is_first], nearest[is_first]
        if not len(first):  # two are nearest by rounding alone
            first = self._open[[np.argmax(self._likeness[self._open])]]
            second = self._nearest[first]
        self._join(first, second)
        return True

    def _look(self) -> None:
        """Find the nearest of every cluster whose nearest one has changed."""
        others = self._right[self._open].T
        for place in range(0, len(self._stale), _BLOCK):
            rows = self._stale[place : place + _BLOCK]
            likeness = self._left[rows] @ others
            likeness[rows[:, None] == self._open] = -np.inf
            best = likeness.argmax(axis=1)
            self._nearest[rows] = self._open[best]
            self._likeness[rows] = likeness[np.arange(len(rows)), best]

    def _join(self, first: Labels, second: Labels) -> None:
        both = self._sizes[first] + self._sizes[second]
        share = (self._sizes[second] / both)[:, None]
        for side in (self._left, self._right):
            side[first] += share * (side[second] - side[first])
        self._sizes[first] = both
        self._parents[second] = first
        is_gone = np.zeros(len(self._parents), np.bool_)
        is_gone[second] = True
        self._open = self._open[~is_gone[self._open]]
        is_gone[first] = True
        self._stale = self._open[is_gone[self._open] | is_gone[self._nearest[self._open]]]

    def roots(self) -> Labels:
        """[vectors] the vector by which the cluster of each is known."""
        roots = self._parents
        while not np.array_equal(above := roots[roots], roots):
            roots = above
        return roots


def numbered(labels: Labels) -> Labels:
    """The same clusters, numbered in the order of their first vector."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), np.int64)
    ranks[np.argsort(first)] = np.arange(len(first))
    return ranks[inverse]


def absorbed(vectors: Vectors, labels: Labels, least: int) -> Labels:
    """The clusters of at least so many vectors; those of smaller ones go to the nearest of them. Where all are smaller
    they are left."""
    sizes = np.bincount(labels)
    large = np.flatnonzero(sizes >= least)
    if not len(large) or len(large) == len(sizes):
        return labels
    found = labels.copy()
    centres = means_of(vectors, labels)
    for small in np.flatnonzero(sizes < least):
        found[labels == small] = large[np.argmax(centres[large] @ centres[small])]
    return numbered(found)


def joined(vectors: Vectors, labels: Labels, least: float) -> Labels:
    """Clusters whose means point the same way are one: those whose cosine is at least `least`, the nearest first.

    Noise makes all vectors of a voice less alike, and so their mean cosine, by which they were clustered. It is another
    noise in each vector, so it is small in their mean.
    """
    sums = _sums(vectors, labels)
    parents, alike = np.arange(len(sums)), unit(sums) @ unit(sums).T
    np.fill_diagonal(alike, -np.inf)
    while len(sums) > 1:
        first, second = sorted(divmod(int(alike.argmax()), len(sums)))
        if alike[first, second] < least:
            break
        sums[first] += sums[second]
        parents[parents == second] = first
        alike[second] = alike[:, second] = -np.inf
        row = np.where(np.isfinite(alike[first]), unit(sums) @ unit(sums[first]), -np.inf)
        alike[first] = alike[:, first] = row
    return numbered(parents[labels])


def _sums(vectors: Vectors, labels: Labels) -> Vectors:
    sums = np.zeros((int(labels.max(initial=-1)) + 1, vectors.shape[1]), np.float32)
    np.add.at(sums, labels, vectors)
    return sums


def means_of(vectors: Vectors, labels: Labels) -> Vectors:
    """[clusters, dimensions] the mean of each cluster, of unit length."""
    return unit(_sums(vectors, labels))


def unit(vectors: Vectors) -> Vectors:
    """Vectors of unit length; one without direction is left."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.where(norms > 0, norms, 1)).astype(np.float32, copy=False)
