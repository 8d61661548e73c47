"""The files of a job, as its process has them, for tests that call the function of a stage."""

from pathlib import Path

from consclust_studies.job_files import Files
from consclust_studies.stamps import Stamp

STAMP = Stamp(versions={"python": "3.0", "numpy": "2.0"}, inputs="0123456789abcdef")
MARKS = {"spec": "{}", "stamp": STAMP.json_text}


def marks(spec):
    """Spec and stamp of an output."""
    return {"spec": spec, "stamp": STAMP.json_text}


def files_of(inputs, outputs, **arguments):
    """Files by name: each a path, or a list of paths."""
    return Files(inputs=lists(inputs), outputs=lists(outputs), stamp=STAMP, arguments=arguments)


def lists(named):
    return {
        name: [Path(path) for path in (paths if isinstance(paths, (list, tuple)) else [paths])]
        for name, paths in named.items()
    }
