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
from consclust_studies.config.cases import BY_ESTIMATORS, Case
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.study import PlannedStudy
from consclust_studies.config.values import Value
from consclust_studies.results.sentences import SELECTIONS

DATA: dict[str, dict[str, Any]] = read_yaml(Path(__file__).with_name("protocol.yaml"))
"""Definitions of metrics, words for settings, sentences."""
SENTENCES = DATA["sentences"]
MOST_CASES = 15  # that are named one by one


def list_protocol_items(study: PlannedStudy, references: References) -> Iterator[Item]:
    """Yield the items of the chapter on the protocol."""
    yield from _list_base_clusterings(study)
    yield from _list_methods(study, references)
    if study.without_classes:
        yield from _list_diagnosis(study, references)
    else:
        yield from _list_metrics(study, references)
        if study.standard_exhibits:
            # what these say is about the main table and its appendix, which are standard exhibits
            yield from _list_selections(study)
            yield from _list_tests(study, references)


def _list_diagnosis(study: PlannedStudy, references: References) -> Iterator[Item]:
    """Yield how diagnostics are computed, where there are no classes to score by."""
    yield heading("Diagnosis")
    yield paragraph(SENTENCES["diagnosis"])
    rows = []
    for key, (name, text, work) in DATA["diagnosis"].items():
        value = numbers(getattr(study.diagnosis, key))
        rows.append((name, value, f"{text}{references.cite(work)}"))
    yield from _make_table("diagnosis", rows)


def _list_metrics(study: PlannedStudy, references: References) -> Iterator[Item]:
    metrics = list(study.metrics)
    if study.generalisation and study.generalisation.metric not in metrics:
        metrics.append(study.generalisation.metric)
    yield heading("Metrics")
    rows = []
    for metric in metrics:
        name, text, work = DATA["metrics"][metric]
        rows.append((metric, name, f"{text}{references.cite(work)}"))
    yield from _make_table("metrics", rows)


def _list_selections(study: PlannedStudy) -> Iterator[Item]:
    """Yield how the parameters of tuned methods are selected, if there are such methods."""
    tuned = [run for run in study.methods if run.grid]
    if not tuned:
        return
    names = conjunction([run.id for run in tuned])
    defaults = "; ".join(f"{run.id}: {point(run.default)}" for run in tuned)
    yield heading("Selection of parameters")
    by = f"by {study.selected_by} for all metrics" if study.selected_by else "for each metric by itself"
    made = SENTENCES["selections"].format(methods=names, selection=SELECTIONS[study.selection], by=by)
    yield paragraph(made, SENTENCES["published_selections"] if study.published else "")
    rows = [(SELECTIONS[name], text.format(defaults=defaults)) for name, text in DATA["selections"].items()]
    yield from _make_table("selections", rows)


def _list_tests(study: PlannedStudy, references: References) -> Iterator[Item]:
    """Yield how significance is tested; one subset gives no test."""
    if study.n_subsets == 1:
        return
    yield heading("Significance")
    yield paragraph(
        SENTENCES["significance"].format(
            test=DATA["tests"][study.significance.test],
            alpha=study.significance.alpha,
            n=study.n_subsets,
            holm=references.cite("holm"),
        )
    )


def _make_table(name: str, rows: Sequence[Sequence[str]]) -> Iterator[Item]:
    """Yield a table with its header and caption, if it has rows."""
    *header, caption = DATA["tables"][name]
    if rows:
        yield table(header, rows, caption)


def _list_base_clusterings(study: PlannedStudy) -> Iterator[Item]:
    ensemble = study.ensemble
    kinds = {case.ensemble for case in study.cases}
    settings = []
    made = kinds & set(MADE)  # a ready-made ensemble has no settings here
    if made - set(BY_ESTIMATORS):
        iterations = f"at most {ensemble.max_iter} iterations"
        settings.append(("Algorithm", f"k-means (Lloyd's algorithm, {iterations})"))
        settings.append(("Initial centres", "k objects drawn at random"))
    if made:
        settings.append(("Number of clusters k", _describe_number_of_clusters(ensemble.n_clusters)))
    settings.append(("Runs", f"{ensemble.runs}"))
    settings.append(("Subsets", _describe_subsets(study)))
    alike: dict[str, list[Case]] = {}
    for case in study.cases:
        alike.setdefault("; ".join(_list_differences(case)), []).append(case)
    differing = [(_name_cases(study, cases), differences) for differences, cases in alike.items() if differences]
    yield heading("Base clusterings")
    yield paragraph(SENTENCES["base_clusterings"])
    yield from _make_table("settings", settings)
    yield from _make_table("differing", differing)
    if "mixed" in kinds:
        yield paragraph(SENTENCES["mixed"])


def _describe_subsets(study: PlannedStudy) -> str:
    ensemble = study.ensemble
    if ensemble.n_subsets == 1:
        return "1: all runs are one ensemble"
    drawn = f"drawn from all runs at random, each anew (seed {ensemble.draw_seed})"
    how = drawn if ensemble.draws else "the runs in their order"
    fewer = f"; only the first {study.n_subsets} in this run" if study.n_subsets < ensemble.n_subsets else ""
    return f"{ensemble.n_subsets}, each of {count(ensemble.subset_size, 'run')}: {how}{fewer}"


def _describe_number_of_clusters(k: Any) -> str:
    if isinstance(k, tuple):
        return f"{numbers(k)}, taken in turn"
    word: str = DATA["number_of_clusters"].get(k, f"{k}")
    return word


def _list_differences(case: Case) -> Iterator[str]:
    if case.ensemble != "kmeans":
        yield MADE.get(case.ensemble, f"not made here: the ready-made ensemble {case.ensemble}")
    if case.init != "random":
        yield f"initial centres by {case.init}"
    if case.linkage != "average":
        yield f"linkage: {case.linkage}"
    if case.distance != "euclidean":
        yield f"distance: {case.distance}"
    if case.n_clusters is not None:
        yield f"k: {_describe_number_of_clusters(case.n_clusters)}"
    for share, what in ((case.feature_share, "features"), (case.object_share, "objects")):
        if share < 1:
            yield f"{share:.0%} of the {what}, drawn for each run"
    if case.subset_size:
        yield f"subsets of {count(case.subset_size, 'run')}"


def _list_methods(study: PlannedStudy, references: References) -> Iterator[Item]:
    if study.without_classes:
        said = SENTENCES["unlabelled"].format(k=_describe_given_k(study))
    else:
        said = SENTENCES["methods"].format(restarts=DATA["restarts"][study.restarts], base=study.base_clusterings)
    absent = _describe_absent(study)
    yield heading("Methods")
    yield paragraph(said, f"Not run (“{DASH}” in the tables): {absent}." if absent else "")
    yield from _make_table("methods", [_describe_method(run, references) for run in study.methods])
    yield from _make_table("changed", [row for run in study.methods for row in _list_changed(study, run)])


def _describe_absent(study: PlannedStudy) -> str:
    """Say which methods do not run on which data sets; methods with the same ones are named together."""
    methods_by_titles: dict[str, list[str]] = {}
    for method, cases in study.absent().items():
        methods_by_titles.setdefault(_name_cases(study, cases), []).append(method)
    return "; ".join(f"{conjunction(names)} on {titles}" for titles, names in methods_by_titles.items())


def _describe_method(run: MethodRun, references: References) -> tuple[str, ...]:
    """Return id, summary, fixed parameters and grid."""
    cls = methods.load(run.method)
    summary = f"{cls.summary}{references.cite(cls.reference)}"
    grid = DASH
    if run.grid:
        axes = ", ".join(f"{symbol(name)} ∈ {{{_abridge(values)}}}" for name, values in run.grid.items())
        grid = f"{axes} ({count(len(run.points), 'point')})"
    return run.id, summary, point(run.parameters) or DASH, grid


def _list_changed(study: PlannedStudy, run: MethodRun) -> Iterator[tuple[str, ...]]:
    """Yield method, parameter, own default, value here and data sets of every parameter off its default."""
    defaults = methods.load(run.method).parameters()
    where: dict[tuple[str, Value], list[Case]] = {}
    for case in study.cases:
        for item in study.parameters(case, run).items():
            where.setdefault(item, []).append(case)
    for (name, value), cases in where.items():
        if name in defaults and value != defaults[name]:
            here = "all" if len(cases) == len(study.cases) else _join_titles(study, cases)
            yield run.id, symbol(name), _write_value(defaults[name]), _write_value(value), here


def _describe_given_k(study: PlannedStudy) -> str:
    """Return the number of clusters of each case without classes."""
    return conjunction([f"{case.k} on {study.titles[case.id]}" for case in study.cases])


def _join_titles(study: PlannedStudy, cases: Sequence[Case]) -> str:
    return conjunction([study.titles[case.id] for case in cases])


def _name_cases(study: PlannedStudy, cases: Sequence[Case]) -> str:
    """Return the titles of cases; of very many their number, as study.yaml names each."""
    if len(cases) <= MOST_CASES:
        return _join_titles(study, cases)
    return f"{len(cases)} of {count(len(study.cases), 'case')} (named in study.yaml)"


def _write_value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else f"{value}"


def _abridge(values: Sequence[Any]) -> str:
    texts = [_write_value(value) for value in values]
    if len(texts) > 7:  # more do not fit into a column
        texts = [*texts[:2], "…", texts[-1]]
    return ", ".join(texts)
