"""Vectors of voices put together: the clusters are those of mean linkage, whatever the order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from memory.services.voice_clusters import absorbed, clusters_of, joined, means_of, numbered, unit


def people(seed: int, sizes: list[int], spread: float = 0.5, dimensions: int = 24) -> np.ndarray:
    """Vectors around one direction for each person."""
    random = np.random.default_rng(seed)
    centres = unit(random.normal(size=(len(sizes), dimensions)))
    noise = random.normal(size=(sum(sizes), dimensions)) / np.sqrt(dimensions)
    return unit(np.repeat(centres, sizes, axis=0) + spread * noise).astype(np.float32)


def by_scipy(vectors: np.ndarray, least: float, groups: np.ndarray | None, penalty: float) -> np.ndarray:
    """The same clusters one merge at a time, from a table of all pairs."""
    distances = 1 - vectors.astype(float) @ vectors.T.astype(float)
    if groups is not None:
        distances += penalty * (groups[:, None] == groups)
    np.fill_diagonal(distances, 0)
    tree = linkage(squareform(np.maximum(distances, 0), checks=False), "average")
    return numbered(fcluster(tree, 1 - least, "distance").astype(np.int64))


@settings(max_examples=80)
@given(
    st.integers(0, 10_000),
    st.lists(st.integers(1, 20), min_size=1, max_size=6),
    st.sampled_from((0.3, 0.6, 1.0, 1.5)),
    st.sampled_from((0.2, 0.5, 0.55, 0.8)),
    st.booleans(),
)
def test_clusters_are_those_of_one_merge_at_a_time(
    seed: int, sizes: list[int], spread: float, least: float, in_groups: bool
) -> None:
    vectors = people(seed, sizes, spread)
    groups = np.random.default_rng(seed).integers(0, 8, len(vectors)) if in_groups else None
    found = clusters_of(vectors, least, groups, 0.3)
    if len(vectors) > 1:
        assert np.array_equal(found, by_scipy(vectors, least, groups, 0.3))


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.lists(st.integers(1, 15), min_size=1, max_size=5))
def test_the_order_of_vectors_changes_no_cluster(seed: int, sizes: list[int]) -> None:
    vectors = people(seed, sizes)
    order = np.random.default_rng(seed + 1).permutation(len(vectors))
    found, again = clusters_of(vectors, 0.5), clusters_of(vectors[order], 0.5)
    assert np.array_equal(found[order][:, None] == found[order], again[:, None] == again)


def test_one_person_is_one_cluster_and_strangers_are_several() -> None:
    assert clusters_of(people(1, [40], 0.3), 0.5).max() == 0
    assert np.bincount(clusters_of(people(2, [40, 30, 20], 0.3), 0.5)).tolist() == [40, 30, 20]
    assert len(clusters_of(np.zeros((0, 192), np.float32), 0.5)) == 0


def test_two_of_one_chunk_are_less_alike() -> None:
    alike = people(3, [2], 0.5)
    assert clusters_of(alike, float(alike[0] @ alike[1]) - 0.05).tolist() == [0, 0]
    assert clusters_of(alike, float(alike[0] @ alike[1]) - 0.05, np.array([4, 4]), 0.3).tolist() == [0, 1]


def test_the_same_vector_many_times_is_one_cluster_at_once() -> None:
    assert clusters_of(np.repeat(people(4, [1]), 5_000, axis=0), 0.5).max() == 0


def test_clusters_are_numbered_as_they_come() -> None:
    assert numbered(np.array([7, 7, 2, 9, 2])).tolist() == [0, 0, 1, 2, 1]


@pytest.mark.parametrize(
    ("sizes", "left"), [([9, 9, 2], [0, 1]), ([2, 1, 2], [0, 1, 2]), ([3], [0]), ([1, 8], [0])], ids=str
)
def test_small_clusters_go_to_the_nearest_large_one(sizes: list[int], left: list[int]) -> None:
    vectors = people(5, sizes, 0.2)
    labels = absorbed(vectors, np.repeat(np.arange(len(sizes)), sizes), 3)
    assert sorted(set(labels.tolist())) == left


def test_means_have_unit_length() -> None:
    vectors = people(6, [3, 5])
    means = means_of(vectors, np.repeat([0, 1], [3, 5]))
    assert np.allclose(np.linalg.norm(means, axis=1), 1)
    assert np.allclose(means[0], unit(vectors[:3].sum(axis=0)), atol=1e-6)


def noisy(count: int, voices: int, noise: float, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of so many voices at right angles to each other, in noise, and whose each is."""
    draw = np.random.default_rng(seed)
    whose = np.arange(count * voices) % voices
    return unit((np.eye(64)[whose] + draw.normal(0, noise, (len(whose), 64))).astype(np.float32)), whose


def test_noise_parts_a_voice_and_its_means_join_it() -> None:
    vectors, whose = noisy(60, 3, 0.2)
    parted = whose * 4 + np.arange(len(whose)) // 3 % 4  # as if each voice were four
    assert np.array_equal(joined(vectors, parted, 0.75), numbered(whose))
    assert np.array_equal(joined(vectors, parted, 1.01), numbered(parted))
    assert joined(vectors, whose, 0.75).max() == 2, "voices stay apart"


def test_the_nearest_are_joined_first_and_what_they_make_is_compared_anew() -> None:
    angles = np.deg2rad([0.0, 30.0, 62.0])
    vectors = np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)
    assert joined(vectors, np.arange(3), 0.84).tolist() == [0, 0, 1], "62 degrees are far from the mean of both"
    assert joined(vectors, np.arange(3), 0.65).tolist() == [0, 0, 0]
    assert joined(vectors, np.zeros(3, np.int64), 0.5).tolist() == [0, 0, 0]
