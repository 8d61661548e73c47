"""What the further figures are drawn from, and on."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.config.protocol import Case
from concord.config.study import Study
from concord.config.values import Value
from concord.errors import ConsensusFailure, InputError

if TYPE_CHECKING:
    import numpy as np

    from concord.datasets.prepared import Dataset
    from concord.ensemble import Ensemble
    from concord.ensembles.store import StoredEnsemble
    from concord.methods.base import ConsensusMethod

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c8c8c")
"""Told apart by colour-blind readers too."""

MARKERS = "osD^vP*X"
WIDTHS = {1: 3.6, 2: 5.6}
"""Inches of a picture with so many panels side by side; with more, the width of the page."""


@dataclass(frozen=True)
class Source:
    """The study as it is run, and where its results are."""

    study: Study
    titles: Mapping[str, str]
    results: Path
    """Folder of selected.parquet and readings/."""
    ensembles: Path
    """Folder of the base clusterings, a file for each case."""
    seed: int | None
    """That of the configuration; None will do where nothing is fitted."""
    prepared: Mapping[str, Path] = field(default_factory=dict)
    """Prepared data file of each case whose objects are shown."""

    def dataset(self, case: str) -> "Dataset":
        """Return the features and classes of a case."""
        from concord.datasets import prepared

        if case not in self.prepared:
            raise InputError(f"--prepared: no file for the case {case!r}; add {case}=data/prepared/...")
        return prepared.load(self.prepared[case])

    def stored(self, case: str) -> "StoredEnsemble":
        """Return the base clusterings of a case."""
        from concord.ensembles import store

        return store.load(self.ensembles / f"{case}.npz")

    def generator(self, *names: str | int) -> "np.random.Generator":
        """Return the random numbers that belong to these names in the study."""
        from concord.seeds import generator

        if self.seed is None:
            raise InputError(
                "--seed: missing, and this figure needs random numbers; give the configuration's"
            )
        return generator(self.seed, self.study.id, *names)

    def fitted(
        self,
        case: Case,
        method: str,
        parameters: Mapping[str, Value],
        ensemble: "Ensemble",
        subset: int,
        n_clusters: int,
    ) -> "ConsensusMethod":
        """Fit a method of the study as its jobs do, at its default grid point.

        Parameters
        ----------
        parameters : beside the study's own.
        subset : of which ``ensemble`` is, from 0.
        """
        from concord.methods import registry

        run = self.study.method(method)
        given: dict[str, Any] = {**fit_parameters(self.study, case, method), **parameters}
        if "random_state" in registry.available()[run.method]:
            given["random_state"] = self.generator(case.id, method, subset)
        try:
            return registry.load(run.method)(n_clusters=n_clusters, **given).fit(ensemble)
        except ConsensusFailure as failure:
            where = f"{method} on {case.id}, subset {subset + 1}"
            raise InputError(f"{where}: {failure}; let the figure show another subset") from None


def fit_parameters(study: Study, case: Case, method: str) -> dict[str, Value]:
    """Return the parameters of a method on a case at its default grid point."""
    run = study.method(method)
    return {**study.parameters(case, run), **run.default}


def untex(text: str) -> str:
    """Return a title of a picture for running text: "S - SZ" for "$S - SZ$"."""
    return re.sub(r"[$\\]", "", text)


def panels(n: int, across: int, height: float) -> tuple[Any, list[Any]]:
    """Return a picture and its ``n`` panels, ``across`` in a row, each ``height`` inches high."""
    from matplotlib.figure import Figure

    across = min(n, across)
    down = math.ceil(n / across)
    picture = Figure(figsize=(WIDTHS.get(across, 6.9), down * height + 0.3), layout="constrained")
    axes = picture.subplots(down, across, squeeze=False).ravel()
    for spare in axes[n:]:
        spare.set_axis_off()
    return picture, list(axes[:n])


def plain(panel: Any) -> None:
    """Set a panel of lines: light grid, small ticks."""
    panel.grid(color="0.9", linewidth=0.5)
    panel.set_axisbelow(True)
    panel.minorticks_off()
    panel.tick_params(length=2, width=0.6, labelsize=7.5)
    panel.spines[["top", "right"]].set_visible(False)


def label_outer(axes: list[Any], x: str, y: str = "") -> None:
    """Name the axes once: x under the lowest panel of each column, y at the left of each row."""
    columns = [axis.get_subplotspec().colspan.start for axis in axes]
    for number, (axis, column) in enumerate(zip(axes, columns, strict=True)):
        if column not in columns[number + 1 :]:
            axis.set_xlabel(x, fontsize=8.5, labelpad=2)
        if column == 0:
            axis.set_ylabel(y, fontsize=8.5, labelpad=2)


def legend_below(picture: Any, panel: Any, columns: int) -> None:
    """Put the legend of one panel under all of them."""
    handles, labels = panel.get_legend_handles_labels()
    picture.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=min(columns, len(labels)),
        frameon=False,
        fontsize=8,
    )
