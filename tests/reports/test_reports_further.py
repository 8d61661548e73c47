"""The further figures: what is drawn is what the results say, and the same bytes each time."""

import json
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from concord import similarity
from concord.config.figures import AnyFigure
from concord.config.files import load_config
from concord.config.restrictions import restrict
from concord.config.study import Study
from concord.ensemble import Ensemble
from concord.ensembles import store
from concord.errors import InputError
from concord.methods import RSEC
from concord.methods.run import Job
from concord.methods.run import run as run_job
from concord.reports import figure_matrices, further
from concord.reports.command import main
from concord.reports.figure_levels import level_shares
from concord.reports.figure_source import Source
from concord.seeds import generator

SEED = 7
READING = {"of": "a", "dataset": "iris", "why": "ensemble size", "methods": ["EAC", "RCE"]}
STUDY = Study.model_validate(
    {
        "id": "small",
        "title": "Small",
        "summary": "A test.",
        "cases": [{"id": "a", "dataset": "iris"}, {"id": "b", "dataset": "wine"}],
        "ensemble": {"runs": 12, "subset_size": 4, "draws": 3},
        "methods": [
            "EAC",
            {"method": "RCE", "grid": {"lambda1": [0.1, 1.0]}, "default": {"lambda1": 1.0}},
            {"id": "EC-CMS", "method": "ECCMS"},
            {"method": "RSEC", "parameters": {"max_iter": 30, "n_init": 2}},
        ],
        "metrics": ["ACC", "ARI"],
        "table2": ["ARI"],
        "reading": "oracle-per-subset",
        "readings": {
            "cases": [
                {"id": "a_m8", **READING, "subset_size": 8},
                {"id": "a_m2", **READING, "subset_size": 2, "methods": ["EAC"]},
                {"id": "a_pp", **READING, "subset_size": 6, "init": "k-means++"},
            ]
        },
        "figures": [
            {"id": "sizes", "kind": "sizes", "title": "Sizes", "metric": "ARI"},
            {
                "id": "order",
                "kind": "matrices",
                "title": "Order",
                "case": "b",
                "subset": 2,
                "order": "both",
                "panels": [
                    {"title": "classes", "similarity": "classes"},
                    {"title": "$HC$", "similarity": "hc", "parameters": {"alpha": 0.6}},
                    {"title": "C", "method": "EC-CMS", "parameters": {"lambda_": 0.1}},
                    {"title": "Z", "method": "RSEC", "matrix": "representation", "scale": "own"},
                    {"title": "E", "method": "RSEC", "matrix": "profile_errors_", "scale": "own"},
                ],
            },
            {"id": "levels", "kind": "levels", "title": "Levels", "case": "b"},
            {
                "id": "paths",
                "kind": "paths",
                "title": "Paths",
                "caption": "It converges.",
                "method": "RSEC",
                "path": "residual_path_",
                "labels": ["$S - SZ - E$", "$Z - J$"],
            },
            {
                "id": "changes",
                "kind": "paths",
                "title": "Changes",
                "method": "EC-CMS",
                "path": "change_path_",
                "labels": ["change"],
                "cases": ["b"],
            },
        ],
    }
)
TITLES = {"a": "Data A", "b": "Data B"}
CLASSES = np.array([0, 2, 1] * 8)


def scores(case: str, method: str, reading: str) -> list[float]:
    rng = np.random.default_rng([ord(c) for c in case + method + reading])
    return rng.random(3).round(3).tolist()


def selected(cases: dict[str, list[str]]) -> pd.DataFrame:
    readings = {"RCE": ["oracle-per-subset", "oracle-common", "default"]}
    rows = [
        (case, method, reading, metric, s, value)
        for case, methods in cases.items()
        for method in methods
        for reading in readings.get(method, ["fixed"])
        for metric in ("ACC", "ARI")
        for s, value in enumerate(scores(case, method, reading + metric))
    ]
    return pd.DataFrame(rows, columns=["case", "method", "reading", "metric", "subset", "value"])


@pytest.fixture
def source(tmp_path: Path) -> Source:
    results, ensembles = tmp_path / "results/small", tmp_path / "results/ensembles/small"
    (results / "readings").mkdir(parents=True)
    own = ["K-means", "EAC", "RCE", "EC-CMS", "RSEC"]
    selected({"a": own, "b": own}).to_parquet(results / "selected.parquet")
    others = {"a_m8": ["EAC", "RCE"], "a_m2": ["EAC"], "a_pp": ["EAC", "RCE"]}
    selected(others).to_parquet(results / "readings/selected.parquet")
    for number, case in enumerate("ab"):
        rng = np.random.default_rng(number)
        wrong = rng.random((24, 12)) < 0.3
        labels = np.where(wrong, rng.integers(0, 4, (24, 12)), CLASSES[:, None])
        store.save(ensembles / f"{case}.npz", labels, CLASSES, store.drawn(12, 4, 3, 1))
    return Source(STUDY, TITLES, results, ensembles, SEED)


def restricted(source: Source, **settings: str) -> Source:
    study = restrict(STUDY, load_config({"seed": SEED, **settings}))
    assert study
    return Source(study, TITLES, source.results, source.ensembles, SEED)


def panels(picture: Any) -> dict[str, Any]:
    return {axes.get_title(): axes for axes in picture.axes if axes.get_title()}


def test_sizes_are_means_of_the_readings_that_differ_in_size_alone(source: Source) -> None:
    picture, table = further.make(STUDY.figure("sizes"), source)
    rows = {(row.method, row.size): row for row in table.itertuples()}
    assert set(rows) == {("EAC", 2), ("EAC", 4), ("EAC", 8), ("RCE", 4), ("RCE", 8)}
    for (method, size), row in rows.items():
        case = {2: "a_m2", 4: "a", 8: "a_m8"}[size]
        values = scores(case, method, {"EAC": "fixed", "RCE": "oracle-per-subset"}[method] + "ARI")
        assert row.mean == pytest.approx(np.mean(values))
        assert row.std == pytest.approx(np.std(values, ddof=1))
        assert row.n == 3
    (panel,) = panels(picture).values()
    drawn = {line.get_label(): line.get_xydata() for line in panel.lines}
    assert set(drawn) == {"EAC", "RCE"}
    for method, points in drawn.items():
        expected = table[table["method"] == method][["size", "mean"]]
        np.testing.assert_array_equal(points, expected.to_numpy())


def test_sizes_with_bars_and_with_a_subset_that_failed(source: Source) -> None:
    path = source.results / "readings/selected.parquet"
    others = pd.read_parquet(path)
    hit = (others["case"] == "a_m8") & (others["method"] == "EAC") & (others["subset"] == 1)
    others.loc[hit, "value"] = np.nan
    others.to_parquet(path)
    figure = STUDY.figure("sizes").model_copy(update={"spread": "bars", "methods": ("EAC",)})
    picture, table = further.make(figure, source)
    assert table["n"].tolist() == [3, 3, 2]
    (panel,) = panels(picture).values()
    np.testing.assert_allclose(panel.lines[0].get_ydata(), table["mean"])
    said = further.caption(STUDY, TITLES, figure, table)
    assert "bars: one sample standard deviation" in said
    assert said.endswith("Over fewer subsets, because it failed on the others: EAC on Data A with 8 (2).")


def test_matrices_are_those_of_the_functions_in_the_order_of_the_classes(source: Source) -> None:
    picture, table = further.make(STUDY.figure("order"), source)
    order = np.argsort(CLASSES, kind="stable")
    stored = source.stored("b")
    ensemble = Ensemble(stored.subset(1)[order])
    expected = {
        "classes": (CLASSES[order][:, None] == CLASSES[order]).astype(float),
        "$HC$": similarity.over_objects(ensemble, similarity.hc(ensemble, 0.6), 0.0),
        "Z": RSEC(3, max_iter=30, n_init=2, random_state=0).fit(ensemble).representation(),
        "E": RSEC(3, max_iter=30, n_init=2, random_state=0).fit(ensemble).errors(),
    }
    across = figure_matrices.ACROSS
    images = [axes for axes in picture.axes if axes.images]
    assert len(images) == 5 * 3
    grid = {title: (axes.get_subplotspec().rowspan.start, axes.get_subplotspec().colspan.start)
            for title, axes in panels(picture).items()}  # fmt: skip
    assert grid["E"] == (3, 0)
    assert across == 4
    at = {(a.get_subplotspec().rowspan.start, a.get_subplotspec().colspan.start): a for a in images}
    for title, matrix in expected.items():
        row, column = grid[title]
        given, shuffled, restored = (at[row + i, column].images[0].get_array() for i in range(3))
        np.testing.assert_array_equal(given, matrix)
        np.testing.assert_allclose(restored, matrix, atol=1e-9)
        assert not np.allclose(shuffled, matrix)
        np.testing.assert_allclose(np.sort(shuffled, None), np.sort(matrix, None), atol=1e-9)
        (numbers,) = table[table["panel"] == title].itertuples()
        assert numbers.order_difference == np.abs(restored - matrix).max()
        assert numbers.mean_in_classes > numbers.mean_between or title == "E"
        apart = matrix[~np.eye(24, dtype=bool)]
        limits = tuple(np.percentile(apart, [1, 99])) if title in "ZE" else (0, 1)
        assert at[row, column].images[0].get_clim() == limits
    borders = sorted({line.get_ydata()[0] for line in at[0, 0].lines if len(set(line.get_ydata())) == 1})
    assert borders == [7.5, 15.5]
    assert not at[1, 0].lines, "no classes to be seen in random order"


def test_the_caption_tells_how_little_the_order_matters(source: Source) -> None:
    figure = STUDY.figure("order")
    _, table = further.make(figure, source)
    said = further.caption(STUDY, TITLES, figure, table)
    assert table["order_difference"].max() < 1e-9
    assert "24 objects of Data B, subset 2" in said
    assert "= 0.6); C (EC-CMS, λ = 0.1)" in said
    assert "by no more than 0e+00 (classes), 0e+00 (HC)" in said
    in_order = figure.model_copy(update={"order": "class"})
    picture, table = further.make(in_order, source)
    assert table["order_difference"].isna().all()
    assert "random order" not in further.caption(STUDY, TITLES, in_order, table)
    assert len([axes for axes in picture.axes if axes.images]) == 5
    in_random, _ = further.make(figure.model_copy(update={"order": "random"}), source)
    assert len([axes for axes in in_random.axes if axes.images]) == 10


def test_many_objects_are_thinned_out(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = STUDY.figure("order").model_copy(update={"order": "class"})
    whole, _ = further.make(figure, source)
    monkeypatch.setattr(figure_matrices, "MOST", 10)
    picture, table = further.make(figure, source)
    for before, after in zip(whole.axes, picture.axes, strict=True):
        if after.images:
            np.testing.assert_array_equal(after.images[0].get_array(), before.images[0].get_array()[::3, ::3])
    assert table["drawn"].tolist() == [8] * 5
    assert "of which every third is drawn" in further.caption(STUDY, TITLES, figure, table)


def test_a_figure_fits_what_the_jobs_fit(source: Source, tmp_path: Path) -> None:
    run, subset = STUDY.method("RSEC"), 1
    job = Job("small", "a", "RSEC", "RSEC", run.parameters, [{}], [subset], SEED)
    run_job(job, source.stored("a"), tmp_path / "block.npz")
    ensemble = Ensemble(source.stored("a").subset(subset))
    fit = source.fitted(STUDY.case("a"), "RSEC", {}, ensemble, subset, 3)
    np.testing.assert_array_equal(fit.restart_labels_, np.load(tmp_path / "block.npz")["labels"][0, 0])
    assert fit.random_state.bit_generator.seed_seq.spawn_key == (
        generator(SEED, "small", "a", "RSEC", subset).bit_generator.seed_seq.spawn_key
    )
    tuned = source.fitted(STUDY.case("a"), "RCE", {"max_outer": 2}, ensemble, subset, 3)
    assert (tuned.lambda1, tuned.max_outer) == (1.0, 2)


LINE = {
    "id": "line",
    "kind": "grid_line",
    "title": "Line",
    "metric": "ACC",
    "methods": ["RCE"],
    "beside": ["EAC"],
}


def test_a_line_is_the_mean_at_every_grid_point(source: Source) -> None:
    points = {"RCE": ['{"lambda1":0.1}', '{"lambda1":1.0}'], "EAC": ["{}"], "RSEC": ["{}"]}
    lines = [
        (case, subset, method, point, restart, metric, rng)
        for rng, (case, subset, method, restart, metric) in enumerate(
            product("ab", range(3), points, ("mean", "chosen"), ("ACC", "ARI"))
        )
        for point in points[method]
    ]
    names = ["case", "subset", "method", "parameters", "restart", "metric", "value"]
    tidy = pd.DataFrame(lines, columns=names)
    tidy["value"] = np.random.default_rng(0).random(len(tidy))
    failed = (tidy["case"] == "b") & (tidy["method"] == "RCE") & (tidy["subset"] == 1)
    tidy.loc[failed, "value"] = np.nan
    tidy.to_parquet(source.results / "scores.parquet")
    study = Study.model_validate({**STUDY.model_dump(), "figures": [LINE]})
    drawn = Source(study, TITLES, source.results, source.ensembles, SEED)
    picture, table = further.make(study.figures[0], drawn)
    mine = tidy[(tidy["metric"] == "ACC") & (tidy["restart"] == study.restarts)]
    means = mine.groupby(["case", "method", "parameters"])["value"].mean()
    expected = [
        means[case, method, point] for case in "ab" for method in ("RCE", "EAC") for point in points[method]
    ]
    assert table["mean"].tolist() == pytest.approx(expected)
    assert table["value"].fillna(-1).tolist() == [0.1, 1.0, -1] * 2
    assert table["n"].tolist() == [3, 3, 3, 2, 2, 3]
    line = panels(picture)[TITLES["a"]].lines[0]
    assert line.get_xdata().tolist() == [0.1, 1.0]
    assert line.get_ydata().tolist() == pytest.approx(expected[:2])
    text = further.caption(study, TITLES, study.figures[0], table)
    assert "ACC over λ₁: mean over 3 subsets" in text
    assert f"Over fewer subsets, because it failed on the others: RCE on {TITLES['b']} (2)" in text
    none = restrict(study, load_config({"seed": SEED, "methods": ["EAC"]}))
    assert none
    assert further.panels(none, none.figures[0]) == 0


@pytest.mark.parametrize("missing", [False, True])
def test_levels_count_the_pairs_of_objects(missing: bool) -> None:
    rng = np.random.default_rng(3)
    labels = np.where(rng.random((30, 5)) < 0.3, rng.integers(0, 3, (30, 5)), np.arange(30)[:, None] % 3)
    if missing:
        labels[rng.random((30, 5)) < 0.2] = -1
        labels[:, 0] = np.maximum(labels[:, 0], 0)
    classes = rng.permutation(np.arange(30) % 4)
    level, same = [], []
    for p, q in combinations(range(30), 2):
        both = (labels[p] >= 0) & (labels[q] >= 0)
        level.append((labels[p] == labels[q])[both].sum() * 5 / both.sum())
        same.append(classes[p] == classes[q])
    above = np.array(level)[:, None] >= np.arange(6) - 1e-9
    at = above & (np.array(level)[:, None] < np.arange(1, 7) - 1e-9)
    same = np.array(same)
    expected = [
        above[same].sum(axis=0) / above.sum(axis=0),
        above[same].mean(axis=0),
        above.mean(axis=0),
        at[same].sum(axis=0) / at.sum(axis=0),
        at.mean(axis=0),
    ]
    np.testing.assert_allclose(level_shares(Ensemble(labels), classes), expected)


def test_levels_are_means_over_the_subsets(source: Source) -> None:
    picture, table = further.make(STUDY.figure("levels"), source)
    stored = source.stored("b")
    shares = np.stack([level_shares(Ensemble(stored.subset(s)), CLASSES) for s in range(3)])
    np.testing.assert_allclose(table["precision"], shares[:, 0].mean(axis=0))
    np.testing.assert_allclose(table["recall_std"], shares[:, 1].std(axis=0, ddof=1))
    assert table["coassociation"].tolist() == [0, 0.25, 0.5, 0.75, 1]
    (panel,) = panels(picture).values()
    for line, name in zip(panel.lines, ("precision", "recall", "pairs"), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), table[["coassociation", name]].to_numpy())
    assert "at least l/4" in further.caption(STUDY, TITLES, STUDY.figure("levels"), table)


def test_paths_are_those_of_the_fits(source: Source) -> None:
    figure = STUDY.figure("paths")
    picture, table = further.make(figure, source)
    drawn = panels(picture)
    assert list(drawn) == ["Data A", "Data B"]
    for case, panel in zip("ab", drawn.values(), strict=True):
        ensemble = Ensemble(source.stored(case).subset(0))
        path = source.fitted(STUDY.case(case), "RSEC", {}, ensemble, 0, 3).residual_path_
        for column, line in zip(path.T, panel.lines, strict=True):
            np.testing.assert_array_equal(line.get_xydata(), np.c_[np.arange(1, 31), column])
        assert panel.get_yscale() == "log"
    said = further.caption(STUDY, TITLES, figure, table)
    assert said.startswith("It converges. RSEC on subset 1: S - SZ - E, Z - J after each iteration.")
    assert said.endswith("Iterations: Data A 30 (not converged), Data B 30 (not converged).")


def test_infinite_values_of_a_path_are_in_the_table_only(source: Source) -> None:
    picture, table = further.make(STUDY.figure("changes"), source)
    assert np.isinf(table["value"][0])
    (panel,) = panels(picture).values()
    np.testing.assert_array_equal(panel.lines[0].get_ydata(), table["value"][1:])


def test_bytes_are_reproducible(source: Source, tmp_path: Path) -> None:
    for figure in STUDY.figures:
        for folder in ("one", "two"):
            further.write(figure, source, tmp_path / folder)
    first, second = (
        {path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()} for folder in ("one", "two")
    )
    assert set(first) == {
        f"{f.id}.{suffix}" for f in STUDY.figures for suffix in ("svg", "pdf", "png", "csv")
    }
    assert first == second


def test_what_is_not_in_a_run_is_dropped_and_told(source: Source) -> None:
    def drawn(figure: AnyFigure, here: Source) -> tuple[list[str], str]:
        picture, table = further.make(figure, here)
        return list(panels(picture)), further.caption(here.study, TITLES, figure, table)

    order, paths, sizes = (STUDY.figure(name) for name in ("order", "paths", "sizes"))
    few = restricted(source, methods="EAC,RSEC")
    titles, said = drawn(order, few)
    assert titles == ["classes", "$HC$", "Z", "E"]
    assert said.endswith("Not in this run: EC-CMS.")
    assert drawn(sizes, few)[0] == ["Data A"]
    only_a = restricted(source, datasets="a")
    assert drawn(order, only_a) == ([], "Nothing to draw. Not in this run: Data B.")
    assert drawn(paths, only_a)[0] == ["Data A"]
    assert drawn(paths, restricted(source, methods="EAC"))[1].endswith("Not in this run: RSEC.")
    assert drawn(sizes, restricted(source, datasets="b")) == ([], "Nothing to draw.")
    picture, table = further.make(order, only_a)
    assert [text.get_text() for text in picture.texts] == ["Nothing of this figure is in this run."]
    assert table.empty


@pytest.fixture
def command(source: Source, tmp_path: Path) -> Callable[..., Path]:
    (source.results / "study.json").write_text(STUDY.model_dump_json())
    registry = Path(__file__).parents[2] / "config/datasets.yaml"

    def call(*arguments: str) -> Path:
        common = ["--study", str(source.results / "study.json"), "--out", str(tmp_path / "out")]
        main(["figures", *common, "--registry", str(registry), *arguments])
        return tmp_path / "out"

    return call


def test_the_command_line_draws_any_figure(command: Callable[..., Path]) -> None:
    out = command("--figure", "levels")
    assert {path.suffix for path in out.glob("levels.*")} == {".svg", ".pdf", ".png", ".csv"}
    assert (out / "levels.csv").read_text().startswith("case,level,coassociation,precision,recall")
    command("--figure", "paths", "--seed", f"{SEED}")
    assert len(pd.read_csv(out / "paths.csv")) == 2 * 2 * 30


def test_the_command_line_says_what_is_missing(command: Callable[..., Path], source: Source) -> None:
    with pytest.raises(InputError, match=r'--figure level: not in .*study.json; did you mean "levels"\?'):
        command("--figure", "level")
    with pytest.raises(InputError, match="--seed: missing"):
        command("--figure", "paths")
    (source.ensembles / "b.npz").unlink()
    with pytest.raises(InputError, match=r"b\.npz: no such file"):
        command("--figure", "levels")


def test_a_fit_that_fails_is_told_with_its_place(source: Source) -> None:
    labels = np.zeros((24, 12), dtype=int)
    store.save(source.ensembles / "b.npz", labels, CLASSES, store.drawn(12, 4, 3, 1))
    with pytest.raises(InputError, match=r"EC-CMS on b, subset 1: .*show another subset"):
        further.make(STUDY.figure("changes"), source)


def test_a_study_as_it_is_run_keeps_its_figures() -> None:
    assert Study.model_validate(json.loads(STUDY.model_dump_json())).figures == STUDY.figures
