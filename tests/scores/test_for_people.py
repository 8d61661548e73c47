"""The scores that a person imports: what they compute, checked by definition, and what they refuse."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from consclust import scores

rng = np.random.default_rng(3)
Y, LABELS = rng.integers(3, size=40), rng.integers(4, size=40)
EACH = [getattr(scores, name) for name in scores.__all__]


def test_accuracy_is_that_of_the_best_of_all_matchings():
    best = max(np.mean(np.array(order)[LABELS] == Y) for order in permutations(range(4)))
    assert scores.accuracy(Y, LABELS) == pytest.approx(best)


@pytest.mark.parametrize(
    ("name", "sklearns"), [("arithmetic", "arithmetic"), ("max", "max"), ("min", "min"), ("geometric", "geometric")]
)
def test_nmi_has_the_named_definition(name, sklearns):
    expected = normalized_mutual_info_score(Y, LABELS, average_method=sklearns)
    assert scores.nmi(Y, LABELS, normalization=name) == pytest.approx(expected)


def test_ari_is_scikit_learns():
    assert scores.ari(Y, LABELS) == pytest.approx(adjusted_rand_score(Y, LABELS))


def test_all_scores_have_the_names_of_the_reports():
    one_by_one = {
        "ACC": scores.accuracy, "NMI": scores.nmi, "ARI": scores.ari, "purity": scores.purity, "F": scores.pairwise_f,
        "NMI-mean": lambda y, labels: scores.nmi(y, labels, "arithmetic"),
        "F-class": scores.class_f, "F-purity": scores.purity_f, "F-macro": scores.macro_f,
    }  # fmt: skip
    expected = {name: score(Y, LABELS) for name, score in one_by_one.items()}
    assert scores.score_all(Y, LABELS) == expected
    assert len(set(expected.values())) == len(expected)


@pytest.mark.parametrize("score", EACH, ids=lambda score: score.__name__)
def test_missing_labels_and_other_objects_are_refused(score):
    with pytest.raises(ValueError, match=r"labels holds -1 \(missing\); leave these objects out"):
        score([0, 0, 1], [0, 1, -1])
    with pytest.raises(ValueError, match="y holds NaN"):
        score([0, np.nan, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="y has 3 objects, labels has 2"):
        score([0, 0, 1], [0, 1])


@pytest.mark.parametrize("score", EACH, ids=lambda score: score.__name__)
def test_names_of_clusters_play_no_role(score):
    assert score(Y, np.array(list("dbca"))[LABELS]) == score(Y, LABELS)
