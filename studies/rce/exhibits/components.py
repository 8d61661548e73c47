"""How much of the spread of scores comes from pools, subsets and restarts: a mixed model of single restarts."""

# pandas and statsmodels are imported where needed, so that what does without them starts faster

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from consclust.report.blocks import Chapter, Shown, Table, filled, leave_out_of_pdf, listed
from consclust.report.wording import DASH, paragraph, score
from consclust.scores import score_many
from consclust_studies.config.cases import Case, CaseVariant
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.main_table import KEYS, join_selected
from consclust_studies.results.sentences import describe_selection
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import find_main_row
from studies.rce.exhibits.pools import list_pools

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = ["case", "dataset", "metric", "method", "pool", "subset", "restart", "of_mean", "zero"]
BOUNDARY = 1e-6
"""A variance below this share of the residual one is an estimate on its boundary, 0."""
SAME = 1e-4
"""Two log-likelihoods that differ by less are the same: the model with fewer components is taken."""


class Components(NamedTuple):
    """Standard deviations of one method's scores; ``restart`` is NaN where a subset has one score."""

    pool: float
    subset: float
    restart: float


class VarianceComponents(Exhibit):
    """The standard deviations between pools, between the subsets of a pool, and between the restarts of a subset."""

    chapter: ClassVar[Chapter] = "Agreement with the published values"
    lacking = "no case has several pools; add variants of cases that differ in their ids alone"

    kind: Literal["variance_components"]
    id: Name = "components"
    title: Title = "Pools, subsets and restarts"

    def wanted(self, study: Study) -> bool:
        """Whether a case has several pools."""
        return any(list_pools(study))

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the selected grid points, and the labels of all restarts of every method on every pool."""
        found = [pools for _, pools in list_pools(study)]
        labels = tuple((case.id, name) for pools in found for name in _list_methods(study, pools) for case in pools)
        ensembles = tuple(case.id for pools in found for case in pools)
        return Needs(selected=True, variants=True, labels=labels, ensembles=ensembles)

    def build(self, source: Source) -> Shown:
        """Return one row for each case with several pools, metric and method.

        ``pool``, ``subset`` and ``restart`` are the standard deviations of the components. ``of_mean`` is that of the
        mean of a further pool which they add up to, and ``zero`` names the components whose estimate is 0.
        """
        import pandas as pd

        rows = [row for own, pools in list_pools(source.study) for row in _make_rows(source, own, pools)]
        frame = pd.DataFrame(rows, columns=COLUMNS)
        caption = paragraph(
            "A mixed model of the scores of single restarts, estimated by restricted maximum likelihood: score = mean"
            " + pool + subset of the pool + restart of the subset. Each of the last three has its standard deviation. "
            "Mean of a pool: the standard deviation of the mean over the subsets and restarts of a pool that these add "
            f"up to. {source.study.base_clusterings} has no restarts: there it is the single base clustering. {DASH}: "
            "one result for each subset, whose spread is that of the subsets.",
            frame["zero"].ne("").any()
            and "0: the estimate lies on its boundary, as no variance is negative. The data then show no more "
            "spread than the components below it give by themselves; with five pools this does not say that there is "
            "none.",
            describe_selection(source.study, [run.id for run in source.study.methods]),
        )
        columns = "dataset, method, Between pools: pool, Between subsets: subset, Between restarts: restart, "
        columns += "Mean of a pool: of_mean"
        forms = dict.fromkeys(("pool", "subset", "restart", "of_mean"), _write_deviation)
        groups = frame.groupby("metric", sort=False)
        tables = (leave_out_of_pdf(listed(f"{name}", rows, columns, left=2, forms=forms)) for name, rows in groups)
        return Shown(frame, filled(_summarise_methods(frame), *tables), caption)


def _summarise_methods(frame: DataFrame) -> Table:
    """Return the median of each component over the data sets, and how many estimates between pools are 0."""
    groups = frame.groupby(["metric", "method"], sort=False)
    medians = groups[["pool", "subset", "restart", "of_mean"]].median()
    counts = groups["pool"].agg(lambda values: f"{(values == 0).sum()} of {len(values)}")
    table = medians.assign(at_zero=counts).reset_index()
    columns = "metric, method, Between pools: pool, Between subsets: subset, Between restarts: restart, "
    columns += "Mean of a pool: of_mean, Pools at 0: at_zero"
    forms = dict.fromkeys(("pool", "subset", "restart", "of_mean"), _write_deviation)
    return listed("Median over the data sets", table, columns, left=2, forms=forms)


def _write_deviation(value: float) -> str:
    """Write an estimate on its boundary as 0, so that it differs from a small one."""
    return "0" if value == 0 else score(value)


def _list_methods(study: PlannedStudy, pools: list[Case]) -> list[str]:
    """Return the methods that run on all pools of a case."""
    names = [run.id for run in study.methods if all(run.runs_on(case) for case in pools)]
    return [name for name in names if all(name in case.methods for case in pools if isinstance(case, CaseVariant))]


def _make_rows(source: Source, own: Case, pools: list[Case]) -> Iterator[dict[str, Any]]:
    study = source.study
    for method in (study.base_clusterings, *_list_methods(study, pools)):
        by_metric = _score_restarts(source, pools, method)
        for metric in study.reported:
            scores = by_metric[by_metric["metric"] == metric].dropna(subset="value")
            if scores["pool"].nunique() < 2:
                continue
            found = estimate_components(scores)
            yield {
                "case": own.id,
                "dataset": source.titles[own.id],
                "metric": metric,
                "method": method,
                **found._asdict(),
                "of_mean": _compute_deviation_of_mean(found, scores),
                "zero": ", ".join(name for name, value in found._asdict().items() if value == 0),
            }


def _compute_deviation_of_mean(found: Components, scores: DataFrame) -> float:
    """Return the standard deviation of the mean over the subsets and restarts of a pool."""
    n_pools = scores["pool"].nunique()
    n_subsets = len(scores.groupby(["pool", "subset"])) / n_pools
    n_scores = len(scores) / n_pools
    restart = 0.0 if math.isnan(found.restart) else found.restart
    return math.sqrt(found.pool**2 + found.subset**2 / n_subsets + restart**2 / n_scores)


def _score_restarts(source: Source, pools: list[Case], method: str) -> DataFrame:
    """Return the scores of all restarts of a method at its selected grid points: pool, subset, restart, metric, value.

    Of the base clusterings each one of a subset is a restart.
    """
    import pandas as pd

    if method == source.study.base_clusterings:
        parts = [_score_base_clusterings(source, case) for case in pools]
    else:
        parts = [_score_method(source, case, method) for case in pools]
    return pd.concat([part.assign(pool=case.id) for case, part in zip(pools, parts, strict=True)], ignore_index=True)


def _score_base_clusterings(source: Source, case: Case) -> DataFrame:
    import pandas as pd

    stored = source.stored(case.id)
    metrics = source.study.reported
    parts = []
    for subset in range(source.study.n_subsets):
        values = score_many(stored.classes, stored.subset(subset).T, metrics)
        parts += [_list_restarts(subset, metric, values[:, place]) for place, metric in enumerate(metrics)]
    return pd.concat(parts)


def _score_method(source: Source, case: Case, method: str) -> DataFrame:
    import pandas as pd

    study = source.study
    row = find_main_row(study, method)
    selected = join_selected(source.selected, source.variants).set_index([*KEYS, "subset"])["point"]
    classes = source.stored(case.id).classes
    parts = []
    for block in source.blocks(case.id, method):
        for place, subset in enumerate(block.subsets):
            for metric in study.reported:
                point = int(selected[case.id, metric, *row, subset])
                if block.answered[place, point]:
                    values = score_many(classes, block.labels[place, point], [metric])[:, 0]
                    parts.append(_list_restarts(subset, metric, values))
    return pd.concat(parts) if parts else pd.DataFrame(columns=["subset", "restart", "metric", "value"])


def _list_restarts(subset: int, metric: str, values: Any) -> DataFrame:
    import pandas as pd

    return pd.DataFrame({"subset": subset, "restart": np.arange(len(values)), "metric": metric, "value": values})


def estimate_components(scores: DataFrame) -> Components:
    """Estimate the components of scores with the columns ``pool``, ``subset`` and ``value`` by REML.

    Where the variance of pools or subsets would be negative, the optimisers of statsmodels may end anywhere. So the
    models without the one and without the other are fitted too, and the one with the greatest likelihood is taken.
    """
    scores = scores.assign(within=scores["pool"].astype(str) + "/" + scores["subset"].astype(str))
    of_subsets = scores.groupby("within")["value"]
    if of_subsets.std().max() == 0:  # all restarts of each subset end alike
        alike = estimate_components(scores.drop_duplicates("within"))
        return alike._replace(restart=0.0)
    if scores["within"].is_unique:  # one score of each subset: its restart cannot be separated from it
        fit = _fit(scores, "pool")
        if fit is None:
            return Components(0.0, float(scores["value"].std()), math.nan)
        return Components(_take_root(fit.cov_re, fit), math.sqrt(fit.scale), math.nan)

    # of models with the same likelihood the one with fewer components is taken
    fits = {"pool": _fit(scores, "pool"), "subset": _fit(scores, "within"), "both": _fit(scores, "pool", "subset")}
    known = {name: fit for name, fit in fits.items() if fit is not None}
    if not known:
        return Components(0.0, 0.0, float(scores["value"].std()))
    most = max(fit.llf for fit in known.values())
    kept = next(name for name, fit in known.items() if fit.llf >= most - SAME)
    fit = known[kept]
    between = _take_root(fit.cov_re, fit)
    restart = math.sqrt(fit.scale)
    if kept == "both":
        return Components(between, _take_root(fit.vcomp, fit), restart)
    return Components(between, 0.0, restart) if kept == "pool" else Components(0.0, between, restart)


def _fit(scores: DataFrame, groups: str, nested: str | None = None) -> Any:
    """Fit a random mean of each of the ``groups``, and of each ``nested`` group in them, by REML.

    None if statsmodels cannot: a variance is exactly 0, and a matrix that it inverts is singular.
    """
    import statsmodels.formula.api as smf

    within = {nested: f"0 + C({nested})"} if nested else None
    model = smf.mixedlm("value ~ 1", scores, groups=groups, re_formula="1", vc_formula=within)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that an estimate is on its boundary, which the table says
        try:
            # without derivatives, which do not exist on the boundary
            return model.fit(reml=True, method=["nm"], xtol=1e-7, ftol=1e-11, maxiter=2000)
        except np.linalg.LinAlgError:
            return None


def _take_root(variance: Any, fit: Any) -> float:
    """Return the standard deviation of a variance, which is an array or frame of one element."""
    value = float(np.asarray(variance).item())
    return math.sqrt(value) if value > BOUNDARY * fit.scale else 0.0
