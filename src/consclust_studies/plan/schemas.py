"""Write the JSON schemas of the configuration files, and the reference that is made from them.

``python -m consclust_studies.plan.schemas``, or ``make schemas``.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from consclust.datasets.registry import Registry
from consclust.files import write_text
from consclust_studies.config.paper import Ledger
from consclust_studies.config.settings import Settings
from consclust_studies.config.study import Study
from consclust_studies.paths import STUDIES
from consclust_studies.plan.reference import TEMPLATE, render

JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"
SCHEMAS: dict[str, type[BaseModel]] = {"config": Settings, "study": Study, "claims": Ledger, "datasets": Registry}
REFERENCE = Path("config/README.md")


def schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return the JSON schemas of the configuration files, for editors that complete and check YAML."""
    return {name: {**model.model_json_schema(), "$schema": JSON_SCHEMA} for name, model in SCHEMAS.items()}


def reference() -> str:
    """Return the reference of the configuration, a page in Markdown."""
    return render(schemas(), TEMPLATE.read_text(encoding="utf-8"), STUDIES=STUDIES)


def write_schemas(folder: Path = Path("workflow/schemas")) -> None:
    """Write the JSON schemas."""
    for name, schema in schemas().items():
        write_text(folder / f"{name}.schema.json", json.dumps(schema, indent=2) + "\n")


if __name__ == "__main__":
    write_schemas()
    write_text(REFERENCE, reference())
