"""Consensus labels of accepted runs: kept in archives, one for each case, and put back, so that no method runs again.

``python -m consclust_studies.plan.accepted keep STUDY``, or ``make keep STUDY=...``, and the same with ``restore``. The
labels of a case can be kept before all its jobs are done: a run that goes on from them fits only what is left. Blocks
of subsets that have another size by now are cut anew.
"""

import io
import json
import lzma
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.errors import InputError
from consclust.files import read_arrays, read_record, write_arrays, write_record, write_text, written_whole
from consclust_studies.config.settings import CONFIG_FILE
from consclust_studies.plan import needs
from consclust_studies.plan.costs import START, planned, run
from consclust_studies.plan.plan import Plan
from consclust_studies.results.runtimes import measured
from consclust_studies.stages.cutting import cut_labels, cut_record

RUNTIME = ".runtime.json"
BYTES_A_SECOND = 4000
"""Most bytes of labels that are kept for a CPU second of their jobs; others are sooner made anew."""


class Kept(NamedTuple):
    """A file in an archive."""

    spec: str
    content: bytes

    @classmethod
    def of(cls, name: str, content: bytes) -> "Kept":
        """Return a file with the JSON text of the spec that is in it; ValueError or KeyError if there is none."""
        if name.endswith(".json"):
            return cls(str(json.loads(content)["spec"]), content)
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return cls(str(arrays["spec"][()]), content)


class Fits(NamedTuple):
    """All fits of a method on a case: the JSON text of the spec that is planned, and their files."""

    spec: str
    files: tuple[str, ...]
    """In the order in which they are made: a race is younger than its first blocks and older than the others."""

    def among(self, kept: Mapping[str, Kept]) -> dict[str, Kept]:
        """Return the files that belong to these fits and their spec, cut anew where only other blocks are kept."""
        own = {name: file for name, file in kept.items() if file.spec == self.spec}
        found = ((name, own.get(name) or self._cut(name, own)) for name in self.files)
        return {name: file for name, file in found if file}

    def _cut(self, name: str, own: Mapping[str, Kept]) -> Kept | None:
        """Return a block of subsets cut out of others of these fits; None if they do not hold all of it."""
        subsets, kind = _subsets(name), _kind(name)
        holders = {subset: other for other in own if _kind(other) == kind for subset in _subsets(other)}
        if not subsets or not holders.keys() >= set(subsets):
            return None
        contents = [own[holder].content for holder in dict.fromkeys(holders[subset] for subset in subsets)]
        cut = _cut_record if kind == RUNTIME else _cut_labels
        return Kept(self.spec, cut(contents, subsets))

    def made(self) -> dict[str, Kept]:
        """Return the files that are there; none, if they take too much room for their seconds."""
        paths = [Path(name) for name in self.files if Path(name).is_file()]
        records = [read_record(path) for path in paths if path.name.endswith(RUNTIME)]
        seconds = sum(START + sum(map(sum, record["cpu_seconds"])) for record in records)
        if sum(path.stat().st_size for path in paths) > BYTES_A_SECOND * seconds:
            return {}
        return {str(path): Kept.of(path.name, _packed(path)) for path in paths}


def archive_of(study: str, case: str) -> Path:
    """Return the archive of the consensus labels of a case."""
    return needs.kept(study) / f"{case}.tar.xz"


def planned_fits(plan: Plan, study: str) -> dict[str, list[Fits]]:
    """Return for each case, those of the variants too, the fits of each method."""
    found: dict[str, dict[Fits, None]] = {}
    for view in (plan.runs[study], *plan.runs[study].of_variants()):
        for case, method in [(one, method) for one in view.cases for method in view.runs(one)]:
            files: list[str] = []
            runtimes = plan.label_files(study, case, method, RUNTIME)
            for labels, runtime in zip(plan.label_files(study, case, method), runtimes, strict=True):
                files += *plan.race_file(study, case.id, method.id, Path(labels).stem), labels, runtime
            spec = plan.consensus(study, case.id, method.id).json_text
            found.setdefault(case.id, {})[Fits(spec, tuple(dict.fromkeys(files)))] = None
    return {case: [*fits] for case, fits in found.items()}


def keep(plan: Plan, study: str) -> None:
    """Write the archives of a study; what an archive has, and the run has not, stays in it if its spec is planned."""
    for case, methods in planned_fits(plan, study).items():
        path = archive_of(study, case)
        before = _read(path)
        kept = {name: file for fits in methods for name, file in fits.among(before | fits.made()).items()}
        if kept:
            _write(path, kept)
            print(f"{path}: {len(kept)} of {sum(len(fits.files) for fits in methods)} files")
        else:
            path.unlink(missing_ok=True)
    keep_seconds(plan, study)


def keep_seconds(plan: Plan, study: str) -> None:
    """Write what the variants took, for `make plan`: of each method of which all fits on a case are there."""
    import pandas as pd

    path = needs.kept(study) / "runtime.csv"
    found = [pd.read_csv(path)] if path.is_file() else []
    for view in plan.runs[study].of_variants():
        runs = [(case, method) for case in view.cases for method in view.runs(case)]
        files = {run.id: [Path(name) for name in plan.label_files(study, case, run, RUNTIME)] for case, run in runs}
        done = tuple(run for run in view.methods if all(map(Path.is_file, files[run.id])))
        records = [read_record(file) for file in dict.fromkeys(file for run in done for file in files[run.id])]
        if done:
            found.append(measured(view.model_copy(update={"methods": done}), records))
    if found:
        table = pd.concat(found).drop_duplicates(["case", "method"], keep="last")
        write_text(path, table.to_csv(index=False, float_format="%.6f"))


def restore(plan: Plan, study: str) -> list[str]:
    """Put back the consensus labels of a study that are not there, and return their files.

    Those of another spec stay in the archive.
    """
    put_back: list[str] = []
    for case, methods in planned_fits(plan, study).items():
        path, base = archive_of(study, case), Path(plan.ensemble_file(study, plan.runs[study].case(case)))
        kept = _read(path)
        if kept and not base.is_file():
            # Snakemake makes labels anew that are older than their base clusterings
            raise InputError(f"{base}: no such file; run `snakemake --cores 2 --until base_clusterings {study}` first")
        wanted = {name: file for fits in methods for name, file in fits.among(kept).items()}
        missing = {Path(name): file for name, file in wanted.items() if not Path(name).exists()}
        for place, file in missing.items():
            _unpack(place, file.content)
        put_back += map(str, missing)
        if kept:
            others = sum(file.spec not in {fits.spec for fits in methods} for file in kept.values())
            print(f"{path}: {len(missing)} files put back, {others} of other settings left")
    return put_back


def record(files: Sequence[str]) -> None:
    """Tell Snakemake that files were made with the present settings: it does not see otherwise that one changes."""
    touch = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all", "--touch", "--force"]
    if files:
        subprocess.run([*touch, "--allowed-rules", "consensus", "race", "--", *files], check=True)


def _kind(name: str) -> str:
    return RUNTIME if name.endswith(RUNTIME) else Path(name).suffix


def _subsets(name: str) -> range:
    """Return the subsets of the block that a file of labels or seconds is named after; none for another file."""
    block = re.fullmatch(r"(\d+)-(\d+)", Path(name).name.removesuffix(_kind(name)))
    return range(int(block[1]), int(block[2]) + 1) if block else range(0)


def _cut_labels(contents: Sequence[bytes], subsets: Sequence[int]) -> bytes:
    return _npz(cut_labels([_arrays(content) for content in contents], subsets))


def _cut_record(contents: Sequence[bytes], subsets: Sequence[int]) -> bytes:
    records = [json.loads(content) for content in contents]
    for record in records:
        del record["checksum"]
    with TemporaryDirectory() as folder:
        path = Path(folder, "record.json")
        write_record(path, cut_record(records, subsets))
        return path.read_bytes()


def _packed(path: Path) -> bytes:
    """Return a file's content, arrays without their compression: an archive of many is smaller then."""
    return path.read_bytes() if path.suffix == ".json" else _npz(read_arrays(path))


def _unpack(path: Path, content: bytes) -> None:
    if path.suffix == ".json":
        write_text(path, content.decode())
    else:
        write_arrays(path, **_arrays(content))


def _npz(arrays: Mapping[str, npt.ArrayLike]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _arrays(content: bytes) -> dict[str, npt.NDArray[Any]]:
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return dict(arrays)


def _read(path: Path) -> dict[str, Kept]:
    if not path.is_file():
        return {}
    try:
        with tarfile.open(path) as archive:
            streams = ((member.name, archive.extractfile(member)) for member in archive)
            return {name: Kept.of(name, stream.read()) for name, stream in streams if stream}
    except (tarfile.TarError, lzma.LZMAError, zipfile.BadZipFile, EOFError, OSError, ValueError, KeyError) as error:
        raise InputError(f"{path}: not a readable archive ({error}); take it from the repository again") from None


def _write(path: Path, kept: Mapping[str, Kept]) -> None:
    """Write an archive; equal files give equal bytes."""
    with written_whole(path) as temporary, tarfile.open(temporary, "w:xz", preset=9) as archive:
        for name, file in kept.items():
            member = tarfile.TarInfo(name)
            member.size = len(file.content)
            archive.addfile(member, io.BytesIO(file.content))


def main(words: Sequence[str]) -> None:
    """Keep or restore the labels of the studies that are named."""
    if len(words) < 2 or words[0] not in {"keep", "restore"}:
        raise InputError("write keep or restore, and a study: make keep STUDY=ec_cms")
    plan, studies = planned(words[1:])
    for study in studies:
        if plan.run_of[study] != study:
            raise InputError(f"{CONFIG_FILE}: {study} is restricted; set datasets, methods and subsets to null")
        if words[0] == "keep":
            keep(plan, study)
        else:
            record(restore(plan, study))


if __name__ == "__main__":
    run(main, __doc__, "keep|restore|STUDY")
