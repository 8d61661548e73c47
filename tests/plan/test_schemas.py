"""The JSON schemas beside the workflow, for editors; renew them with ``python -m concord.plan.schemas``."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from concord.plan.schemas import SCHEMAS, write_schemas

ROOT = Path(__file__).parents[2]
FILES = [
    ("config", ROOT / "config/config.yaml"),
    ("datasets", ROOT / "config/datasets.yaml"),
    *(("study", path) for path in sorted((ROOT / "config/studies").glob("*/study.yaml"))),
]


def read(folder, name):
    return json.loads((folder / f"{name}.schema.json").read_text())


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schemas_are_in_sync(name, tmp_path):
    write_schemas(tmp_path)
    assert read(ROOT / "workflow/schemas", name) == read(tmp_path, name)


@pytest.mark.parametrize(("name", "path"), FILES, ids=[path.parent.name + "/" + path.stem for _, path in FILES])
def test_the_schemas_accept_the_files(name, path, tmp_path):
    write_schemas(tmp_path)
    content = yaml.safe_load(path.read_text())
    jsonschema.validate(content, read(tmp_path, name))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**content, "no such key": 1}, read(tmp_path, name))
