"""The page on weights without classes: its differences, and the treatments that it compares."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import agreement_weights as benchmark
from consclust.diagnostics import quality
from consclust.ensembles import kmeans
from consclust.methods import KC
from consclust.scores import ari
from consclust.testing import l30

pytestmark = pytest.mark.long

LABELS = np.column_stack([l30()] * 3)[:, :20]


def test_treatments_repeat_and_drop_by_agreement():
    rng = np.random.default_rng(0)
    treated = {name: treat(LABELS, rng) for name, treat in benchmark.TREATMENTS.items()}
    worst = np.argmin(quality(LABELS))

    def copies(labels, column):
        return int((labels == LABELS[:, [column]]).all(axis=0).sum())

    own, best = copies(LABELS, worst), np.argmax(quality(LABELS))
    assert copies(treated["dropped"], worst) == 0
    assert treated["dropped"].shape == treated["dropped at random"].shape == (30, 15)
    share = {name: copies(labels, worst) / copies(labels, best) for name, labels in treated.items() if "weight" in name}
    assert own > 0
    assert share["sharp weights"] < share["weighted"] < share["unweighted"]


def test_the_errors_are_over_the_data_sets():
    rows = [
        {"data": data, "seed": seed, "method": "KC", "treatment": treatment, "ARI": 0.5 + change}
        for data, changes in {"a": (0.1, 0.3), "b": (-0.1, 0.1)}.items()
        for seed, change_of_seed in enumerate(changes)
        for treatment in benchmark.TREATMENTS
        for change in [change_of_seed if treatment == "dropped" else 0.0]
    ]
    found = dict(zip(benchmark.CHANGED, benchmark.differences(pd.DataFrame(rows), ["data"], "ARI"), strict=True))
    assert found["dropped"].to_dict() == pytest.approx({"a": 0.2, "b": 0.0})
    assert found["weighted"].to_dict() == {"a": 0, "b": 0}
    assert benchmark.in_words(found["dropped"]) == "+0.100 ± 0.100"


def test_a_page_has_what_was_measured(monkeypatch):
    monkeypatch.setattr(benchmark, "METHODS", ("KC",))
    real, made = pd.DataFrame(benchmark.score_data("wine", 2)), pd.DataFrame(benchmark.score_planted((5, "noise"), 2))
    wine = benchmark.datasets.load("wine")
    labels = kmeans(wine.data, 20, "random", random_state=1)
    expected = ari(wine.target, KC(n_clusters=3, random_state=1).fit_predict(labels))
    assert real.set_index(["treatment", "seed"]).loc[("unweighted", 1), "ARI"] == expected
    text = benchmark.page(real, made, 7.0)
    mean = real.loc[real["treatment"] == "unweighted", "ARI"].mean()
    assert f"| wine | 3 | {real['correlation'].mean():.2f} | {mean:.3f} |" in text
    assert "| 5, noise |" in text
