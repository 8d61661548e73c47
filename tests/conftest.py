import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

ROOT = Path(__file__).parent.parent
collect_ignore_glob = ["*conftest.py"]  # pytest would look into all of them for examples, and they share their name

# programs that tests start find the engine, which no installation has
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
# as in the jobs of the workflow; on matrices as small as the tests' a second thread only waits, at full load
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@pytest.fixture(autouse=True, scope="session")
def _uncollected() -> Iterator[None]:
    """Statsmodels collects garbage at every call, which takes long in a process as large as that of the tests."""
    with mock.patch("gc.collect"):
        yield


@pytest.fixture
def mirror() -> Path:
    """Folder of the data mirror; the test is skipped where it is absent."""
    named = os.environ.get("CONSCLUST_DATA_MIRROR")
    if not named or not Path(named).is_dir():
        pytest.skip("needs the data mirror: set CONSCLUST_DATA_MIRROR to its folder")
    return Path(named)
