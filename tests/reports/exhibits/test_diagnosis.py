import json

import numpy as np
import pandas as pd
import pytest

from consclust import diagnostics
from consclust.errors import InputError
from consclust.files import read_arrays, write_arrays
from consclust.report.wording import DASH
from consclust.scores import ari
from consclust_studies.config.references import find_mistakes
from consclust_studies.exhibits.diagnosis import Consensus, DiagnosisFigure, DiagnosisTable, make_standard_exhibits
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.consensus import ConsensusJob, fit_subsets, write_results
from consclust_studies.stages.label_blocks import Block
from small import planned, source_of

QUICK = {"ks": [2, 3], "draws": 3, "halves": 3, "nulls": 2, "folds": 2}
CASE = {"dataset": "iris", "title": "Iris", "preprocessing": [], "ensemble": "mine", "k": 3}
UNLABELLED = {
    "cases": [CASE],
    "methods": ["KC", "EAC", "RCE"],
    "ensemble": {"runs": 8, "subset_size": 8},
    "diagnosis": QUICK,
}


@pytest.fixture
def made(tmp_path):
    """Make a source: base clusterings of 24 objects, and the labels of all methods as their jobs leave them."""

    def make(**changes):
        study = planned(**{**UNLABELLED, **changes})
        rng = np.random.default_rng(0)
        labels = np.where(rng.random((24, 8)) < 0.4, rng.integers(0, 3, (24, 8)), np.arange(24)[:, None] % 3)
        stored = store.StoredEnsemble(labels, np.full(24, -1), store.split(8, 8))
        blocks = {}
        for method in study.methods:
            job = ConsensusJob(
                study="small", case="iris", method_id=method.id, method=method.method,
                parameters=method.parameters, n_clusters=3, seed=5, ensemble="e",
            )  # fmt: skip
            path = tmp_path / f"{method.id}.npz"
            write_results(job, [0], stored, fit_subsets(job, [0], stored), path, tmp_path / "runtime.json")
            blocks["iris", method.id] = [Block(path)]
        source = source_of(study, seed=5)
        source.__dict__.update(stored=lambda case: stored, blocks=lambda *key: blocks[key])
        return source

    return make


def section(shows, **keys):
    kind = DiagnosisTable if shows in ("clusters", "methods", "base") else DiagnosisFigure
    name = "diagnosis" if kind is DiagnosisTable else "diagnosis_figure"
    return kind(kind=name, id="x", title="X", case="iris", shows=shows, **keys)


def test_the_labels_of_all_methods_and_their_agreement(made):
    source = made()
    shown = Consensus(kind="consensus").build(source)
    labels = {name: source.blocks("iris", name)[0].labels[0, 0, 0] for name in ("EAC",)}
    assert shown.frame.columns.tolist() == ["case", "object", "KC", "EAC", "RCE"]
    assert shown.frame["object"].tolist() == list(range(1, 25))
    np.testing.assert_array_equal(shown.frame["EAC"].to_numpy(), labels["EAC"])
    (table,) = shown.blocks
    sizes = np.bincount(labels["EAC"])
    assert [cell.text for cell in table.rows[1]][:4] == ["EAC", "3", f"{sizes.min()}", f"{sizes.max()}"]
    assert float(table.rows[0][5].text) == pytest.approx(ari(shown.frame["KC"], shown.frame["EAC"]), abs=6e-4)


def test_a_method_without_an_answer_has_a_dash_and_its_reason(made, tmp_path):
    source = made()
    path = tmp_path / "RCE.npz"
    arrays = dict(read_arrays(path))
    reason = json.dumps([{"subset": 0, "point": 0, "reason": "no answer here"}])
    write_arrays(path, **{**arrays, "labels": np.full_like(arrays["labels"], -1), "failures": reason})
    shown = Consensus(kind="consensus").build(source)
    assert "RCE" not in shown.frame
    (table,) = shown.blocks
    assert {cell.text for cell in table.rows[2][1:]} == {DASH}
    assert table.notes == ((table.rows[2][0].mark, "no answer here"),)


def test_fewer_clusters_than_requested_are_a_footnote(made, tmp_path):
    source = made()
    assert Consensus(kind="consensus").build(source).blocks[0].notes == ()
    path = tmp_path / "KC.npz"
    arrays = dict(read_arrays(path))
    write_arrays(path, **{**arrays, "labels": np.minimum(arrays["labels"], 1)})
    source = source_of(source.study, seed=5, blocks=lambda case, method: [Block(tmp_path / f"{method}.npz")])
    (table,) = Consensus(kind="consensus").build(source).blocks
    ((mark, text),) = table.notes
    assert [row[0].mark for row in table.rows] == [mark, "", ""]
    assert "fewer clusters" in text


@pytest.mark.long
@pytest.mark.parametrize("method", ["KC", "RCE"])
def test_the_consensus_that_is_looked_at_is_that_of_the_study(made, method):
    source = made(diagnosis={**QUICK, "method": method})
    found = section("objects").build(source)
    labels = Consensus(kind="consensus").build(source).frame[method]
    np.testing.assert_array_equal(found.frame["cluster"], labels)
    assert found.caption.endswith(f"Consensus: {method}.")
    np.testing.assert_allclose(found.frame["contested"], diagnostics.contested(source.stored("iris").labels))


def test_the_key_method_of_a_section_goes_first(made):
    source = made(diagnosis={**QUICK, "method": "KC"})
    assert section("clusters", method="EAC").build(source).caption.endswith("Consensus: EAC.")


@pytest.mark.long
def test_all_methods_are_compared_on_the_same_labels(made):
    source = made()
    frame = section("methods").build(source).frame.set_index("method")
    labels = Consensus(kind="consensus").build(source).frame
    assert frame.index.tolist() == ["KC", "EAC", "RCE"]
    for name in frame.index:
        agreement = diagnostics.agreement_with(source.stored("iris").labels, labels[name].to_numpy())
        assert frame.loc[name, "ari"] == pytest.approx(agreement.mean())


@pytest.mark.long
@pytest.mark.parametrize("shows", ["matrix", "criteria", "cdf", "tracking", "memberships", "diversity"])
def test_every_figure_has_numbers_and_a_picture(made, shows):
    from matplotlib import pyplot as plt

    shown = section(shows).build(made())
    assert len(shown.frame)
    assert shown.picture.axes
    plt.close(shown.picture)


def test_with_classes_their_number_counts(made):
    source = made(cases=[{**CASE, "k": None}])
    classes = np.arange(24) % 2
    labels = source.stored("iris").labels
    source.__dict__["stored"] = lambda case: store.StoredEnsemble(labels, classes, store.split(8, 8))
    assert len(section("clusters", method="EAC").build(source).frame) == 2


def test_more_candidates_than_objects(made):
    file = "studies/small/study.yaml"
    with pytest.raises(InputError, match=f"^{file}: diagnosis.ks = 30, but iris has 24 objects; lower"):
        section("criteria").build(made(diagnosis={**QUICK, "ks": [2, 30]}))
    few, many = made(), source_of(planned(**{**UNLABELLED, "cases": [{**CASE, "k": 25}]}))
    many.__dict__["stored"] = few.stored
    with pytest.raises(InputError, match=f"^{file}: cases: iris: k = 25, but iris has 24 objects; lower"):
        section("criteria").build(many)


def test_a_method_that_needs_features_is_not_diagnosed():
    study = planned(**{**UNLABELLED, "methods": ["SSCE", "EAC"]})
    assert section("clusters").needs(study).fits == (("iris", "EAC"),)
    (found,) = section("clusters", method="SSCE").mistakes(study)
    assert found[0] == "method"
    (found,) = section("clusters").mistakes(planned(**{**UNLABELLED, "methods": ["SSCE"]}))
    assert found[0] == "case"


def test_the_sections_of_several_cases_have_names_of_their_own():
    long = {**CASE, "id": "a" * 60}
    study = planned(**{**UNLABELLED, "cases": [CASE, long]})
    ids = [exhibit.id for exhibit in make_standard_exhibits(study)]
    assert len(set(ids)) == len(ids) == 20
    assert {"matrix-iris", "matrix-2"} < set(ids)
    assert {exhibit.title for exhibit in make_standard_exhibits(study)} >= {"Consensus matrix: Iris"}
    known = {"case": ["iris", "a" * 60], "method": ["KC"]}
    assert not [line for e in make_standard_exhibits(study) for line in find_mistakes(e, known, lambda model: ())]


def test_the_csv_keeps_labels_whole_numbers(made):
    frame = Consensus(kind="consensus").build(made()).frame
    assert all(frame[name].dtype == pd.Int64Dtype() for name in ("KC", "EAC", "RCE"))
