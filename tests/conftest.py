import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def mirror() -> Path:
    """Folder of the data mirror; the test is skipped where it is absent."""
    named = os.environ.get("CONCORD_DATA_MIRROR")
    if not named or not Path(named).is_dir():
        pytest.skip("needs the data mirror: set CONCORD_DATA_MIRROR to its folder")
    return Path(named)
