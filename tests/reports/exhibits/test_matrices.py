import numpy as np
import pytest
from pydantic import ValidationError

from consclust import similarity
from consclust.ensemble import Ensemble
from consclust.methods import RSEC
from consclust.plot.drawing import step_of
from consclust.report.wording import point
from consclust_studies.config.paper import Claim
from consclust_studies.exhibits import matrices
from consclust_studies.exhibits.matrices import Matrices
from consclust_studies.stages import stored_ensembles as store
from small import planned, source_of

CLASSES = np.array([0, 2, 1] * 8)
PANELS = [
    {"title": "classes", "similarity": "classes"},
    {"title": "$HC$", "similarity": "hc"},
    {"title": "C", "method": "EC-CMS"},
    {"title": "Z", "method": "RSEC", "matrix": "representation", "scale": "own"},
    {"title": "E", "method": "RSEC", "matrix": "profile_errors_", "scale": "own"},
]
KEYS = {"kind": "matrices", "id": "order", "title": "Order", "case": "wine", "panels": PANELS}


@pytest.fixture
def source():
    rsec = {"method": "RSEC", "parameters": {"max_iter": 30, "n_init": 2}}
    study = planned(methods=["KC", rsec, {"id": "EC-CMS", "method": "ECCMS"}])
    source = source_of(study, seed=7)
    rng = np.random.default_rng(1)
    labels = np.where(rng.random((24, 12)) < 0.3, rng.integers(0, 4, (24, 12)), CLASSES[:, None])
    source.__dict__["stored"] = {"wine": store.StoredEnsemble(labels, CLASSES, store.split(12, 4))}.__getitem__
    return source


def drawn(picture):
    """The matrices by row and column of the picture."""
    axes = (panel for panel in picture.axes if panel.axison and panel.get_subplotspec() and panel.collections)
    found = {}
    for panel in axes:
        values = panel.collections[0].get_array()
        if values is not None and values.ndim == 2 and values.shape[0] == values.shape[1]:
            place = panel.get_subplotspec()
            found[place.rowspan.start, place.colspan.start] = (panel, values)
    return found


@pytest.mark.long
def test_matrices_are_those_of_the_functions_in_the_order_of_the_classes(source) -> None:
    shown = Matrices(**KEYS, order="both").build(source)
    order = np.argsort(CLASSES, kind="stable")
    ensemble = Ensemble(source.stored("wine").subset(0)[order])
    fit = RSEC(3, max_iter=30, n_init=2, random_state=0).fit(ensemble)
    expected = {
        (0, 0): (CLASSES[order][:, None] == CLASSES[order]).astype(float),
        (0, 1): similarity.over_objects(ensemble, similarity.hc(ensemble), 0.0),
        (0, 3): fit.representation(),
        (3, 0): fit.errors(),
    }
    found = drawn(shown.picture)
    assert len(found) == 5 * 3
    for (row, column), matrix in expected.items():
        given, shuffled, restored = (found[row + i, column][1] for i in range(3))
        np.testing.assert_array_equal(given, matrix)
        np.testing.assert_allclose(restored, matrix, atol=1e-9)
        assert not np.allclose(shuffled, matrix)
        np.testing.assert_allclose(np.sort(shuffled, None), np.sort(matrix, None), atol=1e-9)
        numbers = shown.frame[shown.frame["panel"] == found[row, column][0].get_title()].iloc[0]
        assert numbers["order_difference"] == np.abs(restored - matrix).max()
        apart = matrix[~np.eye(24, dtype=bool)]
        limits = tuple(np.percentile(apart, [1, 99])) if numbers["panel"] in "ZE" else (0, 1)
        assert found[row, column][0].collections[0].get_clim() == limits
    borders = [segment[0][1] for segment in found[0, 0][0].collections[1].get_segments()]
    assert borders == [8, 16]
    assert len(found[1, 0][0].collections) == 1, "no classes to be seen in random order"


def test_the_table_has_the_contrast_and_the_parameters(source) -> None:
    shown = Matrices(**KEYS).build(source)
    assert shown.frame["order_difference"].isna().all()
    assert len(drawn(shown.picture)) == 5
    classes = shown.frame.iloc[0]
    assert (classes["mean_in_classes"], classes["mean_between"], classes["objects"]) == (1, 0, 24)
    assert shown.frame["matrix"][2] == "EC-CMS: consensus_matrix"
    assert shown.frame["parameters"].tolist() == ["", "", "", *2 * [point({"max_iter": 30, "n_init": 2})]]
    assert [line[0].text for line in shown.blocks[0].rows] == ["classes", "HC", "C", "Z", "E"]


def test_a_difference_has_colours_that_part_at_0_and_its_signs_by_class(source) -> None:
    ensemble = Ensemble(source.stored("wine").subset(0)[np.argsort(CLASSES, kind="stable")])
    panel = {"title": "change", "method": "EC-CMS", "minus": "lwca"}
    shown = Matrices(**{**KEYS, "panels": [panel, PANELS[2]]}).build(source)
    base = similarity.over_objects(ensemble, similarity.lwca(ensemble), 1.0)
    difference = drawn(shown.picture)[0, 1][1] - base
    panel, values = drawn(shown.picture)[0, 0]
    np.testing.assert_allclose(values, difference, atol=1e-12)
    low, high = panel.collections[0].get_clim()
    assert low == -high
    assert shown.frame["matrix"][0] == "EC-CMS: consensus_matrix \N{MINUS SIGN} lwca"
    classes = np.sort(CLASSES)
    inside = difference[(classes[:, None] == classes) & ~np.eye(24, dtype=bool)]
    between = difference[classes[:, None] != classes]
    expected = (inside > 1e-9).mean(), (between > 1e-9).mean(), (between < -1e-9).mean()
    found = shown.frame[["grows_in_classes", "grows_between", "falls_between"]]
    assert tuple(found.iloc[0]) == pytest.approx(expected)
    assert found.iloc[1].isna().all()


def test_parameters_of_a_panel_replace_the_default_ones(source) -> None:
    panels = [PANELS[2], {**PANELS[2], "title": "other", "parameters": {"alpha": 2.0}}]
    shown = Matrices(**{**KEYS, "panels": panels}).build(source)
    first, other = (drawn(shown.picture)[0, column][1] for column in (0, 1))
    assert not np.allclose(first, other)
    assert shown.frame["parameters"].tolist() == ["", point({"alpha": 2.0})]
    wrong = Matrices(**{**KEYS, "panels": [{**PANELS[2], "parameters": {"beta": 1}}]})
    assert [key for key, _ in wrong.mistakes(source.study)] == ["panels[0].parameters"]


@pytest.mark.long
def test_many_objects_are_thinned_out(source, monkeypatch) -> None:
    whole = drawn(Matrices(**KEYS).build(source).picture)
    monkeypatch.setattr(matrices, "step_of", lambda n: step_of(n, 10))
    shown = Matrices(**KEYS).build(source)
    thinned = drawn(shown.picture)
    for place, (_, values) in whole.items():
        np.testing.assert_array_equal(thinned[place][1], values[::3, ::3])
    assert shown.frame["drawn"].tolist() == [8] * 5


def test_it_needs_one_fit_of_each_method(source) -> None:
    needs = Matrices(**KEYS).needs(source.study)
    assert needs.fits == (("wine", "EC-CMS"), ("wine", "RSEC"))
    assert not needs.draws
    assert Matrices(**KEYS, order="both").needs(source.study).draws


@pytest.mark.parametrize(
    ("panel", "wrong"),
    [(PANELS[3], []), ({"title": "Z", "method": "RSEC", "matrix": "representations"}, ["panels[0].matrix"])],
)
def test_what_a_method_does_not_have_is_a_mistake(source, panel, wrong) -> None:
    exhibit = Matrices(**{**KEYS, "panels": [panel]})
    assert [key for key, _ in exhibit.mistakes(source.study)] == wrong


@pytest.mark.parametrize(
    "keys",
    [
        {"panels": [{"title": "both", "similarity": "hc", "method": "RSEC"}]},
        {"panels": [{"title": "none"}]},
        {"scale": [1, 0]},
    ],
)
def test_panels_with_two_sources_and_descending_scales_are_refused(keys) -> None:
    with pytest.raises(ValidationError):
        Matrices(**{**KEYS, **keys})


def test_differences_are_counted_for_a_claim_over_the_subsets(source, monkeypatch) -> None:
    """On subset s the difference is s - 1 in the classes and 1 - s between them."""
    exhibit = Matrices(**{**KEYS, "panels": [{"title": "-", "similarity": "hc", "minus": "lwca"}]})

    def show(self, panel):
        return np.where(self.classes[:, None] == self.classes, 1.0, -1.0) * (self.subset - 1)

    monkeypatch.setattr(matrices.Given, "shown", show)
    by = {"exhibit": "order", "question": "stronger_inside"}
    claim = Claim.model_validate({"text": "-", "check": "counted", "by": by, "method": "EC-CMS"})
    for question in ("stronger_inside", "weaker_between"):
        assert exhibit.count_for_claim(question, claim, source).holds == (False, False, True)
