"""Make ``config/board.yaml`` from a list of labelled data sets.

Call it as ``python studies/leaderboard/make_registry.py board.json`` in the folder of the project.

``board.json`` is the list that was compiled for the study, with addresses, checksums and facts of each set. Nothing in
the project reads it again: what is needed stands in the registry that this script writes.
"""

import json
import sys
from pathlib import Path
from typing import Any

import yaml

OUT = Path("config/board.yaml")
SEED = 20150725
"""By which the objects of every set are shuffled."""
FORMATS = {"zlib_json": "packed_json", "zip_npy": "zipped_arrays", "gz_text": "gz_text", "arff": "arff_coded"}
"""The reader of each format of the list; pools and MATLAB files are written below."""
LARGEST_CHANCE = 0.05
"""ARI of k-means with the number of classes below which the classes are taken for no clusters."""
SUSPECT = {
    "weather": "k-means has an ARI of exactly 1.00, and the origin of the classes is not documented",
    "smoker": "k-means has an ARI above .93, and the origin of the classes is not documented",
}
UNITS = ("image", "text", "gene expression")
"""Domains whose features are in one unit: grey values, weights of words, intensities of genes."""
OTHER_UNITS = ("spambase",)
"""Sets of these domains whose features are in several units: lengths of words beside shares of words."""
NAMES_OF_DROPPED = {"vowel": ("Train or Test", "Speaker Number", "Sex")}
"""The attributes that ``reader.drop`` of the list numbers."""
HEAD = """\
# Labelled data sets for comparisons of methods, each entry as in datasets.yaml. Made by
# studies/leaderboard/make_registry.py, not edited by hand; studies/leaderboard/protocol.md says how they are used.
# Every file is the unchanged file of a public repository at one commit.

"""


def main(source: Path) -> None:
    """Write the registry."""
    entries = {entry["id"]: make_entry(entry) for entry in json.loads(source.read_text(encoding="utf-8"))}
    text = yaml.safe_dump(entries, sort_keys=False, width=120, allow_unicode=True)
    OUT.write_text(HEAD + text, encoding="utf-8")
    print(f"{OUT}: {len(entries)} data sets")


def make_entry(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the entry of the registry for a data set of the list."""
    made: dict[str, Any] = {"title": entry["id"], "shape": [entry["n"], entry["d"] or 0, entry["k"]]}
    if entry["reader"]["format"] == "mat_pool":
        (file,) = entry["files"]
        made["ensembles"] = {
            "pool": {"file": make_file(file), "variable": "members", "classes": "gt", "runs": entry["runs"]}
        }
    else:
        made["reader"] = make_reader(entry)
        made["files"] = [make_file(file) for file in entry["files"]]
        made["preprocessing"] = [] if shares_unit(entry) else ["zscore"]
    # the label of noise is declared by a whole collection, also where no object has it
    if entry["noise_objects"]:
        made["noise"] = [str(entry["noise_label"])]
    made["shuffle"] = SEED
    made["licence"] = entry["licence_note"]
    made["source"] = f"github.com/{entry['source_repo']} at {entry['commit'][:7]}"
    made["note"] = entry["about"]
    made["card"] = make_card(entry)
    return made


def make_reader(entry: dict[str, Any]) -> dict[str, Any]:
    """Return how the files of a data set are read."""
    kind = entry["reader"]["format"]
    if kind == "mat":
        return {"format": "mat", "features": "data", "classes": "target"}
    reader: dict[str, Any] = {"format": FORMATS[kind]}
    if dropped := entry["reader"].get("drop"):
        names = NAMES_OF_DROPPED[entry["id"]]
        assert len(names) == len(dropped)
        reader["drop"] = list(names)
    return reader


def make_file(file: dict[str, Any]) -> dict[str, Any]:
    """Return a file with its address and checksum."""
    return {
        "name": file["name"].replace(" ", "_").replace(",", ""),
        "urls": [file["raw_url"]],
        "sha256": file["sha256"],
        "bytes": file["bytes"],
        "mirror": file["mirror"],
    }


def shares_unit(entry: dict[str, Any]) -> bool:
    """Whether all features of a data set are in one unit: coordinates of points, or those of :data:`UNITS`."""
    is_made_of_points = entry["domain"].endswith("-D synthetic")
    return is_made_of_points or (entry["domain"] in UNITS and entry["id"] not in OTHER_UNITS)


def make_card(entry: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of a data set and changes no result; facts that are false or empty are left out."""
    checks = entry["checks"]
    is_pool = entry["reader"]["format"] == "mat_pool"
    facts = {
        "domain": entry["domain"],
        "synthetic": entry["regime"] == "synthetic",
        "sorted_by_class": entry["order_sorted"],
        "shared_unit": not is_pool and shares_unit(entry),
        "overlaps": find_overlap(entry),
        "references": [make_reference(reference) for reference in entry["references"]],
        "unclusterable": not is_pool
        and entry["regime"] == "real"
        and max(checks["kmeans_ari_raw"], checks["kmeans_ari_zscore"]) < LARGEST_CHANCE,
        "suspect": SUSPECT.get(entry["id"], ""),
    }
    return {name: value for name, value in facts.items() if value}


def find_overlap(entry: dict[str, Any]) -> str | None:
    """Return the data set that shares most objects with one that is not independent."""
    if entry["independent"]:
        return None
    other = entry["same_values_registered"] or entry["overlap"]["with"]
    return str(other)


def make_reference(reference: dict[str, Any]) -> dict[str, int]:
    """Return the number of classes of a reference labeling, and of its noise objects where there are any."""
    made = {"classes": reference["k"]}
    if reference["noise_objects"]:
        made["noise"] = reference["noise_objects"]
    return made


if __name__ == "__main__":
    main(Path(sys.argv[1]))
