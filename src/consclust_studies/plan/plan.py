"""The plan of a run: for every job its spec, its files and what it needs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal, NamedTuple

from consclust import methods
from consclust.datasets.prepared import without_addresses
from consclust.datasets.preprocessing import module_of
from consclust.datasets.registry import MADE, DatasetSpec, RawFile
from consclust.errors import InputError
from consclust.validation import did_you_mean
from consclust_studies.config.cases import Case
from consclust_studies.config.exhibit import Exhibit
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.folders import study_file
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.settings import Settings
from consclust_studies.config.study import PlannedStudy, StudyCase
from consclust_studies.exhibits.report_jobs import OF_PROJECT, DocumentJob, ExhibitJob, in_order, part_of
from consclust_studies.plan import needs
from consclust_studies.plan.fingerprint import fingerprint
from consclust_studies.plan.needs import Need
from consclust_studies.plan.own_files import place
from consclust_studies.results.source import Item
from consclust_studies.specs import digest
from consclust_studies.stages.consensus_job import ConsensusJob
from consclust_studies.stages.consensus_unlabelled import UnlabelledJob
from consclust_studies.stages.ensembles_job import EnsembleJob
from consclust_studies.stages.labels_job import LabelsJob, MergeJob, ProfilesJob
from consclust_studies.stages.prepare import PrepareJob
from consclust_studies.stages.score_jobs import (
    CollectJob,
    ScoredMethod,
    ScoreJob,
    UnseenJob,
    as_scored,
    on_unseen_objects,
)

WORD = r"[A-Za-z0-9][A-Za-z0-9_-]*"
"""Pattern of the names of cases, methods, label matrices and their pieces."""
TEMPLATES = Path(str(resources.files("consclust.report") / "templates"))

Given = tuple[Item, list[str]]
"""An input of a job of the reports stage, and its files: one, or of labels and runtimes one for each block."""


class Files(NamedTuple):
    """The files that a job reads: those of the project, under version control, come first."""

    project: list[str]
    made: list[str]
    """By other jobs."""


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
    """

    def __init__(
        self,
        settings: Settings,
        registry: Mapping[str, DatasetSpec],
        studies: Iterable[PlannedStudy],
        runs: Iterable[PlannedStudy],
        refused: Mapping[str, str],
    ) -> None:
        self.settings, self.registry, self.refused = settings, registry, refused
        self.studies = {study.id: study for study in studies}
        self.runs = {study.run_id: study for study in runs}
        self.run_of = {study.id: study.run_id for study in self.runs.values()}
        specs = "prepare", "ensemble", "consensus", "score", "collect", "unseen", "exhibits", "scored"
        for name in (*specs, "features_file"):
            setattr(self, name, cache(getattr(self, name)))  # many jobs ask for the same one

    # ---------------------------------------------------------------- datasets

    def raw_files(self, dataset: str, files: Iterable[RawFile]) -> list[str]:
        """Return where files of a data set lie."""
        return [place(dataset, file) for file in files]

    def fetched_files(self, here: bool) -> str:
        """Return a pattern of data set and file for the registered files that a rule may make.

        Where the files are ``here``, in the folder of the project, it leaves out those that are there. They may be the
        user's only copies: as an output of a rule, Snakemake would delete them before it runs the rule again.
        """
        names = [name for d, entry in self.registry.items() for name in self.raw_files(d, entry.raw_files)]
        return _any_of(name.removeprefix("data/raw/") for name in names if not (here and Path(name).exists()))

    def checksum(self, dataset: str, name: str) -> str | None:
        """Return the checksum of a file of a data set; None of a user's own file that is not there."""
        file = self.registry[dataset].file(name)
        return file.sha256 if file else None

    def prepared_file(self, case: Case) -> str:
        """Return the file of the features and classes of a case."""
        return f"data/prepared/{case.dataset}/{case.steps_word}.npz"

    def prepare(self, dataset: str, steps: str) -> PrepareJob:
        """Return the job that prepares a data set by steps in one word."""
        entry, chosen = self.registry[dataset], () if steps == "raw" else tuple(steps.split("-"))
        if not entry.classes:
            return PrepareJob.of(dataset, entry, chosen, fingerprint("consclust_studies.stages.prepare_unlabelled"))
        modules = {module_of(step) for step in chosen} | ({type(entry.reader).__module__} if entry.reader else set())
        return PrepareJob.of(dataset, entry, chosen, fingerprint("consclust_studies.stages.prepare", *sorted(modules)))

    # ---------------------------------------------------------------- ensembles

    def ensemble_file(self, study: str, case: Case) -> str:
        """Return the file of the base clusterings of a case."""
        return f"results/ensembles/{study}/{case.id}.npz"

    def ready_file(self, study: str, case_id: str) -> list[str]:
        """Return the file of a ready-made ensemble; none of one that is made here."""
        case = self.studies[study].case(case_id)
        if case.ensemble in MADE:
            return []
        return self.raw_files(case.dataset, [self.registry[case.dataset].ensembles[case.ensemble].file])

    def ensemble(self, study: str, case_id: str) -> EnsembleJob:
        """Return the job that makes the base clusterings of a case."""
        whole, case = self.studies[study], self.studies[study].case(case_id)
        protocol, made = whole.ensemble, case.ensemble in MADE
        job = EnsembleJob(
            data=self.prepare(case.dataset, case.steps_word).digest,
            pool=(study, whole.pool(case).id),
            kind=case.ensemble if made else "ready-made",
            runs=protocol.runs,
            subset_size=whole.subset_size(case),
            draws=protocol.draws,
            draw_seed=protocol.draw_seed if protocol.draws else None,
        )
        job = job.model_copy(update={"code": fingerprint("consclust_studies.stages.base_clusterings", job.module)})
        if not made:
            entry = self.registry[case.dataset].ensembles[case.ensemble]
            return job.model_copy(
                update={"ready": entry.model_copy(update={"file": without_addresses(entry.file), "note": ""})}
            )
        return job.model_copy(
            update={
                "seed": self.settings.seed,
                "n_clusters": case.n_clusters or protocol.n_clusters,
                "max_iter": protocol.max_iter,
                **{key: getattr(case, key) for key in ("init", "feature_share", "object_share")},
            }
        )

    # ---------------------------------------------------------------- consensus

    def label_files(self, run: str, case: Case, method: MethodRun, suffix: str = ".npz") -> list[str]:
        """Return the files of the consensus labels of a method on a case, one for each block of subsets."""
        study = self.runs[run]
        fitted = self.studies[study.id].fitted(method)
        folder = f"results/{study.id}/consensus/{case.id}/{fitted.id}"
        return [f"{folder}/{first}-{last}{suffix}" for first, last in self._blocks(study, case, fitted)]

    def point_of(self, study: str, method: MethodRun) -> int | None:
        """Return the number of a method's grid point among the fits of several; None if it is fitted alone."""
        if not method.together:
            return None
        fitted = self.studies[study].fitted(method)
        return fitted.points.index({name: method.parameters[name] for name in fitted.grid})

    def _blocks(self, study: PlannedStudy, case: Case, method: MethodRun) -> list[tuple[int, int]]:
        """Return the first and the last subset of each block; a race ends a block."""
        race, blocks, n = study.race(case, method), list[tuple[int, int]](), study.n_subsets_of(case)
        while (first := blocks[-1][1] + 1 if blocks else 0) < n:
            end = race.subsets if race and first < race.subsets else n
            per_job = needs.subsets_per_job(study, case, self._sized(study, case.id)[2], method, first)
            blocks.append((first, min(first + (self.settings.subsets_per_job or per_job), end) - 1))
        return blocks

    def race_file(self, study: str, case_id: str, method_id: str, block: str) -> list[str]:
        """Return the file of the grid points that stay, for a block of subsets after the race; none for another."""
        whole, case = self.studies[study], self.studies[study].case(case_id)
        race = whole.race(case, whole.run(case, method_id))
        after = race is not None and int(block.split("-")[0]) >= race.subsets
        return [f"results/{study}/races/{case_id}/{method_id}.json"] if after else []

    def first_blocks(self, study: str, case_id: str, method_id: str) -> list[str]:
        """Return the files of the consensus labels from which a race takes the grid points that stay."""
        whole, case = self.studies[study], self.studies[study].case(case_id)
        run = whole.run(case, method_id)
        race, folder = whole.race(case, run), f"results/{study}/consensus/{case_id}/{method_id}"
        return [f"{folder}/{a}-{b}.npz" for a, b in self._blocks(whole, case, run) if race and b < race.subsets]

    def features_file(self, study: str, case_id: str, method_id: str) -> list[str]:
        """Return the prepared data set for a method that needs the objects' features; none for the others."""
        whole, case = self.studies[study], self.studies[study].case(case_id)
        run = whole.run(case, method_id)
        needed = methods.needs_features(run.method, whole.parameters(case, run), run.points)
        return [self.prepared_file(case)] if needed else []

    def consensus(self, study: str, case_id: str, method_id: str) -> ConsensusJob:
        """Return the job of a method on a case; it takes a block of subsets beside its spec."""
        whole, case = self.studies[study], self.studies[study].case(case_id)
        run = whole.fitted(whole.run(case, method_id))
        race = whole.race(case, run)
        has_features = bool(self.features_file(study, case_id, method_id))
        module = methods.load(run.method).__module__
        job = ConsensusJob(
            study=study,
            case=case.id,
            method_id=run.id,
            method=run.method,
            parameters=whole.parameters(case, run),
            grid=run.grid,
            race=race,
            default=run.default if race else {},
            seed=self.settings.seed,
            ensemble=self.ensemble(study, case_id).digest,
            data=self.prepare(case.dataset, case.steps_word).digest if has_features else None,
            code=fingerprint(
                "consclust_studies.stages.consensus", module, *(["consclust_studies.stages.races"] if race else [])
            ),
        )
        if k := whole.number_of_clusters(case_id):
            job = UnlabelledJob.of(
                job,
                k,
                fingerprint(
                    "consclust_studies.stages.consensus", "consclust_studies.stages.consensus_unlabelled", module
                ),
            )
        return job

    # ---------------------------------------------------------------- labels in pieces

    def pieces(self, matrix: str) -> list[str]:
        """Return the names of the pieces of a label matrix, in order; InputError if there are none, or an odd one."""
        found = sorted(path.stem for path in Path("data/labels", matrix).glob("*.parquet"))
        if not found:
            raise InputError(f"data/labels/{matrix}: no Parquet files; put the pieces of the label matrix there")
        folder = f"data/labels/{matrix}"
        for path, name in {folder: matrix, **{f"{folder}/{name}.parquet": name for name in found}}.items():
            if not re.fullmatch(WORD, name):
                raise InputError(f"{path}: rename it with letters, digits, _ and -, a letter or digit first")
        return found

    def profiles_of_labels(self) -> ProfilesJob:
        """Return the job that finds the profiles of a piece."""
        return ProfilesJob(code=fingerprint("consclust_studies.stages.pieces"))

    def merge_of_labels(self, matrix: str) -> MergeJob:
        """Return the job that merges the profiles of all pieces."""
        own = self.profiles_of_labels()
        return MergeJob(pieces=tuple(self.pieces(matrix)), profiles=own.digest, code=own.code)

    def labels(self, matrix: str, method: str, n_clusters: str) -> LabelsJob:
        """Return the job of a method on a label matrix; InputError for an unknown one, or one that needs features."""
        if method not in methods.names() or methods.needs_features(method, {}, [{}]):
            known = [name for name in methods.names() if not methods.needs_features(name, {}, [{}])]
            raise InputError(
                f"{matrix}/{method}-{n_clusters}: no method for labels alone; {did_you_mean(method, known)}"
            )
        if not re.fullmatch(r"[1-9]\d*", n_clusters, re.ASCII):
            what = f"{n_clusters!r} is no number of clusters"
            raise InputError(f"{matrix}/{method}-{n_clusters}: {what}; write, for example, {method}-15")
        return LabelsJob(
            matrix=matrix,
            merged=self.merge_of_labels(matrix).digest,
            method=method,
            n_clusters=int(n_clusters),
            seed=self.settings.seed,
            code=fingerprint("consclust_studies.stages.pieces", methods.load(method).__module__),
        )

    # ---------------------------------------------------------------- scores

    def scored(self, run: str, part: str) -> list[Experiment]:
        """Return what is scored: the study, or in the part "/variants" an experiment for each case of these."""
        return self.runs[run].of_variants() if part else [self.runs[run]]

    def scored_on(self, run: str, part: str, case_id: str) -> Experiment:
        """Return what is scored on a case."""
        return next(e for e in self.scored(run, part) if case_id in {case.id for case in e.cases})

    def scored_labels(self, run: str, part: str, case_id: str) -> list[str]:
        """Return the files of all consensus labels that are scored on a case."""
        experiment = self.scored_on(run, part, case_id)
        case = experiment.case(case_id)
        files = [file for method in experiment.runs(case) for file in self.label_files(run, case, method)]
        return list(dict.fromkeys(files))

    def score(self, run: str, part: str, case_id: str) -> ScoreJob:
        """Return the job that scores all methods on a case."""
        experiment = self.scored_on(run, part, case_id)
        study, case = experiment.id, experiment.case(case_id)
        return ScoreJob(
            study=study,
            case=case_id,
            ensemble=self.ensemble(study, case_id).digest,
            n_subsets=experiment.n_subsets,
            base_clusterings=experiment.base_clusterings,
            metrics=experiment.metrics,
            methods=tuple(
                ScoredMethod(
                    id=method.id,
                    grid=method.grid,
                    labels=self.consensus(study, case_id, method.id).digest,
                    point=self.point_of(study, method),
                )
                for method in experiment.runs(case)
            ),
            code=fingerprint("consclust_studies.stages.score"),
        )

    def score_files(self, run: str, part: str) -> list[str]:
        """Return the tables of scores of all cases."""
        cases = [case.id for experiment in self.scored(run, part) for case in experiment.cases]
        return [f"results/{run}{part}/scores/{case}.parquet" for case in cases]

    def collect(self, run: str, part: str) -> CollectJob:
        """Return the job that joins the scores of all cases."""
        experiments = self.scored(run, part)
        cases = [case.id for experiment in experiments for case in experiment.cases]
        return CollectJob(
            experiments=tuple(map(as_scored, experiments)),
            scores={case: self.score(run, part, case).digest for case in cases},
            code=fingerprint("consclust_studies.stages.collect"),
        )

    def unseen(self, run: str, case_id: str) -> UnseenJob:
        """Return the job that scores labels of unseen objects on a case."""
        study, case = self.runs[run], self.runs[run].case(case_id)
        experiment = on_unseen_objects(study, case)
        classes = {methods.load(method.method).__module__ for method in experiment.methods}
        return UnseenJob(
            experiment=experiment,
            data=self.prepare(case.dataset, case.steps_word).digest,
            standardised=case.steps[-1:] == ("zscore",),
            seed=self.settings.seed,
            code=fingerprint("consclust_studies.stages.unseen_objects", *sorted(classes)),
        )

    # ---------------------------------------------------------------- reports

    def exhibit_inputs(self, run: str, exhibit: Exhibit) -> list[Given]:
        """Return what an exhibit reads."""
        study, wanted = self.runs[run], exhibit.needs(self.runs[run])
        found: list[Given] = []
        if wanted.scores:
            found.append((Item(role="scores", spec=self.collect(run, "").digest), [f"results/{run}/scores.parquet"]))
        if wanted.selected:
            item = Item(role="selected", spec=self.collect(run, "").digest)
            found.append((item, [f"results/{run}/selected.parquet"]))
        if wanted.variants and study.of_variants():
            item = Item(role="variants", spec=self.collect(run, "/variants").digest)
            found.append((item, [f"results/{run}/variants/selected.parquet"]))
        if wanted.variant_scores and study.of_variants():
            item = Item(role="variant-scores", spec=self.collect(run, "/variants").digest)
            found.append((item, [f"results/{run}/variants/scores.parquet"]))
        for case_id in wanted.unseen:
            item = Item(role="unseen", key=case_id, spec=self.unseen(run, case_id).digest)
            found.append((item, [f"results/{run}/unseen/{case_id}.parquet"]))
        for case in map(study.case, wanted.ensembles):
            item = Item(role="ensemble", key=case.id, spec=self.ensemble(study.id, case.id).digest)
            found.append((item, [self.ensemble_file(study.id, case)]))
        for case in map(study.case, wanted.prepared):
            item = Item(role="prepared", key=case.id, spec=self.prepare(case.dataset, case.steps_word).digest)
            found.append((item, [self.prepared_file(case)]))
        if wanted.published:
            tables = {name: str(study_file(study.id, f"published/{name}.csv")) for name in study.published}
            found += [self._of_content("published", name, path) for name, path in tables.items()]
        found += [self._of_blocks(run, "labels", study.case(case_id), method) for case_id, method in wanted.labels]
        if wanted.runtimes:
            whole = self.studies[study.id]
            for case in study.cases:
                fits = dict.fromkeys(whole.fitted(method).id for method in study.runs(case))
                found += [self._of_blocks(run, "runtimes", case, name) for name in fits]
        return found

    def tables(self, run: str) -> tuple[str, ...]:
        """Return the exhibits that one job makes, as each of them takes less time than a process takes to start."""
        return tuple(exhibit.id for exhibit in self.runs[run].exhibits if not exhibit.drawn)

    def exhibits_files(self, run: str, *ids: str) -> Files:
        """Return the files that the job of some exhibits reads, in the order of its items."""
        study = self.runs[run]
        files = dict(given for name in ids for given in self.exhibit_inputs(run, study.exhibit(name)))
        return _files((item, files[item]) for item in in_order(files))

    def document_files(self, run: str) -> Files:
        """Return the files that the job of the report reads, in the order of its items."""
        return _files(self.document_inputs(run))

    def exhibits(self, run: str, *ids: str) -> ExhibitJob:
        """Return the job of some exhibits: of all tables, or of one figure."""
        study = self.runs[run]
        exhibits = [study.exhibit(name) for name in ids]
        wanted = [exhibit.needs(study) for exhibit in exhibits]
        fitted = {methods.load(study.method(method).method).__module__ for need in wanted for _, method in need.fits}
        code = {
            "consclust_studies.exhibits.stored",
            "consclust_studies.results.source",
            *(type(e).__module__ for e in exhibits),
            *fitted,
        }
        return ExhibitJob(
            study=part_of(study, exhibits),
            items={e.id: tuple(item for item, _ in self.exhibit_inputs(run, e)) for e in exhibits},
            seed=self.settings.seed if any(need.fits or need.draws for need in wanted) else None,
            code=fingerprint(*sorted(code)) + templates("table.*"),
        )

    def document_inputs(self, run: str) -> list[Given]:
        """Return what the report is made of: the discussion, and the exhibits with their files."""
        study = self.runs[run]
        found: list[Given] = []
        if study.discussion:
            found.append(self._of_content("discussion", "", str(study_file(study.id, "discussion.md"))))
        for exhibit in study.exhibits:
            job = self.exhibits(run, *([exhibit.id] if exhibit.drawn else self.tables(run)))
            item = Item(role="exhibit", key=exhibit.id, spec=job.digest)
            found.append((item, [f"results/{run}/exhibits/{exhibit.id}.json"]))
            found += [(item.model_copy(update={"role": "file"}), [file]) for file in exhibit_files(run, exhibit)]
        return found

    def document(self, run: str) -> DocumentJob:
        """Return the job of the report."""
        study = self.runs[run]
        classes = {method.method: methods.load(method.method) for method in study.methods}
        return DocumentJob(
            study=study,
            items=tuple(item for item, _ in self.document_inputs(run)),
            seed=self.settings.seed,
            methods={name: (cls.summary, cls.reference) for name, cls in classes.items()},
            code=fingerprint("consclust_studies.document.document") + templates("*"),
        )

    def report_files(self, run: str) -> list[str]:
        """Return all files of a report."""
        files = [file for exhibit in self.runs[run].exhibits for file in exhibit_files(run, exhibit)]
        return [*files, *(f"reports/{run}/{name}" for name in DOCUMENTS)]

    def _of_blocks(self, run: str, role: Literal["labels", "runtimes"], case: Case, method: str) -> Given:
        whole = self.studies[self.runs[run].id]
        spec = self.consensus(whole.id, case.id, method).digest
        suffix = ".npz" if role == "labels" else ".runtime.json"
        item = Item(role=role, key=f"{case.id}/{method}", spec=spec)
        return item, self.label_files(run, case, whole.run(case, method), suffix)

    def _of_content(self, role: Literal["published", "discussion"], key: str, path: str) -> Given:
        content = Path(path).read_bytes() if Path(path).is_file() else b""
        return Item(role=role, key=key, spec=digest(content)), [path]

    # ---------------------------------------------------------------- needs

    def shape(self, dataset: str) -> needs.Shape:
        """Return objects, features and classes of a data set, as far as they are registered."""
        return self.registry[dataset].shape or needs.UNKNOWN

    def need_of_ensemble(self, study: str, case_id: str) -> Need:
        """Return the need of a job of base clusterings."""
        return needs.ensembles(*self._sized(self.studies[study], case_id))

    def need_of_consensus(self, study: str, case_id: str, method_id: str, block: str) -> Need:
        """Return the need of a job of the consensus stage."""
        whole, case, shape = self._sized(self.studies[study], case_id)
        first, last = map(int, block.split("-"))
        return needs.consensus(whole, case, shape, whole.run(case, method_id), first, last)

    def need_of_race(self, study: str, case_id: str) -> Need:
        """Return the need of a job that scores the first subsets of a method on a case."""
        return needs.score(*self._sized(self.studies[study], case_id))

    def need_of_score(self, run: str, part: str, case_id: str) -> Need:
        """Return the need of a job that scores a case."""
        return needs.score(*self._sized(self.scored_on(run, part, case_id), case_id))

    def need_of_unseen(self, run: str, case_id: str) -> Need:
        """Return the need of a job on unseen objects."""
        return needs.unseen(*self._sized(self.runs[run], case_id))

    def need_of_exhibits(self, run: str, *ids: str) -> Need:
        """Return the need of the job of some exhibits."""
        study = self.runs[run]
        fits = [fit for name in ids for fit in study.exhibit(name).needs(study).fits]
        return needs.report(study, [(*self._sized(study, case)[1:], study.method(method)) for case, method in fits])

    def _sized(self, study: Experiment, case_id: str) -> tuple[Experiment, Case, needs.Shape]:
        case = study.case(case_id)
        n, features, classes = self.shape(case.dataset)
        return study, case, (n, features, (isinstance(case, StudyCase) and case.k) or classes)

    # ---------------------------------------------------------------- names

    def names(self) -> dict[str, str]:
        """Return the patterns of the wildcards of the rules."""
        figures = [exhibit.id for run in self.runs.values() for exhibit in run.exhibits if exhibit.drawn]
        return {
            "study": _any_of(self.studies),
            "run": _any_of(self.runs),
            "part": "|/variants",
            "case": WORD,
            "method": WORD,
            "dataset": _any_of(self.registry),
            "steps": r"[a-z0-9_-]+",
            "block": r"\d+-\d+",
            "figure": _any_of(figures),
            "matrix": "[^/]+",
            "piece": WORD,
            "k": r"[^/.-]+",
        }


DOCUMENTS = ("report.pdf", "report.html", "provenance.json", "SHA256SUMS")
"""Files of a report beside those of its exhibits."""


def _files(given: Iterable[Given]) -> Files:
    files = Files([], [])
    for item, paths in given:
        (files.project if item.role in OF_PROJECT else files.made).extend(paths)
    return files


def templates(pattern: str) -> str:
    """Return the digest of the templates whose names match a pattern."""
    files = sorted(path for path in TEMPLATES.glob(pattern) if path.is_file())
    return digest("".join(digest(path.read_bytes()) for path in files))


def exhibit_files(run: str, exhibit: Exhibit) -> list[str]:
    """Return the files of an exhibit in the folder of a report."""
    suffixes: Sequence[str] = ("csv", "tex", "svg", "pdf", "png") if exhibit.drawn else ("csv", "tex", "md", "html")
    return [f"reports/{run}/{exhibit.id}.{suffix}" for suffix in suffixes]


def _any_of(words: Iterable[str]) -> str:
    """Return a pattern of these words; one that matches nothing if there are none."""
    return "|".join(sorted({re.escape(word) for word in words}, key=len, reverse=True)) or r"[^\s\S]"
