"""How the study was run: tables of its settings, methods, metrics and selections."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from consclust import methods
from consclust.datasets.registry import MADE
from consclust.report.items import Item, heading, paragraph, table
from consclust.report.references import References
from consclust.report.wording import DASH, conjunction, count, numbers, point, symbol
from consclust.validation import read_yaml
from consclust_studies.config.cases import Case
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.study import PlannedStudy
from consclust_studies.config.values import Value
from consclust_studies.results.sentences import SELECTIONS

DATA: dict[str, dict[str, Any]] = read_yaml(Path(__file__).with_name("protocol.yaml"))
"""Definitions of metrics, words for settings, sentences."""
SENTENCES = DATA["sentences"]


def protocol(study: PlannedStudy, references: References) -> Iterator[Item]:
    """Yield the items of the chapter on the protocol."""
    yield from _base_clusterings(study)
    yield from _methods(study, references)
    yield from _diagnosis(study, references) if study.without_classes else _scores(study, references)


def _diagnosis(study: PlannedStudy, references: References) -> Iterator[Item]:
    """Yield how diagnostics are computed, where there are no classes to score by."""
    plan = study.diagnosis
    settings = DATA["diagnosis"]
    yield heading("Diagnosis")
    yield paragraph(SENTENCES["diagnosis"])
    yield from _table(
        "diagnosis",
        [
            (name, numbers(getattr(plan, key)), f"{text}{references.cite(work)}")
            for key, (name, text, work) in settings.items()
        ],
    )


def _scores(study: PlannedStudy, references: References) -> Iterator[Item]:
    """Yield the metrics, the selections of parameters, and the tests."""
    used = dict.fromkeys((*study.metrics, *([study.generalisation.metric] if study.generalisation else [])))
    metrics = [(metric, *DATA["metrics"][metric]) for metric in used]
    yield heading("Metrics")
    yield from _table("metrics", [(m, name, f"{text}{references.cite(work)}") for m, name, text, work in metrics])
    if tuned := [run for run in study.methods if run.grid]:
        defaults = "; ".join(f"{run.id}: {point(run.default)}" for run in tuned)
        names, selection = conjunction([run.id for run in tuned]), SELECTIONS[study.selection]
        yield heading("Selection of parameters")
        yield paragraph(SENTENCES["selections"].format(methods=names, selection=selection))
        selections = DATA["selections"].items()
        yield from _table(
            "selections", [(SELECTIONS[name], text.format(defaults=defaults)) for name, text in selections]
        )
    if study.n_subsets > 1:
        test, alpha = DATA["tests"][study.significance.test], study.significance.alpha
        words = {"test": test, "alpha": alpha, "n": study.n_subsets, "holm": references.cite("holm")}
        yield heading("Significance")
        yield paragraph(SENTENCES["significance"].format(**words))


def _table(name: str, rows: Sequence[Sequence[str]]) -> Iterator[Item]:
    """Yield a table with its header and caption, if it has rows."""
    *header, caption = DATA["tables"][name]
    if rows:
        yield table(header, rows, caption)


def _base_clusterings(study: PlannedStudy) -> Iterator[Item]:
    ensemble, made = study.ensemble, {case.ensemble for case in study.cases}
    kmeans = [
        ("Algorithm", f"k-means (Lloyd's algorithm, at most {ensemble.max_iter} iterations)"),
        ("Initial centres", "k objects drawn at random"),
        ("Number of clusters k", _number_of_clusters(ensemble.n_clusters)),
    ]
    settings = [*(kmeans if made & set(MADE) else []), ("Runs", f"{ensemble.runs}"), ("Subsets", _subsets(study))]
    differing = [(study.titles[case.id], "; ".join(_differences(case))) for case in study.cases]
    yield heading("Base clusterings")
    yield paragraph(SENTENCES["base_clusterings"])
    yield from _table("settings", settings)
    yield from _table("differing", [row for row in differing if row[1]])
    if "mixed" in made:
        yield paragraph(SENTENCES["mixed"])


def _subsets(study: PlannedStudy) -> str:
    ensemble = study.ensemble
    if ensemble.n_subsets == 1:
        return "1: all runs are one ensemble"
    drawn = f"drawn from all runs at random, each anew (seed {ensemble.draw_seed})"
    how = drawn if ensemble.draws else "the runs in their order"
    fewer = f"; only the first {study.n_subsets} in this run" if study.n_subsets < ensemble.n_subsets else ""
    return f"{ensemble.n_subsets}, each of {count(ensemble.subset_size, 'run')}: {how}{fewer}"


def _number_of_clusters(k: Any) -> str:
    return f"{numbers(k)}, taken in turn" if isinstance(k, tuple) else DATA["number_of_clusters"].get(k, f"{k}")


def _differences(case: Case) -> Iterator[str]:
    if case.ensemble != "kmeans":
        yield MADE.get(case.ensemble, f"not made here: the ready-made ensemble {case.ensemble}")
    if case.init != "random":
        yield f"initial centres by {case.init}"
    if case.n_clusters is not None:
        yield f"k: {_number_of_clusters(case.n_clusters)}"
    for share, what in ((case.feature_share, "features"), (case.object_share, "objects")):
        if share < 1:
            yield f"{share:.0%} of the {what}, drawn for each run"
    if case.subset_size:
        yield f"subsets of {count(case.subset_size, 'run')}"


def _methods(study: PlannedStudy, references: References) -> Iterator[Item]:
    where: dict[str, list[str]] = {}
    for method, cases in study.absent().items():
        where.setdefault(_titles(study, cases), []).append(method)
    absent = "; ".join(f"{conjunction(methods)} on {cases}" for cases, methods in where.items())
    scored = SENTENCES["methods"].format(restarts=DATA["restarts"][study.restarts], base=study.base_clusterings)
    said = SENTENCES["unlabelled"].format(k=_given(study)) if study.without_classes else scored
    yield heading("Methods")
    yield paragraph(said, f"Not run (“{DASH}” in the tables): {absent}." if absent else "")
    yield from _table("methods", [_method(run, references) for run in study.methods])
    yield from _table("changed", [row for run in study.methods for row in _changed(study, run)])


def _method(run: MethodRun, references: References) -> tuple[str, ...]:
    cls = methods.load(run.method)
    grid = ", ".join(f"{symbol(name)} ∈ {{{_abridged(values)}}}" for name, values in run.grid.items())
    points = f"{grid} ({count(len(run.points), 'point')})" if grid else DASH
    return run.id, f"{cls.summary}{references.cite(cls.reference)}", point(run.parameters) or DASH, points


def _changed(study: PlannedStudy, run: MethodRun) -> Iterator[tuple[str, ...]]:
    """Yield method, parameter, own default, value here and data sets of every parameter off its default."""
    defaults = methods.load(run.method).parameters()
    where: dict[tuple[str, Value], list[Case]] = {}
    for case in study.cases:
        for item in study.parameters(case, run).items():
            where.setdefault(item, []).append(case)
    for (name, value), cases in where.items():
        if name in defaults and value != defaults[name]:
            here = "all" if len(cases) == len(study.cases) else _titles(study, cases)
            yield run.id, symbol(name), _value(defaults[name]), _value(value), here


def _given(study: PlannedStudy) -> str:
    """Return the number of clusters of each case without classes."""
    return conjunction([f"{case.k} on {study.titles[case.id]}" for case in study.cases])


def _titles(study: PlannedStudy, cases: Sequence[Case]) -> str:
    return conjunction([study.titles[case.id] for case in cases])


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else f"{value}"


def _abridged(values: Sequence[Any]) -> str:
    texts = [_value(value) for value in values]
    return ", ".join(texts if len(texts) <= 7 else [*texts[:2], "…", texts[-1]])
