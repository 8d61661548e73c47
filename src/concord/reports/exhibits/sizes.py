"""Mean scores as lines over the number of base clusterings in a subset."""

from typing import ClassVar, Literal

from concord.config.references import MetricId
from concord.findings.main_table import over_subsets
from concord.findings.names import DataFrame, ResolvedStudy, Source, Study
from concord.findings.values import conjunction, count, fewer, paragraph, records, tuned
from concord.reports.exhibits.base import Exhibit, Needs, Shown
from concord.reports.render.figures import curves_by_case
from concord.scores.selection import main_row

BANDS = 6
"""With more methods than these, the bands of their deviations would cover the lines."""


class Sizes(Exhibit):
    """The mean score at every size of the subsets, a panel for each data set, a line for each method."""

    drawn = True
    lacking = "no case has other sizes; add variants of cases that differ in subset_size alone"
    reads: ClassVar = Needs(selected=True, variants=True)

    kind: Literal["sizes"]
    metric: MetricId

    def wanted(self, study: Study) -> bool:
        """Whether a case has other sizes."""
        return bool(_of_other_sizes(study))

    def build(self, source: Source) -> Shown:
        """Return mean, standard deviation and number of subsets, done and planned, for each case, method and size."""
        study, frame = source.study, self._frame(source)
        few = frame["method"].nunique() <= BANDS
        bands = "; bands: one sample standard deviation to either side" if few else ""
        caption = paragraph(
            f"{self.metric} against the number of base clusterings in a subset: mean over "
            f"{count(study.n_subsets, 'subset')}{bands}.",
            tuned(study, _of_other_sizes(study)),
            _on_the_first(study, frame),
            fewer(study, frame[frame["n"] < frame["subsets"]], "size"),
        )
        labels = "base clusterings in a subset", f"mean {self.metric}"
        drawn = frame if few else frame.assign(std=0.0)
        return Shown(frame, caption=caption, picture=curves_by_case(drawn, source.titles, "size", labels))

    def _frame(self, source: Source) -> DataFrame:
        study, scores, rows = source.study, over_subsets(source.selected, source.variants), []
        for case in study.cases:
            cases = sorted((case, *study.size_variants(case)), key=study.subset_size)
            for row in (main_row(study, method) for method in _of_other_sizes(study) if len(cases) > 1):
                ran = [one for one in cases if study.method(row.method).runs_on(one)]
                found = [(one, key) for one in ran if (key := (one.id, self.metric, *row)) in scores.index]
                for one, key in found:
                    size, planned = study.subset_size(one), study.n_subsets_of(one)
                    rows.append((case.id, *row, self.metric, size, *scores.loc[key], planned))
        return records("case method selection metric size n mean std subsets", rows).astype({"n": int})


def _of_other_sizes(study: Study) -> list[str]:
    """Return the methods that run at other sizes, in the order of the study."""
    run = {name for case in study.cases for other in study.size_variants(case) for name in other.methods}
    return [method.id for method in study.methods if method.id in run]


def _on_the_first(study: ResolvedStudy, frame: DataFrame) -> str:
    """Say which methods run on the first subsets alone, and where; empty if none does."""
    few = frame[frame["subsets"] < study.n_subsets]
    few = few.assign(case=few["case"].map(study.titles), size=few["size"].map(str))
    parts = []
    for subsets, rows in few.groupby("subsets"):
        methods, sizes, cases = (conjunction([*rows[column].unique()]) for column in ("method", "size", "case"))
        parts.append(f"{methods} with {sizes} base clusterings on {cases}: the first {count(subsets, 'subset')} only.")
    return " ".join(parts)
