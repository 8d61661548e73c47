"""What the checks of a study know of the whole: the study, the registry, and every name that may be referred to."""

from collections.abc import Mapping
from dataclasses import dataclass

from consclust.datasets.registry import DatasetSpec
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.references import Known
from consclust_studies.config.study import Study


@dataclass(frozen=True)
class Context:
    """A study and the registry."""

    study: Study
    datasets: Mapping[str, DatasetSpec]

    @property
    def known(self) -> Known:
        """Everything that a name may refer to."""
        study = self.study
        methods = [run.id for run in study.methods]
        variants = [run.id for run in study.variants.methods]
        rows = [study.base_clusterings, *methods]
        return {
            "dataset": list(self.datasets),
            "case": [case.id for case in study.cases],
            "method": methods,
            "method or variant": [*methods, *variants],
            "row": rows,
            "row or unseen row": [*rows, *study.unseen_rows(), *variants],
            "metric": study.metrics,
            "exhibit": [exhibit.id for exhibit in study.exhibits],
            "item": [item.id for item in study.ledger],
        }

    def find_runs(self, method_id: str) -> list[MethodRun]:
        """Return the method, or the variant of one, with this id; empty if there is none."""
        every = (*self.study.methods, *self.study.variants.methods)
        return [run for run in every if run.id == method_id]
