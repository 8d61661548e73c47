"""Features and classes as two NumPy arrays in a ``.zip``."""

# NumPy is imported where needed, so that what does without it starts faster

import zipfile
import zlib
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from pydantic import Field

from consclust.plurals import count
from consclust.readers.common import AnyReader, Raw, class_name, malformed, one_line, refuse_bomb


class ZippedArraysReader(AnyReader):
    """Two arrays of NumPy in a ``.zip``, in any folder of it; nothing is unpickled."""

    format: Literal["zipped_arrays"]
    features: str = Field("data.npy", description="name of the array with the features, objects in rows")
    classes: str = Field("label.npy", description="name of the array with the classes, which are numbers")

    def read(self, *paths: Path) -> Raw:
        """Read the two arrays."""
        import numpy as np

        path = paths[0]
        try:
            with zipfile.ZipFile(path) as archive:
                X = _read_array(path, archive, self.features)
                classes = _read_array(path, archive, self.classes)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, ValueError) as error:
            malformed(path, "", f"no .zip with arrays: {one_line(error)}")
        if X.ndim != 2 or X.dtype.kind not in "biuf":
            malformed(path, self.features, f"{X.dtype} of shape {X.shape}, no matrix of numbers")
        if classes.shape != (len(X),) or classes.dtype.kind not in "biuf":
            what = f"{classes.dtype} of shape {classes.shape} for {count(len(X), 'object')}"
            malformed(path, self.classes, what)
        return Raw(X.astype(np.float64), [class_name(value) for value in classes.tolist()])


def _read_array(path: Path, archive: zipfile.ZipFile, name: str) -> Any:
    import numpy as np

    found = [member for member in archive.infolist() if PurePosixPath(member.filename).name == name]
    if len(found) != 1:
        malformed(path, "", f"{len(found)} members of the archive are named {name}", "correct reader in the registry")
    refuse_bomb(path, found[0].file_size)
    return np.load(BytesIO(archive.read(found[0])), allow_pickle=False)
