"""Figures of objects, of co-association by VAT, and of bars."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from concord.config.files import load_config
from concord.config.restrictions import restrict
from concord.config.study import Study
from concord.datasets.prepared import prepare
from concord.datasets.registry import DatasetSpec
from concord.ensemble import MISSING, Ensemble
from concord.ensembles import store
from concord.errors import InputError
from concord.reports import further
from concord.reports.figure_source import Source
from concord.reports.figure_vat import vat_order

TITLES = {"a": "Data A, E1", "b": "Data B, E2", "c": "Data C", "iris": "Iris", "wine": "Wine"}
STUDY = Study.model_validate(
    {
        "id": "small",
        "title": "Small",
        "summary": "A test.",
        "cases": [
            {"id": "a", "dataset": "iris"},
            {"id": "b", "dataset": "wine"},
            {"id": "c", "dataset": "iris"},
        ],
        "ensemble": {"runs": 4, "subset_size": 2},
        "methods": ["EAC", "KC"],
        "metrics": ["ACC", "F"],
        "table2": ["ACC"],
        "figures": [
            {"id": "sets", "kind": "objects", "title": "Sets", "cases": ["a", "b"]},
            {"id": "blocks", "kind": "vat", "title": "Blocks", "cases": ["a", "b"], "subset": 2},
            {
                "id": "bars",
                "kind": "bars",
                "title": "Bars",
                "metrics": ["ACC", "F"],
                "groups": [{"title": "E1", "cases": ["a"]}, {"title": "E2", "cases": ["b", "c"]}],
            },
        ],
    }
)
CLASSES = np.array([0, 2, 1] * 8)
MEANS = {("a", "EAC"): 0.5, ("a", "KC"): 0.7, ("b", "EAC"): 0.6, ("b", "KC"): 0.6, ("c", "EAC"): 0.9}


@pytest.fixture
def source(tmp_path: Path) -> Source:
    results, ensembles = tmp_path / "results/small", tmp_path / "results/ensembles/small"
    results.mkdir(parents=True)
    rows = [
        (case, method, "fixed", metric, subset, mean + 0.1 * subset - 0.05)
        for (case, method), mean in {**MEANS, ("c", "KC"): 0.1}.items()
        for metric in ("ACC", "F")
        for subset in (0, 1)
    ]
    columns = ["case", "method", "reading", "metric", "subset", "value"]
    pd.DataFrame(rows, columns=columns).to_parquet(results / "selected.parquet")
    for number, case in enumerate("ab"):
        rng = np.random.default_rng(number)
        labels = np.where(rng.random((24, 4)) < 0.3, rng.integers(0, 4, (24, 4)), CLASSES[:, None])
        labels[:3, 2] = MISSING
        store.save(ensembles / f"{case}.npz", labels, CLASSES, store.split(4, 2))
        reader = {"format": "spirals", "per_class": 12, "turns": 1.0, "deviation": 0.1, "seed": number}
        spec = DatasetSpec(title="Toy", reader=reader, licence="-", source="-")
        prepare("toy", spec, [], (), tmp_path / f"{case}.npz")
    prepared = {case: tmp_path / f"{case}.npz" for case in "ab"}
    return Source(STUDY, TITLES, results, ensembles, None, prepared)


def titled(picture: Any) -> dict[str, Any]:
    return {axes.get_title(): axes for axes in picture.axes if axes.get_title()}


def brute_force_order(dissimilarity: np.ndarray) -> list[int]:
    """Prim's algorithm by its definition: of all pairs across, the nearest; of several the first object."""
    n = len(dissimilarity)
    order = [min(i for i in range(n) if dissimilarity[i].max() == dissimilarity.max())]
    while len(order) < n:
        outside = [i for i in range(n) if i not in order]
        order.append(min(outside, key=lambda i: (min(dissimilarity[i, j] for j in order), i)))
    return order


@given(
    hnp.arrays(
        float, st.integers(1, 8).map(lambda n: (n, n)), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0])
    )
)
def test_vat_is_prims_order(matrix: np.ndarray) -> None:
    dissimilarity = np.maximum(matrix, matrix.T)
    np.fill_diagonal(dissimilarity, 0)
    assert vat_order(dissimilarity).tolist() == brute_force_order(dissimilarity)


def test_vat_puts_clusters_together() -> None:
    """Objects of three groups in turn come out group by group."""
    apart = (CLASSES[:, None] != CLASSES).astype(float)
    ordered = CLASSES[vat_order(apart)]
    assert (np.diff(ordered) != 0).sum() == 2


def test_the_matrices_are_co_associations_of_the_subset(source: Source) -> None:
    picture, table = further.make(STUDY.figure("blocks"), source)
    axes = titled(picture)
    assert list(axes) == ["Data A, E1", "Data B, E2"]
    ensemble = Ensemble(source.stored("a").subset(1))
    matrix = ensemble.expand(ensemble.coassociation)
    order = vat_order(1 - matrix)
    np.testing.assert_array_equal(axes["Data A, E1"].images[0].get_array(), matrix[np.ix_(order, order)])
    row = table.set_index("case").loc["a"]
    assert row["missing"] == pytest.approx(3 / 48)
    assert row["neighbours_in_class"] == np.mean(CLASSES[order][1:] == CLASSES[order][:-1])
    caption = further.caption(STUDY, TITLES, STUDY.figure("blocks"), table)
    assert f"Data A, E1 {row['neighbours_in_class']:.0%}" in caption
    assert "Labels missing: 6% at most." in caption


def test_objects_are_those_of_the_prepared_data(source: Source) -> None:
    picture, table = further.make(STUDY.figure("sets"), source)
    X = source.dataset("b").X
    np.testing.assert_array_equal(table[table["case"] == "b"][["x", "y"]], X)
    drawn = np.concatenate([part.get_offsets() for part in titled(picture)["Wine"].collections])
    np.testing.assert_array_equal(drawn, X)
    caption = further.caption(STUDY, TITLES, STUDY.figure("sets"), table)
    assert caption == (
        "Objects, coloured by class: Iris (24 objects, 2 classes); Wine (24 objects, 2 classes)."
    )


def test_objects_with_other_than_two_features_are_refused(source: Source, tmp_path: Path) -> None:
    spec = DatasetSpec(title="-", reader={"format": "sklearn", "loader": "iris"}, licence="-", source="-")
    prepare("iris", spec, [], (), tmp_path / "a.npz")
    with pytest.raises(InputError, match=r"^a: 4 features, but a figure of objects shows two"):
        further.make(STUDY.figure("sets"), source)
    without = Source(STUDY, TITLES, source.results, source.ensembles, None)
    with pytest.raises(InputError, match=r"--prepared: no file for the case 'a'; add a=data/prepared"):
        further.make(STUDY.figure("sets"), without)


def test_bars_are_means_and_their_caption_counts(source: Source) -> None:
    picture, table = further.make(STUDY.figure("bars"), source)
    means = table[table["metric"] == "ACC"].set_index(["case", "method"])["mean"]
    assert means.to_dict() == pytest.approx({**MEANS, ("c", "KC"): 0.1})
    right = titled(picture)["E2"]
    assert [bar.get_height() for bar in right.patches] == pytest.approx([0.6, 0.9, 0.6, 0.1])
    lowest = picture.axes[3]
    assert [label.get_text() for label in lowest.get_xticklabels()] == ["Wine", "Iris"]
    caption = further.caption(STUDY, TITLES, STUDY.figure("bars"), table)
    assert "on so many of 3 cases: ACC: EAC 2, KC 2; F: EAC 2, KC 2." in caption


def test_what_is_not_in_a_run_is_dropped_and_told(source: Source) -> None:
    study = restrict(STUDY, load_config({"seed": 1, "datasets": "b"}))
    assert study
    only_b = Source(study, TITLES, source.results, source.ensembles, None, source.prepared)
    for name in ("sets", "blocks", "bars"):
        _, table = further.make(study.figure(name), only_b)
        assert set(table["case"]) == {"b"}
        assert "Not in this run: Data A, E1" in further.caption(study, TITLES, study.figure(name), table)


def test_bytes_are_reproducible(source: Source, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        further.write(STUDY.figure("blocks"), source, tmp_path / folder)
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name
