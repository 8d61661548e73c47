import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.errors import InputError
from consclust_studies.config.paper import Claim
from consclust_studies.exhibits.iteration_paths import Paths
from consclust_studies.stages import stored_ensembles as store
from small import planned, source_of

CLASSES = np.array([0, 2, 1] * 8)
RSEC = {"method": "RSEC", "parameters": {"max_iter": 30, "n_init": 2}}
KEYS = {"kind": "paths", "id": "paths", "title": "Paths", "method": "RSEC", "path": "residual_path_"}
LABELS = ["$S - SZ - E$", "$Z - J$"]
CHANGES = {**KEYS, "method": "EC-CMS", "path": "change_path_", "labels": ["change"], "cases": ["wine"]}


@pytest.fixture
def source():
    study = planned(
        methods=["KC", RSEC, {"id": "EC-CMS", "method": "ECCMS"}, {"id": "SSCE", "method": "SSCE"}, "PEACE"]
    )
    source, stored = source_of(study, seed=7), {}
    for number, case in enumerate(("iris", "wine")):
        rng = np.random.default_rng(number)
        labels = np.where(rng.random((24, 12)) < 0.3, rng.integers(0, 4, (24, 12)), CLASSES[:, None])
        stored[case] = store.StoredEnsemble(labels, CLASSES, store.split(12, 4))
    source.__dict__["stored"] = stored.__getitem__
    return source


def test_paths_are_those_of_the_fits(source) -> None:
    exhibit = Paths(**KEYS, labels=LABELS)
    needs = exhibit.needs(source.study)
    assert needs.fits == (("iris", "RSEC"), ("wine", "RSEC"))
    assert needs.ensembles == ("iris", "wine")
    shown = exhibit.build(source)
    assert [panel.get_title() for panel in shown.picture.axes] == ["Iris", "Wine"]
    for case, panel in zip(("iris", "wine"), shown.picture.axes, strict=True):
        ensemble = Ensemble(source.stored(case).subset(0))
        path = source.fit(source.study.case(case), "RSEC", {}, ensemble, 0, 3).residual_path_
        rows = shown.frame[shown.frame["case"] == case]
        np.testing.assert_array_equal(rows["value"], path.T.ravel())
        for column, line in zip(path.T, panel.lines, strict=True):
            np.testing.assert_array_equal(line.get_xydata(), np.c_[np.arange(1, 31), column])
        assert panel.get_yscale() == "log"
    assert not shown.frame["converged"].any()
    assert [cell.text for cell in shown.blocks[0].rows[1]][:3] == ["Wine", "30", "no"]


def test_infinite_values_are_in_the_frame_only(source) -> None:
    shown = Paths(**CHANGES).build(source)
    assert np.isinf(shown.frame["value"][0])
    np.testing.assert_array_equal(shown.picture.axes[0].lines[0].get_ydata(), shown.frame["value"][1:])


def test_negative_values_are_drawn_too(source) -> None:
    rises = {"method": "PEACE", "path": "likelihood_path_", "labels": ["log-likelihood"], "cases": ["iris"]}
    (panel,) = Paths(**{**KEYS, **rises}).build(source).picture.axes
    low, high = panel.get_ylim()
    values = panel.lines[0].get_ydata()
    assert low < values.min() < values.max() < high < 0


def test_a_fit_that_fails_is_reported_with_its_place(source) -> None:
    same = store.StoredEnsemble(np.zeros((24, 12), dtype=np.int64), CLASSES, store.split(12, 4))
    source.__dict__["stored"] = {"wine": same}.__getitem__
    with pytest.raises(InputError, match=r"EC-CMS on wine, subset 1: .*name another case or method"):
        Paths(**CHANGES).build(source)


@pytest.mark.parametrize(
    ("keys", "wrong"), [({}, []), ({"path": "residuals"}, ["path"]), ({"labels": ["one"]}, ["labels"])]
)
def test_what_the_method_does_not_have_is_a_mistake(source, keys, wrong) -> None:
    exhibit = Paths(**{**KEYS, "labels": LABELS, **keys})
    assert [key for key, _ in exhibit.mistakes(source.study)] == wrong


@pytest.mark.parametrize(
    ("values", "falls", "rises"),
    [([1.0, 2.0, 2.0], False, True), ([3.0, 2.0, 2.0 + 1e-13], True, False), ([1.0, 2.0, 1.5], True, True)],
)
def test_paths_that_never_rise_or_fall_are_counted_for_a_claim(source, monkeypatch, values, falls, rises) -> None:
    exhibit = Paths(**CHANGES)
    path = [("wine", "change", i, value, True) for i, value in enumerate(values)]
    monkeypatch.setattr(Paths, "_path", lambda self, source, case, subset: iter(path))
    by = {"exhibit": "paths", "question": "never_falls"}
    claim = Claim.model_validate({"text": "-", "check": "counted", "by": by, "method": "EC-CMS"})
    assert exhibit.count_for_claim("never_falls", claim, source).holds == (not falls,)
    assert exhibit.count_for_claim("never_rises", claim, source).holds == (not rises,)


def test_a_claim_counts_the_paths_of_several_subsets(source) -> None:
    """Each path is that of the fit on its own subset; the ensemble of the test has three."""
    by = {"exhibit": "paths", "question": "never_falls"}
    claim = Claim.model_validate({"text": "-", "check": "counted", "by": by, "method": "PEACE"})
    rises = {"method": "PEACE", "path": "likelihood_path_", "labels": ["log-likelihood"]}
    found = Paths(**{**KEYS, **rises, "subsets": 2}).count_for_claim("never_falls", claim, source)
    assert found.holds == (True,) * 4
    assert found.unit == "paths, 2 subsets of each data set"
    first, second = ([row[3] for row in Paths(**{**KEYS, **rises})._path(source, "iris", subset)] for subset in (0, 1))
    assert first != second
