import numpy as np
import pandas as pd
import pytest
from planted import labels

from consclust import diagnostics, plot
from consclust.diagnostics.choice import COLUMNS
from consclust.diagnostics.criteria import CRITERIA

pytestmark = pytest.mark.long


@pytest.fixture
def values():
    return {k: diagnostics.consensus_values(labels(noise)) for k, noise in ((5, 0.6), (2, 0.1), (3, 0.3))}


def test_there_is_a_distribution_function_for_each_k(values) -> None:
    ax = plot.consensus_cdf(values, bounds=(0.2, 0.7))
    assert len(ax.lines) == 3
    for line, k in zip(ax.lines, (2, 3, 5), strict=True):
        at, shares = line.get_data()
        np.testing.assert_allclose(shares, values[k].cdf(at))
        assert set(values[k].values) | {0, 1} == set(at)
        assert line.get_drawstyle() == "steps-post"
    shaded = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    np.testing.assert_allclose([shaded.x0, shaded.x1], [0.2, 0.7])
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [f"{k} ({values[k].pac(0.2, 0.7):.3f})" for k in (5, 3, 2)], "in the order of the lines"


def test_a_sample_of_pairs_has_a_band(values) -> None:
    assert not plot.consensus_cdf(values).collections
    sample = diagnostics.consensus_values(labels(), most_pairs=0, sample=500)
    band = plot.consensus_cdf({4: sample}).collections[0].get_paths()[0].vertices
    inside = sample.cdf(0.5)
    found = band[np.abs(band[:, 0] - sample.values[sample.values <= 0.5].max()) < 1e-9, 1]
    assert found.min() == pytest.approx(inside - sample.half_width(), abs=0.1)
    assert found.max() == pytest.approx(inside + sample.half_width(), abs=1e-9)


def test_delta_area_is_that_of_the_areas_by_increasing_k(values) -> None:
    ks, increases = plot.delta_area(values).lines[0].get_data()
    areas = [values[k].area() for k in (2, 3, 5)]
    assert ks.tolist() == [2, 3, 5]
    np.testing.assert_allclose(increases, [areas[0], areas[1] / areas[0] - 1, areas[2] / areas[1] - 1])


def test_a_cluster_keeps_its_colour_over_k() -> None:
    labelings = {3: [2, 0, 0, 2, 1, 1], 2: [1, 0, 0, 1, 0, 0], 4: [0, 1, 3, 2, 2, 2]}
    ax = plot.tracking(labelings)
    names = diagnostics.track_items([labelings[k] for k in (2, 3, 4)]).names
    order = sorted(range(6), key=lambda i: tuple(names[:, i]))
    np.testing.assert_array_equal(ax.collections[0].get_array(), names[:, order])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["2", "3", "4"]
    moved = [text.get_text() for text in ax.child_axes[0].get_yticklabels()]
    assert moved == [f"{(names[row] != names[row - 1]).mean():.0%}" for row in (1, 2)]


def table(chosen: int) -> pd.DataFrame:
    rows = []
    for c, name in enumerate(CRITERIA):
        rows.append((name, 1, *[np.nan] * 5, False, chosen == 1, chosen == 1, np.nan))
        rows += [(name, k, c + k / 10, 0.5, 0.1, 1.0, 0.5, k == 4, k == chosen, k == chosen, 1.0) for k in (2, 3, 4)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


@pytest.mark.parametrize("chosen", [1, 3])
def test_each_criterion_has_a_panel_with_its_null_reference(chosen) -> None:
    axes = plot.criteria(table(chosen))
    assert [ax.get_title(loc="left").splitlines()[0] for ax in axes] == list(CRITERIA)
    for c, ax in enumerate(axes):
        lines = {line.get_label(): line.get_data() for line in ax.lines}
        np.testing.assert_allclose(lines["data"], [[2, 3, 4], [c + 0.2, c + 0.3, c + 0.4]])
        np.testing.assert_allclose(lines["null reference"][1], 0.5)
        np.testing.assert_allclose(lines["best"], [[4], [c + 0.4]])
        assert lines["chosen"][0].tolist() == [k for k in (3,) if k == chosen]
        assert [int(lines["recommended"][0][0])] == [3] if chosen == 3 else "recommended" not in lines
        assert ax.get_title(loc="left").endswith(f"chosen: k = {chosen}")
        heights = ax.collections[0].get_paths()[0].vertices[:, 1]
        np.testing.assert_allclose([heights.min(), heights.max()], [0.4, 0.6])


def test_criteria_without_a_null_reference_have_no_band() -> None:
    plain = table(3).assign(null_mean=np.nan, null_sd=np.nan)
    for ax in plot.criteria(plain):
        assert not ax.collections
        assert [line.get_label() for line in ax.lines] == ["data", "recommended", "best", "chosen"]
