"""A bit that flips in a file of results is noticed, or changes nothing that is read."""

import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.errors import InputError
from concord.files import read_arrays, read_record, write_arrays, write_record
from concord.scores.tables import read_table, write_table
from concord.specs import digest

SPEC = '{"seed":1}'
LABELS = np.random.default_rng(0).integers(5, size=(40, 6)).astype(np.int16)


def _arrays(path: Path) -> object:
    read = read_arrays(path, "labels", "spec")
    return {key: (value.dtype.str, value.tolist()) for key, value in read.items()}


def _table(path: Path) -> object:
    frame, texts = read_table(path, digest(SPEC))
    return frame.to_dict("list"), texts["spec"]


WRITE = {
    "labels.npz": lambda path: write_arrays(path, labels=LABELS, spec=SPEC),
    "scores.parquet": lambda path: write_table({"case": ["iris"] * 5, "value": [0.1, 0.2, 0.3, 0.4, 0.5]}, path, SPEC),
    "runtime.json": lambda path: write_record(path, {"spec": SPEC, "cpu_seconds": [[0.25, 1e-6]], "n": 150}),
}
READ = {"labels.npz": _arrays, "scores.parquet": _table, "runtime.json": read_record}


@pytest.mark.parametrize("name", WRITE)
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_flipped_bit_is_noticed_or_changes_nothing(tmp_path_factory, name, data):
    path = tmp_path_factory.mktemp("flip") / name
    WRITE[name](path)
    expected, content = READ[name](path), bytearray(path.read_bytes())
    place = data.draw(st.integers(0, 8 * len(content) - 1))
    content[place // 8] ^= 1 << place % 8
    path.write_bytes(content)
    with contextlib.suppress(InputError):
        assert READ[name](path) == expected


@pytest.mark.parametrize("name", WRITE)
def test_a_truncated_file_is_refused_with_its_name(tmp_path, name):
    path = tmp_path / name
    WRITE[name](path)
    content = path.read_bytes()
    for length in range(0, len(content) - 1, max(1, len(content) // 50)):
        path.write_bytes(content[:length])
        with pytest.raises(InputError, match=name):
            READ[name](path)
