"""The JSON schemas beside the workflow, for editors; renew them with ``python -m consclust_studies.plan.schemas``."""

import json
from pathlib import Path

import jsonschema
import pytest

from consclust.validation import read_yaml
from consclust_studies.plan.schemas import SCHEMAS, write_schemas

ROOT = Path(__file__).parents[2]
FILES = [
    ("config", ROOT / "config/config.yaml"),
    ("datasets", ROOT / "config/datasets.yaml"),
    *((name, path) for name in ("study", "claims") for path in sorted((ROOT / "studies").glob(f"*/{name}.yaml"))),
]


def read(folder, name):
    return json.loads((folder / f"{name}.schema.json").read_text())


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("schemas")
    write_schemas(folder)
    return folder


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schemas_are_in_sync(name, made):
    jsonschema.Draft202012Validator.check_schema(read(made, name))
    assert read(ROOT / "workflow/schemas", name) == read(made, name)


@pytest.mark.parametrize(("name", "path"), FILES, ids=[path.parent.name + "/" + path.stem for _, path in FILES])
def test_the_schemas_accept_the_files(name, path, made):
    content, schema = read_yaml(path), jsonschema.Draft202012Validator(read(made, name))
    schema.validate(content)
    assert not schema.is_valid({**content, "no such key": 1})
