r"""How large an F1 can be, given the accuracy of a clustering: what published values of both can mean.

Let :math:`T_{cj}` be the objects of class c in cluster j, :math:`n_c` and :math:`N_j` the sizes, n their
sum, and M = n ACC the objects in the best one-to-one matching of clusters and classes. The number of
clusters is free.

* A class c whose best cluster j has the majority of its objects in another class has :math:`N_j \ge 2
  T_{cj}`, so :math:`F_{cj} = 2 T_{cj} / (n_c + N_j) \le 2/3`. The other classes and their best clusters are
  a matching, so their :math:`T_{cj}` sum to M at most, and :math:`F_{cj} \le 2 T_{cj} / (n_c + T_{cj}) \le
  2/3 + T_{cj} / (3 n_c)`. Weighted by :math:`n_c / n` that is (2 + ACC) / 3 at most. The same holds with
  the roles of classes and clusters exchanged, and for any matching in place of the best clusters.
* Not weighted, the bound is 2/3 and a third of the mean of :math:`T_{cj} / n_c`, largest if M is spent on
  the smallest classes.
* The objects in the majority class of their cluster (purity) and those in the best cluster of their class
  (inverse purity) have M in common at most, so the two shares sum to 1 + ACC at most, and their harmonic
  mean is half of that at most. Precision and recall of BCubed are no larger than these shares.
* By the duality of the assignment problem there are :math:`u_c, v_j \ge 0` that sum to M with :math:`T_{cj}
  \le u_c + v_j`. So :math:`\sum T_{cj}^2 \le \sum u_c n_c + \sum v_j N_j`, and with :math:`S = \sum n_c^2`
  and x the root of :math:`\sum N_j^2` the F1 of pairs is :math:`2 \max(n_1, x) M / (S + x^2)` at most,
  :math:`n_1` being the largest class. That is largest at x = 0 or at :math:`x^2 = S`.
"""

from collections.abc import Sequence
from math import sqrt

DEFINITIONS = {
    "matched": "precision and recall pooled over matched clusters and classes",
    "pairs": "pairs of objects",
    "purity": "harmonic mean of purity and inverse purity, or BCubed",
    "weighted": "best or matched cluster of each class, or class of each cluster, weighted by size",
    "macro": "best or matched cluster of each class, not weighted",
}
"""What papers call the F1 of a clustering."""


def largest_f1(accuracy: float, class_sizes: Sequence[int]) -> dict[str, float]:
    """Return an upper bound of F1 under each of :data:`DEFINITIONS`.

    ``accuracy`` is the share of the objects in the best one-to-one matching of clusters and classes, ACC or CI;
    ``class_sizes`` are the objects of each class.
    """
    n, squares = sum(class_sizes), sum(size**2 for size in class_sizes)
    matched = accuracy * n
    pairs = matched * max(2 * max(class_sizes) / squares, 1 / sqrt(squares))
    bounds = {
        "matched": accuracy,
        "pairs": pairs,
        "purity": (1 + accuracy) / 2,
        "weighted": (2 + accuracy) / 3,
        "macro": (2 + _most_classes(matched, class_sizes) / len(class_sizes)) / 3,
    }
    return {name: min(1.0, bound) for name, bound in bounds.items()}


def _most_classes(objects: float, class_sizes: Sequence[int]) -> float:
    """Return how many classes so many objects fill, the smallest first, and what share of the next."""
    filled = 0.0
    for size in sorted(class_sizes):
        share = min(1.0, objects / size)
        filled, objects = filled + share, objects - share * size
    return filled
