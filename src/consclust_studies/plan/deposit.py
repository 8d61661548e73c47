"""The entry of the registry for kept labels that a release deposits: ``python -m consclust_studies.plan.deposit``.

Write the id of a study and the address of the folder where its archives will be. The entry goes to the end of
config/datasets.yaml; docs/releases.md says more.
"""

from collections.abc import Sequence

import yaml

from consclust.datasets.registry import Registry
from consclust.errors import InputError
from consclust.files import sha256
from consclust.validation import parse
from consclust_studies.plan import needs
from consclust_studies.plan.costs import run


def make_entry(study: str, address: str) -> str:
    """Return the entry of the archives of a study as YAML; :class:`InputError` if it has none, or for a bad address."""
    archives = sorted(needs.locate_kept(study).glob("*.tar.xz"))
    if not archives:
        raise InputError(f"{needs.locate_kept(study)}: no archives of labels; make them: make keep STUDY={study}")
    name = f"labels_of_{study}"
    files = [
        {
            "name": path.name,
            "urls": [f"{address.rstrip('/')}/{path.name}"],
            "sha256": sha256(path),
            "bytes": path.stat().st_size,
            "mirror": f"{name}/{path.name}",
        }
        for path in archives
    ]
    entry = {
        "title": f"Consensus labels of the accepted run of {study}",
        "reader": {"format": "archive"},
        "files": files,
        "licence": "that of this project",
        "source": "made by this project",
    }
    parse(Registry, {name: entry}, "the entry")
    return yaml.safe_dump({name: entry}, sort_keys=False, width=120)


def main(words: Sequence[str]) -> None:
    """Print the entry of a study."""
    if len(words) != 2:
        raise InputError("write a study and an address: python -m consclust_studies.plan.deposit rce https://...")
    study, address = words
    print(f"\n{make_entry(study, address)}", end="")


if __name__ == "__main__":
    run(main, __doc__, "STUDY ADDRESS")
