import numpy as np
import pytest

from consclust.diagnostics import vat_order
from consclust.ensemble import MISSING, Ensemble
from consclust_studies.config.paper import Claim
from consclust_studies.stages import stored_ensembles as store
from small import planned, source_of
from studies.peace.exhibits.vat import Vat

CLASSES = np.array([0, 2, 1] * 8)
KEYS = {"kind": "vat", "id": "blocks", "title": "Blocks", "cases": ["iris", "wine"]}


def source_with(wrong: float = 0.3):
    """A source whose base clusterings have the classes, but for a share of wrong labels; and the co-association."""
    source, stored = source_of(planned()), {}
    for number, case in enumerate(KEYS["cases"]):
        rng = np.random.default_rng(number)
        labels = np.where(rng.random((24, 12)) < wrong, rng.integers(0, 4, (24, 12)), CLASSES[:, None])
        labels[:3, 1] = MISSING
        stored[case] = store.StoredEnsemble(labels, CLASSES, store.split(12, 4))
    source.__dict__["stored"] = stored.__getitem__
    ensemble = Ensemble(stored["iris"].subset(0))
    return source, ensemble.expand(ensemble.coassociation)


def test_the_matrices_are_co_associations_of_the_subset() -> None:
    source, matrix = source_with()
    shown = Vat(**KEYS).build(source)
    order = vat_order(1 - matrix)
    panel = shown.picture.axes[0]
    assert panel.get_title() == "Iris"
    np.testing.assert_array_equal(panel.collections[0].get_array(), matrix[np.ix_(order, order)])
    row = shown.frame.set_index("case").loc["iris"]
    assert row["missing"] == pytest.approx(3 / 96)
    assert row["neighbours_in_class"] == np.mean(CLASSES[order][1:] == CLASSES[order][:-1])
    assert (row["objects"], row["drawn"]) == (24, 24)
    same = (CLASSES[:, None] == CLASSES) & ~np.eye(24, dtype=bool)
    assert row["mean_in_classes"] == pytest.approx(matrix[same].mean())
    assert [cell.text for cell in shown.blocks[0].rows[0]][:2] == ["Iris", "24"]


@pytest.mark.long
def test_how_blockwise_a_matrix_is() -> None:
    source, matrix = source_with()
    row = Vat(**KEYS).build(source).frame.set_index("case").loc["iris"]
    assert row["ratio"] == pytest.approx(row["mean_in_classes"] / row["mean_between"])
    widths = []
    for i, own in enumerate(CLASSES):
        apart = {c: np.mean([1 - matrix[i, j] for j in range(24) if CLASSES[j] == c and j != i]) for c in range(3)}
        near = min(apart[c] for c in range(3) if c != own)
        widths.append((near - apart[own]) / max(near, apart[own]))
    assert row["silhouette"] == pytest.approx(np.mean(widths))
    cleaner = Vat(**KEYS).build(source_with(0.05)[0]).frame.set_index("case").loc["iris"]
    assert cleaner["silhouette"] > row["silhouette"]


def test_objects_may_stand_in_the_order_of_the_classes() -> None:
    source, matrix = source_with()
    shown = Vat(**KEYS, order="classes").build(source)
    order = [i for c in range(3) for i in range(24) if CLASSES[i] == c]
    np.testing.assert_array_equal(shown.picture.axes[0].collections[0].get_array(), matrix[np.ix_(order, order)])
    numbers = ["mean_in_classes", "mean_between", "ratio", "silhouette"]
    by_vat = Vat(**KEYS).build(source).frame
    np.testing.assert_allclose(shown.frame[numbers], by_vat[numbers])
    assert "Neighbours" not in shown.blocks[0].header


def test_the_second_of_two_cases_counts_where_it_is_more_blockwise(monkeypatch) -> None:
    claim = Claim.model_validate(
        {
            "text": "-",
            "check": "counted",
            "by": {"exhibit": "blocks", "question": "second_more_blockwise"},
            "method": "PEACE",
        }
    )
    source, _ = source_with()
    rows = Vat(**KEYS).build(source).frame.set_index("case")["silhouette"]
    for cases in (["iris", "wine"], ["wine", "iris"]):
        found = Vat(**{**KEYS, "cases": cases}).count_for_claim("second_more_blockwise", claim, source)
        assert found.holds == (bool(rows[cases[1]] > rows[cases[0]]),)
