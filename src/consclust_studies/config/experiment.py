"""What a study runs: cases, base clusterings, methods with their grids, variants, unseen objects."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from consclust.validation import Strict
from consclust_studies.config.cases import BY_KMEANS, Case, CaseFamily, CaseVariant, NumberOfClusters
from consclust_studies.config.harms import Harms
from consclust_studies.config.method_runs import MethodRun, MethodVariant, find_differing
from consclust_studies.config.metric import Metric
from consclust_studies.config.race import Race
from consclust_studies.config.references import AnyRowId, CaseId, MethodId, MetricId
from consclust_studies.config.values import Name, Named, Positive, Selection, Some, Title, Value, no_flag

BEST_BASE_CLUSTERING = "Best base clustering"
RESTARTED_KMEANS = "K-means, 100 restarts"
"""Rows of a study with ``one_job_a_case`` that are no methods."""


class EnsembleProtocol(Strict):
    """How base clusterings are made: Lloyd's k-means, from k random objects unless a case differs."""

    runs: Positive = Field(200, description="number of base clusterings of a case, its pool")
    subset_size: Positive = Field(
        20, description="number of base clusterings in a subset, from which a consensus is made"
    )
    draws: Positive | None = Field(
        None, description="number of subsets that are drawn from the runs; null: the runs are split in order"
    )
    draw_seed: Annotated[
        int,
        Field(ge=0, lt=2**32, description="seed of the draws, which are MATLAB's randperm(runs) after rng(draw_seed)"),
        BeforeValidator(no_flag),
    ] = 1
    n_clusters: NumberOfClusters = Field(
        "classes",
        description="clusters of a base clustering: a number; a list that the runs take in turn; 'classes': their "
        "number; 'random': drawn from 2 to √n for n objects; 'random-fine': from √n / 2 to √n",
    )
    max_iter: Positive = Field(100, description="most iterations of a run of k-means")
    harms: Harms | None = Field(
        None, description="subsets that are spoiled beside the clean ones, by kind of harm and share; null: none"
    )

    @model_validator(mode="after")
    def _check_subsets(self) -> Self:
        # draws are without replacement
        if self.draws and self.subset_size > self.runs:
            raise ValueError(f"subset_size = {self.subset_size} is more than runs = {self.runs}")
        if not self.draws and self.runs % self.subset_size:
            raise ValueError(f"runs = {self.runs} is not a multiple of subset_size = {self.subset_size}")
        return self

    @property
    def n_subsets(self) -> int:
        """Number of subsets that are drawn from the runs, or that the runs are split into, with the spoiled ones."""
        n_clean = self.draws or self.runs // self.subset_size
        return n_clean * self.harms.n_of_repetition if self.harms else n_clean


class Variants(Strict):
    """Other interpretations of the paper: run and shown beside the study's own, not ranked, not tested."""

    methods: tuple[MethodVariant, ...] = Field((), description="variants of methods")
    cases: tuple[CaseVariant, ...] = Field((), description="variants of cases")
    families: tuple[CaseFamily, ...] = Field((), description="variants of several cases with the same changes")


class Significance(Strict):
    """The t-test behind the bold figures."""

    test: Literal["paired", "welch"] = Field(
        "paired", description="t-test over the subsets: paired by subset, or Welch's for two samples"
    )
    alpha: Annotated[float, Field(gt=0, lt=1)] = Field(0.05, description="level of significance")


class GeneralisedMethod(Named):
    """A method of the study, fitted on the training objects, and how its consensus reaches unseen ones."""

    word = "method"

    method: MethodId = Field(description="id of a method of the study; its rows are named by id and by")
    by: Some[Literal["NC", "Infer", "own"]] = Field(
        ("NC",),
        description="how unseen objects get a label, a row of the table for each: 'NC': by the nearest centroid of the "
        "consensus clusters; 'Infer': by the method's model and their base labels; 'own': by the method's own mapping "
        "of features",
    )

    def row(self, by: str) -> str:
        """Return the name of a row."""
        return self.id if by == "own" else f"{self.id}-{by}"


class Generalisation(Strict):
    """Consensus on a part of the objects, and its labels for the others."""

    splits: Positive = Field(5, description="number of random splits of the objects into training and unseen ones")
    repetitions: Positive = Field(
        10,
        description="number of ensembles for a split, each of ensemble.subset_size new base clusterings of the "
        "training objects",
    )
    train_share: Annotated[float, Field(gt=0, lt=1)] = Field(0.6, description="share of the training objects")
    base_labels: Literal["assign", "kmeans-on-test"] = Field(
        "assign",
        description="base labels of unseen objects: the nearest centre of each base clustering, or k-means on the "
        "unseen objects, whose clusters are matched to those of the base clustering",
    )
    metric: Metric = Field("ACC", description="metric of the table")
    methods: Some[GeneralisedMethod] = Field(description="methods of the study, and how their consensus is extended")
    beside: AnyRowId | None = Field(
        None, description="name of the row that the others are tested against; null: they are not tested"
    )
    cases: tuple[CaseId, ...] = Field((), description="ids of cases; all cases of the study if absent")

    @model_validator(mode="after")
    def _check_rows(self) -> Self:
        rows = [method.row(by) for method in self.methods for by in method.by]
        twice = {row for row in rows if rows.count(row) > 1}
        if twice:
            raise ValueError(f"two rows are named {sorted(twice)[0]!r}; give one of the methods another id")
        return self


class Experiment(Strict):
    """What a study runs and how it is scored."""

    id: Name = Field(description="id of the study, the name of its folder and of its target")
    cases: Some[Case] = Field(description="the data sets as the study uses them")
    only_in_table1: tuple[Case, ...] = Field((), description="data sets that are described, not clustered")
    ensemble: EnsembleProtocol = Field(
        EnsembleProtocol(), description="how base clusterings and their subsets are made"
    )
    subsets: Positive | None = Field(None, description="number of subsets that are run, the first ones; null: all")
    base_clusterings: Annotated[Title, Field(max_length=60)] = Field(
        default_factory=lambda given: _name_base_clusterings(given.get("cases", ())),
        description="name of the row of the base clusterings themselves; if absent, K-means, or Base clusterings "
        "where no case has any by k-means",
    )
    methods: Some[MethodRun] = Field(description="the consensus methods, each with its parameters and its grid")
    metrics: Some[Metric] = Field(
        ("ACC", "NMI", "ARI", "purity", "F"), description="metrics that are computed of every consensus"
    )
    restarts: Literal["mean", "chosen"] = Field(
        "mean", description="score of a fit: the mean over its restarts, or that of the restart that the method chooses"
    )
    selection: Selection = Field(
        "oracle-per-subset",
        description="how the grid point of a tuned method is chosen where one row represents it: 'oracle-per-subset': "
        "the best of each subset; 'oracle-common': the one with the best mean over the subsets; 'default': the default "
        "point, and variants then run at no other",
    )
    selected_by: MetricId | None = Field(
        None,
        description="metric by which the 'oracle' selections choose, whatever metric is shown; null: each by itself",
    )
    one_job_a_case: bool = Field(
        False,
        description="whether one job fits all methods of a case, for many data sets and short fits. It keeps the "
        "labels of the restart that a method chooses. Where the registry shuffles the objects, the first subset is "
        "also fitted in the order of their file. The best base clustering and k-means with 100 restarts become rows",
    )
    significance: Significance = Field(Significance(), description="the test of significance behind bold figures")
    generalisation: Generalisation | None = Field(
        None, description="consensus on a part of the objects and labels for the others; null: none"
    )
    variants: Variants = Field(Variants(), description="other interpretations of the paper")

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        cases = [case.id for case in (*self.described, *self.case_variants)]
        methods = [run.id for run in (*self.methods, *self.variants.methods)]
        for what, ids in (("case", cases), ("method", methods)):
            twice = {name for name in ids if ids.count(name) > 1}
            if twice:
                raise ValueError(f"two {what}s have the id {sorted(twice)[0]!r}; give one of them another id")
        if self.base_clusterings in methods:
            raise ValueError(f"{self.base_clusterings!r} names both the base clusterings and a method")
        return self

    @model_validator(mode="after")
    def _check_one_job(self) -> Self:
        if not self.one_job_a_case:
            if further := [name for name in self.metrics if name in ("AMI", "PSI")]:
                raise ValueError(f"metrics: {further[0]} goes with one_job_a_case; remove it, or write that")
            if with_seeds := [case.id for case in self.cases if case.seeds > 1]:
                raise ValueError(f"cases: {with_seeds[0]}: seeds goes with one_job_a_case; remove it, or write that")
            return self
        if self.restarts != "chosen":
            raise ValueError("one_job_a_case: labels of other restarts are not kept; write restarts: chosen")
        with_more = [run.id for run in self.methods if run.grid or run.together]
        with_more += [case.id for case in self.cases if case.races]
        if with_more or self.variants != Variants():
            named = with_more[0] if with_more else "variants"
            raise ValueError(f"one_job_a_case: {named}: no grids, races, variants or fits together; remove it")
        return self

    @property
    def n_subsets(self) -> int:
        """Number of subsets that are run."""
        return min(self.subsets or self.ensemble.n_subsets, self.ensemble.n_subsets)

    def n_subsets_of(self, case: Case, run: MethodRun | None = None) -> int:
        """Return the number of subsets that are run on a case, or on the variant of one; by some method or by one."""
        # a restricted run may have fewer subsets than a variant requires
        wanted = [self.n_subsets]
        if isinstance(case, CaseVariant) and case.subsets:
            wanted.append(case.subsets)
        if run is not None and case.id in run.subsets:
            wanted.append(run.subsets[case.id])
        return min(wanted)

    @property
    def described(self) -> tuple[Case, ...]:
        """The cases of Table 1: those that are clustered, then the others."""
        return self.cases + self.only_in_table1

    @property
    def case_variants(self) -> tuple[CaseVariant, ...]:
        """The variants of cases, those of families too."""
        variants = list(self.variants.cases)
        for family in self.variants.families:
            variants += [variant for _, variant in family.list_members(self.cases)]
        return tuple(variants)

    @property
    def counted(self) -> tuple[Case, ...]:
        """The cases of counts over data sets: all but those that another one stands for."""
        # a replaced case is shown, but does not count a second time
        replaced = {case.instead_of for case in self.cases}
        return tuple(case for case in self.cases if case.id not in replaced)

    def case(self, case_id: str) -> Case:
        """Return the case, or the variant of one, with this id."""
        return next(c for c in (*self.described, *self.case_variants) if c.id == case_id)

    def method(self, method_id: str) -> MethodRun:
        """Return the method, or the variant of one, with this id."""
        return next(m for m in (*self.methods, *self.variants.methods) if m.id == method_id)

    def list_points(self, method_id: str) -> list[dict[str, Value]]:
        """Return the grid points of a method or a variant; of the base clusterings one without parameters."""
        return [{}] if method_id == self.base_clusterings else self.method(method_id).points

    def together(self, name: str) -> list[MethodRun]:
        """Return the methods, and variants of methods, that are fitted together under a name."""
        return [run for run in (*self.methods, *self.variants.methods) if run.together == name]

    def fitted(self, run: MethodRun) -> MethodRun:
        """Return what is fitted for a method: itself, or a grid of all methods that are fitted together with it."""
        if run.together is None:
            return run
        # the parameter in which the methods differ becomes the grid of one fit
        grid = find_differing(self.together(run.together))
        common = {key: value for key, value in run.parameters.items() if key not in grid}
        # a grid needs a default; no selection is made between methods
        default = {key: axis[0] for key, axis in grid.items()}
        return MethodRun(
            id=run.together,
            method=run.method,
            parameters=common,
            grid=grid,
            default=default,
            missing_labels=run.missing_labels,
        )

    def run(self, case: Case, method_id: str) -> MethodRun:
        """Return the method, or the variant of one, or fits of several, as it runs on a case, or on the variant of one.

        Variants are shown in the study's own selection: where that is the default, no other point is needed.
        """
        if together := self.together(method_id):
            return self.fitted(together[0])
        run = self.method(method_id)
        if isinstance(case, CaseVariant) and method_id in case.points:
            return run.at_point(case.points[method_id])
        is_variant = isinstance(case, CaseVariant) or isinstance(run, MethodVariant)
        return run.at_default() if is_variant and self.selection == "default" else run

    def runs(self, case: Case) -> list[MethodRun]:
        """Return the methods that run on a case."""
        return [run for run in self.methods if run.runs_on(case)]

    def absent(self) -> dict[str, tuple[Case, ...]]:
        """Return the cases on which a method does not run, for each method that has such."""
        cases = {run.id: tuple(case for case in self.cases if not run.runs_on(case)) for run in self.methods}
        return {method: found for method, found in cases.items() if found}

    def subset_size(self, case: Case) -> int:
        """Return the number of base clusterings in a subset of a case."""
        return case.subset_size or self.ensemble.subset_size

    def parameters(self, case: Case, run: MethodRun) -> dict[str, Value]:
        """Return the fixed parameters of a method on a case."""
        return run.parameters | case.parameters.get(run.id, {})

    def race(self, case: Case, run: MethodRun) -> Race | None:
        """Return the race of a method's grid on a case, if there is one and it leaves any subset."""
        # on a variant with few subsets, or in a restricted run, a race would leave none
        race = case.races.get(run.id)
        return race if race and race.subsets < self.n_subsets_of(case, run) else None

    def split_variants(self) -> "list[Experiment]":
        """Return what the variants add, an experiment of one case for each case with the methods that run on it."""
        runs: dict[str, list[MethodRun]] = {}
        for variant in self.variants.methods:
            for case in self.cases:
                if variant.runs_on(case):
                    runs.setdefault(case.id, []).append(self.run(case, variant.id))
        for other in self.case_variants:
            runs.setdefault(other.id, []).extend(self.run(other, name) for name in other.methods)
        return [self._keep_one_case(self.case(case), found) for case, found in runs.items()]

    def _keep_one_case(self, case: Case, methods: Sequence[MethodRun]) -> Self:
        return self.model_copy(
            update={
                "cases": (case,),
                "methods": tuple(methods),
                "subsets": self.n_subsets_of(case),
                "variants": Variants(),
            }
        )

    def size_variants(self, case: Case) -> list[CaseVariant]:
        """Return the variants that differ from a case in the size of its subsets alone."""
        # the size of a subset is no part of the origin
        others = [other for other in self.case_variants if other.of == case.id and other.subset_size]
        return [other for other in others if _pick_origin(other) == _pick_origin(case)]

    def pool(self, case: Case) -> Case:
        """Return the case whose base clusterings a case draws its subsets from: one pool for all their sizes."""
        for own in self.cases:
            if any(other.id == case.id for other in self.size_variants(own)):
                return own
        return case

    def generalised(self) -> tuple[Case, ...]:
        """Return the cases of the experiment on unseen objects."""
        if self.generalisation is None:
            return ()
        wanted = self.generalisation.cases
        return tuple(case for case in self.cases if not wanted or case.id in wanted)

    def unseen_rows(self) -> list[str]:
        """Return the rows of the table on unseen objects, the base clusterings first."""
        if self.generalisation is None:
            return []
        # the base clusterings have no model: an unseen object gets the nearest centroid
        base = f"{self.base_clusterings}-NC"
        return [base, *(method.row(by) for method in self.generalisation.methods for by in method.by)]


def _name_base_clusterings(cases: Iterable[Case]) -> str:
    by_kmeans = any(case.ensemble in BY_KMEANS for case in cases)
    return "K-means" if by_kmeans else "Base clusterings"


def _pick_origin(case: Case) -> tuple[object, ...]:
    """Return what, beside the number of base clusterings in a subset, makes the scores of a case."""
    return (
        case.dataset,
        case.preprocessing,
        case.ensemble,
        case.init,
        case.n_clusters,
        case.linkage,
        case.distance,
        case.feature_share,
        case.object_share,
        case.parameters,
    )
