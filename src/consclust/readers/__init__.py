"""Readers of the file formats: files -> features and class names, strictly.

Nothing is unpickled, nothing is guessed: malformed files raise :class:`InputError` with file and line. Sparse
features stay sparse (CSR). NumPy and SciPy are imported when a file is read: every job reads the registry.
"""

from typing import Annotated

from pydantic import Field

from consclust.readers.archive import ArchiveReader
from consclust.readers.arff import ArffReader, KeelReader
from consclust.readers.arff_coded import CodedArffReader
from consclust.readers.common import Raw
from consclust.readers.document_counts import DocumentCountsReader
from consclust.readers.documents import DocumentsReader
from consclust.readers.embedded import MlxtendMnistReader, SklearnReader
from consclust.readers.generated import ShapesReader, SpiralsReader, SyntheticReader
from consclust.readers.gz_text import GzTextReader
from consclust.readers.idx import IdxReader, MnistFirst2000Reader
from consclust.readers.matlab import MatReader
from consclust.readers.packed_json import PackedJsonReader
from consclust.readers.table import TableReader
from consclust.readers.zipped_arrays import ZippedArraysReader

__all__ = ["Raw", "Reader"]

Reader = Annotated[
    MatReader
    | ArffReader
    | CodedArffReader
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
    | DocumentCountsReader
    | PackedJsonReader
    | ZippedArraysReader
    | GzTextReader
    | ArchiveReader,
    Field(discriminator="format"),
]
