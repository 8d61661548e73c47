import numpy as np
import pytest
from small import planned, source_of

from concord.diagnostics import vat_order
from concord.ensemble import MISSING, Ensemble
from concord.ensembles import store
from concord.reports.exhibits.vat import Vat

CLASSES = np.array([0, 2, 1] * 8)
KEYS = {"kind": "vat", "id": "blocks", "title": "Blocks", "cases": ["iris", "wine"]}


def test_the_matrices_are_co_associations_of_the_subset() -> None:
    source, stored = source_of(planned()), {}
    for number, case in enumerate(KEYS["cases"]):
        rng = np.random.default_rng(number)
        labels = np.where(rng.random((24, 12)) < 0.3, rng.integers(0, 4, (24, 12)), CLASSES[:, None])
        labels[:3, 1] = MISSING
        stored[case] = store.StoredEnsemble(labels, CLASSES, store.split(12, 4))
    source.__dict__["stored"] = stored.__getitem__
    shown = Vat(**KEYS).build(source)
    ensemble = Ensemble(stored["iris"].subset(0))
    matrix = ensemble.expand(ensemble.coassociation)
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
