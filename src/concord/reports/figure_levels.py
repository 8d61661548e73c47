"""Precision and recall of the pairs of objects from each level of co-association on."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from concord.config.figures import LevelsFigure
from concord.config.study import Study
from concord.reports.figure_source import COLOURS, MARKERS, Source, legend_below, panels, plain

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from concord.ensemble import Ensemble, FloatArray

MEASURES = ("precision", "recall", "pairs", "precision_at", "pairs_at")
COLUMNS = ("case", "level", "coassociation", *MEASURES, *(f"{name}_std" for name in MEASURES))
LABELS = {
    "precision": "precision: of these pairs, in one class",
    "recall": "recall: of the pairs in one class, these",
    "pairs": "of all pairs, these",
}


def shown(study: Study, figure: LevelsFigure) -> list[str]:
    """Return the case, if it is in this run."""
    return [case.id for case in study.cases if case.id == figure.case]


def level_shares(ensemble: "Ensemble", classes: "npt.NDArray[np.int64]") -> "FloatArray":
    """Measure the pairs of different objects by their level of co-association.

    Parameters
    ----------
    classes : ndarray of int, shape (n,)
        True classes 0..k-1.

    Returns
    -------
    ndarray, shape (5, m + 1)
        For each level l = 0..m. Of the pairs with a co-association of at least l / m: the share in one class
        (precision; NaN if there are none), their share of all pairs in one class (recall) and of all pairs.
        Of those with at least l / m and less than (l + 1) / m: the share in one class, that of all pairs.
    """
    import numpy as np

    m, n = ensemble.n_clusterings, ensemble.n_objects
    level = np.floor(ensemble.coassociation * m + 1e-9).astype(np.int64).ravel()
    in_class = np.zeros((ensemble.n_profiles, classes.max() + 1))
    np.add.at(in_class, (ensemble.membership, classes), 1)
    ordered = np.outer(ensemble.weights, ensemble.weights).ravel()
    pairs_at = np.bincount(level, ordered, m + 1)
    same_at = np.bincount(level, (in_class @ in_class.T).ravel(), m + 1)
    pairs_at[m], same_at[m] = pairs_at[m] - n, same_at[m] - n  # an object is no pair with itself
    pairs, same = (np.cumsum(counts[::-1])[::-1] for counts in (pairs_at, same_at))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.stack(
            [same / pairs, same / same[0], pairs / pairs[0], same_at / pairs_at, pairs_at / pairs[0]]
        )


def levels_table(figure: LevelsFigure, shares: "FloatArray") -> "pd.DataFrame":
    """Return means and sample standard deviations over the subsets, columns :data:`COLUMNS`.

    Parameters
    ----------
    shares : ndarray, shape (subsets, 5, m + 1)
        As :func:`level_shares` returns them; a level without pairs on a subset is left out of its means.
    """
    import pandas as pd

    levels = range(shares.shape[2])
    found: dict[str, Any] = {"case": figure.case, "level": levels}
    found["coassociation"] = [level / levels[-1] for level in levels]
    for name, values in zip(MEASURES, shares.transpose(1, 0, 2), strict=True):
        over_subsets = pd.DataFrame(values)
        found |= {name: over_subsets.mean(), f"{name}_std": over_subsets.std()}
    return pd.DataFrame(found)[list(COLUMNS)]


def make(figure: LevelsFigure, source: Source) -> "tuple[Any, pd.DataFrame]":
    """Return the picture and the table behind it."""
    import numpy as np

    from concord.ensemble import Ensemble

    stored = source.stored(figure.case)
    subsets = [Ensemble(stored.subset(s)) for s in range(source.study.ensemble.n_subsets)]
    table = levels_table(figure, np.stack([level_shares(subset, stored.classes) for subset in subsets]))
    return draw(figure, source.titles, table), table


def draw(figure: LevelsFigure, titles: Mapping[str, str], table: "pd.DataFrame") -> Any:
    """Draw the table: a line for each share, a band of one standard deviation."""
    picture, (panel,) = panels(1, 1, 2.6)
    for number, (name, label) in enumerate(LABELS.items()):
        level, mean, std = (table[column] for column in ("coassociation", name, f"{name}_std"))
        colour = COLOURS[number]
        panel.plot(
            level, mean, color=colour, marker=MARKERS[number], markersize=3, linewidth=1.1, label=label
        )
        panel.fill_between(level, mean - std, mean + std, color=colour, alpha=0.15, linewidth=0)
    plain(panel)
    panel.set_ylim(0, 1.02)
    panel.set_title(titles[figure.case], fontsize=9, pad=3)
    panel.set_xlabel("co-association of at least", fontsize=8.5)
    legend_below(picture, panel, columns=1)
    return picture


def caption(study: Study, titles: Mapping[str, str], figure: LevelsFigure, table: "pd.DataFrame") -> str:
    """Say what was measured."""
    return (
        f"Pairs of objects of {titles[figure.case]} whose co-association is at least "
        f"l/{table['level'].max()}: the share of them in one class (precision), their share of the pairs in "
        f"one class (recall) and of all pairs. Mean over {study.ensemble.n_subsets} subsets; bands: one "
        "sample standard deviation to either side."
    )
