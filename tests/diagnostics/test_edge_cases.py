"""Edge cases of the diagnostics that fuzzing found: each has an answer without a warning, or a clear refusal."""

import math

import numpy as np
import pytest

from consclust import diagnostics
from consclust.methods import EAC, RCE, SSCE
from consclust.testing import features_of, l30

MISSING = l30()
MISSING[np.arange(30), np.arange(30) % 8] = -1
SAMPLED = {"most_pairs": 0, "sample": 0}
CLASSES = [0, 0, 1]
FITTED = RCE(2, max_outer=1, max_inner=1, n_init=1, random_state=0).fit(l30())


@pytest.mark.parametrize(
    ("name", "arguments", "options", "says"),
    [
        ("agreement_with", ([[0, 1], [0]], [0, 1]), {}, "unequal lengths"),
        ("agreement_with", ([0, 1], [0, 1]), {}, "n objects x m clusterings"),
        ("consensus_values", (l30(),), SAMPLED, "sample = 0"),
        ("contested", (MISSING,), SAMPLED, "sample = 0"),
        ("influence", (MISSING,), SAMPLED, "sample = 0"),
        ("item_consensus", (MISSING, [0] * 30), SAMPLED, "sample = 0"),
        ("half_width", (0,), {}, "sample = 0"),
        ("cophenetic_correlation", (l30(),), {"most_profiles": 1}, "most_profiles = 1"),
        ("delta_area", ([[0.5, 0.6]],), {}, r"shape \(1, 2\)"),
        ("cluster_consensus", ([[0.5], [0.5]], [0, 1]), {}, r"shape \(2, 1\)"),
        ("consensus_silhouette", ([0.5, 0.5], [0, 1]), {}, r"shape \(2,\)"),
        ("held_out_agreement", (l30(), SSCE(2)), {"features": [[0.0]] * 29}, "30 objects"),
        ("choose_k", (l30(), ["x"]), {}, "several integers"),
        ("choose_k", (l30(), 3), {}, "several integers"),
        ("rce_errors", (RCE(2), l30()), {}, "not fitted"),
        ("rce_error_matrix", (FITTED, l30(), 8), {}, "clustering = 8"),
        ("contrast", ([[1.0]], [0]), {}, "n >= 2"),
        ("contrast", (np.eye(3), [0, 1]), {}, "each of 3 objects"),
        ("block_structure", (np.full((3, 3), np.nan), CLASSES), {}, "finite"),
        ("block_structure", (np.ones((3, 2)), CLASSES), {}, r"shape \(3, 2\)"),
        ("vat_order", (np.zeros((0, 0)),), {}, "n >= 1"),
        ("level_shares", (l30(), [0.5] * 30), {}, "integers"),
    ],
)
def test_refuses(name, arguments, options, says):
    with pytest.raises(ValueError, match=says):
        getattr(diagnostics, name)(*arguments, **options)


@pytest.mark.filterwarnings("error")
def test_what_is_not_defined_is_nan():
    apart, together = np.eye(3), np.ones((3, 3))
    assert math.isnan(diagnostics.contrast(together, [0, 1, 2])["mean_in_classes"])
    assert math.isnan(diagnostics.contrast(together, [0, 0, 0])["mean_between"])
    alone = diagnostics.block_structure(apart, CLASSES)
    assert math.isnan(alone["within"])
    assert alone["disconnected"] == 0
    assert math.isnan(diagnostics.block_structure(together, [0, 0, 0])["auc"])


@pytest.mark.filterwarnings("error")
def test_a_clustering_that_shares_no_object_has_no_agreement():
    labels = np.array([[0, -1], [1, -1], [-1, 0], [-1, 1]])
    found = diagnostics.compare_methods(labels, {"EAC": EAC(2)}, draws=0, folds=2)[0]
    assert math.isnan(found.held_out_ari)


def test_lists_are_matrices_and_features():
    values = np.random.default_rng(0).random((4, 4))
    assert diagnostics.vat_order(values.tolist()).tolist() == diagnostics.vat_order(values).tolist()
    assert diagnostics.contrast(values.tolist(), [5, 5, 7, 7]) == diagnostics.contrast(values, np.array([0, 0, 1, 1]))
    features = features_of(l30())
    same = [diagnostics.held_out_agreement(l30(), SSCE(3), folds=2, features=x) for x in (features, features.tolist())]
    assert np.array_equal(*same)


def test_the_variation_of_information_is_symmetric_to_the_bit():
    labels = np.random.default_rng(0).integers(5, size=(37, 8))
    distances = diagnostics.pairwise_agreement(labels, "VI")
    assert np.array_equal(distances, distances.T)
