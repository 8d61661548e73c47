"""Scores: how well labels match the classes, which parameters are selected, what is significant.

For a person, ``from consclust import scores``: accuracy, NMI, ARI, purity and three definitions of F1. The other
modules are the fourth stage of the workflow.
"""

from consclust.scores.metrics import accuracy, ari, class_f, nmi, pairwise_f, purity, purity_f, score_all

__all__ = ["accuracy", "ari", "class_f", "nmi", "pairwise_f", "purity", "purity_f", "score_all"]
