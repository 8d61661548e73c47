"""Co-association matrices with the objects in the order of VAT or of the classes: clusters are bright blocks."""

# scikit-learn is imported where needed, so that what does without it starts faster

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from consclust.diagnostics import contrast, vat_order
from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.plot.drawing import Groups, step_of, strip
from consclust.report.blocks import Shown, listed
from consclust.report.figures import colour_bar, fine, panels, style
from consclust.report.wording import paragraph, records, score
from consclust_studies.config.paper import Claim
from consclust_studies.config.references import CaseId
from consclust_studies.config.study import PlannedStudy
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Counted, Exhibit, Needs
from consclust_studies.results.source import Source

SHOWN = "Data set: case, objects, drawn, In one class: mean_in_classes, In different classes: mean_between"
ORDERS = {
    "vat": "in the order of VAT (visual assessment of cluster tendency)",
    "classes": "ordered by their classes, and within a class as in the file",
}


MEASURED = "objects drawn mean_in_classes mean_between ratio silhouette neighbours_in_class missing"
"""The numbers of :meth:`Ordered.measure`."""


class Ordered(NamedTuple):
    """A co-association matrix over ordered objects, (n, n), their classes, (n,), and the share of missing labels."""

    matrix: FloatArray
    classes: IntArray
    missing: float

    def thin(self) -> tuple[FloatArray, IntArray]:
        """Return matrix and classes of the objects that are drawn."""
        step = step_of(len(self.classes))
        return self.matrix[::step, ::step].copy(), self.classes[::step]

    def compute_silhouette(self) -> float:
        """Return the mean silhouette of the classes, with 1 less the co-association as the distance."""
        from sklearn.metrics import silhouette_score

        return float(silhouette_score(1 - self.matrix, self.classes, metric="precomputed"))

    def measure(self) -> tuple[float, ...]:
        """Return what the table has of a case, see :data:`MEASURED`."""
        found = contrast(self.matrix, self.classes)
        inside, between = found["mean_in_classes"], found["mean_between"]
        neighbours = float((self.classes[1:] == self.classes[:-1]).mean())
        sizes = len(self.classes), len(self.thin()[1])
        return (*sizes, inside, between, inside / between, self.compute_silhouette(), neighbours, self.missing)


def order_matrix(source: Source, case: str, by: Literal["vat", "classes"]) -> Ordered:
    """Return the co-association matrix of the first subset of a case, its objects in an order of :data:`ORDERS`."""
    stored = source.stored(case)
    ensemble = Ensemble(stored.subset(0))
    matrix = ensemble.expand(ensemble.coassociation)
    order = vat_order(1 - matrix) if by == "vat" else np.argsort(stored.classes, kind="stable")
    missing = float((ensemble.labels < 0).mean())
    return Ordered(matrix[np.ix_(order, order)], stored.classes[order], missing)


class Vat(Exhibit):
    """Co-association in the order of VAT (visual assessment of cluster tendency) or of the classes, by case."""

    drawn = True
    questions: ClassVar[Mapping[str, str]] = {
        "second_more_blockwise": "pairs of cases, the first and second, third and fourth: the second is more blockwise"
    }

    kind: Literal["vat"]
    cases: Some[CaseId] = Field(description="ids of cases, a panel for each")
    order: Literal["vat", "classes"] = Field(
        "vat", description="order of the objects: that of VAT (visual assessment of cluster tendency), or by class"
    )

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings."""
        return Needs(ensembles=self.cases)

    def build(self, source: Source) -> Shown:
        """Return how far the matrices and the order follow the classes, a row for each case."""
        drawn, rows = [], []
        for case in self.cases:
            found = order_matrix(source, case, self.order)
            drawn.append(found.thin())
            rows.append((case, *found.measure()))
        frame = records(f"case {MEASURED}", rows)
        shares = dict.fromkeys(("neighbours_in_class", "missing"), lambda share: f"{share:.0%}")
        forms = {"case": source.titles.__getitem__, "ratio": "{:.1f}".format, **shares}
        columns = f"{SHOWN}, ratio, silhouette{', Neighbours: neighbours_in_class' * (self.order == 'vat')}, missing"
        table = listed("Co-association and classes", frame, columns, forms=forms)
        caption = paragraph(
            f"Co-association of the objects, subset 1, {ORDERS[self.order]}. The strip at the left of a matrix has a "
            "colour for each class. The table has the mean co-association of different objects of one class and of "
            "objects of different classes, and two numbers that say how blockwise a matrix is: the ratio of the two "
            "means, and the mean silhouette (Rousseeuw 1987) of the objects in their classes with 1 less the "
            "co-association as the distance. The silhouette is 1 for full blocks with nothing between them, and "
            "smaller where a class consists of several small blocks. The ratio is large wherever little is between "
            "the classes.",
            self.order == "vat" and "Neighbours: the share of neighbours in the order that are of one class.",
            "Missing: the share of labels that are missing.",
        )
        return Shown(frame, (table,), caption, self._draw(source, drawn))

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Count the pairs of cases of which the second one has the larger silhouette of the classes."""
        pairs = list(zip(self.cases[::2], self.cases[1::2], strict=False))
        holds, remarks = [], []
        for pair in pairs:
            first, second = (order_matrix(source, case, self.order).compute_silhouette() for case in pair)
            holds.append(second > first)
            remarks.append(f"{source.titles[pair[1]]} {score(second)}, {source.titles[pair[0]]} {score(first)}")
        remark = f"silhouettes: {'; '.join(remarks)}"
        return Counted("larger silhouette of the classes in", tuple(holds), "pairs", (remark,))

    @style()
    def _draw(self, source: Source, drawn: Sequence[tuple[Any, Any]]) -> Any:
        across = 2 if len(drawn) in (2, 4) else 3
        picture, axes = panels(len(drawn), across, 5.6 / across)
        for panel, case, (matrix, classes) in zip(axes, self.cases, drawn, strict=True):
            mesh = fine(panel, matrix, (0, 1))
            strip(panel, Groups(np.arange(classes.max() + 1), classes), named=False)
            panel.set_title(source.titles[case])
        colour_bar(picture, mesh, axes, "co-association", shrink=0.6)
        return picture
