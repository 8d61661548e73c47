"""What exhibits are built from: the study as it is run and the results that they name, checked against their specs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from consclust import methods
from consclust.ensemble import Ensemble
from consclust.errors import ConsensusFailure, InputError
from consclust.files import RERUN, read_record
from consclust.methods.base import ConsensusMethod
from consclust.seeds import generator
from consclust.validation import Strict
from consclust_studies.config.cases import Case
from consclust_studies.config.published_tables import Published, load_published
from consclust_studies.config.study import PlannedStudy
from consclust_studies.config.values import Value
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.grid_points import POINTS, read_points
from consclust_studies.stages.label_blocks import Block
from consclust_studies.stages.score_tables import read_table

if TYPE_CHECKING:
    from pandas import DataFrame

    from consclust.datasets.prepared import Dataset

Role = Literal[
    "scores", "selected", "variants", "variant_scores", "unseen", "ensemble", "prepared", "labels", "runtimes",
    "published", "exhibit", "file", "discussion",
]  # fmt: skip


class Item(Strict):
    """An input of a job of this stage."""

    role: Role
    key: str = ""
    """A case; "case/method"; the name of a published table; an exhibit."""
    spec: str
    """Digest of the spec it must have been made for; of a file that no job makes, of its content."""


class _Table(NamedTuple):
    """A table of scores, with the texts that are stored beside it."""

    path: Path
    frame: DataFrame
    texts: dict[str, str]


@dataclass(frozen=True)
class Source:
    """The study as it is run, and its results.

    Attributes
    ----------
    study, files : what was planned; the job's inputs.
    seed : that of the configuration; None where nothing is drawn.
    folder : the project's folder, for its commit.
    read : the tables that have been read, by file and digest of their spec; ``dataclasses.replace`` shares them.
    computed : what an exhibit computes for several of its claims, see :meth:`compute_once`; shared as ``read`` is.
    scores : the tidy scores: study, case, subset, method, point, restart, metric, value. In all tables ``point`` is the
        number of the grid point in ``study.list_points(method)``.
    selected : the scores of every selection: study, case, method, selection, metric, subset, point, value.
    variants : those of the variants; empty if there are none.
    variant_scores : the tidy scores of the variants; empty if there are none.
    unseen : the scores on unseen objects, as ``consclust_studies.stages.unseen_objects`` writes them.
    failures : failed fits of the study and its variants: case, method, subset, point, reason.
    notes : what methods remark about their answers: case, method, subset, point, note.
    fewer_clusters : fits with fewer clusters than classes: case, method, subset, point, clusters.
    """

    study: PlannedStudy
    files: Sequence[tuple[Item, Path]] = ()
    seed: int | None = None
    folder: Path = field(default_factory=Path)
    read: dict[tuple[Path, str], tuple[DataFrame, dict[str, str]]] = field(default_factory=dict, repr=False)
    computed: dict[tuple[str, ...], DataFrame] = field(default_factory=dict, repr=False)

    scores = cached_property(lambda self: self._join_tables("scores"))
    selected = cached_property(lambda self: self._join_tables("selected"))
    variants = cached_property(
        lambda self: self._join_tables("variants") if self.list_inputs("variants") else self.selected[:0]
    )
    variant_scores = cached_property(
        lambda self: self._join_tables("variant_scores") if self.list_inputs("variant_scores") else self.scores[:0]
    )
    unseen = cached_property(lambda self: self._join_tables("unseen"))
    failures = cached_property(lambda self: self._join_remarks("failures", "reason"))
    notes = cached_property(lambda self: self._join_remarks("notes", "note"))
    fewer_clusters = cached_property(lambda self: self._join_remarks("fewer_clusters", "clusters"))

    @cached_property
    def published(self) -> Published:
        """The published values."""
        return load_published({item.key: path for item, path in self.list_inputs("published")})

    @cached_property
    def runtimes(self) -> list[dict[str, Any]]:
        """What :func:`consclust_studies.stages.consensus.write_results` recorded of each job."""
        return [read_record(path) for _, path in self.list_inputs("runtimes")]

    @property
    def titles(self) -> Mapping[str, str]:
        """The name of every case in tables."""
        return self.study.titles

    def list_inputs(self, role: Role, key: str | None = None) -> list[tuple[Item, Path]]:
        """Return the inputs of a role, or those among them with a key."""
        return [(item, path) for item, path in self.files if item.role == role and key in (None, item.key)]

    def stored(self, case: str) -> store.StoredEnsemble:
        """Return the base clusterings of a case."""
        return store.load(*self._find_only("ensemble", case))

    def dataset(self, case: str) -> Dataset:
        """Return the features and classes of a case."""
        from consclust_studies.stages import prepare as prepared

        return prepared.load(*self._find_only("prepared", case))

    def blocks(self, case: str, method: str) -> list[Block]:
        """Return the consensus labels of a method on a case, in blocks of subsets."""
        return [Block(path, item.spec) for item, path in self.list_inputs("labels", f"{case}/{method}")]

    def generator(self, *names: str | int) -> np.random.Generator:
        """Return the random numbers that belong to these names in the study."""
        assert self.seed is not None, "an exhibit that draws says so in its needs"
        return generator(self.seed, self.study.id, *names)

    def fit(
        self, case: Case, method: str, parameters: dict[str, Value], ensemble: Ensemble, subset: int, n_clusters: int
    ) -> ConsensusMethod:
        """Fit a method of the study as its jobs do, at its default grid point, with further ``parameters``.

        ``ensemble`` is the subset with the number ``subset``, from 0. :class:`InputError` if it has no answer.
        """
        given = find_fit_parameters(self.study, case, method) | parameters
        # the names of the stream of a consensus job, so that the labels are the same
        stream = self.generator(case.id, method, subset)
        try:
            return methods.make(self.study.method(method).method, n_clusters, given, stream).fit(ensemble)
        except ConsensusFailure as failure:
            where = f"{method} on {case.id}, subset {subset + 1}"
            raise InputError(f"{where}: {failure}; name another case or method") from None

    def compute_once(self, exhibit: str, compute: Callable[[], DataFrame]) -> DataFrame:
        """Return what an exhibit, given as JSON text, computes on the cases of the study; it computes that once.

        Fits take long, and each claim that an exhibit counts needs the same ones.
        """
        key = (exhibit, *(case.id for case in self.study.cases))
        if key not in self.computed:
            self.computed[key] = compute()
        return self.computed[key]

    def _find_only(self, role: Role, key: str) -> tuple[Path, str]:
        """Return the one input of a role with a key, and the digest of its spec."""
        ((item, path),) = self.list_inputs(role, key)
        return path, item.spec

    def _read_tables(self, *roles: Role) -> list[_Table]:
        tables = []
        for role in roles:
            for item, path in self.list_inputs(role):
                # several exhibits read the same tables
                key = (path, item.spec)
                if key not in self.read:
                    self.read[key] = read_table(path, item.spec)
                frame, texts = self.read[key]
                tables.append(_Table(path, frame, texts))
        return tables

    def _join_tables(self, role: Role) -> DataFrame:
        import pandas as pd

        return pd.concat([self._number_points(table) for table in self._read_tables(role)], ignore_index=True)

    def _number_points(self, table: _Table) -> DataFrame:
        """Return the frame of a table with the numbers that its grid points have in the study."""
        frame = table.frame
        if "method" not in frame:
            return frame
        numbers = frame["point"].to_numpy(copy=True)
        for method, places in self._find_points(table).items():
            if places != list(range(len(places))):
                mine = (frame["method"] == method).to_numpy()
                numbers[mine] = np.take(places, numbers[mine])
        return frame.assign(point=numbers)

    def _find_points(self, table: _Table) -> dict[str, list[int]]:
        """Return the numbers in the study of the grid points of a table, by method.

        They are others than in the table where a variant was fitted at its default point alone.
        """
        known = {method.id for method in (*self.study.methods, *self.study.variants.methods)}
        found = {}
        for method, points in read_points(table.texts[POINTS]).items():
            if method in known:
                of_study = self.study.list_points(method)
                if not all(point in of_study for point in points):
                    raise InputError(f"{table.path}: grid points of {method} that the study does not have; {RERUN}")
                found[method] = [of_study.index(point) for point in points]
        return found

    def _join_remarks(self, kind: str, column: str) -> DataFrame:
        import pandas as pd

        rows: list[tuple[Any, ...]] = []
        for table in self._read_tables("selected", "variants"):
            try:
                found = json.loads(table.texts[kind])
                numbers = self._find_points(table)
                for case, method, subset, point, remark in found:
                    rows.append((case, method, subset, numbers[method][point], remark))
            except (KeyError, ValueError, TypeError, IndexError):
                raise InputError(f"{table.path}: its {kind} cannot be read; {RERUN}") from None
        frame = pd.DataFrame(rows, columns=["case", "method", "subset", "point", column])
        return frame.drop_duplicates(ignore_index=True)  # a fit that the study and its variants share is in both


def find_fit_parameters(study: PlannedStudy, case: Case, method: str) -> dict[str, Value]:
    """Return the parameters of a method on a case at its default grid point."""
    run = study.method(method)
    return study.parameters(case, run) | run.default
