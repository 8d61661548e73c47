"""Random streams by name: a result does not depend on the order of jobs or on which others run."""

import hashlib

import numpy as np


def generator(seed: int, *names: str | int) -> np.random.Generator:
    """Return the generator that belongs to ``names`` (study, data set, method, subset) under ``seed``."""
    digest = hashlib.sha256("\0".join(map(str, names)).encode()).digest()
    spawn_key = tuple(int(word) for word in np.frombuffer(digest, dtype="<u4"))
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=spawn_key))
