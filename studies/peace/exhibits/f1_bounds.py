r"""How large an F1 can be, given the accuracy of a clustering: what published values of both can mean.

Let :math:`T_{cj}` be the objects of class c in cluster j, :math:`n_c` and :math:`N_j` the sizes, n their
sum, and M = n ACC the objects in the best one-to-one matching of clusters and classes. The number of
clusters is free.

* F-class: a class c whose best cluster j has the majority of its objects in another class has :math:`N_j \ge 2
  T_{cj}`, so :math:`F_{cj} = 2 T_{cj} / (n_c + N_j) \le 2/3`. The other classes and their best clusters are
  a matching, so their :math:`T_{cj}` sum to M at most, and :math:`F_{cj} \le 2 T_{cj} / (n_c + T_{cj}) \le
  2/3 + T_{cj} / (3 n_c)`. Weighted by :math:`n_c / n` that is (2 + ACC) / 3 at most.
* F-purity: the objects in the majority class of their cluster (purity) and those in the best cluster of their
  class (inverse purity) have M in common at most, so the two shares sum to 1 + ACC at most, and their harmonic
  mean is half of that at most.
* F: by the duality of the assignment problem there are :math:`u_c, v_j \ge 0` that sum to M with :math:`T_{cj}
  \le u_c + v_j`. So :math:`\sum T_{cj}^2 \le \sum u_c n_c + \sum v_j N_j`, and with :math:`S = \sum n_c^2`
  and x the root of :math:`\sum N_j^2` the F1 of pairs is :math:`2 \max(n_1, x) M / (S + x^2)` at most,
  :math:`n_1` being the largest class. That is largest at x = 0 or at :math:`x^2 = S`.
* F-macro: no bound below 1 where the number of clusters is free: with one cluster of nearly all objects and many of a
  single one, the mean purity over the clusters comes as near to 1 as one likes.
"""

from collections.abc import Sequence
from math import sqrt


def largest_f1(accuracy: float, class_sizes: Sequence[int]) -> dict[str, float]:
    """Return an upper bound of F1 by the names of four metrics: F (of pairs), F-class, F-purity, F-macro.

    ``accuracy`` is the share of the objects in the best one-to-one matching of clusters and classes, ACC or CI;
    ``class_sizes`` are the objects of each class.

    Examples
    --------
    >>> largest_f1(0.5, [10, 10])["F-purity"]
    0.75
    """
    squares = sum(size**2 for size in class_sizes)
    pairs = accuracy * sum(class_sizes) * max(2 * max(class_sizes) / squares, 1 / sqrt(squares))
    return {"F": min(1.0, pairs), "F-class": (2 + accuracy) / 3, "F-purity": (1 + accuracy) / 2, "F-macro": 1.0}
