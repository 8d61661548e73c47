"""The table of random starts is what the starts score; a printed F1 is held against its bounds."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from concord.config.study import Study
from concord.datasets.registry import DatasetSpec
from concord.ensembles import store
from concord.files import write_arrays, write_text
from concord.reports.command import main
from concord.reports.published import STATISTICS, Published, load_published
from concord.reports.starts import bounds_table, sentences, starts_markdown, starts_table
from concord.scores.metrics import accuracy, pairwise_f

CLASSES = np.repeat([0, 1, 2], 8)
VALUE: dict[str, Any] = {
    "id": "small",
    "title": "Small",
    "summary": "A test.",
    "cases": [{"id": "a", "dataset": "toy", "title": "Toy, E1"}, {"id": "b", "dataset": "toy"}],
    "ensemble": {"runs": 4, "subset_size": 2},
    "methods": [
        {"id": "One", "method": "KC"},
        {"id": "Two", "method": "RCE", "grid": {"lambda1": [0.1, 1.0]}, "default": {"lambda1": 1.0}},
        "EAC",
    ],
    "metrics": ["ACC", "F"],
    "table2": ["ACC"],
    "starts": {"title": "Starts", "methods": ["One", "Two"], "metrics": ["ACC", "F"]},
}
STUDY = Study.model_validate(VALUE)
REGISTRY = {
    "toy": DatasetSpec(title="Toy", reader={"format": "sklearn", "loader": "iris"}, licence="-", source="-")
}
PRINT = Published(
    scores={("toy, e1", "ACC", method): 0.5 for method in ("One", "Two")},
    starts={
        ("toy, e1", "ACC", "One"): {"selected": 0.4, "mean": 0.45, "std": 0.02},
        ("toy, e1", "F", "One"): {"selected": 0.9},
        ("toy, e1", "ACC", "Two"): {"selected": 0.6, "std": 0.01},
        ("toy, e1", "F", "Two"): {"selected": 0.6},
    },
)


def starts_of(case: str, method: str, points: int, starts: int) -> np.ndarray:
    rng = np.random.default_rng([ord(c) for c in case + method])
    return rng.integers(0, 3, (2, points, starts, 24)).astype(np.int16)


@pytest.fixture
def blocks(tmp_path: Path) -> dict[tuple[str, str], list[Path]]:
    """Two subsets, one a file; of the last start of Two on case b there is none on subset 1."""
    found: dict[tuple[str, str], list[Path]] = {}
    for case in "ab":
        for run in STUDY.methods[:2]:
            labels = starts_of(case, run.id, len(run.points), 4)
            if (case, run.id) == ("b", "Two"):
                labels[1, :, 3] = -1
            for subset in (0, 1):
                path = tmp_path / f"results/small/consensus/{case}/{run.id}/{subset}-{subset}.npz"
                write_arrays(
                    path,
                    labels=labels[subset : subset + 1],
                    chosen=np.full((1, len(run.points)), subset + 1),
                    subsets=[subset],
                    points=json.dumps(run.points),
                    failures="[]",
                    notes="[]",
                )
                found.setdefault((case, run.id), []).append(path)
    return found


STORED = {case: store.StoredEnsemble(np.zeros((24, 4), int), CLASSES, store.split(4, 2)) for case in "ab"}


def test_statistics_are_those_of_the_starts_at_the_default_point(
    blocks: dict[tuple[str, str], list[Path]],
) -> None:
    table = starts_table(STUDY, REGISTRY, PRINT, STORED, blocks)
    assert len(table) == 8
    row = table.set_index(["case", "metric", "method"]).loc["b", "F", "Two"]
    labels = starts_of("b", "Two", 2, 4)[:, 1]
    scores = [
        [pairwise_f(CLASSES, start) for start in labels[0]],
        [pairwise_f(CLASSES, start) for start in labels[1][:3]],
    ]
    assert row["starts"] == 3.5
    assert row["selected"] == pytest.approx((scores[0][1] + scores[1][2]) / 2)
    assert row["mean"] == pytest.approx(np.mean([np.mean(one) for one in scores]))
    assert row["std"] == pytest.approx(np.mean([np.std(one, ddof=1) for one in scores]))
    assert row["max"] == pytest.approx(np.mean([max(one) for one in scores]))
    assert row["min"] == pytest.approx(np.mean([min(one) for one in scores]))
    assert np.isnan(row["printed_mean"])
    one = table.set_index(["case", "metric", "method"]).loc["a", "ACC", "One"]
    labels = starts_of("a", "One", 1, 4)[:, 0]
    selected = np.mean([accuracy(CLASSES, labels[0, 1]), accuracy(CLASSES, labels[1, 2])])
    assert one["difference"] == pytest.approx(selected - 0.4)
    assert (one["printed_mean"], one["printed_std"]) == (0.45, 0.02)


def test_a_printed_f1_that_no_clustering_has_is_told(blocks: dict[tuple[str, str], list[Path]]) -> None:
    table = starts_table(STUDY, REGISTRY, PRINT, STORED, blocks)
    bounds = bounds_table(table, {"a": [8, 8, 8], "b": [8, 8, 8]})
    assert bounds[["case", "method", "possible"]].to_numpy().tolist() == [
        ["a", "One", False],
        ["a", "Two", True],
    ]
    assert bounds["purity"].iloc[0] == pytest.approx((1 + 0.4005) / 2)
    text = " ".join(sentences(table, bounds))
    assert "The F1 of 0.900 that is printed for One on Toy, E1 beside a CI of 0.400 fits no standard" in text
    assert "The other 1 printed F1 is within the bound" in text
    shown = starts_markdown(STUDY, table, bounds)
    assert shown.count("| Toy, E1 |") == 4
    assert "(0.450)" in shown


def test_which_method_is_steadier_is_counted_here_and_in_print(
    blocks: dict[tuple[str, str], list[Path]],
) -> None:
    table = starts_table(STUDY, REGISTRY, PRINT, STORED, blocks)
    table.loc[table["method"] == "One", "std"] = 0.1
    table.loc[table["method"] == "Two", "std"] = [0.2, 0.05, 0.05, 0.05]
    text = " ".join(sentences(table, bounds_table(table, {"a": [8] * 3, "b": [8] * 3})))
    assert (
        "The ACC of One differs more from start to start than that of Two on 1 of 2 cases here, 1 of 1"
        in text
    )


def test_the_command_writes_the_same_table(blocks: dict[tuple[str, str], list[Path]], tmp_path: Path) -> None:
    study = tmp_path / "results/small/study.json"
    write_text(study, STUDY.model_dump_json())
    registry = tmp_path / "datasets.yaml"
    registry.write_text(
        "toy: {title: Toy, reader: {format: sklearn, loader: iris}, licence: none, source: here}\n"
    )
    for case in "ab":
        store.save(
            tmp_path / f"results/ensembles/small/{case}.npz", np.zeros((24, 4)), CLASSES, store.split(4, 2)
        )
    files = [str(path) for paths in blocks.values() for path in paths]
    main(["starts", "--study", str(study), "--out", str(tmp_path), "--registry", str(registry), *files])
    written = pd.read_csv(tmp_path / "starts.csv")
    expected = starts_table(STUDY, REGISTRY, Published(), STORED, blocks)
    np.testing.assert_allclose(written[list(STATISTICS)], expected[list(STATISTICS)].astype(float), atol=1e-6)
    assert pd.read_csv(tmp_path / "f1_bounds.csv").empty


def test_the_print_of_peace() -> None:
    """Both files of it agree, and what it does not tell is not there."""
    published = load_published(Study.model_validate({**VALUE, "published": "peace"}))
    assert {key: value["selected"] for key, value in published.starts.items()} == dict(published.scores)
    assert published.starts["webkb, e1a", "F", "BE"] == {"selected": 0.58, "mean": 0.636, "max": 0.693}
    assert published.shapes["iris"] == (150, 0, 3)
    assert len(published.starts) == 16
