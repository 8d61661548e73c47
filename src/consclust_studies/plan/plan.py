"""The plan of a run: for every job its spec, its files and what it needs.

:meth:`Plan.job` is the one graph of jobs. The rules of the workflow, the estimates and the kept labels all read it.
"""

import gc
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeVar

from consclust import methods
from consclust.datasets.prepared import Recipe, without_addresses
from consclust.datasets.registry import MADE, DatasetSpec, RawFile
from consclust.errors import InputError
from consclust.methods.streamed.learners import LEARNERS
from consclust.validation import did_you_mean
from consclust_studies import paths
from consclust_studies.code.job_code import fingerprint
from consclust_studies.config.cases import Case
from consclust_studies.config.exhibit import Exhibit, Needs
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.settings import Settings
from consclust_studies.config.study import PlannedStudy, StudyCase
from consclust_studies.document.document_job import DocumentJob
from consclust_studies.exhibits.exhibits_job import OF_PROJECT, ExhibitJob, in_order, reduce_to_exhibits
from consclust_studies.plan import estimates, needs
from consclust_studies.plan.jobs import PlannedJob
from consclust_studies.plan.own_files import locate
from consclust_studies.results.source import Item
from consclust_studies.specs import Spec, digest
from consclust_studies.stages.base_clusterings import EnsembleJob
from consclust_studies.stages.collect import CollectJob, reduce_to_scored
from consclust_studies.stages.consensus import ConsensusJob, SubsetRange
from consclust_studies.stages.fetch import FetchJob
from consclust_studies.stages.methods_of_case import ALL_METHODS, MethodsJob
from consclust_studies.stages.pieces import LabelsJob, MergeJob, ProfilesJob, SizesJob
from consclust_studies.stages.prepare import PrepareJob
from consclust_studies.stages.score import ScoredMethod, ScoreJob
from consclust_studies.stages.score_methods import MethodsScoreJob
from consclust_studies.stages.streamed_pieces import StreamLabelsJob, SummaryJob
from consclust_studies.stages.unseen_objects import UnseenJob, reduce_to_unseen

WORD = r"[A-Za-z0-9][A-Za-z0-9_-]*"
"""Pattern of the names of cases, methods, label matrices and their pieces."""
TEMPLATES = Path(str(resources.files("consclust.report") / "templates"))
SHORT = 60.0
"""CPU seconds up to which a consensus job shares a cluster job with the others of its case."""

S = TypeVar("S", bound=Spec)
Given = tuple[Item, list[str]]
"""An input of a job of the reports, and its files: one, or of labels and runtimes one for each block."""


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Look for no garbage meanwhile: a plan and its syntax trees are kept, and looking takes a quarter of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Plan:
    """The jobs of a run.

    A *run* is a study, whole or restricted. Base clusterings and consensus labels belong to the whole study,
    whose folders a restricted run shares; scores and reports have a folder for each run.

    Parameters
    ----------
    settings : what holds for every study.
    registry : the data sets.
    studies : all studies, whole.
    runs : the studies as they are run; all that the settings do not refuse.
    refused : why a study cannot be run with these settings, by its id.
    stored : whether files go to a storage, and not to the folder of the project.
    """

    def __init__(
        self,
        settings: Settings,
        registry: Mapping[str, DatasetSpec],
        studies: Iterable[PlannedStudy],
        runs: Iterable[PlannedStudy],
        refused: Mapping[str, str],
        stored: bool = False,
    ) -> None:
        self.settings = settings
        self.stored = stored
        self.registry = registry
        self.refused = refused
        self.studies = {study.id: study for study in studies}
        self.runs = {study.run_id: study for study in runs}
        self.run_of = {study.id: study.run_id for study in self.runs.values()}
        # many jobs ask for the same spec
        for name in (
            "prepare",
            "ensemble",
            "consensus",
            "methods_of_case",
            "score",
            "collect",
            "unseen",
            "exhibits",
            "scored",
        ):
            setattr(self, name, cache(getattr(self, name)))
        self._find_job = cache(self._find_job)  # type: ignore[method-assign]

    # ---------------------------------------------------------------- the graph

    def job(self, rule: str, **names: str) -> PlannedJob:
        """Return the job of a rule, with what its wildcards stand for; InputError for names that mean nothing."""
        return self._find_job(rule, tuple(sorted(names.items())))

    def _find_job(self, rule: str, names: tuple[tuple[str, str], ...]) -> PlannedJob:
        planned: PlannedJob = getattr(self, f"plan_{rule}")(**dict(names))
        return planned

    def list_jobs(self, run: str) -> list[PlannedJob]:
        """Return the jobs of a run but downloads, each after those that it waits for."""
        return self.list_jobs_behind(self.list_report_files(run))

    @pause_garbage_collection()
    def list_jobs_behind(self, files: Iterable[str]) -> list[PlannedJob]:
        """Return the jobs that make some files, and all jobs before them, each after those that it waits for."""
        found: dict[str, PlannedJob] = {}
        waiting = [(path, False) for path in reversed(list(files))]
        while waiting:
            path, inputs_are_done = waiting.pop()
            job = self.find_maker(path)
            if job is None or job.first_output in found:
                continue
            if inputs_are_done:
                found[job.first_output] = job
            else:
                # the job comes back once all its inputs are done, as they lie above it on the stack
                waiting.append((path, True))
                waiting += [(given, False) for given in reversed(job.given)]
        return list(found.values())

    def find_maker(self, path: str) -> PlannedJob | None:
        """Return the job that makes a file; None of a file that no job makes, and of one that is fetched."""
        for pattern, rule in self._patterns:
            found = pattern.fullmatch(path)
            if not found:
                continue
            names = found.groupdict()
            if rule == "exhibits":
                return self._find_maker_of_exhibit(names["run"], names["exhibit"])
            return self.job(rule, **{name: word for name, word in names.items() if name != "document"})
        return None

    def _find_maker_of_exhibit(self, run: str, exhibit_id: str) -> PlannedJob | None:
        """Return the job that makes an exhibit and its files: that of all tables, or of one figure."""
        exhibit = next((one for one in self.runs[run].exhibits if one.id == exhibit_id), None)
        if exhibit is None:
            return None
        return self.job("figure", run=run, figure=exhibit_id) if exhibit.drawn else self.job("tables", run=run)

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], str]]:
        """The files that rules make, with the names of the rules."""
        known = self.names()
        return [(_as_regex(pattern, known), rule) for pattern, rule in MADE_BY.items()]

    # ---------------------------------------------------------------- datasets

    def list_raw_files(self, dataset: str, files: Iterable[RawFile]) -> list[str]:
        """Return where files of a data set lie."""
        return [locate(dataset, file) for file in files]

    def fetched_files(self, here: bool) -> str:
        """Return a pattern of data set and file for the registered files that a rule may make.

        Where the files are ``here``, in the folder of the project, it leaves out those that are there. They may be the
        user's only copies: as an output of a rule, Snakemake would delete them before it runs the rule again.
        """
        names = [name for d, entry in self.registry.items() for name in self.list_raw_files(d, entry.raw_files)]
        return _match_any(name.removeprefix("data/raw/") for name in names if not (here and Path(name).exists()))

    def plan_fetch(self, fetched: str) -> PlannedJob:
        """Plan the fetching of a file, named as "data set/file"."""
        dataset, name = fetched.split("/")
        file = self.registry[dataset].file(name)
        raw = f"data/raw/{fetched}"
        return PlannedJob(
            rule="fetch",
            kind="fetch",
            names={"fetched": fetched},
            spec=FetchJob(dataset=dataset, file=name, sha256=file.sha256 if file else None),
            inputs={},
            project={"placed": [raw]},
            outputs={"raw": [raw]},
            title=f"fetching {fetched}",
            need=NEED_OF_DOWNLOAD,
            group=None,
        )

    def prepare(self, dataset: str, steps: str) -> PrepareJob:
        """Return the spec of the job that prepares a data set by steps in one word."""
        chosen = () if steps == "raw" else tuple(steps.split("-"))
        return _with_code(PrepareJob(recipe=Recipe.make(dataset, self.registry[dataset], chosen)))

    def plan_prepare(self, dataset: str, steps: str) -> PlannedJob:
        """Plan the preparation of a data set by steps in one word."""
        names = {"dataset": dataset, "steps": steps}
        return PlannedJob(
            rule="prepare",
            kind="prepare",
            names=names,
            spec=self.prepare(dataset, steps),
            inputs={"raw": self.list_raw_files(dataset, self.registry[dataset].prepared_from)},
            outputs={"prepared": [paths.PREPARED.format(**names)]},
            title=f"{dataset}: prepared ({steps})",
            need=needs.estimate_prepare(self.shape(dataset)),
            group="case",
        )

    def prepared_file(self, case: Case) -> str:
        """Return the file of the features and classes of a case."""
        return paths.PREPARED.format(dataset=case.dataset, steps=case.steps_word)

    # ---------------------------------------------------------------- base clusterings

    def ensemble_file(self, study: str, case_id: str) -> str:
        """Return the file of the base clusterings of a case."""
        return paths.ENSEMBLE.format(study=study, case=case_id)

    def ready_file(self, study: str, case_id: str) -> list[str]:
        """Return the file of a ready-made ensemble; none of one that is made here."""
        case = self.studies[study].case(case_id)
        if case.ensemble in MADE:
            return []
        return self.list_raw_files(case.dataset, [self.registry[case.dataset].ensembles[case.ensemble].file])

    def ensemble(self, study: str, case_id: str) -> EnsembleJob:
        """Return the spec of the job that makes the base clusterings of a case."""
        whole = self.studies[study]
        case = whole.case(case_id)
        protocol = whole.ensemble
        is_made = case.ensemble in MADE
        job = EnsembleJob(
            data=self.prepare(case.dataset, case.steps_word).digest,
            pool=(study, whole.pool(case).id),
            algorithm=case.ensemble if is_made else "ready-made",
            runs=protocol.runs,
            subset_size=whole.subset_size(case),
            draws=protocol.draws,
            draw_seed=protocol.draw_seed if protocol.draws else None,
        )
        if is_made:
            own: dict[str, Any] = {
                "seed": self.settings.seed,
                "n_clusters": case.n_clusters or protocol.n_clusters,
                "max_iter": protocol.max_iter,
                "init": case.init,
                "linkage": case.linkage,
                "distance": case.distance,
                "feature_share": case.feature_share,
                "object_share": case.object_share,
                "harms": protocol.harms,
            }
        else:
            dataset = self.registry[case.dataset]
            entry = dataset.ensembles[case.ensemble]
            own = {"ready": entry.model_copy(update={"file": without_addresses(entry.file), "note": ""})}
            if dataset.shuffle is not None:
                own["shuffle"] = dataset.shuffle
        return _with_code(job.model_copy(update=own))

    def plan_base_clusterings(self, study: str, case: str) -> PlannedJob:
        """Plan the base clusterings of a case."""
        whole = self.studies[study]
        inputs = {"prepared": [self.prepared_file(whole.case(case))]}
        if ready := self.ready_file(study, case):
            inputs["ready"] = ready
        return PlannedJob(
            rule="base_clusterings",
            kind="base_clusterings",
            names={"study": study, "case": case},
            spec=self.ensemble(study, case),
            inputs=inputs,
            outputs={"ensemble": [self.ensemble_file(study, case)]},
            title=f"{study}: base clusterings of {case}",
            need=estimates.estimate_base_clusterings(self, study, whole.case(case)),
            group="case",
        )

    # ---------------------------------------------------------------- consensus

    def list_label_files(self, run: str, case: Case, method: MethodRun, pattern: str = paths.LABELS) -> list[str]:
        """Return the files of the consensus labels of a method on a case, one for each block of subsets."""
        study = self.runs[run]
        if study.one_job_a_case:
            block = SubsetRange(0, study.n_subsets_of(case) - 1)
            return [pattern.format(study=study.id, case=case.id, method=ALL_METHODS, block=block.word)]
        fitted = self.studies[study.id].fitted(method)
        names = {"study": study.id, "case": case.id, "method": fitted.id}
        return [pattern.format(**names, block=block.word) for block in self.divide_into_blocks(study, case, fitted)]

    def find_point(self, study: str, method: MethodRun) -> int | None:
        """Return the number of a method's grid point among the fits of several; None if it is fitted alone."""
        if not method.together:
            return None
        fitted = self.studies[study].fitted(method)
        return fitted.points.index({name: method.parameters[name] for name in fitted.grid})

    def divide_into_blocks(self, study: PlannedStudy, case: Case, method: MethodRun) -> list[SubsetRange]:
        """Return the blocks of subsets that jobs work through; a race ends a block."""
        race = study.race(case, method)
        n_subsets = study.n_subsets_of(case, method)
        shape = self.sized(study, case.id)[2]
        blocks: list[SubsetRange] = []
        first = 0
        while first < n_subsets:
            # no block holds subsets on both sides of the end of a race: those behind it wait for its result
            end = race.subsets if race and first < race.subsets else n_subsets
            size = self.settings.subsets_per_job or needs.count_subsets_per_job(study, case, shape, method, first)
            blocks.append(SubsetRange(first, min(first + size, end) - 1))
            first = blocks[-1].last + 1
        return blocks

    def is_after_race(self, study: str, case_id: str, method_id: str, block: SubsetRange) -> bool:
        """Whether a block of subsets waits for the grid points that stay in a race."""
        whole = self.studies[study]
        case = whole.case(case_id)
        race = whole.race(case, whole.run(case, method_id))
        return race is not None and block.first >= race.subsets

    def needs_features(self, study: str, case_id: str, method_id: str) -> bool:
        """Whether a method reads the objects' features on a case."""
        whole = self.studies[study]
        case = whole.case(case_id)
        run = whole.run(case, method_id)
        return methods.needs_features(run.method, whole.parameters(case, run), run.points)

    def consensus(self, study: str, case_id: str, method_id: str) -> ConsensusJob:
        """Return the spec of the jobs of a method on a case; each takes a block of subsets beside it.

        Where one job fits all methods of a case, it is what the method would be by itself.
        """
        whole = self.studies[study]
        case = whole.case(case_id)
        run = whole.fitted(whole.run(case, method_id))
        race = whole.race(case, run)
        has_features = self.needs_features(study, case_id, method_id)
        return _with_code(
            ConsensusJob(
                study=study,
                case=case.id,
                method_id=run.id,
                method=run.method,
                parameters=whole.parameters(case, run),
                grid=run.grid,
                race=race,
                default=run.default if race else {},
                n_clusters=whole.number_of_clusters(case_id),
                missing=whole.missing_labels_for(run),
                seed=self.settings.seed,
                ensemble=self.ensemble(study, case_id).digest,
                data=self.prepare(case.dataset, case.steps_word).digest if has_features else None,
            )
        )

    def methods_of_case(self, study: str, case_id: str) -> MethodsJob:
        """Return the spec of the job that fits all methods of a case."""
        whole = self.studies[study]
        case = whole.case(case_id)
        jobs = tuple(self.consensus(study, case_id, method.id) for method in whole.runs(case))
        return _with_code(MethodsJob(jobs=jobs, shuffle=self.registry[case.dataset].shuffle, seeds=case.seeds))

    def find_digest_of_labels(self, study: str, case_id: str, method_id: str) -> str:
        """Return the digest of the spec of the job that makes the labels of a method on a case."""
        if self.studies[study].one_job_a_case:
            return self.methods_of_case(study, case_id).digest
        return self.consensus(study, case_id, method_id).digest

    def _plan_methods_of_case(self, study: str, case: str, block: str) -> PlannedJob:
        """Plan the fits of all methods on a block of subsets of a case."""
        whole = self.studies[study]
        subsets = SubsetRange.parse(block)
        runs = whole.runs(whole.case(case))
        needing = [run.id for run in runs if self.needs_features(study, case, run.id)]
        experiment, one_case, shape = self.sized(whole, case)
        needed = [needs.estimate_consensus(experiment, one_case, shape, run, *subsets) for run in runs]
        seconds = sum(estimates.estimate_fit_seconds(self, study, one_case, run, subsets) for run in runs)
        # the first subset is fitted again where the objects are shuffled, and with further seeds
        further = one_case.seeds - 1 + (self.registry[one_case.dataset].shuffle is not None)
        seconds *= 1 + further / len(subsets.subsets)
        names = {"study": study, "case": case, "method": ALL_METHODS, "block": block}
        return PlannedJob(
            rule="consensus",
            kind="methods",
            names=names,
            spec=self.methods_of_case(study, case),
            inputs={"ensemble": [self.ensemble_file(study, case)]}
            | ({"prepared": [self.prepared_file(one_case)]} if needing else {}),
            outputs={"labels": [paths.LABELS.format(**names)], "runtime": [paths.RUNTIME.format(**names)]},
            arguments={"block": block},
            title=f"{study}: all methods on {case}, subsets {block}",
            need=needs.Need(
                mb=max(need.mb for need in needed), minutes=sum(need.minutes for need in needed), seconds=seconds
            ),
            group="case" if seconds <= SHORT else None,
        )

    def plan_consensus(self, study: str, case: str, method: str, block: str) -> PlannedJob:
        """Plan the fits of a method on a block of subsets of a case, or of all methods."""
        whole = self.studies[study]
        if whole.one_job_a_case:
            return self._plan_methods_of_case(study, case, block)
        subsets = SubsetRange.parse(block)
        inputs = {"ensemble": [self.ensemble_file(study, case)]}
        if self.needs_features(study, case, method):
            inputs["prepared"] = [self.prepared_file(whole.case(case))]
        if self.is_after_race(study, case, method, subsets):
            inputs["race"] = [paths.RACE.format(study=study, case=case, method=method)]
        names = {"study": study, "case": case, "method": method, "block": block}
        experiment, one_case, shape = self.sized(whole, case)
        run = whole.run(one_case, method)
        need = needs.estimate_consensus(experiment, one_case, shape, run, subsets.first, subsets.last)
        seconds = estimates.estimate_fit_seconds(self, study, one_case, run, subsets)
        return PlannedJob(
            rule="consensus",
            kind="consensus",
            names=names,
            spec=self.consensus(study, case, method),
            inputs=inputs,
            outputs={"labels": [paths.LABELS.format(**names)], "runtime": [paths.RUNTIME.format(**names)]},
            arguments={"block": block},
            title=f"{study}: {method} on {case}, subsets {block}",
            need=need._replace(seconds=seconds),
            group="case" if seconds <= SHORT else None,
        )

    def plan_race(self, study: str, case: str, method: str) -> PlannedJob:
        """Plan the choice of the grid points that run on all subsets."""
        whole = self.studies[study]
        one_case = whole.case(case)
        run = whole.run(one_case, method)
        race = whole.race(one_case, run)
        names = {"study": study, "case": case, "method": method}
        first_blocks = [
            block for block in self.divide_into_blocks(whole, one_case, run) if race and block.first < race.subsets
        ]
        return PlannedJob(
            rule="race",
            kind="race",
            names=names,
            spec=self.consensus(study, case, method),
            inputs={
                "ensemble": [self.ensemble_file(study, case)],
                "labels": [paths.LABELS.format(**names, block=block.word) for block in first_blocks],
            },
            outputs={"race": [paths.RACE.format(**names)]},
            title=f"{study}: grid points of {method} on {case} that run on all subsets",
            need=needs.estimate_score(*self.sized(whole, case)),
        )

    # ---------------------------------------------------------------- labels in pieces

    def pieces(self, matrix: str) -> list[str]:
        """Return the names of the pieces of a label matrix, in order; InputError if there are none, or an odd one."""
        folder = Path("data/labels", matrix)
        if self.stored:
            raise InputError(f"{folder}: pieces of labels must lie in a folder that all jobs share, no storage")
        found = sorted(path.stem for path in folder.glob("*.parquet"))
        if not found:
            raise InputError(f"{folder}: no Parquet files; put the pieces of the label matrix there")
        named = {f"{folder}": matrix, **{f"{folder}/{name}.parquet": name for name in found}}
        for path, name in named.items():
            if not re.fullmatch(WORD, name):
                raise InputError(f"{path}: rename it with letters, digits, _ and -, a letter or digit first")
        return found

    def make_profiles_spec(self) -> ProfilesJob:
        """Return the spec of the job that finds the profiles of a piece."""
        return _with_code(ProfilesJob())

    def make_merge_spec(self, matrix: str) -> MergeJob:
        """Return the spec of the job that merges the profiles of all pieces."""
        return _with_code(MergeJob(pieces=tuple(self.pieces(matrix)), profiles=self.make_profiles_spec().digest))

    def make_summary_spec(self, matrix: str, piece: str) -> SummaryJob:
        """Return the spec of the job that counts the base clusters of a piece."""
        return _with_code(SummaryJob(before=self._pieces_before(matrix, piece)))

    def _pieces_before(self, matrix: str, piece: str) -> tuple[str, ...]:
        names = self.pieces(matrix)
        return tuple(names[: names.index(piece)]) if piece in names else ()

    def labels(self, matrix: str, method: str, n_clusters: str) -> LabelsJob | StreamLabelsJob:
        """Return the spec of a method on a label matrix; InputError for an unknown one, or one that needs features."""
        where = f"{matrix}/{method}-{n_clusters}"
        if method not in methods.names() or methods.needs_features(method, {}, [{}]):
            known = [name for name in methods.names() if not methods.needs_features(name, {}, [{}])]
            raise InputError(f"{where}: no method for labels alone; {did_you_mean(method, known)}")
        if not re.fullmatch(r"[1-9]\d*", n_clusters, re.ASCII):
            raise InputError(f"{where}: {n_clusters!r} is no number of clusters; write, for example, {method}-15")
        if method in LEARNERS:
            pieces = self.pieces(matrix)
            return _with_code(
                StreamLabelsJob(
                    matrix=matrix,
                    pieces=tuple(pieces),
                    summaries=tuple(self.make_summary_spec(matrix, piece).digest for piece in pieces),
                    method=method,
                    n_clusters=int(n_clusters),
                    seed=self.settings.seed,
                )
            )
        return _with_code(
            LabelsJob(
                matrix=matrix,
                merged=self.make_merge_spec(matrix).digest,
                method=method,
                n_clusters=int(n_clusters),
                seed=self.settings.seed,
            )
        )

    def plan_profiles(self, matrix: str, piece: str) -> PlannedJob:
        """Plan the profiles of a piece of a label matrix."""
        names = {"matrix": matrix, "piece": piece}
        return _plan_labels(
            "profiles",
            names,
            self.make_profiles_spec(),
            inputs={"piece": [paths.PIECE.format(**names)]},
            outputs={"profiles": [paths.PIECE_PROFILES.format(**names)]},
            title=f"{matrix}: profiles of {piece}",
        )

    def plan_summary(self, matrix: str, piece: str) -> PlannedJob:
        """Plan the counts of a piece of a label matrix."""
        names = {"matrix": matrix, "piece": piece}
        before = [paths.PIECE.format(matrix=matrix, piece=other) for other in self._pieces_before(matrix, piece)]
        return _plan_labels(
            "summary",
            names,
            self.make_summary_spec(matrix, piece),
            inputs={"piece": [paths.PIECE.format(**names)], "before": before},
            outputs={"summary": [paths.PIECE_SUMMARY.format(**names)]},
            title=f"{matrix}: counts of {piece}",
        )

    def plan_merge(self, matrix: str) -> PlannedJob:
        """Plan the profiles of a whole label matrix."""
        pieces = self.pieces(matrix)
        return _plan_labels(
            "merge",
            {"matrix": matrix},
            self.make_merge_spec(matrix),
            inputs={"profiles": [paths.PIECE_PROFILES.format(matrix=matrix, piece=piece) for piece in pieces]},
            outputs={"merged": [paths.MERGED.format(matrix=matrix)]},
            title=f"{matrix}: merging the profiles",
        )

    def plan_consensus_of_labels(self, matrix: str, method: str, k: str) -> PlannedJob:
        """Plan the consensus of a label matrix."""
        names = {"matrix": matrix, "method": method, "k": k}
        spec = self.labels(matrix, method, k)
        inputs = {"merged": [paths.MERGED.format(matrix=matrix)]}
        if isinstance(spec, StreamLabelsJob):
            inputs = {
                "summaries": [paths.PIECE_SUMMARY.format(matrix=matrix, piece=piece) for piece in spec.pieces],
                "pieces": [paths.PIECE.format(matrix=matrix, piece=piece) for piece in spec.pieces],
            }
        return _plan_labels(
            "consensus_of_labels",
            names,
            spec,
            inputs=inputs,
            outputs={"consensus": [paths.CONSENSUS_OF_LABELS.format(**names)]},
            title=f"{matrix}: {method} with {k} clusters",
            kind="consensus_of_stream" if isinstance(spec, StreamLabelsJob) else None,
        )

    def plan_label(self, matrix: str, method: str, k: str, piece: str) -> PlannedJob:
        """Plan the consensus labels of the objects of a piece."""
        names = {"matrix": matrix, "method": method, "k": k, "piece": piece}
        spec = self.labels(matrix, method, k)
        inputs = {"consensus": [paths.CONSENSUS_OF_LABELS.format(matrix=matrix, method=method, k=k)]}
        if isinstance(spec, StreamLabelsJob):
            inputs["piece"] = [paths.PIECE.format(matrix=matrix, piece=piece)]
        else:
            inputs["merged"] = [paths.MERGED.format(matrix=matrix)]
            inputs["profiles"] = [paths.PIECE_PROFILES.format(matrix=matrix, piece=piece)]
        return _plan_labels(
            "label",
            names,
            spec,
            inputs=inputs,
            outputs={"labels": [paths.PIECE_LABELS.format(**names)]},
            title=f"{matrix}: labels of {piece}",
            kind="label_of_stream" if isinstance(spec, StreamLabelsJob) else None,
        )

    def plan_sizes_of_clusters(self, matrix: str, method: str, k: str) -> PlannedJob:
        """Plan the sizes of the clusters over all pieces of a label matrix."""
        names = {"matrix": matrix, "method": method, "k": k}
        pieces = self.pieces(matrix)
        return _plan_labels(
            "sizes_of_clusters",
            names,
            _with_code(SizesJob(labels=self.labels(matrix, method, k).digest)),
            inputs={"labels": [paths.PIECE_LABELS.format(**names, piece=piece) for piece in pieces]},
            outputs={"sizes": [paths.SIZES.format(**names)]},
            title=f"{matrix}: sizes of the clusters of {method}",
        )

    # ---------------------------------------------------------------- scores

    def scored(self, run: str, part: str) -> list[Experiment]:
        """Return what is scored: the study, or in the part "/variants" an experiment for each case of these."""
        return self.runs[run].split_variants() if part else [self.runs[run]]

    def scored_on(self, run: str, part: str, case_id: str) -> Experiment:
        """Return what is scored on a case."""
        return next(e for e in self.scored(run, part) if case_id in {case.id for case in e.cases})

    def score(self, run: str, part: str, case_id: str) -> ScoreJob | MethodsScoreJob:
        """Return the spec of the job that scores all methods on a case."""
        experiment = self.scored_on(run, part, case_id)
        if experiment.one_job_a_case:
            return self._score_methods(experiment, case_id)
        study = experiment.id
        case = experiment.case(case_id)
        scored_methods = [
            ScoredMethod(
                id=method.id,
                grid=method.grid,
                labels=self.consensus(study, case_id, method.id).digest,
                point=self.find_point(study, method),
                subsets=_find_fewer_subsets(experiment, case, method),
            )
            for method in experiment.runs(case)
        ]
        return _with_code(
            ScoreJob(
                study=study,
                case=case_id,
                ensemble=self.ensemble(study, case_id).digest,
                n_subsets=experiment.n_subsets,
                base_clusterings=experiment.base_clusterings,
                metrics=experiment.metrics,
                methods=tuple(scored_methods),
                some_objects=experiment.ensemble.harms is not None,
            )
        )

    def _score_methods(self, experiment: Experiment, case_id: str) -> MethodsScoreJob:
        """Return the spec of the job that scores all methods on a case that one job has fitted."""
        study = experiment.id
        case = experiment.case(case_id)
        labels = self.methods_of_case(study, case_id)
        places = {one.method_id: place for place, one in enumerate(labels.jobs)}
        restarts_kmeans = self.restarts_kmeans(case)
        return _with_code(
            MethodsScoreJob(
                study=study,
                case=case_id,
                dataset=case.dataset,
                ensemble=self.ensemble(study, case_id).digest,
                n_subsets=experiment.n_subsets,
                base_clusterings=experiment.base_clusterings,
                metrics=experiment.metrics,
                labels=labels.digest,
                methods={method.id: places[method.id] for method in experiment.runs(case)},
                data=self.prepare(case.dataset, case.steps_word).digest if restarts_kmeans else None,
                seed=self.settings.seed if restarts_kmeans else 0,
            )
        )

    def restarts_kmeans(self, case: Case) -> bool:
        """Whether k-means with many restarts is a row of a case: once a data set with features, not for each kind."""
        return case.ensemble in MADE and case.n_clusters is None

    def plan_score(self, run: str, part: str, case: str) -> PlannedJob:
        """Plan the scores of all methods on a case."""
        experiment = self.scored_on(run, part, case)
        one_case = experiment.case(case)
        labels = [file for method in experiment.runs(one_case) for file in self.list_label_files(run, one_case, method)]
        inputs = {"ensemble": [self.ensemble_file(experiment.id, case)], "labels": list(dict.fromkeys(labels))}
        if experiment.one_job_a_case and self.restarts_kmeans(one_case):
            inputs["prepared"] = [self.prepared_file(one_case)]
        names = {"run": run, "part": part, "case": case}
        return PlannedJob(
            rule="score",
            kind="score_methods" if experiment.one_job_a_case else "score",
            names=names,
            spec=self.score(run, part, case),
            inputs=inputs,
            outputs={"scores": [paths.CASE_SCORES.format(**names)]},
            title=f"{run}{part}: scores on {case}",
            need=needs.estimate_score(*self.sized(experiment, case)),
        )

    def scored_cases(self, run: str, part: str) -> list[str]:
        """Return the ids of the cases that are scored."""
        return [case.id for experiment in self.scored(run, part) for case in experiment.cases]

    def collect(self, run: str, part: str) -> CollectJob:
        """Return the spec of the job that joins the scores of all cases."""
        return _with_code(
            CollectJob(
                experiments=tuple(map(reduce_to_scored, self.scored(run, part))),
                scores={case: self.score(run, part, case).digest for case in self.scored_cases(run, part)},
            )
        )

    def plan_collect(self, run: str, part: str) -> PlannedJob:
        """Plan the tables of all scores and selections."""
        names = {"run": run, "part": part}
        tables = [paths.CASE_SCORES.format(**names, case=case) for case in self.scored_cases(run, part)]
        return PlannedJob(
            rule="collect",
            kind="collect",
            names=names,
            spec=self.collect(run, part),
            inputs={"scores": tables},
            outputs={
                "scores": [paths.SCORES.format(**names), paths.SCORES_CSV.format(**names)],
                "selected": [paths.SELECTED.format(**names), paths.SELECTED_CSV.format(**names)],
            },
            title=f"{run}{part}: all scores, and the selections",
            need=needs.estimate_report(self.runs[run]),
        )

    def unseen(self, run: str, case_id: str) -> UnseenJob:
        """Return the spec of the job that scores labels of unseen objects on a case."""
        study = self.runs[run]
        case = study.case(case_id)
        return _with_code(
            UnseenJob(
                experiment=reduce_to_unseen(study, case),
                data=self.prepare(case.dataset, case.steps_word).digest,
                standardised=case.steps[-1:] == ("zscore",),
                seed=self.settings.seed,
            )
        )

    def plan_unseen(self, run: str, case: str) -> PlannedJob:
        """Plan the scores on unseen objects of a case."""
        names = {"run": run, "case": case}
        return PlannedJob(
            rule="unseen",
            kind="unseen",
            names=names,
            spec=self.unseen(run, case),
            inputs={"prepared": [self.prepared_file(self.runs[run].case(case))]},
            outputs={"unseen": [paths.UNSEEN.format(**names)]},
            title=f"{run}: unseen objects of {case}",
            need=needs.estimate_unseen(*self.sized(self.runs[run], case)),
            group=None,
        )

    # ---------------------------------------------------------------- reports

    def list_exhibit_inputs(self, run: str, exhibit: Exhibit) -> list[Given]:
        """Return what an exhibit reads."""
        study = self.runs[run]
        wanted = exhibit.needs(study)
        # the order stands in the spec of the job: another one would make every exhibit anew
        return [
            *self._find_score_inputs(run, wanted),
            *self._find_case_inputs(run, wanted),
            *(self._find_published_inputs(study) if wanted.published else ()),
            *(self._make_item_of_blocks(run, "labels", study.case(case), method) for case, method in wanted.labels),
            *(self._find_runtime_inputs(run) if wanted.runtimes else ()),
        ]

    def _find_score_inputs(self, run: str, wanted: Needs) -> Iterator[Given]:
        """Yield the tables of scores, those of the variants only where the study has variants."""
        has_variants = bool(self.runs[run].split_variants())
        tables: list[tuple[bool, Literal["scores", "selected", "variants", "variant_scores"], str, str]] = [
            (wanted.scores, "scores", "", paths.SCORES),
            (wanted.selected, "selected", "", paths.SELECTED),
            (wanted.variants and has_variants, "variants", "/variants", paths.SELECTED),
            (wanted.variant_scores and has_variants, "variant_scores", "/variants", paths.SCORES),
        ]
        for is_read, role, part, pattern in tables:
            if is_read:
                item = Item(role=role, spec=self.collect(run, part).digest)
                yield item, [pattern.format(run=run, part=part)]

    def _find_case_inputs(self, run: str, wanted: Needs) -> Iterator[Given]:
        """Yield the files of single cases: scores on unseen objects, base clusterings, features with classes."""
        study = self.runs[run]
        for case_id in wanted.unseen:
            item = Item(role="unseen", key=case_id, spec=self.unseen(run, case_id).digest)
            yield item, [paths.UNSEEN.format(run=run, case=case_id)]
        for case in map(study.case, wanted.ensembles):
            item = Item(role="ensemble", key=case.id, spec=self.ensemble(study.id, case.id).digest)
            yield item, [self.ensemble_file(study.id, case.id)]
        for case in map(study.case, wanted.prepared):
            item = Item(role="prepared", key=case.id, spec=self.prepare(case.dataset, case.steps_word).digest)
            yield item, [self.prepared_file(case)]

    def _find_published_inputs(self, study: PlannedStudy) -> Iterator[Given]:
        """Yield the tables of the paper's values."""
        for name in study.published:
            yield _make_item_of_content("published", name, paths.PUBLISHED.format(study=study.id, table=name))

    def _find_runtime_inputs(self, run: str) -> Iterator[Given]:
        """Yield the records of all fits of a run; methods that are fitted together have one."""
        study = self.runs[run]
        whole = self.studies[study.id]
        for case in study.cases:
            if study.one_job_a_case:
                yield self._make_item_of_blocks(run, "runtimes", case, study.runs(case)[0].id)
                continue
            for name in dict.fromkeys(whole.fitted(method).id for method in study.runs(case)):
                yield self._make_item_of_blocks(run, "runtimes", case, name)

    def tables(self, run: str) -> tuple[str, ...]:
        """Return the exhibits that one job makes, as each of them takes less time than a process takes to start."""
        return tuple(exhibit.id for exhibit in self.runs[run].exhibits if not exhibit.drawn)

    def exhibits(self, run: str, *ids: str) -> ExhibitJob:
        """Return the spec of the job of some exhibits: of all tables, or of one figure."""
        study = self.runs[run]
        exhibits = [study.exhibit(name) for name in ids]
        wanted = [exhibit.needs(study) for exhibit in exhibits]
        return _with_code(
            ExhibitJob(
                study=reduce_to_exhibits(study, exhibits),
                items={e.id: tuple(item for item, _ in self.list_exhibit_inputs(run, e)) for e in exhibits},
                seed=self.settings.seed if any(need.fits or need.draws for need in wanted) else None,
                templates=digest_templates("table.*"),
            )
        )

    def list_exhibit_files(self, run: str, *ids: str) -> dict[str, list[str]]:
        """Return the files that the job of some exhibits makes."""
        study = self.runs[run]
        return {
            "stored": [paths.EXHIBIT.format(run=run, exhibit=name) for name in ids],
            "shown": [file for name in ids for file in list_files_of_exhibit(run, study.exhibit(name))],
        }

    def plan_tables(self, run: str) -> PlannedJob:
        """Plan all tables of a report."""
        return self._plan_exhibits("tables", {"run": run}, run, self.tables(run), f"{run}: the tables")

    def plan_figure(self, run: str, figure: str) -> PlannedJob:
        """Plan a figure of a report."""
        return self._plan_exhibits("figure", {"run": run, "figure": figure}, run, (figure,), f"{run}: {figure}")

    def _plan_exhibits(
        self, rule: str, names: dict[str, str], run: str, ids: tuple[str, ...], title: str
    ) -> PlannedJob:
        study = self.runs[run]
        found: dict[Item, list[str]] = {}
        for name in ids:
            found.update(self.list_exhibit_inputs(run, study.exhibit(name)))
        given = [(item, found[item]) for item in in_order(found)]
        fits = [fit for name in ids for fit in study.exhibit(name).needs(study).fits]
        sized = [(*self.sized(study, case)[1:], study.method(method)) for case, method in fits]
        return PlannedJob(
            rule=rule,
            kind="exhibits",
            names=names,
            spec=self.exhibits(run, *ids),
            **_by_role(given),
            outputs=self.list_exhibit_files(run, *ids),
            title=title,
            need=needs.estimate_report(study, sized),
        )

    def list_document_inputs(self, run: str) -> list[Given]:
        """Return what the report is made of: the discussion, what says who made the labels, and the exhibits."""
        study = self.runs[run]
        found: list[Given] = []
        if study.discussion:
            found.append(_make_item_of_content("discussion", "", paths.DISCUSSION.format(study=study.id)))
        found += self.find_inputs_that_name_makers(run)
        for exhibit in study.exhibits:
            job = self.exhibits(run, *([exhibit.id] if exhibit.drawn else self.tables(run)))
            item = Item(role="exhibit", key=exhibit.id, spec=job.digest)
            found.append((item, [paths.EXHIBIT.format(run=run, exhibit=exhibit.id)]))
            file_item = item.model_copy(update={"role": "file"})
            found += [(file_item, [file]) for file in list_files_of_exhibit(run, exhibit)]
        return found

    def find_inputs_that_name_makers(self, run: str) -> Iterator[Given]:
        """Yield the files that say which versions made the labels: scores, or records of jobs without classes."""
        study = self.runs[run]
        if study.without_classes:
            for case in study.cases:
                for method in study.runs(case):
                    yield self._make_item_of_blocks(run, "runtimes", case, method.id)
            return
        parts: list[tuple[Literal["selected", "variants"], str]] = [("selected", "")]
        if study.split_variants():
            parts.append(("variants", "/variants"))
        for role, part in parts:
            item = Item(role=role, spec=self.collect(run, part).digest)
            yield item, [paths.SELECTED.format(run=run, part=part)]

    def document(self, run: str) -> DocumentJob:
        """Return the spec of the job of the report."""
        study = self.runs[run]
        classes = {method.method: methods.load(method.method) for method in study.methods}
        return _with_code(
            DocumentJob(
                study=study,
                items=tuple(item for item, _ in self.list_document_inputs(run)),
                seed=self.settings.seed,
                methods={name: (cls.summary, cls.reference) for name, cls in classes.items()},
                templates=digest_templates("*"),
            )
        )

    def plan_document(self, run: str) -> PlannedJob:
        """Plan the report."""
        return PlannedJob(
            rule="document",
            kind="document",
            names={"run": run},
            spec=self.document(run),
            **_by_role(self.list_document_inputs(run)),
            outputs={"report": [paths.REPORT.format(run=run, document=name) for name in paths.DOCUMENTS]},
            title=f"{run}: the report",
            need=needs.estimate_report(self.runs[run]),
        )

    def list_report_files(self, run: str) -> list[str]:
        """Return all files of a report."""
        files = [file for exhibit in self.runs[run].exhibits for file in list_files_of_exhibit(run, exhibit)]
        return [*files, *(paths.REPORT.format(run=run, document=name) for name in paths.DOCUMENTS)]

    def _make_item_of_blocks(self, run: str, role: Literal["labels", "runtimes"], case: Case, method: str) -> Given:
        whole = self.studies[self.runs[run].id]
        spec = self.find_digest_of_labels(whole.id, case.id, method)
        pattern = paths.LABELS if role == "labels" else paths.RUNTIME
        item = Item(role=role, key=f"{case.id}/{method}", spec=spec)
        return item, self.list_label_files(run, case, whole.run(case, method), pattern)

    # ---------------------------------------------------------------- sizes and names

    def shape(self, dataset: str) -> needs.Shape:
        """Return objects, features and classes of a data set, as far as they are registered."""
        return self.registry[dataset].shape or needs.UNKNOWN

    def sized(self, study: Experiment, case_id: str) -> tuple[Experiment, Case, needs.Shape]:
        """Return a study, one of its cases, and the shape of its data; without classes with the number of clusters."""
        case = study.case(case_id)
        n, features, classes = self.shape(case.dataset)
        return study, case, (n, features, (isinstance(case, StudyCase) and case.k) or classes)

    def names(self) -> dict[str, str]:
        """Return the patterns of the wildcards of the rules."""
        figures = [exhibit.id for run in self.runs.values() for exhibit in run.exhibits if exhibit.drawn]
        return {
            "study": _match_any(self.studies),
            "run": _match_any(self.runs),
            "part": "|/variants",
            "case": WORD,
            "method": WORD,
            "dataset": _match_any(self.registry),
            "steps": r"[a-z0-9_-]+",
            "block": r"\d+-\d+",
            "figure": _match_any(figures),
            "matrix": "[^/]+",
            "piece": WORD,
            "k": r"[^/.-]+",
            "exhibit": WORD,
            "suffix": "[a-z]+",
            "document": _match_any(paths.DOCUMENTS),
        }


MADE_BY = {
    paths.PREPARED: "prepare",
    paths.ENSEMBLE: "base_clusterings",
    paths.LABELS: "consensus",
    paths.RUNTIME: "consensus",
    paths.RACE: "race",
    paths.CASE_SCORES: "score",
    paths.SCORES: "collect",
    paths.SCORES_CSV: "collect",
    paths.SELECTED: "collect",
    paths.SELECTED_CSV: "collect",
    paths.UNSEEN: "unseen",
    paths.PIECE_PROFILES: "profiles",
    paths.PIECE_SUMMARY: "summary",
    paths.MERGED: "merge",
    paths.CONSENSUS_OF_LABELS: "consensus_of_labels",
    paths.PIECE_LABELS: "label",
    paths.SIZES: "sizes_of_clusters",
    paths.REPORT: "document",
    paths.EXHIBIT: "exhibits",
    paths.SHOWN: "exhibits",
}
"""The rule that makes the files of each pattern; exhibits are made by the rule of the tables, or that of figures."""

NEED_OF_DOWNLOAD = needs.Need(mb=500, minutes=60, seconds=0.0)


def _find_fewer_subsets(experiment: Experiment, case: Case, method: MethodRun) -> int | None:
    """Return the number of subsets that a method runs on, if these are fewer than those of the experiment."""
    n_subsets = experiment.n_subsets_of(case, method)
    return n_subsets if n_subsets < experiment.n_subsets else None


def _with_code(job: S) -> S:
    """Return a spec with the fingerprint of the code behind its job."""
    return job.model_copy(update={"code": fingerprint(job.code_behind())})


def _plan_labels(
    rule: str,
    names: dict[str, str],
    spec: Spec,
    inputs: dict[str, list[str]],
    outputs: dict[str, list[str]],
    title: str,
    kind: str | None = None,
) -> PlannedJob:
    """Plan a job on a label matrix in pieces; its rule takes the memory from the sizes of its inputs.

    Its kind is that of its rule unless another one is given.
    """
    return PlannedJob(
        rule=rule,
        kind=kind or rule,
        names=names,
        spec=spec,
        inputs=inputs,
        outputs=outputs,
        title=title,
        need=NEED_OF_DOWNLOAD,
        group=None,
    )


def _by_role(given: Iterable[Given]) -> dict[str, Any]:
    """Return the inputs of a job by the roles of its items: files of other jobs, files of the project, their counts."""
    inputs: dict[str, list[str]] = {}
    project: dict[str, list[str]] = {}
    counts: dict[str, list[int]] = {}
    for item, files in given:
        (project if item.role in OF_PROJECT else inputs).setdefault(item.role, []).extend(files)
        counts.setdefault(item.role, []).append(len(files))
    return {"inputs": inputs, "project": project, "arguments": {"counts": counts}}


def _make_item_of_content(role: Literal["published", "discussion"], key: str, path: str) -> Given:
    content = Path(path).read_bytes() if Path(path).is_file() else b""
    return Item(role=role, key=key, spec=digest(content)), [path]


def digest_templates(pattern: str) -> str:
    """Return the digest of the templates whose names match a pattern."""
    files = sorted(path for path in TEMPLATES.glob(pattern) if path.is_file())
    return digest("".join(digest(path.read_bytes()) for path in files))


def list_files_of_exhibit(run: str, exhibit: Exhibit) -> list[str]:
    """Return the files of an exhibit in the folder of a report."""
    suffixes = paths.FIGURE_SUFFIXES if exhibit.drawn else paths.TABLE_SUFFIXES
    return [paths.SHOWN.format(run=run, exhibit=exhibit.id, suffix=suffix) for suffix in suffixes]


def _as_regex(pattern: str, names: Mapping[str, str]) -> re.Pattern[str]:
    """Return a pattern of paths as a regular expression with a group for each name."""
    parts = re.split(r"{(\w+)}", pattern)
    texts = [re.escape(part) if i % 2 == 0 else f"(?P<{part}>{names[part]})" for i, part in enumerate(parts)]
    return re.compile("".join(texts))


def _match_any(words: Iterable[str]) -> str:
    """Return a pattern of these words; one that matches nothing if there are none."""
    # the longest first, as a regular expression takes the first alternative that fits
    return "|".join(sorted({re.escape(word) for word in words}, key=len, reverse=True)) or r"[^\s\S]"
