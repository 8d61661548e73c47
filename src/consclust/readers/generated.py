"""Data sets that need no file because they are generated, always the same.

NumPy keeps the legacy generator's stream; rounding removes the last bits, in which mathematical libraries differ.
"""

# scikit-learn and NumPy are imported where needed, so that what does without them starts faster

from math import pi
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from consclust.readers.common import AnyReader, Raw, Seed, Size

if TYPE_CHECKING:
    import numpy as np

    from consclust.ensemble import FloatArray

DIGITS = 9


class SyntheticReader(AnyReader):
    """Gaussian clusters (:func:`sklearn.datasets.make_blobs`)."""

    n_files: ClassVar[int] = 0
    format: Literal["synthetic"]
    sizes: Annotated[tuple[Size, ...], Field(min_length=1)] = Field(description="number of objects of each cluster")
    dimensions: Size = Field(description="number of features")
    deviation: Annotated[float, Field(gt=0)] = Field(description="standard deviation of each cluster")
    box: Annotated[float, Field(gt=0)] = Field(
        description="the means are drawn evenly from [-box, box] in every feature"
    )
    seed: Seed = Field(description="seed of the draws")

    def read(self, *paths: Path) -> Raw:
        """Draw the clusters."""
        from sklearn.datasets import make_blobs

        box = (-self.box, self.box)
        X, y = make_blobs(
            list(self.sizes), self.dimensions, cluster_std=self.deviation, center_box=box, random_state=self.seed
        )
        return Raw(X.round(DIGITS), [str(label) for label in y])


class SpiralsReader(AnyReader):
    """Two spirals about each other, the two classes."""

    n_files: ClassVar[int] = 0
    format: Literal["spirals"]
    per_class: Size = Field(description="number of objects of each class")
    turns: Annotated[float, Field(gt=0)] = Field(description="number of turns of each arm about the origin")
    deviation: Annotated[float, Field(ge=0)] = Field(
        description="standard deviation of each object from its arm, which ends at radius 1"
    )
    seed: Seed = Field(description="seed of the draws")

    def read(self, *paths: Path) -> Raw:
        """Draw two arms, the second the first one turned by half a circle, evenly filled along their length."""
        import numpy as np

        random = np.random.RandomState(self.seed)
        radius = np.sqrt(np.linspace(0.02, 1, self.per_class))
        arm = _polar(radius, 2 * np.pi * self.turns * radius)
        X = np.concatenate([arm, -arm]) + random.normal(scale=self.deviation, size=(2 * self.per_class, 2))
        return Raw(X.round(DIGITS), ["1"] * self.per_class + ["2"] * self.per_class)


class ShapesReader(AnyReader):
    """Seven clusters in the plane, 739 objects: a ring about a disc, two moons, a bar, two other discs."""

    n_files: ClassVar[int] = 0
    format: Literal["shapes"]
    seed: Seed = Field(description="seed of the draws")

    def read(self, *paths: Path) -> Raw:
        """Draw clusters that differ in form, size and density."""
        import numpy as np

        random = np.random.RandomState(self.seed)
        parts = [
            _disc(random, 90, (-5.0, 3.0), 0.7),
            _arc(random, 190, (-5.0, 3.0), 2.3, (0.0, 2.0)),
            _arc(random, 110, (2.0, 2.8), 1.9, (0.0, 1.0)),
            _arc(random, 110, (3.9, 3.7), 1.9, (1.0, 2.0)),
            np.column_stack([random.uniform(-7.0, 0.0, 99), random.normal(-2.2, 0.25, 99)]),
            _disc(random, 80, (2.2, -2.0), 0.5),
            _disc(random, 60, (5.2, -2.2), 1.4),
        ]
        classes = [str(number) for number, part in enumerate(parts, start=1) for _ in part]
        return Raw(np.concatenate(parts).round(DIGITS), classes)


_Pair = tuple[float, float]


def _disc(random: "np.random.RandomState", n: int, centre: _Pair, radius: float) -> "FloatArray":
    """Draw objects evenly from a disc."""
    import numpy as np

    angle = random.uniform(0, 2 * pi, n)
    return centre + _polar(radius * np.sqrt(random.uniform(size=n)), angle)


def _arc(random: "np.random.RandomState", n: int, centre: _Pair, radius: float, ends: _Pair) -> "FloatArray":
    """Draw objects from a part of a circle, from one end to the other in half turns, blurred."""
    angle = pi * random.uniform(*ends, size=n)
    return centre + _polar(radius + random.normal(scale=0.15, size=n), angle)


def _polar(radius: "FloatArray", angle: "FloatArray") -> "FloatArray":
    import numpy as np

    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
