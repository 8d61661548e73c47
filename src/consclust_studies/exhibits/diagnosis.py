"""What needs no classes: the consensus labels, and the sections of the report of ``consclust report``."""

# pandas is imported where needed, so that what does without it starts faster

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from pydantic import Field

from consclust import methods
from consclust.ensemble import Ensemble, IntArray
from consclust.errors import ConsensusFailure, InputError
from consclust.report.blocks import Cell, Footnotes, Shown, Table
from consclust.report.figures import style
from consclust.report.sections import TITLES
from consclust.report.wording import DASH, score
from consclust.scores import ari
from consclust_studies import paths
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.references import CaseId, MethodId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs
from consclust_studies.results.source import Source, find_fit_parameters
from consclust_studies.stages.label_blocks import Block

Tables = Literal["clusters", "methods", "base"]
Figures = Literal["matrix", "criteria", "cdf", "tracking", "objects", "memberships", "diversity"]
ORDER = ("methods", "clusters", "matrix", "criteria", "cdf", "tracking", "objects", "memberships", "base", "diversity")
"""In which a report shows them."""
OF_CONSENSUS = {"clusters", "matrix", "objects", "memberships", "base", "diversity"}
"""Sections on the consensus of one method."""
LONGEST = 45
"""Characters of a case's id that become part of the name of an exhibit."""


class Consensus(Exhibit):
    """The consensus labels of all methods, where there are no classes: how many clusters, and how alike they are."""

    place = -10
    without_classes = True

    kind: Literal["consensus"]
    id: Name = "consensus"
    title: Title = "Consensus of each method"

    def wanted(self, study: Study) -> bool:
        """Whether the study has no classes."""
        return study.without_classes

    def mistakes(self, study: Study) -> Mistakes:
        """Yield that a study with classes has scores in its place."""
        if not study.without_classes:
            yield "kind", " = 'consensus': for data without classes only; remove it"

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the labels of all methods."""
        return Needs(labels=tuple((case.id, run.id) for case in study.cases for run in study.runs(case)))

    def build(self, source: Source) -> Shown:
        """Return a row for each object, with a column for each method; a table for each case."""
        import pandas as pd

        frames, tables = [], []
        for case in source.study.cases:
            labels, remarks = dict[str, IntArray](), dict[str, str]()
            for run in source.study.runs(case):
                (block,) = source.blocks(case.id, run.id)
                remarks[run.id] = "; ".join(_list_remarks(block, source.study.number_of_clusters(case.id) or 0))
                if not block.failures:
                    labels[run.id] = block.labels[0, 0, block.chosen[0, 0]].astype(np.int64)
            tables.append(_compared(source.titles[case.id], labels, remarks))
            n = len(next(iter(labels.values()), ()))
            frames.append(pd.DataFrame({"case": case.id, "object": np.arange(1, n + 1), **labels}))
        whole = pd.concat(frames, ignore_index=True)
        frame = whole.astype(dict.fromkeys(whole.columns[2:], "Int64"))
        caption = (
            "Clusters of each method, the sizes of the smallest and the largest, and ARI (adjusted Rand index) between "
            f"the methods. The CSV has the labels, 0, 1, ..., of the objects in the order of the file. {DASH}: the "
            "method has no answer."
        )
        return Shown(frame, tuple(tables), caption)


def _list_remarks(block: Block, n_clusters: int) -> list[str]:
    """Return what is said of the only fit of a block."""
    found = block.list_remarks(n_clusters)
    fewer = [f"fewer clusters than the {n_clusters} requested" for _ in found["fewer_clusters"]]
    return [*(str(remark.text) for remark in (*found["failures"], *found["notes"])), *fewer]


def _compared(title: str, labels: dict[str, IntArray], remarks: dict[str, str]) -> Table:
    """Return a row for each method."""
    footnotes, rows = Footnotes(), []
    for name, remark in remarks.items():
        sizes = np.bincount(labels[name]) if name in labels else None
        counts = (f"{len(sizes)}", f"{sizes.min()}", f"{sizes.max()}") if sizes is not None else (DASH,) * 3
        both = [name in labels and other in labels for other in remarks]
        alike = [
            score(ari(labels[name], labels[other])) if known else DASH
            for other, known in zip(remarks, both, strict=True)
        ]
        first = Cell(text=name, mark=footnotes.mark(remark))
        rows.append((first, *(Cell(text=text) for text in (*counts, *alike))))
    header = ("Method", "Clusters", "Smallest", "Largest", *(f"ARI, {name}" for name in remarks))
    return Table(title=title, header=header, rows=tuple(rows), notes=footnotes.notes)


class _Diagnosed(Exhibit):
    """A section on the base clusterings and the consensus of a case, subset 1; the key ``diagnosis`` has settings."""

    without_classes = True

    shows: str = Field(description="what is shown")
    case: CaseId = Field(description="id of the case")
    method: MethodId | None = Field(
        None, description="id of the method whose consensus is diagnosed; null: the method of the study's diagnosis"
    )

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a method that does not run on the case, and a case without any method."""
        runs = [run.id for run in _runs(study, self.case)]
        if not runs:
            yield "case", f" = {self.case!r}: no method runs on it without features; name another"
        elif self.method and self.method not in runs:
            yield "method", f" = {self.method!r}: it needs features or does not run on {self.case}; name another"

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings and the fits."""
        fits = tuple((self.case, run.id) for run in _runs(study, self.case))
        return Needs(ensembles=(self.case,), fits=fits, draws=True)

    @style()
    def build(self, source: Source) -> Shown:
        """Return the section."""
        from consclust.report.shown import CHAPTERS

        functions = {name: show for chapter in CHAPTERS.values() for name, show in chapter.items()}
        method = self._method(source.study)
        try:
            shown = functions[self.shows](_diagnosis(source, self.case, method))
        except ConsensusFailure as failure:
            raise InputError(f"{method} on {self.case}: {failure}; name another method in diagnosis") from None
        of_method = f"Consensus: {method}." if self.shows in OF_CONSENSUS else ""
        return replace(shown, caption=" ".join(filter(None, (shown.caption, of_method))))

    def _method(self, study: Study) -> str:
        runs = [run.id for run in _runs(study, self.case)]
        wanted = [name for name in (self.method, study.diagnosis.method) if name in runs]
        return wanted[0] if wanted else runs[0]


class DiagnosisTable(_Diagnosed):
    """A table: the clusters, the methods, or the base clusterings."""

    place = -5
    beside_listed = True

    kind: Literal["diagnosis"]
    shows: Tables = Field(description="rows of the table: the clusters, the methods or the base clusterings")

    @classmethod
    def unlisted(cls, study: Study) -> Iterable[Exhibit]:
        """Return the sections on all cases, tables and figures, of a study without classes."""
        return make_standard_exhibits(study) if study.without_classes else ()


class DiagnosisFigure(_Diagnosed):
    """A figure: the ordered consensus matrix, the choice of k, the stability of the objects, and others."""

    drawn: ClassVar = True

    kind: Literal["diagnosis_figure"]
    shows: Figures = Field(
        description="what is drawn: the ordered consensus matrix; criteria for the number of clusters; the "
        "distribution of consensus values (cdf) or the clusters (tracking) at each number of clusters; the stability "
        "of the objects; their memberships; the diversity of the base clusterings"
    )


def make_standard_exhibits(study: Study) -> Iterable[Exhibit]:
    """Yield all sections for all cases of a study without classes."""
    for i, case in enumerate(study.cases, start=1):
        several = len(study.cases) > 1
        suffix = f"-{case.id if len(case.id) <= LONGEST else i}" if several else ""
        for name in ORDER:
            cls = DiagnosisTable if name in get_args(Tables) else DiagnosisFigure
            title = f"{TITLES[name]}: {case.title or case.id}" if several else TITLES[name]
            (kind,) = get_args(cls.model_fields["kind"].annotation)
            content = {"kind": kind, "id": f"{name}{suffix}", "title": title, "case": case.id, "shows": name}
            yield cls.model_validate(content)


def _runs(study: Study | PlannedStudy, case_id: str) -> list[MethodRun]:
    """Return the methods that run on a case from the base clusterings alone."""
    case = study.case(case_id)
    return [
        run
        for run in study.runs(case)
        if run.method in methods.names()
        and not methods.needs_features(run.method, study.parameters(case, run), run.points)
    ]


def _diagnosis(source: Source, case_id: str, method: str) -> Any:
    from consclust.report.diagnosis import Diagnosis, Settings

    study, stored = source.study, source.stored(case_id)
    case = study.case(case_id)
    plan = study.diagnosis
    ensemble = Ensemble(stored.subset(0), study.missing_labels_for())
    k = study.number_of_clusters(case_id) or stored.n_classes
    n = len(stored.labels)
    for key, most in ((f"cases: {case_id}: k", k), ("diagnosis.ks", max(plan.ks))):
        if most > n:
            raise InputError(
                f"{paths.STUDY.format(study=study.id)}: {key} = {most}, but {case_id} has {n} objects; lower it"
            )
    made = {
        run.id: methods.make(
            run.method,
            k,
            find_fit_parameters(study, case, run.id),
            source.generator(case_id, run.id, 0).bit_generator.seed_seq,
        )
        for run in _runs(study, case_id)
    }
    seed = int(source.generator(case_id, "diagnosis").integers(2**32))
    settings = Settings(made[method], plan.ks, made, plan.draws, plan.halves, plan.nulls, plan.folds, seed)
    ids, names = np.arange(1, n + 1), [f"{j + 1}" for j in stored.members[0]]
    return Diagnosis(settings, ensemble, ids, names)
