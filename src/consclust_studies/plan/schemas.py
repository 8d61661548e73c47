"""Write the JSON schemas of the configuration files: ``python -m consclust_studies.plan.schemas``."""

import json
from pathlib import Path

from pydantic import BaseModel

from consclust.datasets.registry import Registry
from consclust.files import write_text
from consclust_studies.config.paper import Ledger
from consclust_studies.config.settings import Settings
from consclust_studies.config.study import Study

JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"
SCHEMAS: dict[str, type[BaseModel]] = {"config": Settings, "study": Study, "claims": Ledger, "datasets": Registry}


def write_schemas(folder: Path = Path("workflow/schemas")) -> None:
    """Write the JSON schemas of the configuration files, for editors that complete and check YAML."""
    for name, model in SCHEMAS.items():
        schema = {**model.model_json_schema(), "$schema": JSON_SCHEMA}
        write_text(folder / f"{name}.schema.json", json.dumps(schema, indent=2) + "\n")


if __name__ == "__main__":
    write_schemas()
