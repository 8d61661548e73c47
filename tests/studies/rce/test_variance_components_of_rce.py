"""The components of the spread are those that balanced scores have in closed form, and 0 on the boundary."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from consclust_studies.stages.selection import select
from small import planned, scores_of, source_of
from studies.rce.exhibits.components import VarianceComponents, estimate_components

EXHIBIT = VarianceComponents(kind="variance_components")


def tidy(values: np.ndarray) -> pd.DataFrame:
    pool, subset, restart = np.indices(values.shape).reshape(3, -1)
    return pd.DataFrame({"pool": pool, "subset": subset, "restart": restart, "value": values.ravel()})


def draw(pool: float, subset: float, restart: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    parts = rng.normal(0, pool, (4, 1, 1)), rng.normal(0, subset, (4, 6, 1)), rng.normal(0, restart, (4, 6, 5))
    return 0.5 + sum(parts)


def compute_mean_squares(values: np.ndarray) -> tuple[float, float, float]:
    """Of pools, subsets in pools and restarts in subsets: the analysis of variance of a balanced nested design."""
    _, subsets, restarts = values.shape
    of_subsets = values.mean(axis=2)
    return (
        subsets * restarts * of_subsets.mean(axis=1).var(ddof=1),
        restarts * of_subsets.var(axis=1, ddof=1).mean(),
        values.var(axis=2, ddof=1).mean(),
    )


def test_components_of_balanced_scores_are_those_of_the_analysis_of_variance() -> None:
    values = draw(0.03, 0.02, 0.01, seed=1)
    pool, subset, restart = compute_mean_squares(values)
    expected = np.sqrt([(pool - subset) / 30, (subset - restart) / 5, restart])
    assert estimate_components(tidy(values)) == pytest.approx(tuple(expected), rel=1e-3)


def test_pools_that_differ_less_than_their_subsets_would_make_them_are_0() -> None:
    values = draw(0, 0.02, 0.01, seed=2)
    pool, subset, restart = compute_mean_squares(values)
    assert pool < subset, "the estimate of the analysis of variance is negative"
    pooled = (3 * pool + 20 * subset) / 23  # three degrees of freedom between pools, twenty between subsets
    found = estimate_components(tidy(values))
    assert found.pool == 0
    assert (found.subset, found.restart) == pytest.approx((np.sqrt((pooled - restart) / 5), np.sqrt(restart)), rel=1e-3)


def test_subsets_that_differ_less_than_their_restarts_would_make_them_are_0() -> None:
    values = draw(0.03, 0, 0.02, seed=3)
    pool, subset, restart = compute_mean_squares(values)
    assert subset < restart
    pooled = (20 * subset + 96 * restart) / 116
    found = estimate_components(tidy(values))
    assert found.subset == 0
    assert (found.pool, found.restart) == pytest.approx((np.sqrt((pool - pooled) / 30), np.sqrt(pooled)), rel=1e-3)


def test_one_score_of_each_subset_has_no_restarts() -> None:
    values = draw(0.03, 0.02, 0, seed=4)[:, :, :1]
    pool, subset = 6 * values.mean(axis=(1, 2)).var(ddof=1), values.var(axis=1, ddof=1).mean()
    found = estimate_components(tidy(values))
    assert (found.pool, found.subset) == pytest.approx((np.sqrt((pool - subset) / 6), np.sqrt(subset)), rel=1e-3)
    assert np.isnan(found.restart)


@pytest.mark.long
def test_restarts_that_end_alike_have_no_spread() -> None:
    values = draw(0.03, 0.02, 0, seed=4)
    pool, subset = 6 * values.mean(axis=(1, 2)).var(ddof=1), values[:, :, 0].var(axis=1, ddof=1).mean()
    found = estimate_components(tidy(values.round(9)))
    assert tuple(found) == pytest.approx((np.sqrt((pool - subset) / 6), np.sqrt(subset), 0), rel=1e-3)
    assert tuple(estimate_components(tidy(np.full((2, 3, 2), 0.7)))) == pytest.approx((0, 0, 0), abs=1e-9)


CLASSES = np.repeat([0, 1], 50)
POOLS = ("iris", "second", "third")
WRONG = {
    name: np.array([[[30, 30], [10 + 5 * pool, 12]], [[40, 30], [20, 25 - pool]], [[48, 40], [30 + pool, 33]]])
    for pool, name in enumerate(POOLS)
}
"""Objects in the wrong cluster in each pool: subset, grid point, restart. The second point is the better one."""


def label(wrong: np.ndarray) -> np.ndarray:
    return np.where(np.arange(100) < wrong[..., None], 1, CLASSES)


@pytest.fixture
def source(monkeypatch):
    alike = {"dataset": "iris", "of": "iris", "preprocessing": [], "why": "another pool", "methods": ["RCE"]}
    study = planned(
        cases=[{"dataset": "iris", "title": "Iris", "preprocessing": []}],
        methods=["KC", {"method": "RCE", "grid": {"lambda1": [0.1, 1.0]}, "default": {"lambda1": 1.0}}],
        metrics=["ACC"],
        reported=["ACC"],
        variants={"cases": [{"id": name, **alike} for name in POOLS[1:]]},
    )

    def give(one) -> pd.DataFrame:
        scores = scores_of(one)
        scores["value"] = 0.6 + 0.1 * scores["point"]
        return select(one, scores)

    found = source_of(study, selected=give(study), variants=pd.concat(map(give, study.split_variants())))
    stored = SimpleNamespace(classes=CLASSES, subset=lambda index: label(np.array([10, 20 + index, 30])).T)
    monkeypatch.setattr(type(found), "stored", lambda self, case: stored)
    monkeypatch.setattr(type(found), "blocks", lambda self, case, method: [make_block(case, n) for n in range(3)])
    return found


def make_block(case: str, subset: int) -> SimpleNamespace:
    return SimpleNamespace(subsets=[subset], labels=label(WRONG[case][subset])[None], answered=np.full((1, 2), True))


@pytest.mark.long
def test_the_restarts_of_the_selected_grid_points_are_scored(source) -> None:
    frame = EXHIBIT.build(source).frame.set_index("method")
    assert frame.index.tolist() == ["K-means", "RCE"], "KC does not run on the other pools"
    values = np.stack([1 - WRONG[name][:, 1] / 100 for name in POOLS])
    expected = estimate_components(tidy(values))
    row = frame.loc["RCE"]
    assert tuple(row[["pool", "subset", "restart"]]) == pytest.approx(tuple(expected), rel=1e-6)
    of_mean = np.sqrt(expected.pool**2 + expected.subset**2 / 3 + expected.restart**2 / 6)
    assert row["of_mean"] == pytest.approx(of_mean, rel=1e-6)


def test_components_on_the_boundary_are_named(source) -> None:
    shown = EXHIBIT.build(source)
    row = shown.frame.set_index("method").loc["K-means"]
    assert row["pool"] == 0, "all pools have the same base clusterings"
    assert "pool" in row["zero"].split(", ")
    assert shown.blocks[0].rows[0][2].text == "0"


def test_it_reads_the_labels_of_the_methods_on_all_pools(source) -> None:
    needs = EXHIBIT.needs(source.study)
    assert needs.labels == tuple((name, "RCE") for name in POOLS)
    assert needs.ensembles == POOLS
    assert not EXHIBIT.wanted(planned())
