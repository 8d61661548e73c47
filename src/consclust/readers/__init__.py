"""Readers of the file formats: files -> features and class names, strictly.

Nothing is unpickled, nothing is guessed: malformed files raise :class:`InputError` with file and line. Sparse
features stay sparse (CSR). NumPy and SciPy are imported when a file is read: every job reads the registry.
"""

from typing import Annotated

from pydantic import Field

from consclust.readers.archive import ArchiveReader
from consclust.readers.arff import ArffReader, KeelReader
from consclust.readers.common import Raw
from consclust.readers.documents import DocumentsReader
from consclust.readers.embedded import MlxtendMnistReader, SklearnReader
from consclust.readers.generated import ShapesReader, SpiralsReader, SyntheticReader
from consclust.readers.idx import IdxReader, MnistFirst2000Reader
from consclust.readers.matlab import MatReader
from consclust.readers.table import TableReader

__all__ = ["Raw", "Reader"]

Reader = Annotated[
    MatReader
    | ArffReader
    | TableReader
    | KeelReader
    | IdxReader
    | SklearnReader
    | MnistFirst2000Reader
    | MlxtendMnistReader
    | SyntheticReader
    | SpiralsReader
    | ShapesReader
    | DocumentsReader
    | ArchiveReader,
    Field(discriminator="format"),
]
