"""What is wrong with a study: names that nothing has, parameters that a method refuses.

Each mistake is one line that names file, key, value and remedy.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from concord.config.figures import (
    GRID_FIGURES,
    AnyFigure,
    BarsFigure,
    GridFigure,
    GridLineFigure,
    LevelsFigure,
    MatricesFigure,
    MatrixPanel,
    PathsFigure,
    SizesFigure,
    VatFigure,
    fitted_methods,
    named_cases,
)
from concord.config.protocol import Case, GeneralisedMethod, MethodRun
from concord.config.study import Claim, Study
from concord.config.values import Value
from concord.datasets.registry import MADE, STEPS, DatasetSpec
from concord.methods import outputs, registry
from concord.validation import did_you_mean


def mistakes(study: Study, path: Path, datasets: Mapping[str, DatasetSpec]) -> Iterator[str]:
    """Yield what is wrong with a study beyond the form of its file, one line each."""
    yield from _study_mistakes(study, path, datasets)
    yield from _method_mistakes(study, path)


def _study_mistakes(study: Study, path: Path, datasets: Mapping[str, DatasetSpec]) -> Iterator[str]:
    if study.id != path.stem:
        yield f"{path}: id = {study.id!r}: the id must be the file's name; write id: {path.stem}"
    cases, methods = [c.id for c in study.cases], [m.id for m in study.methods]
    everything = [*methods, *(m.id for m in study.readings.methods)]
    for i, case in enumerate(study.only_in_table1):
        yield from _unknown(path, f"only_in_table1[{i}].dataset", [case.dataset], list(datasets))
    for i, case in enumerate(study.cases):
        yield from _case_mistakes(study, case, path, f"cases[{i}]", datasets)
        yield from _unknown(path, f"cases[{i}].parameters", case.parameters, methods)
        yield from _unknown(path, f"cases[{i}].without", case.without, everything)
        yield from _without_what_methods_need(study, case, path, f"cases[{i}]", datasets)
        if not study.runs(case):
            yield f"{path}: cases[{i}].without = {list(case.without)}: no method is left; remove the case"
        if case.instead_of is not None:
            same = [c.id for c in study.cases if c.dataset == case.dataset and c.id != case.id]
            yield from _unknown(path, f"cases[{i}].instead_of", [case.instead_of], same)
    for i, other in enumerate(study.readings.cases):
        key = f"readings.cases[{i}]"
        yield from _case_mistakes(study, other, path, key, datasets)
        yield from _unknown(path, f"{key}.of", [other.of], cases)
        yield from _unknown(path, f"{key}.methods", other.methods, methods)
    for i, reading in enumerate(study.readings.methods):
        yield from _unknown(path, f"readings.methods[{i}].of", [reading.of], methods)
        yield from _unknown(path, f"readings.methods[{i}].cases", reading.cases, cases)
    for key in GRID_FIGURES:
        if figure := getattr(study, key):
            yield from _figure_mistakes(study, path, key, figure)
    for i, view in enumerate(study.views):
        yield from _unknown(path, f"views[{i}].methods", view.methods, everything)
        yield from _unknown(path, f"views[{i}].cases", view.cases, cases)
        yield from _unknown(path, f"views[{i}].metrics", view.metrics, list(study.metrics))
    yield from _unknown(path, "unprinted", study.unprinted, methods)
    if study.starts:
        yield from _unknown(path, "starts.methods", study.starts.methods, methods)
        yield from _unknown(path, "starts.cases", study.starts.cases, cases)
        yield from _unknown(path, "starts.metrics", study.starts.metrics, list(study.metrics))
    for i, further in enumerate(study.figures):
        yield from _further_mistakes(study, path, f"figures[{i}]", further)
    yield from _generalisation_mistakes(study, path)
    for claim in study.claims:
        yield from _claim_mistakes(study, path, claim)


def _generalisation_mistakes(study: Study, path: Path) -> Iterator[str]:
    if study.generalisation is None:
        return
    key, plan = "generalisation", study.generalisation
    yield from _unknown(path, f"{key}.cases", plan.cases, [c.id for c in study.cases])
    yield from _unknown(
        path, f"{key}.methods", [m.method for m in plan.methods], [m.id for m in study.methods]
    )
    if plan.beside is not None:
        yield from _unknown(path, f"{key}.beside", [plan.beside], study.unseen_rows())
    for case in study.generalised():
        if case.ensemble != "kmeans":
            remedy = "name the others in generalisation.cases"
            yield f"{path}: {key}.cases = {case.id!r}: its base clusterings are not by k-means; {remedy}"
    for i, method in enumerate(plan.methods):
        yield from _by_mistakes(study, path, f"{key}.methods[{i}].by", method)


def _by_mistakes(study: Study, path: Path, key: str, method: GeneralisedMethod) -> Iterator[str]:
    """A way to unseen objects that the method does not have."""
    for run in (run for run in study.methods if run.id == method.method and _is_known(run)):
        takes = registry.predicts_from(run.method)
        if takes == "features" and not _needs_features(run, run.parameters):
            takes = None  # what is not learned from features cannot map them
        for by, needed in (("Infer", "labels"), ("own", "features")):
            if by in method.by and takes != needed:
                yield f"{path}: {key} = {by!r}: {run.id} cannot predict from {needed}; write NC"


def _claim_mistakes(study: Study, path: Path, claim: Claim) -> Iterator[str]:
    rows = [study.base_clusterings, *(m.id for m in study.methods)]
    if claim.unseen:
        rows = study.unseen_rows()
        if study.generalisation and claim.metric != study.generalisation.metric:
            known = study.generalisation.metric
            yield f"{path}: claims.metric = {claim.metric!r}: unseen objects have another; write {known}"
    yield from _unknown(path, "claims.method", [claim.method], rows)
    yield from _unknown(path, "claims.against", claim.against, rows)
    yield from _unknown(path, "claims.cases", claim.cases, [case.id for case in study.cases])


def _figure_mistakes(study: Study, path: Path, key: str, figure: GridFigure) -> Iterator[str]:
    yield from _unknown(path, f"{key}.method", [figure.method], [m.id for m in study.methods])
    yield from _unknown(path, f"{key}.cases", figure.cases, [c.id for c in study.cases])
    if figure.method in {m.id for m in study.methods}:
        grid = list(study.method(figure.method).grid)
        yield from _unknown(path, f"{key}.x", [figure.x], grid)
        yield from _unknown(path, f"{key}.y", [figure.y], grid)


def _further_mistakes(study: Study, path: Path, key: str, figure: AnyFigure) -> Iterator[str]:
    cases = "case" if isinstance(figure, MatricesFigure | LevelsFigure) else "cases"
    yield from _unknown(path, f"{key}.{cases}", named_cases(figure), [c.id for c in study.cases])
    if isinstance(figure, BarsFigure):
        yield from _unknown(path, f"{key}.methods", figure.methods, [m.id for m in study.methods])
        yield from _unknown(path, f"{key}.metrics", figure.metrics, list(study.metrics))
    elif isinstance(figure, VatFigure):
        yield from _subset_mistake(study, path, key, figure.subset)
    elif isinstance(figure, SizesFigure):
        yield from _sizes_mistakes(study, path, key, figure)
    elif isinstance(figure, GridLineFigure):
        yield from _grid_line_mistakes(study, path, key, figure)
    elif fed := [
        m.id for m in study.methods if m.id in fitted_methods(figure) and _needs_features(m, m.parameters)
    ]:
        yield f"{path}: {key} names {fed[0]!r}: it needs features, which figures do not read; name another"
    elif isinstance(figure, MatricesFigure):
        yield from _subset_mistake(study, path, key, figure.subset)
        for p, panel in enumerate(figure.panels):
            yield from _panel_mistakes(study, path, f"{key}.panels[{p}]", panel)
    elif isinstance(figure, PathsFigure):
        yield from _subset_mistake(study, path, key, figure.subset)
        yield from _paths_mistakes(study, path, key, figure)


def _grid_line_mistakes(study: Study, path: Path, key: str, figure: GridLineFigure) -> Iterator[str]:
    yield from _unknown(path, f"{key}.metric", [figure.metric], list(study.metrics))
    yield from _unknown(path, f"{key}.methods", figure.methods, [m.id for m in study.methods])
    rows = [study.base_clusterings, *(m.id for m in study.methods if not m.grid)]
    yield from _unknown(path, f"{key}.beside", figure.beside, rows)
    grids = {m.id: tuple(m.grid) for m in study.methods if m.id in figure.methods}
    if grids and (len({*grids.values()}) > 1 or len(next(iter(grids.values()))) != 1):
        listed = ", ".join(f"{name} ({', '.join(grid) or 'none'})" for name, grid in grids.items())
        yield f"{path}: {key}.methods: their grids are not of one parameter: {listed}; leave some out"


def _sizes_mistakes(study: Study, path: Path, key: str, figure: SizesFigure) -> Iterator[str]:
    rows = [study.base_clusterings, *(m.id for m in study.methods)]
    yield from _unknown(path, f"{key}.metric", [figure.metric], list(study.metrics))
    yield from _unknown(path, f"{key}.methods", figure.methods, rows)
    remedy = "add readings.cases that differ in subset_size alone"
    sized = [case.id for case in study.cases if study.size_readings(case)]
    known = [word for word in figure.cases if word in {case.id for case in study.cases}]
    yield from (
        f"{path}: {key}.cases = {word!r}: it has no other sizes; {remedy}"
        for word in known
        if word not in sized
    )
    if not sized and not figure.cases:
        yield f"{path}: {key}.cases = (): no case has other sizes; {remedy}"


def _subset_mistake(study: Study, path: Path, key: str, subset: int) -> Iterator[str]:
    if subset > study.ensemble.n_subsets:
        yield f"{path}: {key}.subset = {subset}: there are {study.ensemble.n_subsets}; choose one of them"


def _panel_mistakes(study: Study, path: Path, key: str, panel: MatrixPanel) -> Iterator[str]:
    if panel.method is None:
        known = list(outputs.similarity_parameters(str(panel.similarity)))
        yield from _unknown(path, f"{key}.parameters", panel.parameters, known)
        return
    yield from _unknown(path, f"{key}.method", [panel.method], [m.id for m in study.methods])
    for run in (run for run in study.methods if run.id == panel.method and _is_known(run)):
        yield from _unknown(path, f"{key}.matrix", [panel.matrix], outputs.matrices(run.method))
        for name, value in panel.parameters.items():
            yield from _parameter_mistakes(f"{path}: {key}.parameters.{name} = {value!r}", run, name, value)


def _paths_mistakes(study: Study, path: Path, key: str, figure: PathsFigure) -> Iterator[str]:
    yield from _unknown(path, f"{key}.method", [figure.method], [m.id for m in study.methods])
    for run in (run for run in study.methods if run.id == figure.method and _is_known(run)):
        columns = outputs.paths(run.method)
        yield from _unknown(path, f"{key}.path", [figure.path], list(columns))
        n = columns.get(figure.path, len(figure.labels))
        if n != len(figure.labels):
            yield f"{path}: {key}.labels = {list(figure.labels)}: {figure.path} has {n} columns; name each"
        for name, value in figure.parameters.items():
            yield from _parameter_mistakes(f"{path}: {key}.parameters.{name} = {value!r}", run, name, value)


def _case_mistakes(
    study: Study, case: Case, path: Path, key: str, datasets: Mapping[str, DatasetSpec]
) -> Iterator[str]:
    protocol = study.ensemble
    if case.subset_size and not protocol.draws:
        yield (
            f"{path}: {key}.subset_size = {case.subset_size}: the runs are split, so that every case has as "
            "many subsets; set ensemble.draws, or remove it"
        )
    elif case.subset_size and case.subset_size > protocol.runs:
        yield f"{path}: {key}.subset_size = {case.subset_size}: more than ensemble.runs = {protocol.runs}"
    yield from _unknown(path, f"{key}.dataset", [case.dataset], list(datasets))
    if case.dataset not in datasets:
        return
    spec = datasets[case.dataset]
    if spec.reader is None:
        yield from _without_features(path, key, case, spec)
        return
    yield from _unknown(path, f"{key}.ensemble", [case.ensemble], [*MADE, *spec.ensembles])
    if case.object_share < 1 and case.ensemble != "mixed":
        yield (
            f"{path}: {key}.object_share = {case.object_share}: of a 'mixed' ensemble only; "
            "write ensemble: mixed, or remove it"
        )
    if case.preprocessing is not None:
        yield from _unknown(path, f"{key}.preprocessing", case.preprocessing, list(STEPS))


def _without_features(path: Path, key: str, case: Case, spec: DatasetSpec) -> Iterator[str]:
    if case.ensemble in MADE:
        entry = f"{{dataset: {case.dataset}, ensemble: {next(iter(spec.ensembles))}}}"
        problem = f"{case.dataset} has no features for it; write {entry}"
        yield f"{path}: {key}.ensemble = {case.ensemble!r}: {problem}"
    else:
        yield from _unknown(path, f"{key}.ensemble", [case.ensemble], list(spec.ensembles))
    if case.preprocessing:
        yield f"{path}: {key}.preprocessing = {case.preprocessing}: {case.dataset} has no features; remove it"


def _without_what_methods_need(
    study: Study, case: Case, path: Path, key: str, datasets: Mapping[str, DatasetSpec]
) -> Iterator[str]:
    if case.dataset in datasets and datasets[case.dataset].reader is None:
        for run in study.runs(case):
            if _needs_features(run, study.parameters(case, run)):
                remedy = f"add {run.id} to {key}.without"
                yield f"{path}: {key}.dataset = {case.dataset!r}: no features, {run.id} needs some; {remedy}"


def _needs_features(run: MethodRun, parameters: Mapping[str, Value]) -> bool:
    if not _is_known(run):
        return False
    known = registry.available()[run.method]
    points = [{**parameters, **point} for point in run.points]
    valid = [{name: value for name, value in point.items() if name in known} for point in points]
    return registry.needs_features(run.method, {}, valid)


def _method_mistakes(study: Study, path: Path) -> Iterator[str]:
    known = registry.available()
    places = [(f"methods[{i}]", run) for i, run in enumerate(study.methods)]
    places += [(f"readings.methods[{i}]", run) for i, run in enumerate(study.readings.methods)]
    for place, run in places:
        yield from _unknown(path, f"{place}.method", [run.method], list(known))
        if not _is_known(run):
            continue
        given = [(f"{place}.parameters.{name}", name, value) for name, value in run.parameters.items()]
        given += [
            (f"{place}.grid.{name}", name, value) for name, values in run.grid.items() for value in values
        ]
        given += [
            (f"cases[{c}].parameters.{run.id}.{name}", name, value)
            for c, case in enumerate(study.cases)
            for name, value in case.parameters.get(run.id, {}).items()
        ]
        for key, name, value in given:
            yield from _parameter_mistakes(f"{path}: {key} = {value!r}", run, name, value)


def _is_known(run: MethodRun) -> bool:
    return run.method in registry.available()


def _parameter_mistakes(where: str, run: MethodRun, name: str, value: Value) -> Iterator[str]:
    settable = [
        word for word in registry.available()[run.method] if word not in {"n_clusters", "random_state"}
    ]
    if name not in settable:
        yield f"{where}: no such parameter of {run.method}; {did_you_mean(name, settable)}"
        return
    try:
        registry.check(run.method, {name: value})
    except ValueError as refusal:
        yield f"{where}: refused by {refusal}"


def _unknown(path: Path, key: str, words: Iterable[str], choices: list[str]) -> Iterator[str]:
    for word in words:
        if word not in choices:
            yield f"{path}: {key} = {word!r}: not known here; {did_you_mean(word, choices)}"
