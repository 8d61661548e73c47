"""The jobs of this stage: the scores on a case, those of a study with the selections, those on unseen objects."""

from consclust.validation import Strict
from consclust_studies.config.cases import Case
from consclust_studies.config.experiment import Experiment, Significance, Variants
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.metric import Metric
from consclust_studies.config.values import Value
from consclust_studies.specs import Spec


class ScoredMethod(Strict):
    """A method whose consensus labels are scored."""

    id: str
    grid: dict[str, tuple[Value, ...]]
    labels: str
    """Digest of the spec of its consensus job."""
    point: int | None = None
    """Its grid point in that job, where several methods are fitted together."""


class ScoreJob(Spec):
    """What the scores on a case depend on."""

    study: str
    case: str
    ensemble: str
    n_subsets: int
    base_clusterings: str
    metrics: tuple[Metric, ...]
    methods: tuple[ScoredMethod, ...]
    code: str = ""


class CollectJob(Spec):
    """What the scores of a study and their selections depend on: its experiment, or one for each case of a variant."""

    experiments: tuple[Experiment, ...]
    scores: dict[str, str]
    """Digest of the spec of the scores, by case."""
    code: str = ""


class UnseenJob(Spec):
    """What the scores on unseen objects of a case depend on; the experiment has no other case."""

    experiment: Experiment
    data: str
    standardised: bool
    """Whether the features are scaled by the training objects."""
    seed: int
    code: str = ""


def as_scored(experiment: Experiment) -> Experiment:
    """Return what selections depend on: no parameters, no preprocessing, no variants."""
    return Experiment(
        id=experiment.id,
        cases=tuple(Case(dataset=case.dataset, id=case.id) for case in experiment.cases),
        ensemble=experiment.ensemble,
        subsets=experiment.n_subsets,
        base_clusterings=experiment.base_clusterings,
        methods=tuple(
            MethodRun(id=run.id, method=run.method, grid=run.grid, default=run.default) for run in experiment.methods
        ),
        metrics=experiment.metrics,
        restarts=experiment.restarts,
    )


def on_unseen_objects(experiment: Experiment, case: Case) -> Experiment:
    """Return what the scores on unseen objects of a case depend on."""
    plan = experiment.generalisation
    assert plan is not None, "only for a study with a generalisation"
    wanted = {method.method for method in plan.methods}
    elsewhere: dict[str, object] = {"title": None, "doubt": None, "instead_of": None, "without": (), "races": {}}
    parameters = {method: found for method, found in case.parameters.items() if method in wanted}
    return Experiment(
        id=experiment.id,
        cases=(case.model_copy(update={**elsewhere, "parameters": parameters}),),
        ensemble=experiment.ensemble,
        base_clusterings=experiment.base_clusterings,
        methods=tuple(run for run in experiment.methods if run.id in wanted),
        metrics=(plan.metric,),
        significance=Significance(),
        generalisation=plan.model_copy(update={"cases": (), "beside": None}),
        variants=Variants(),
    )
