"""Whether the harm is found: by the weights of methods, by the errors of RCE, and by the diagnosis of coalitions."""

# scikit-learn is imported where needed, so that what does without it starts faster

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import numpy as np
from pydantic import Field

from consclust import methods
from consclust.diagnostics import agreement_weights, coalitions, rce_errors
from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.methods import RCE
from consclust.report.blocks import Shown, Table, listed
from consclust.report.wording import count, paragraph, records, score
from consclust_studies.config.harms import Harms
from consclust_studies.config.references import CaseId, MethodId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Positive, Some
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs, check_reads_no_features
from consclust_studies.results.source import Source
from consclust_studies.stages.stored_ensembles import StoredEnsemble
from studies.robustness.exhibits.spoiled_scores import CLEAN, WORDS, check_harms, find_harms

OF_MEMBERS = ("random-members", "coalition", "wrong-k")
"""Kinds of harm that spoil whole members."""
OF_LABELS = ("random-members", "labels", "coalition", "outliers")
"""Kinds of harm that give objects other labels, which RCE may take for errors."""
AGREEMENT = "agreement with the others"
"""The row of the weights without a method."""


class FoundMembers(Exhibit):
    """The AUC with which the weights of methods find the spoiled members, by kind of harm and share."""

    kind: Literal["found_members"]
    cases: Some[CaseId] = Field(description="ids of cases; the methods are fitted anew on them")
    weights: dict[MethodId, str] = Field(description="by method id: the attribute of the fit with the weights")
    repetitions: Positive = Field(1, description="number of repetitions, the first ones")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a study without spoiled subsets, and methods that need features."""
        yield from check_harms(study)
        for name in self.weights:
            yield from check_reads_no_features(study.method(name), f"weights.{name}: ")

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings, and the fits."""
        return Needs(ensembles=self.cases, fits=tuple((case, name) for case in self.cases for name in self.weights))

    def build(self, source: Source) -> Shown:
        """Return the mean AUC over data sets and repetitions for each method, kind and share."""
        harms = find_harms(source)
        rows = []
        for case in self.cases:
            stored = source.stored(case)
            for subset, clean in list_spoiled(harms, self.repetitions, OF_MEMBERS):
                where = harms.describe(subset)
                labels = stored.subset(subset)
                spoiled = (labels != stored.subset(clean)).any(axis=0)
                ensemble = Ensemble(labels)
                found = {AGREEMENT: agreement_weights(ensemble)}
                for name, attribute in self.weights.items():
                    fit = source.fit(source.study.case(case), name, {}, ensemble, subset, stored.n_classes)
                    found[name] = getattr(fit, attribute)
                rows += [(case, row, where.kind, where.share, measure_auc(-w, spoiled)) for row, w in found.items()]
        every = records("case method kind share auc", rows)
        keys = ["method", "kind", "share"]
        frame = every.groupby(keys, sort=False)["auc"].agg(n="count", auc="mean").reset_index()
        caption = paragraph(
            f"Mean AUC over {count(len(self.cases), 'data set')}: the probability that a spoiled member has a smaller "
            "weight than another one; .5 by chance. The first row has the weights of "
            "consclust.diagnostics.agreement_weights, which no method applies by itself."
        )
        return Shown(frame, (_cross("AUC of the spoiled members", frame, "method"),), caption)


class FoundErrors(Exhibit):
    """The AUC with which the errors of RCE find the labels that were changed, by kind of harm and share."""

    kind: Literal["found_errors"]
    method: MethodId = Field(description="id of a run of RCE, fitted anew")
    cases: Some[CaseId] = Field(description="ids of cases")
    repetitions: Positive = Field(1, description="number of repetitions, the first ones")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a study without spoiled subsets, and a method that has no errors."""
        yield from check_harms(study)
        if methods.load(study.method(self.method).method) is not RCE:
            yield "method", f" = {self.method!r}: no run of RCE, whose errors are shown; name one"

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings, and the fits."""
        return Needs(ensembles=self.cases, fits=tuple((case, self.method) for case in self.cases))

    def build(self, source: Source) -> Shown:
        """Return the mean AUC over data sets and repetitions for each kind and share."""
        harms = find_harms(source)
        rows = []
        for case in self.cases:
            stored = source.stored(case)
            for subset, clean in list_spoiled(harms, self.repetitions, OF_LABELS):
                where = harms.describe(subset)
                labels = stored.subset(subset)
                ensemble = Ensemble(labels)
                fit = source.fit(source.study.case(case), self.method, {}, ensemble, subset, stored.n_classes)
                assert isinstance(fit, RCE), "checked when the study was read"
                changed = find_changed(stored, subset, clean, where.kind in OF_MEMBERS)
                rows.append((case, where.kind, where.share, measure_auc(rce_errors(fit, ensemble), changed)))
        every = records("case kind share auc", rows)
        frame = every.groupby(["kind", "share"], sort=False)["auc"].agg(n="count", auc="mean").reset_index()
        caption = paragraph(
            f"Mean AUC over {count(len(self.cases), 'data set')}: the probability that the errors E of {self.method} "
            "are larger at a label that was changed than at one that was not, over all objects and members; .5 by "
            "chance. All labels of random members and of members of a coalition count as changed, also those that are "
            "equal by chance."
        )
        return Shown(frame, (_cross("AUC of the changed labels", frame.assign(method=self.method), "method"),), caption)


class FoundCoalitions(Exhibit):
    """How well the diagnosis of coalitions tells ensembles with one from clean ones and from those with other harm."""

    kind: Literal["found_coalitions"]
    repetitions: Positive = Field(
        3, description="number of repetitions of which the spoiled subsets are diagnosed, the first ones"
    )

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a study without spoiled subsets."""
        yield from check_harms(study)

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings of all cases."""
        return Needs(ensembles=tuple(case.id for case in study.cases))

    def build(self, source: Source) -> Shown:
        """Return for each kind and share the share of ensembles with coalitions, and the AUC of the score."""
        harms = find_harms(source)
        rows = []
        for case in source.study.cases:
            stored = source.stored(case.id)
            for subset in range(len(stored.members)):
                where = harms.describe(subset)
                # false alarms are rare, so the clean subsets of all repetitions count
                if where.kind and where.repetition >= self.repetitions:
                    continue
                found = coalitions(stored.subset(subset))
                rows.append((case.id, where.kind or CLEAN, where.share, found.score, found.found))
        every = records("case kind share score found", rows)
        positive = every.loc[every["kind"] == "coalition", "score"].to_numpy()
        frame = every.groupby(["kind", "share"], sort=False).agg(n=("found", "count"), found=("found", "mean"))
        frame = frame.reset_index()
        others = {kind: every.loc[every["kind"] == kind, "score"].to_numpy() for kind in frame["kind"].unique()}
        aucs = {kind: separate_scores(positive, scores) for kind, scores in others.items() if kind != "coalition"}
        frame = frame.assign(auc=frame["kind"].map(aucs))
        caption = paragraph(
            "Share of the ensembles in which consclust.diagnostics.coalitions finds coalitions, by kind of harm and "
            f"share that is spoiled, over {count(len(source.study.cases), 'data set')}. AUC: the probability that an "
            "ensemble with a planted coalition, of any share, has a larger score than one of the row. On the "
            f"{count(int((every['kind'] == CLEAN).sum()), 'clean ensemble')}, of all repetitions, what is found is a "
            f"false alarm; of the spoiled ones, {count(self.repetitions, 'repetition')} are diagnosed."
        )
        return Shown(frame, (self._table(frame),), caption)

    def _table(self, frame: Any) -> Table:
        """Return a row for each kind of harm, a column for each share."""
        wide = frame.pivot(index="kind", columns="share", values="found").loc[list(frame["kind"].unique())]
        shares = list(wide.columns)
        aucs = frame.drop_duplicates("kind").set_index("kind")["auc"]
        wide = wide.assign(auc=aucs).reset_index()
        columns = {
            "Harm": "kind",
            **{("Clean" if share == 0 else f"{share:g}"): share for share in shares},
            "AUC": "auc",
        }
        forms: dict[Any, Callable[[Any], str]] = {"kind": _write_kind, **dict.fromkeys(shares, _write_share)}
        return listed("Ensembles with coalitions", wide, columns, forms=forms)


def list_spoiled(harms: Harms, repetitions: int, kinds: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the spoiled subsets of some kinds, each with that of its clean one."""
    for subset in range(repetitions * harms.n_of_repetition):
        where = harms.describe(subset)
        if where.kind in kinds:
            yield subset, where.repetition * harms.n_of_repetition


def find_changed(stored: StoredEnsemble, subset: int, clean: int, whole_members: bool) -> Any:
    """Return which labels of a spoiled subset are others than in its clean one, (n, m); or all of such members."""
    changed = stored.subset(subset) != stored.subset(clean)
    if whole_members:
        return np.broadcast_to(changed.any(axis=0), changed.shape)
    return changed


def measure_auc(values: FloatArray, positive: Any) -> float:
    """Return the probability that a positive entry has a larger value than another; NaN without one of either."""
    from sklearn.metrics import roc_auc_score

    known = ~np.isnan(values)
    wanted: IntArray = np.asarray(positive)[known].astype(np.int64)
    if not 0 < wanted.sum() < wanted.size:
        return float("nan")
    return float(roc_auc_score(wanted, values[known]))


def separate_scores(positive: FloatArray, negative: FloatArray) -> float:
    """Return the probability that a positive score is larger than a negative one; NaN without either."""
    return measure_auc(np.concatenate([positive, negative]), np.arange(len(positive) + len(negative)) < len(positive))


def _cross(title: str, frame: Any, row: str) -> Table:
    """Return a table with a line for each row and kind of harm, and a column for each share."""
    wide = frame.pivot(index=[row, "kind"], columns="share", values="auc")
    wide = wide.loc[list(dict.fromkeys(zip(frame[row], frame["kind"], strict=True)))].reset_index()
    shares = [column for column in wide.columns if column not in (row, "kind")]
    columns: Mapping[str, Any] = {row.capitalize(): row, "Harm": "kind", **{f"{share:g}": share for share in shares}}
    return listed(title, wide, columns, left=2, forms={"kind": WORDS.__getitem__})


def _write_kind(kind: str) -> str:
    return WORDS.get(kind, kind)


def _write_share(value: float) -> str:
    return "" if np.isnan(value) else score(value)
