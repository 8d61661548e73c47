"""What an ensemble is like: how its clusterings agree, what each of them adds, which objects they disagree on.

n is the number of objects, m that of clusterings, n' that of distinct label profiles. Two clusterings are compared on
the objects that both contain. No classes are needed.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.diagnostics.pairs import MOST_PAIRS, SAMPLE, full_rows, is_exact, require_at_least, some_pairs
from consclust.diagnostics.streamed import count_between, count_with
from consclust.ensemble import MISSING, Ensemble, FloatArray, IntArray, as_ensemble, label_matrix
from consclust.stream import StreamedEnsemble

Agreement = Literal["ARI", "NMI", "VI"]
Normalization = Literal["max", "min", "arithmetic", "geometric"]

NORMALIZERS: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "max": np.maximum,
    "min": np.minimum,
    "arithmetic": lambda a, b: (a + b) / 2,
    "geometric": lambda a, b: np.sqrt(a * b),
}
ROUNDING = 1e-14
LEAST_COMMON = 2  # Objects that two clusterings must have in common to be compared
FEW_CELLS = 2**20  # Of a table that is made whatever the number of profiles


def pairwise_agreement(
    labels: npt.ArrayLike | Ensemble | StreamedEnsemble,
    measure: Agreement = "ARI",
    normalization: Normalization = "max",
) -> FloatArray:
    """Return how every two clusterings agree, shape (m, m), symmetric.

    NaN for two with fewer than two common objects.

    ``measure``: "ARI", the adjusted Rand index (Hubert, Arabie 1985), and "NMI", the normalised mutual information,
    are 1 for equal clusterings; NMI is divided by a mean or extreme of the two entropies, ``normalization``. "VI", the
    variation of information in nats (Meilă: Journal of Multivariate Analysis 98, 2007), is a distance, 0 for equal
    ones. Two clusterings of one cluster have ARI and NMI 1.

    O(n' m^2) time, and memory for the largest table of two clusterings. A stream is read once, and its tables are all
    kept. Raises ValueError for another measure or normalization.

    Examples
    --------
    >>> from consclust.diagnostics import pairwise_agreement
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]
    >>> pairwise_agreement(labels).round(2)
    array([[ 1.  ,  0.12,  0.17],
           [ 0.12,  1.  , -0.36],
           [ 0.17, -0.36,  1.  ]])
    """
    if isinstance(labels, StreamedEnsemble):
        tables = count_between(labels)
        return _index(lambda f: sum_over_counts(tables, f), measure, normalization)
    return _agreement(as_ensemble(labels), measure, normalization)


def agreement_with(
    labels: npt.ArrayLike | Ensemble | StreamedEnsemble,
    clustering: npt.ArrayLike,
    measure: Agreement = "ARI",
    normalization: Normalization = "max",
) -> FloatArray:
    """Return how one clustering, such as a consensus, agrees with each of an ensemble, shape (m,).

    ``clustering`` has shape (n,), -1 marks a missing object; NaN with
    fewer than two common objects. Defined as
    :func:`pairwise_agreement`, in O(n m) time. A stream is read once, or twice if no pass has read it yet. Raises
    ValueError as that, and for a clustering of other objects.

    Examples
    --------
    >>> from consclust.diagnostics import agreement_with
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]
    >>> agreement_with(labels, [0, 0, 0, 1, 1, 1]).round(2)
    array([1.  , 0.12, 0.17])
    """
    if isinstance(labels, StreamedEnsemble):
        return agreement_of_tables(count_with(labels, clustering), measure, normalization)
    given = labels.given if isinstance(labels, Ensemble) else label_matrix(labels)
    one = np.asarray(clustering)
    if one.shape != given.shape[:1]:
        raise ValueError(f"clustering must have a label for each of {len(given)} objects, got shape {one.shape}")
    matrix = np.column_stack([one, given])
    known = (matrix != MISSING).any(axis=1)
    result = np.full(given.shape[1], np.nan)
    used = np.flatnonzero((given != MISSING).any(axis=0))
    if (one != MISSING).any() and used.size:
        result[used] = _agreement(Ensemble(matrix[known][:, [0, *used + 1]]), measure, normalization, 1)[0, 1:]
    return result


def agreement_of_tables(
    tables: Sequence[IntArray], measure: Agreement = "ARI", normalization: Normalization = "max"
) -> FloatArray:
    """Return how a clustering agrees with others by their contingency tables, (k_i, K), as :func:`agreement_with`."""
    alone = [[np.zeros((0, 0), dtype=np.int64), *(table.T for table in tables)]]
    return _index(lambda f: sum_over_counts(alone, f), measure, normalization)[0, 1:]


def _agreement(
    ensemble: Ensemble, measure: Agreement, normalization: Normalization, n_first: int | None = None
) -> FloatArray:
    """Return the agreement of the first clusterings (default: all) with all, (m, m); NaN elsewhere."""
    return _index(lambda f: sum_over_tables(ensemble, f, n_first), measure, normalization)


def _index(
    sum_tables: Callable[[Callable[[FloatArray], FloatArray]], "TableSums"],
    measure: Agreement,
    normalization: Normalization,
) -> FloatArray:
    """Return the agreement of every two clusterings, (m, m), from a function that sums another over their tables."""
    _check("measure", measure, ("ARI", "NMI", "VI"))
    _check("normalization", normalization, tuple(NORMALIZERS))
    if measure == "ARI":
        sums = sum_tables(count_pairs)
        index = _adjusted_rand(sums)
    else:
        sums = sum_tables(lambda size: size * np.log(size))
        index = _information(sums, measure, normalization)
    index[sums.objects < LEAST_COMMON] = np.nan
    np.fill_diagonal(index, 0.0 if measure == "VI" else 1.0)
    return index


def count_pairs(size: FloatArray) -> FloatArray:
    """Return the number of pairs in sets of so many objects."""
    return size * (size - 1) / 2


def _adjusted_rand(sums: "TableSums") -> FloatArray:
    """Return the ARI of every two clusterings, (m, m), from their pairs of objects."""
    total = count_pairs(sums.objects)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = sums.rows * sums.rows.T / total
        mean = (sums.rows + sums.rows.T) / 2
        index: FloatArray = (sums.cells - expected) / (mean - expected)
    index[(sums.cells == sums.rows) & (sums.cells == sums.rows.T)] = 1.0  # equal ones, also 0 / 0
    return index


def _information(sums: "TableSums", measure: Agreement, normalization: Normalization) -> FloatArray:
    """Return the NMI or VI of every two clusterings, (m, m), from the sums of n log n over their tables."""
    with np.errstate(invalid="ignore", divide="ignore"):
        logarithm = np.log(sums.objects)
        of_rows = logarithm - sums.rows / sums.objects  # entropies
        joint = logarithm - sums.cells / sums.objects
        index: FloatArray
        if measure == "VI":
            index = np.maximum(2 * joint - (of_rows + of_rows.T), 0.0)
        else:
            information = of_rows + of_rows.T - joint
            index = np.minimum(information / NORMALIZERS[normalization](of_rows, of_rows.T), 1.0)
            index[information <= ROUNDING] = 0.0
            index[(of_rows <= ROUNDING) & (of_rows.T <= ROUNDING)] = 1.0  # two of one cluster each
    return index


def quality(
    labels: npt.ArrayLike | Ensemble, measure: Agreement = "ARI", normalization: Normalization = "max"
) -> FloatArray:
    """Return the mean agreement of each clustering with the others, shape (m,): see :func:`pairwise_agreement`.

    High is good for ARI and NMI, low for VI; NaN if it shares no object with another. A clustering that differs from
    all others is not a bad one for that reason. O(n' m^2) time. Raises ValueError for a single clustering and as
    :func:`pairwise_agreement`.

    Source: Fern, Lin: Statistical Analysis and Data Mining 1, 2008 (NMI, in sums).

    Examples
    --------
    >>> from consclust.diagnostics import quality
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]
    >>> quality(labels).round(2)
    array([ 0.14, -0.12, -0.1 ])
    """
    ensemble = as_ensemble(labels)
    _require_others(ensemble)
    agreement = pairwise_agreement(ensemble, measure, normalization)
    np.fill_diagonal(agreement, np.nan)
    known = ~np.isnan(agreement)
    sums = np.where(known, agreement, 0).sum(axis=1)
    counts = known.sum(axis=1)
    means: FloatArray = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
    return means


def agreement_weights(
    labels: npt.ArrayLike | Ensemble, measure: Literal["ARI", "NMI"] = "ARI", power: float = 1.0
) -> FloatArray:
    """Return weights of the clusterings without classes, shape (m,), >= 0, of sum 1: powers of their :func:`quality`.

    A quality below 0, or NaN, has weight 0; if all have, the weights are equal. ``power`` 0 makes equal weights, a
    large one leaves the clustering nearest to the others. The weights favour the majority: where most clusterings err
    in one way, they harm. Over the data sets of this project they neither gain nor harm on average, see the page
    "Weights of base clusterings without classes" of the documentation; no method applies them by itself. O(n' m^2)
    time. Raises ValueError for a single clustering, a negative power or VI.

    Source: weights by mean agreement as in Vega-Pons, Correa-Morris, Ruiz-Shulcloper: Pattern Recognition 43, 2010
    (there by other properties of a clustering too).

    Examples
    --------
    >>> from consclust.diagnostics import agreement_weights
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]
    >>> agreement_weights(labels).round(2)
    array([1., 0., 0.])
    """
    _check("measure", measure, ("ARI", "NMI"))
    require_at_least(0, "power", power)
    useful = np.maximum(np.nan_to_num(quality(labels, measure)), 0.0)
    if not useful.any():
        useful[:] = 1.0
    weights: FloatArray = (useful / useful.max()) ** power
    weights /= weights.sum()
    return weights


def influence(
    labels: npt.ArrayLike | Ensemble, *, most_pairs: float = MOST_PAIRS, sample: int = SAMPLE, random_state: Any = 0
) -> FloatArray:
    """Return how far each clustering moves the co-association matrix, shape (m,): its change when it is left out.

    The root of the mean of the squared change over the pairs of different objects that another clustering contains too;
    in [0, 1], NaN if there is none. Without missing labels it is exact, in O(n' m^2): both matrices and their product
    are sums over tables of two clusterings. With some it is exact in O(n'^2 m) if there are at most ``most_pairs``
    pairs of profiles, else from ``sample`` random pairs of objects: the mean square is within
    ``half_width(sample, confidence)`` of the exact one with that probability. Raises ValueError for a single clustering
    or object.

    Examples
    --------
    >>> from consclust.diagnostics import influence
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]
    >>> influence(labels).round(2)
    array([0.23, 0.25, 0.17])
    """
    ensemble = as_ensemble(labels)
    _require_others(ensemble)
    m = ensemble.n_clusterings
    n = ensemble.n_objects
    if n < 2:
        raise ValueError("there is no pair of objects; give at least two objects")
    if not ensemble.has_missing:  # M - M_i = (C_i - M) / (m - 1) for the connectivity C_i of clustering i
        products = sum_over_tables(ensemble, lambda size: size * (size - 1)).cells / (n * (n - 1))
        squares = products.diagonal() - 2 * products.mean(axis=1) + products.mean()
        changes: FloatArray = np.sqrt(np.maximum(squares, 0.0)) / (m - 1)
        return changes
    sums, count = np.zeros((2, m))
    for pairs in some_pairs(ensemble, most_pairs, sample, random_state):
        joined, containing = (counts.astype(float) for counts in pairs.counts())
        values = joined / np.maximum(containing, 1)
        for i in range(m):
            left = containing - pairs.contained(i)
            others = (joined - pairs.joined(i)) / np.maximum(left, 1)
            weights = np.where(left > 0, pairs.weights, 0.0)
            sums[i] += np.vdot(weights, (values - others) ** 2)
            count[i] += weights.sum()
    return np.sqrt(_mean_over_seen(sums, count))


def contested(
    labels: npt.ArrayLike | Ensemble, *, most_pairs: float = MOST_PAIRS, sample: int = 200, random_state: Any = 0
) -> FloatArray:
    r"""Return how far the clusterings disagree on each object, in [0, 1], shape (n,).

    .. math:: \frac{1}{n - 1} \sum_{j \ne i} 4 M_{ij} (1 - M_{ij})

    with M the co-association matrix, and the mean over the objects that a clustering contains beside it where labels
    are missing (NaN without any): 0 if all clusterings agree on all pairs of the object, 1 if each of its pairs is
    joined by half of them. Without missing labels it is exact in O(n' m^2 + (sum of k_i)^2) time and memory, as row
    sums of M and of its square are sums over tables of two clusterings. With some it is exact in O(n'^2 m) if there are
    at most ``most_pairs`` pairs of profiles; else the mean over ``sample`` random objects, drawn with replacement, in
    O(n' sample m): each entry is within ``half_width(sample, confidence)`` of the exact one with that probability (plus
    1 / n, since an object may meet itself). Raises ValueError for a single object.

    Examples
    --------
    >>> from consclust.diagnostics import contested
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]
    >>> contested(labels).round(2)  # the third object is the most contested
    array([0.36, 0.71, 0.73, 0.53, 0.4 , 0.56])
    """
    ensemble = as_ensemble(labels)
    n = ensemble.n_objects
    if n < 2:
        raise ValueError("there is no pair of objects; give at least two objects")
    if not ensemble.has_missing:
        return _sum_contested(ensemble)[ensemble.membership] / (n - 1)
    if is_exact(ensemble, most_pairs):
        sums, others = _concatenate(
            (4 * values * (1 - values) @ ensemble.weights, seen @ ensemble.weights - 1)
            for _, values, seen in full_rows(ensemble)
        )
        return _mean_over_seen(sums, others)[ensemble.membership]
    require_at_least(1, "sample", sample)
    chosen = np.random.default_rng(random_state).integers(n, size=sample)
    sums, others = _concatenate(
        ((4 * values * (1 - values)).sum(axis=1), seen.sum(axis=1))
        for _, values, seen in full_rows(ensemble, ensemble.membership[chosen])
    )
    return _mean_over_seen(sums, others)[ensemble.membership]


def _concatenate(blocks: Iterable[tuple[FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
    """Join the first and the second parts of blocks."""
    first, second = zip(*blocks, strict=True)
    return np.concatenate(first), np.concatenate(second)


def _mean_over_seen(sums: FloatArray, others: FloatArray) -> FloatArray:
    """Return means over the objects that were seen beside each; NaN without any."""
    means: FloatArray = np.divide(sums, others, out=np.full(len(sums), np.nan), where=others > 0)
    return means


def _sum_contested(ensemble: Ensemble) -> FloatArray:
    """Return the sums of :func:`contested` over the objects, (n',); the squares of N sum to sizes of intersections."""
    m = ensemble.n_clusterings
    shared = ensemble.overlaps()
    firsts = np.cumsum(ensemble.n_clusters) - ensemble.n_clusters
    clusters = (ensemble.profiles + firsts).T
    sums, squares = np.zeros((2, ensemble.n_profiles))
    for i in range(m):
        sums += shared[clusters[i], clusters[i]]
        for j in range(i):
            squares += 2 * shared[clusters[i], clusters[j]]
    squares += sums
    return np.maximum(4 * (sums / m - squares / m**2), 0.0)


class TableSums(NamedTuple):
    """Sums of f over the contingency tables of every two clusterings on their common objects, each of shape (m, m)."""

    cells: FloatArray  # f(objects of a cell)
    rows: FloatArray  # f(objects of a cluster of the first clustering)
    objects: FloatArray  # Common objects


def sum_over_tables(ensemble: Ensemble, f: Callable[[FloatArray], FloatArray], n_first: int | None = None) -> TableSums:
    """Return the sums for the first clusterings (default: all) with all; 0 elsewhere."""
    m = ensemble.n_clusterings
    sizes = ensemble.weights.astype(float)
    codes = ensemble.profiles.T
    cells, rows, objects = np.zeros((3, m, m))

    def total(clusters: IntArray, weights: FloatArray) -> float:
        counts = np.bincount(clusters, weights).astype(float)
        return float(f(counts[counts > 0]).sum())

    for i in range(m if n_first is None else n_first):
        for j in range(i, m):
            first = codes[i]
            second = codes[j]
            weights = sizes
            if ensemble.has_missing:
                both = (first != MISSING) & (second != MISSING)
                first = first[both]
                second = second[both]
                weights = sizes[both]
            code = first * int(ensemble.n_clusters[j]) + second
            # a table with many more cells than objects would take the time and memory; most of its cells are empty
            if ensemble.n_clusters[i] * ensemble.n_clusters[j] > max(len(code), FEW_CELLS):
                code = np.unique(code, return_inverse=True)[1]
            cells[i, j] = cells[j, i] = total(code, weights)
            rows[i, j] = total(first, weights)
            rows[j, i] = total(second, weights)
            objects[i, j] = objects[j, i] = weights.sum()
    return TableSums(cells, rows, objects)


def sum_over_counts(tables: Sequence[Sequence[IntArray]], f: Callable[[FloatArray], FloatArray]) -> TableSums:
    """Return the sums for the first clusterings with all, from contingency tables; 0 elsewhere.

    ``tables`` has a row for each of the first clusterings, and in it a table for every clustering, (k_i, k_j).
    """
    m = len(tables[0])
    cells, rows, objects = np.zeros((3, m, m))

    def total(counts: IntArray) -> float:
        return float(f(counts[counts > 0].astype(float)).sum())

    for i, row in enumerate(tables):
        for j in range(i, m):
            table = row[j]
            cells[i, j] = cells[j, i] = total(table)
            rows[i, j] = total(table.sum(axis=1))
            rows[j, i] = total(table.sum(axis=0))
            objects[i, j] = objects[j, i] = table.sum()
    return TableSums(cells, rows, objects)


def _check(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} = {value!r}: choose from {', '.join(choices)}")


def _require_others(ensemble: Ensemble) -> None:
    if ensemble.n_clusterings < 2:
        raise ValueError("there is a single clustering, which no other can agree with; give at least two")
