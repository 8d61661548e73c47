import numpy as np
from scipy import sparse

from consclust.datasets.prepared import Dataset
from consclust.report.wording import DASH
from consclust_studies.config.published_tables import Published
from consclust_studies.exhibits.datasets import Datasets
from small import planned, source_of

EXHIBIT = Datasets(kind="datasets")


def data(X, y) -> Dataset:
    classes = np.array(y)
    return Dataset(X, classes, tuple(map(str, np.unique(classes))))


def built(published=Published(), study=None, **of_case):  # noqa: B008
    own = {"iris": data(np.ones((4, 2)), [0, 0, 0, 1]), "wine": data(np.ones((6, 3)), [0, 1, 2, 0, 1, 2])}
    source = source_of(study or planned(), published=published)
    source.__dict__["dataset"] = {**own, **of_case}.__getitem__
    return EXHIBIT.build(source)


def test_it_counts_the_data_and_compares_with_the_published_dimensions() -> None:
    shown = built(Published({"iris": (4, 2, 2), "wine": (7, 0, 3)}))
    iris = shown.frame.iloc[0]
    assert iris[["objects", "features", "classes"]].tolist() == [4, 2, 2]
    assert iris[["class_sizes", "stored_as", "preprocessing"]].tolist() == [f"1{DASH}3", "dense", "none"]
    assert shown.frame["verdict"].tolist() == ["match", "differs"]
    assert shown.frame["published_features"].isna().tolist() == [False, True], "0 is an unknown dimension"
    cells = shown.blocks[0].rows[1]
    assert [(cell.text, cell.below) for cell in cells[:4]] == [("Wine", ""), ("6", "7"), ("3", ""), ("3", "")]
    assert cells[-1].text == "differs"


def test_without_published_dimensions_there_is_no_such_column() -> None:
    shown = built()
    assert set(shown.frame["verdict"]) == {"not published"}
    assert len(shown.blocks[0].header) == 8
    assert len(built(Published({"iris": (4, 2, 2)})).blocks[0].header) == 9


def test_base_clusterings_without_features_and_sparse_features() -> None:
    some = sparse.csr_array(np.eye(4))
    none = data(np.empty((6, 0)), [0, 1, 2, 0, 1, 2])
    shown = built(iris=data(some, [0, 0, 1, 1]), wine=none)
    assert shown.frame["stored_as"].tolist() == ["sparse, 25.00% non-zero", "no features"]
    assert shown.blocks[0].rows[1][2].text == DASH


def test_how_base_clusterings_are_made() -> None:
    cases = [
        {"dataset": "iris", "preprocessing": [], "ensemble": "mixed", "n_clusters": [2, 3, 4, 9]},
        {"id": "ready", "dataset": "iris", "preprocessing": [], "ensemble": "authors"},
    ]
    origin = {"title": "Iris", "source": "x", "licence": "y", "note": "32 x 32 pixels"}
    study = planned(
        cases=cases,
        only_in_table1=[{"dataset": "wine", "preprocessing": []}],
        origins=dict.fromkeys(["iris", "ready", "wine"], origin),
    )
    assert EXHIBIT.needs(study).prepared == ("iris", "ready", "wine")
    shown = built(study=study, ready=data(np.ones((4, 2)), [0, 0, 0, 1]))
    assert shown.frame["base_clusterings"].tolist() == [
        "12 by several algorithms, k: 2-4, 9",
        "ready-made: authors",
        "not clustered here",
    ]
    assert shown.blocks[0].notes == (("a", "32 x 32 pixels"),)
