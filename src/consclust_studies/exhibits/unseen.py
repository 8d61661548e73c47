"""Unseen objects: how well a consensus on some of the objects labels the others."""

from typing import Any, Literal

from consclust.report.blocks import Cell, Shown, crossed
from consclust.report.wording import conjunction, count, paragraph, score
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.source import Source
from consclust_studies.results.unseen_scores import find_rival, get_generalisation, summarise_unseen
from consclust_studies.stages.selection import Row

BETTER, WORSE = "•", "◦"
BASE_LABELS = {
    "assign": "the nearest centroid of each base clustering",
    "kmeans-on-test": "k-means on the unseen objects, its clusters matched to those of each base clustering",
}


class Unseen(Exhibit):
    """Scores on objects that the consensus has not seen, and which rows differ from the one beside them."""

    place = 5
    lacking = "the study has no unseen objects; add generalisation"

    kind: Literal["unseen"]
    id: Name = "generalisation"
    title: Title = "Unseen objects"

    def wanted(self, study: Study) -> bool:
        """Whether the study has unseen objects."""
        return study.generalisation is not None

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the scores on unseen objects."""
        return Needs(unseen=tuple(case.id for case in study.generalised()))

    def build(self, source: Source) -> Shown:
        """Return one row for each case, row and selection."""
        study, frame = source.study, summarise_unseen(source)
        means = frame.set_index(["case", "row", "selection"])["mean"].to_dict()

        def cell(line: Any) -> Cell:
            rival = find_rival(
                study, {key[1:]: mean for key, mean in means.items() if key[0] == line.case}, line.selection
            )
            differs = rival is not None and line.p_value < study.significance.alpha  # never for NaN
            mark = (BETTER if rival > line.mean else WORSE) if differs else ""
            spread = f" ± {score(line.std)}" if line.n > 1 else ""
            return Cell(text=f"{score(line.mean)}{spread}", bold=bool(line.best), mark=mark)

        names = [Row(*row).name for row in zip(frame["row"], frame["selection"], strict=True)]
        table = crossed(get_generalisation(study).metric, frame.assign(name=names), "name", cell)
        return Shown(frame, (table,), _caption(study))


def _caption(study: Experiment) -> str:
    setting = get_generalisation(study)
    tuned = [method.id for method in setting.methods if study.method(method.method).grid]
    return paragraph(
        f"{setting.metric} on unseen objects: mean ± standard deviation over {count(setting.splits, 'split')} "
        f"({setting.train_share:.0%} training objects) with {count(setting.repetitions, 'ensemble')} of "
        f"{count(study.ensemble.subset_size, 'base clustering')} each. Bold: the highest mean.",
        "NC: an unseen object gets the nearest centroid of the consensus classes. Infer: the method's model "
        f"is given base labels of the unseen objects, from {BASE_LABELS[setting.base_labels]}. "
        f"{study.unseen_rows()[0]}: mean of the base clusterings, each with its own centroids.",
        bool(tuned)
        and f"{conjunction(tuned)}: at the default grid point, and at the one with the best {setting.metric} on "
        "the training objects (oracle, training), chosen for each ensemble.",
        bool(setting.beside and setting.splits > 1)
        and f"{BETTER}: {setting.beside} is better, {WORSE}: worse (in the same selection, or by default; paired "
        f"t-test of the means of the splits, p < {study.significance.alpha:g}).",
    )
