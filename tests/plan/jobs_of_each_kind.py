"""One job of each kind on tiny data: its entry points, its parameters, and a function that runs it.

As a program it runs all of them and prints, as JSON, which functions of the packages each has entered. Kernels are to
be run as plain Python then (``NUMBA_DISABLE_JIT=1``).
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from consclust_studies.code.fingerprint import SOMETHING

PACKAGES = ("consclust", "consclust_studies")
sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "reports")]  # as a program


class Job(NamedTuple):
    entries: tuple[str, ...]
    parameters: dict[str, dict[str, Any]]
    prepare: Callable[[Path], Callable[[], object]]
    """Makes what the job reads, and returns a function that runs it."""


# ---------------------------------------------------------------------- prepared data sets

PREPARE = "consclust_studies.stages.prepare.prepare"
TABLE = b"1,0,b\n3,4,a\n6,8,b\n"
ARFF = b"@relation r\n@attribute x real\n@attribute y real\n@attribute c {b,a}\n@data\n{0 3,1 4,2 a}\n{}\n{1 5}\n"
KEEL = b"@relation r\n@attribute x real\n@attribute c {a, b}\n@outputs c\n@data\n1, a\n2, b\n3, b\n"


def of_dataset(reader: dict[str, Any], content: bytes | None, steps: tuple[str, ...], *names: str) -> Job:
    def prepare(folder: Path) -> Callable[[], object]:
        from consclust.datasets.registry import DatasetSpec
        from consclust_studies.stages.prepare import PrepareJob
        from consclust_studies.stages.prepare import prepare as run

        files = [] if content is None else [{"name": "toy.data"}]
        entry = DatasetSpec(title="Toy", reader=reader, files=files, licence="-", source="-")
        raw = [folder / "toy.data"] if files else []
        if content is not None:
            raw[0].write_bytes(content)
        job = PrepareJob.make("toy", entry, steps)
        return lambda: run(job, raw, folder / "toy.npz")

    given = {"classes": [None], "sample": [None], "shape": [None], "reader": [SOMETHING]}
    return Job((PREPARE, *names), {"consclust.datasets.prepared.Recipe": given}, prepare)


# ---------------------------------------------------------------------- base clusterings

MAKE, ENSEMBLE_JOB = (f"consclust_studies.stages.base_clusterings.{name}" for name in ("make", "EnsembleJob"))


def of_ensemble(kind: str, *names: str, **changes: Any) -> Job:
    def prepare(folder: Path) -> Callable[[], object]:
        from consclust.datasets.prepared import Dataset
        from consclust_studies.stages.base_clusterings import EnsembleJob, make

        X = np.random.default_rng(0).normal(size=(24, 3)) + np.repeat(np.arange(3), 8)[:, None] * 4
        dataset = Dataset(X, np.repeat(np.arange(3), 8), ("a", "b", "c"))
        split = {"runs": 12, "subset_size": 6, "draws": None, "draw_seed": None, "seed": 1, "max_iter": 100}
        job = EnsembleJob(**{"data": "", "pool": ("s", "c"), "algorithm": kind, **split, **changes})
        return lambda: make(job, dataset, None, folder / "ensemble.npz")

    given = {ENSEMBLE_JOB: {"algorithm": [kind], "seed": [1], "max_iter": [100], "ready": [None], **as_values(changes)}}
    return Job((MAKE, *names), given, prepare)


def as_values(parameters: dict[str, Any]) -> dict[str, list[Any]]:
    return {name: [value] for name, value in parameters.items()}


def ready_made(folder: Path) -> Callable[[], object]:
    from consclust.datasets.prepared import Dataset
    from consclust.datasets.registry import ReadyMadeEnsemble
    from consclust_studies.stages.base_clusterings import EnsembleJob, make

    y = np.repeat(np.arange(3), 4)
    lines = ["a,b,c,d", *(f"{k},{(k + i) % 3},{i % 2},{k}" for i, k in enumerate(y))]
    path = folder / "pool.csv"
    path.write_text("\n".join(lines))
    entry = ReadyMadeEnsemble(file={"name": "pool.csv"})
    split = {"runs": 4, "subset_size": 2, "draws": 3, "draw_seed": 1}
    job = EnsembleJob(data="", pool=("s", "c"), algorithm="ready-made", ready=entry, **split)
    dataset = Dataset(np.zeros((12, 0)), y, ("a", "b", "c"))
    return lambda: make(job, dataset, path, folder / "ensemble.npz")


# ---------------------------------------------------------------------- consensus


def method_class(name: str) -> str:
    from consclust import methods

    return f"{methods.load(name).__module__}.{name}"


def of_method(name: str, **parameters: Any) -> Job:
    """A method on small data, with and without missing labels."""

    def prepare(folder: Path) -> Callable[[], object]:
        from consclust.testing import features_of, l30
        from consclust_studies.stages.consensus import ConsensusJob, fit_subsets
        from consclust_studies.stages.stored_ensembles import StoredEnsemble, split

        labels = np.tile(l30(), 2)
        features = features_of(labels)
        partial = labels.copy()
        partial[3, 1] = -1
        job = ConsensusJob(
            study="s", case="c", method_id=name, method=name, parameters=parameters, seed=5, ensemble="-"
        )
        stored = [StoredEnsemble(given, np.repeat(np.arange(3), 10), split(16, 8)) for given in (labels, partial)]

        def fit() -> None:
            for given in stored:
                fit_subsets(job, [0], given, features)

        return fit

    cls = method_class(name)
    return Job(("consclust_studies.stages.consensus.fit_subsets", cls), {cls: as_values(parameters)}, prepare)


FEW: dict[str, dict[str, Any]] = {
    "BCE": {"n_init": 1, "max_outer": 2, "max_inner": 3},
    "BaumEagon": {"n_init": 2},
    "ECCMS": {"max_iter": 3},
    "PEACE": {"n_init": 1},
    "RCE": {"max_outer": 2, "max_inner": 2},
    "RMSC": {"max_iter": 5},
}
"""Fewer iterations of the methods that take long as plain Python."""


def of_all_methods() -> dict[str, Job]:
    from consclust import methods

    return {f"consensus {name}": of_method(name, **FEW.get(name, {})) for name in methods.names()}


# ---------------------------------------------------------------------- scores

N, SUBSETS, SIZE = 12, 4, 2
Y = np.repeat([0, 1, 2], N // 3)
GRID = {"grid": {"lambda1": [0.1, 1.0]}, "default": {"lambda1": 1.0}}


def small_study() -> Any:
    from consclust_studies.config.experiment import Experiment

    return Experiment.model_validate(
        {
            "id": "tiny",
            "cases": ["iris"],
            "ensemble": {"runs": SUBSETS * SIZE, "subset_size": SIZE},
            "methods": ["KC", {"method": "RCE", **GRID}],
            "metrics": ["ACC", "NMI"],
        }
    )


def write_block(path: Path, spec: str, points: int) -> Path:
    shape = (SUBSETS, points, 2, N)
    labels = np.random.default_rng(points).integers(0, 3, shape)
    np.savez_compressed(
        path,
        labels=labels.astype(np.int16),
        chosen=np.ones(shape[:2], dtype=int),
        left_out=np.zeros(shape[:2], dtype=bool),
        subsets=np.arange(SUBSETS),
        spec=np.array(spec),
        failures=np.array("[]"),
        notes=np.array(json.dumps([{"subset": 0, "point": 0, "note": "a note"}])),
        iterations=np.ones(shape[:2], dtype=int),
        converged=np.ones(shape[:2], dtype=bool),
    )
    return path


def write_ensemble(folder: Path) -> Path:
    from consclust_studies.stages.stored_ensembles import save, split

    labels = np.random.default_rng(0).integers(0, 3, (N, SUBSETS * SIZE))
    save(folder / "ensemble.npz", labels, Y, split(SUBSETS * SIZE, SIZE), {"spec": "{}"})
    return folder / "ensemble.npz"


def score_files(folder: Path) -> tuple[Any, Path, list[Path]]:
    from consclust_studies.specs import digest_spec as digest
    from consclust_studies.stages.score import ScoredMethod, ScoreJob

    study = small_study()
    blocks = [write_block(folder / f"{run.id}.npz", f'{{"m":"{run.id}"}}', len(run.points)) for run in study.methods]
    job = ScoreJob(
        study=study.id,
        case="iris",
        ensemble=digest("{}"),
        n_subsets=SUBSETS,
        base_clusterings=study.base_clusterings,
        metrics=study.metrics,
        methods=tuple(
            ScoredMethod(id=run.id, grid=run.grid, labels=digest(f'{{"m":"{run.id}"}}')) for run in study.methods
        ),
    )
    return job, write_ensemble(folder), blocks


def score(folder: Path) -> Callable[[], object]:
    from consclust_studies.stages.score import score_case

    job, ensemble, blocks = score_files(folder)
    return lambda: score_case(job, ensemble, blocks, folder / "scores.parquet")


def race(folder: Path) -> Callable[[], object]:
    from consclust_studies.config.race import Race
    from consclust_studies.specs import digest_spec as digest
    from consclust_studies.stages.consensus import ConsensusJob
    from consclust_studies.stages.races import run_race

    job = ConsensusJob(
        study="tiny",
        case="iris",
        method_id="RCE",
        method="RCE",
        parameters={},
        seed=0,
        ensemble=digest("{}"),
        race=Race(metric="NMI", subsets=SUBSETS, points=1),
        **{key: {name: tuple(v) if key == "grid" else v for name, v in own.items()} for key, own in GRID.items()},
    )
    block = write_block(folder / "RCE.npz", job.json_text, 2)
    ensemble = write_ensemble(folder)
    return lambda: run_race(job, ensemble, [block], folder / "race.json")


def collect(folder: Path) -> Callable[[], object]:
    from consclust_studies.stages.collect import CollectJob, reduce_to_scored
    from consclust_studies.stages.collect import collect as run
    from consclust_studies.stages.score import score_case

    scored, ensemble, blocks = score_files(folder)
    score_case(scored, ensemble, blocks, folder / "iris.parquet")
    job = CollectJob(experiments=(reduce_to_scored(small_study()),), scores={"iris": scored.digest})
    names = ("scores.parquet", "scores.csv", "selected.parquet", "selected.csv")
    return lambda: run(job, [folder / "iris.parquet"], {name: folder / name for name in names})


def unseen(folder: Path) -> Callable[[], object]:
    from consclust.datasets.prepared import Dataset
    from consclust_studies.config.experiment import Experiment
    from consclust_studies.stages.unseen_objects import UnseenJob, reduce_to_unseen, write_scores

    X = np.random.default_rng(0).normal(size=(60, 3)) + np.repeat(np.arange(3), 20)[:, None] * 4
    dataset = Dataset(X, np.repeat(np.arange(3), 20), ("a", "b", "c"))
    ways = ["KC", {"method": "BCE", "by": ["NC", "Infer"]}, {"method": "SSCE", "by": ["own"]}]
    plan = {"splits": 1, "repetitions": 1, "methods": ways}
    experiment = Experiment.model_validate(
        {
            "id": "small",
            "cases": [{"id": "one", "dataset": "iris"}],
            "ensemble": {"runs": 8, "subset_size": 4},
            "methods": ["KC", {"method": "BCE", "parameters": {"n_init": 2}}, "SSCE"],
            "metrics": ["ACC"],
            "generalisation": plan,
        }
    )
    alone = reduce_to_unseen(experiment, experiment.cases[0])
    job = UnseenJob(experiment=alone, data="-", standardised=True, seed=1)
    return lambda: write_scores(job, dataset, folder / "unseen.parquet")


# ---------------------------------------------------------------------- labels in pieces


def label_files(folder: Path) -> dict[str, Any]:
    from pyarrow import table
    from pyarrow.parquet import write_table

    from consclust_studies.stages.pieces import LabelsJob, MergeJob, ProfilesJob, SizesJob

    labels = np.repeat([10, 3, 77], 8)[:, None] + np.zeros((1, 5), dtype=np.int64)
    labels[[2, 9, 20], [0, 1, 2]] = [3, 77, 10]
    for name, rows in {"a": slice(0, 15), "b": slice(15, 24)}.items():
        write_table(table({f"run{i}": column[rows] for i, column in enumerate(labels.T)}), folder / f"{name}.parquet")
    profiles = ProfilesJob(code="p")
    merge = MergeJob(pieces=("a", "b"), profiles=profiles.digest)
    return {
        "profiles": profiles,
        "merge": merge,
        "sizes": SizesJob(labels="-"),
        "labels": LabelsJob(matrix="toy", merged=merge.digest, method="EAC", n_clusters=3, seed=1),
    }


def labels_in_pieces(folder: Path) -> Callable[[], object]:
    from consclust_studies.stages import pieces
    from job_files_of import files_of

    jobs = label_files(folder)

    def every() -> None:
        for name in "ab":
            files = files_of({"piece": folder / f"{name}.parquet"}, {"profiles": folder / f"{name}.npz"})
            pieces.find_profiles(jobs["profiles"], files)
        merged = folder / "merged.npz"
        pieces.merge_profiles(
            jobs["merge"], files_of({"profiles": [folder / "a.npz", folder / "b.npz"]}, {"merged": merged})
        )
        consensus = folder / "consensus.npz"
        pieces.find_consensus(jobs["labels"], files_of({"merged": merged}, {"consensus": consensus}))
        for name in "ab":
            given = {"consensus": consensus, "merged": merged, "profiles": folder / f"{name}.npz"}
            pieces.label_piece(jobs["labels"], files_of(given, {"labels": folder / f"{name}.labels.parquet"}))
        labels = [folder / "a.labels.parquet", folder / "b.labels.parquet"]
        pieces.count_sizes(jobs["sizes"], files_of({"labels": labels}, {"sizes": folder / "sizes.csv"}))

    return every


# ---------------------------------------------------------------------- exhibits


def exhibit(kind: str) -> Callable[[Path], Callable[[], object]]:
    def prepare(folder: Path) -> Callable[[], object]:
        from consclust_studies.config.exhibit_kinds import engine_kinds
        from consclust_studies.exhibits import stored
        from small import planned, source_of

        one = next(each for each in engine_kinds()[kind].unlisted(planned()))
        source = source_of(planned())
        files = {suffix: folder / f"{one.id}{suffix}" for suffix in (".json", ".csv", ".tex", ".md", ".html")}
        return lambda: stored.write_shown(one, one.build(source), {"spec": "{}"}, files)

    return prepare


SHOWN = ("consclust_studies.results.source.Source", "consclust_studies.exhibits.stored.write_shown")
PIECES = ("find_profiles", "merge_profiles", "find_consensus", "label_piece", "count_sizes")
STREAMED = tuple(
    f"consclust_studies.stages.streamed_pieces.{name}"
    for name in ("summarise_piece", "find_stream_consensus", "label_stream_piece")
)
LABELS = tuple(f"consclust_studies.stages.pieces.{name}" for name in PIECES)


def all_jobs() -> dict[str, Job]:
    unseen_methods = tuple(map(method_class, ("KC", "BCE", "SSCE")))
    scaling, text = "consclust.datasets.preprocessing.scaling", "consclust.datasets.preprocessing.text"
    readers, exhibits = "consclust.readers", "consclust_studies.exhibits"
    return {
        "prepare table": of_dataset(
            {"format": "table"}, TABLE, ("zscore", "unit_norm"), f"{readers}.table.TableReader",
            f"{scaling}.zscore", f"{scaling}.unit_norm",
        ),
        "prepare arff": of_dataset(
            {"format": "arff"}, ARFF, ("unit_norm",), f"{readers}.arff.ArffReader", f"{scaling}.unit_norm"
        ),
        "prepare keel": of_dataset({"format": "keel"}, KEEL, (), f"{readers}.arff.KeelReader"),
        "prepare sklearn": of_dataset(
            {"format": "sklearn", "loader": "iris"}, None, (), f"{readers}.embedded.SklearnReader"
        ),
        "prepare spirals": of_dataset(
            {"format": "spirals", "per_class": 10, "turns": 1, "deviation": 0.1, "seed": 1}, None, (),
            f"{readers}.generated.SpiralsReader",
        ),
        "prepare shapes": of_dataset(
            {"format": "shapes", "seed": 1}, None, ("minmax",), f"{readers}.generated.ShapesReader",
            "consclust.datasets.preprocessing.ranges.minmax",
        ),
        "prepare counts": of_dataset(
            {"format": "table", "class_column": 2}, b"1,0,b\n3,4,a\n0,8,b\n", ("tfidf",),
            f"{readers}.table.TableReader", f"{text}.tfidf",
        ),
        "ensemble kmeans": of_ensemble("kmeans"),
        "ensemble minibatch": of_ensemble("minibatch"),
        "ensemble spherical": of_ensemble("spherical"),
        "ensemble mixed": of_ensemble("mixed", object_share=0.9),
        "ensemble agglomerative": of_ensemble("agglomerative", n_clusters="random", linkage="complete"),
        "ensemble pam": of_ensemble("pam", object_share=0.9),
        "ensemble ready-made": Job(
            (MAKE,), {ENSEMBLE_JOB: {"algorithm": ["ready-made"], "ready": [SOMETHING], "draws": [3]}}, ready_made
        ),
        **of_all_methods(),
        "consensus RCE box": of_method("RCE", boundary="box", order="paper", tol=1e-3, max_outer=2),
        "consensus RCE certified": of_method("RCE", certify=True, max_outer=2),
        "consensus RCE inner_tol": of_method("RCE", inner_tol=1e-2, assign_labels="kmeans", max_outer=2),
        "consensus ECCMS pts": of_method("ECCMS", similarity="pts", max_iter=2),
        "consensus ECCMS plain": of_method("ECCMS", laplacian=False, similarity="co_occurrence"),
        "consensus RSEC Z": of_method("RSEC", variant="Z", spectral=False, max_iter=5),
        "consensus SSCE pseudo": of_method("SSCE", features="pseudo", solver="profile"),
        "consensus SSCE original": of_method("SSCE", solver="profile", intercept=False, lambda2=0.5),
        "consensus EAC single": of_method("EAC", linkage="single"),
        "score": Job(("consclust_studies.stages.score.score_case",), {"consclust_studies.stages.score.ScoreJob": {"metrics": [("ACC", "NMI")]}}, score),
        "race": Job(("consclust_studies.stages.races.run_race",), {}, race),
        "collect": Job(("consclust_studies.stages.collect.collect",), {}, collect),
        "unseen": Job(("consclust_studies.stages.unseen_objects.write_scores", *unseen_methods), {}, unseen),
        "streamed pieces": Job((*STREAMED, method_class("HBGF")), {method_class("HBGF"): {}}, streamed_pieces),
        "labels in pieces": Job((*LABELS, method_class("EAC")), {method_class("EAC"): {}}, labels_in_pieces),
        "exhibit scores": Job((*SHOWN, f"{exhibits}.scores.Scores.build"), {}, exhibit("scores")),
        "exhibit pvalues": Job((*SHOWN, f"{exhibits}.pvalues.PValues.build"), {}, exhibit("pvalues")),
    }  # fmt: skip


def streamed_pieces(folder: Path) -> Callable[[], object]:
    from consclust_studies.stages import streamed_pieces as stage
    from job_files_of import files_of

    label_files(folder)
    summaries = [stage.SummaryJob(before=before) for before in ((), ("a",))]
    labels = stage.StreamLabelsJob(
        matrix="toy",
        pieces=("a", "b"),
        summaries=tuple(job.digest for job in summaries),
        method="HBGF",
        n_clusters=3,
        seed=1,
    )
    pieces = [folder / f"{name}.parquet" for name in "ab"]

    def every() -> None:
        made = []
        for number, (piece, job) in enumerate(zip(pieces, summaries, strict=True)):
            made.append(folder / f"{piece.stem}.npz")
            stage.summarise_piece(job, files_of({"piece": piece, "before": pieces[:number]}, {"summary": made[-1]}))
        consensus = folder / "consensus.npz"
        stage.find_stream_consensus(labels, files_of({"summaries": made, "pieces": pieces}, {"consensus": consensus}))
        for piece in pieces:
            given = {"consensus": consensus, "piece": piece}
            stage.label_stream_piece(labels, files_of(given, {"labels": folder / f"{piece.stem}-out.parquet"}))

    return every


# ---------------------------------------------------------------------- the trace


@contextmanager
def traced(entered: set[tuple[str, str]]) -> Iterator[None]:
    """Keep the functions of the packages that are entered, but not while a module is imported."""

    def called(frame: FrameType, event: str, _: object) -> None:
        name = frame.f_globals.get("__name__", "")
        one = name, frame.f_code.co_qualname
        if event == "call" and one not in entered and name.split(".")[0] in PACKAGES and not _imports(frame):
            entered.add(one)

    sys.setprofile(called)
    try:
        yield
    finally:
        sys.setprofile(None)


def _imports(frame: FrameType | None) -> bool:
    while frame:
        if frame.f_code.co_name == "<module>" and frame.f_globals["__name__"].split(".")[0] in PACKAGES:
            return True
        frame = frame.f_back
    return False


def main() -> None:
    found = {}
    for name, job in all_jobs().items():
        entered: set[tuple[str, str]] = set()
        with tempfile.TemporaryDirectory() as folder:
            run = job.prepare(Path(folder))
            with traced(entered):
                run()
        found[name] = sorted(entered)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
