"""Carry kept labels of an earlier commit over to the present form: renumbered, under present specs, with stamps.

    python benchmarks/renumber_kept_labels.py EARLIER --study rce ec_cms

EARLIER is a clone of the project at the commit whose labels are kept, with the engine still in ``src/concord``. Base
clusterings of the studies must be there, ``snakemake --until base_clusterings -- rce ec_cms``: a stamp names the
content that labels were made from. Nothing is fitted. A file is carried over if the earlier plan still asks for its
very spec, and if the present spec has the same parameters, grid, race, seed and names; any other file is left out and
counted.

The numbers of clusters are those of their first appearance, as methods give them now. The versions are those that the
accepted report names, since earlier outputs had none.
"""

import argparse
import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from consclust.errors import InputError
from consclust.numerics.numbering import renumber
from consclust.validation import read_yaml
from consclust_studies.config.settings import CONFIG_FILE
from consclust_studies.contents import MARKS, Marks
from consclust_studies.kinds import KINDS
from consclust_studies.plan import needs
from consclust_studies.plan.accepted import Kept, locate_archive, pack_arrays, unpack, write_archive
from consclust_studies.plan.jobs import PlannedJob
from consclust_studies.plan.load import load_plan
from consclust_studies.plan.plan import Plan
from consclust_studies.runner import digest_inputs
from consclust_studies.stamps import PACKAGES, Stamp

SPECS = """
import json, sys
from concord.plan.accepted import planned_fits
from concord.plan.costs import planned
plan, _ = planned([])
found = {}
for study in sys.argv[1:]:
    found[study] = {file: one.spec for fits in planned_fits(plan, study).values() for one in fits for file in one.files}
json.dump(found, sys.stdout)
"""
"""What the earlier clone is asked: the spec of each file that it plans."""
SAME = ("study", "case", "method_id", "method", "parameters", "grid", "race", "default", "seed")
"""What specs of both commits have."""


def ask_earlier(earlier: Path, studies: list[str]) -> dict[str, dict[str, str]]:
    """Return the specs that the earlier commit plans, by study and file."""
    command = [sys.executable, "-c", SPECS, *studies]
    done = subprocess.run(
        command, cwd=earlier, env={"PYTHONPATH": "src", "PATH": ""}, capture_output=True, text=True, check=True
    )
    found: dict[str, dict[str, str]] = json.loads(done.stdout)
    return found


def read_files(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the files of an archive."""
    with tarfile.open(path) as archive:
        for member in archive:
            if stream := archive.extractfile(member):
                yield member.name, stream.read()


def read_spec(name: str, content: bytes) -> str:
    """Return the JSON text of the spec in a file."""
    if name.endswith(".json"):
        return str(json.loads(content)["spec"])
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return str(arrays["spec"][()])


def find_differing_keys(earlier: str, job: PlannedJob) -> list[str]:
    """Return the keys in which an earlier spec and the present one differ."""
    before = json.loads(earlier)
    now = json.loads(job.spec.json_text)
    return [key for key in SAME if before.get(key) != now.get(key)]


def carry_over(name: str, content: bytes, marks: Marks) -> Kept:
    """Return a file in the present form."""
    if name.endswith(".json"):
        from consclust.files import read_record, write_record

        record = json.loads(content)
        del record["checksum"]
        scratch = Path("results/.previous/renumbered.json")
        write_record(scratch, {**record, **marks.texts()})
        read_record(scratch)
        return Kept(marks, scratch.read_bytes())
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        kept: dict[str, Any] = {key: arrays[key] for key in arrays.files if key not in MARKS}
    kept["labels"] = renumber(kept["labels"])
    return Kept(marks, pack_arrays({**kept, **marks.texts()}))


def find_job(plan: Plan, name: str) -> PlannedJob | None:
    """Return the planned job that makes a file of labels, seconds or a race; blocks may be of another size."""
    try:
        return plan.find_maker(name)
    except (InputError, KeyError, StopIteration, ValueError):
        return None


def renumber_study(plan: Plan, earlier: Path, study: str, planned: Mapping[str, str]) -> None:
    """Write the archives of a study anew."""
    stamp = read_stamp(study)
    specs = set(planned.values())
    total = 0
    left_out: list[str] = []
    for path in sorted((earlier / "reports/accepted" / study / "consensus").glob("*.tar.xz")):
        case = path.name.removesuffix(".tar.xz")
        files = dict(read_files(path))
        kept = renumber_case(plan, files, specs, stamp)
        left_out += [name for name in files if name not in kept]
        write_archive(locate_archive(study, case), kept)
        total += len(kept)
        print(f"{case}: {len(kept)} of {len(files)} files", flush=True)
    print(f"{study}: {total} files carried over, {len(left_out)} left out")
    for name in left_out:
        print(f"  {name}")


def read_stamp(study: str) -> Stamp:
    """Return the stamp of earlier labels, with the versions that the accepted report names, without inputs."""
    provenance = json.loads((needs.ACCEPTED / study / "provenance.json").read_text())
    commit = provenance["commit"]["commit"][:7]
    return Stamp(
        versions={
            name: text for name, text in provenance["versions"].items() if name in (*PACKAGES, "python") and text
        },
        inputs="",
        note=f"made by {commit} or before; versions as its report named them; renumbered since",
    )


def renumber_case(plan: Plan, files: Mapping[str, bytes], specs: set[str], stamp: Stamp) -> dict[str, Kept]:
    """Return the files of a case that are carried over, in the present form."""
    races = {Path(name).stem for name in files if "/races/" in name}
    kept: dict[str, Kept] = {}
    for name, content in files.items():
        spec = read_spec(name, content)
        job = find_job(plan, name)
        if spec not in specs or job is None or find_differing_keys(spec, job):
            continue
        inputs = digest_inputs(KINDS[job.kind], job.to_file(job.inputs, job.outputs))
        own_stamp = stamp.model_copy(update={"inputs": inputs})
        kept[name] = carry_over(name, content, Marks(job.spec.json_text, own_stamp))
        # a race reads the first labels, the fits after it read the race: these inputs must lie among the results
        if Path(name).stem in races or Path(name).parent.name in races:
            unpack(Path(name), kept[name].content, kept[name].marks)
    return kept


def main() -> None:
    """Carry over the labels of the studies that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("earlier", type=Path, help="clone at the earlier commit")
    parser.add_argument("--study", nargs="+", default=["rce", "ec_cms"])
    options = parser.parse_args()
    plan = load_plan(read_yaml(CONFIG_FILE))
    specs = ask_earlier(options.earlier, options.study)
    for study in options.study:
        renumber_study(plan, options.earlier, study, specs[study])


if __name__ == "__main__":
    main()
