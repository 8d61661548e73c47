"""Data sets that need no file because they are generated, the same for ever.

The legacy generator's stream is kept by NumPy for ever; rounding removes the last bits, in which mathematical
libraries differ.
"""

from collections.abc import Sequence

import numpy as np

from concord.datasets.readers.common import Raw
from concord.ensemble import FloatArray

DIGITS = 9


def read_synthetic(*, sizes: Sequence[int], dimensions: int, deviation: float, box: float, seed: int) -> Raw:
    """Draw Gaussian clusters; the fields of :class:`concord.datasets.registry.SyntheticReader` say which."""
    from sklearn.datasets import make_blobs

    X, y = make_blobs(
        n_samples=list(sizes),
        n_features=dimensions,
        cluster_std=deviation,
        center_box=(-box, box),
        random_state=seed,
    )
    return Raw(np.round(X, DIGITS), [str(label) for label in y])


def read_spirals(*, per_class: int, turns: float, deviation: float, seed: int) -> Raw:
    """Draw two arms, the second the first one turned by half a circle, evenly filled along their length."""
    random = np.random.RandomState(seed)
    radius = np.sqrt(np.linspace(0.02, 1, per_class))
    angle = 2 * np.pi * turns * radius
    arm = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    X = np.concatenate([arm, -arm]) + random.normal(scale=deviation, size=(2 * per_class, 2))
    return Raw(np.round(X, DIGITS), ["1"] * per_class + ["2"] * per_class)


def read_shapes(*, seed: int) -> Raw:
    """Draw seven clusters that differ in form, size and density."""
    random = np.random.RandomState(seed)
    parts = [
        _disc(random, 90, (-5.0, 3.0), 0.7),
        _arc(random, 190, (-5.0, 3.0), 2.3, (0.0, 2.0), 0.15),
        _arc(random, 110, (2.0, 2.8), 1.9, (0.0, 1.0), 0.15),
        _arc(random, 110, (3.9, 3.7), 1.9, (1.0, 2.0), 0.15),
        np.column_stack([random.uniform(-7.0, 0.0, 99), random.normal(-2.2, 0.25, 99)]),
        _disc(random, 80, (2.2, -2.0), 0.5),
        _disc(random, 60, (5.2, -2.2), 1.4),
    ]
    classes = [str(number) for number, part in enumerate(parts, start=1) for _ in part]
    return Raw(np.round(np.concatenate(parts), DIGITS), classes)


def _disc(random: np.random.RandomState, n: int, centre: tuple[float, float], radius: float) -> FloatArray:
    """Draw objects evenly from a disc."""
    angle = random.uniform(0, 2 * np.pi, n)
    return np.array(centre) + _polar(radius * np.sqrt(random.uniform(size=n)), angle)


def _arc(
    random: np.random.RandomState,
    n: int,
    centre: tuple[float, float],
    radius: float,
    ends: tuple[float, float],
    deviation: float,
) -> FloatArray:
    """Draw objects from a part of a circle, from one end to the other in half turns, blurred."""
    angle = np.pi * random.uniform(*ends, size=n)
    return np.array(centre) + _polar(radius + random.normal(scale=deviation, size=n), angle)


def _polar(radius: FloatArray, angle: FloatArray) -> FloatArray:
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
