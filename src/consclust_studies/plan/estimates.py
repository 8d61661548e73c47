"""CPU seconds of jobs, by what accepted runs have measured.

Seconds of a fit are those of the accepted run of the study; of variants, those that are kept with its labels. Where it
has none, they are what the method declares, an upper bound, times the share of it that accepted runs of any study have
taken: those on the same data, or else all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from consclust_studies.config.cases import Case
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.plan import needs
from consclust_studies.stages.consensus import SubsetRange

if TYPE_CHECKING:
    from consclust_studies.plan.plan import Plan


def estimate_base_clusterings(plan: Plan, study: str, case: Case) -> needs.Need:
    """Return the need of the base clusterings of a case; sparse features hold no more numbers than bytes."""
    need = needs.estimate_ensembles(*plan.sized(plan.studies[study], case.id))
    n, features, _ = plan.shape(case.dataset)
    dense = max(n * features, 1)
    held = sum(file.bytes or dense for file in plan.registry[case.dataset].files) or dense
    return need._replace(seconds=need.seconds * min(1.0, held / dense))


def estimate_fit_seconds(plan: Plan, study: str, case: Case, method: MethodRun, block: SubsetRange) -> float:
    """Return the CPU seconds of a method on a block of subsets."""
    view = plan.studies[study]
    method = next(iter(view.together(method.id)), method)
    fits = len(block.subsets) * needs.count_points(view, case, method, block.first)
    if known := needs.read_measured(study).get((case.id, method.id)):
        return fits * float(known["cpu_seconds_per_fit"])
    declared = needs.estimate_consensus(view, case, plan.shape(case.dataset), method, block.first, block.last).seconds
    return declared * find_measured_share(plan, method.method, case.dataset)


class Share(NamedTuple):
    """The share of its declared seconds that a method has taken on a data set in an accepted run."""

    method: str
    dataset: str
    share: float


@cache
def find_measured_share(plan: Plan, method: str, dataset: str) -> float:
    """Return the share of its declared seconds that a method takes: on these data, on any, or that of any method."""
    of_method = [share for share in read_measured_shares(plan) if share.method == method]
    on_data = [share for share in of_method if share.dataset == dataset]
    shares = on_data or of_method or read_measured_shares(plan)
    return median(share.share for share in shares) if shares else 1.0


@cache
def read_measured_shares(plan: Plan) -> Sequence[Share]:
    """Return the shares of all methods and data sets of accepted runs."""
    found = []
    for study in plan.studies.values():
        cases = {case.id: case for case in study.cases}
        methods = {method.id: method for method in study.methods}
        for (case_id, method_id), row in needs.read_accepted(study.id).items():
            case = cases.get(case_id)
            method = methods.get(method_id)
            if case is None or method is None:
                continue
            declared = needs.estimate_consensus(study, case, plan.shape(case.dataset), method, 0, 0).seconds
            taken = needs.count_points(study, case, method, 0) * float(row["cpu_seconds_per_fit"])
            found.append(Share(method.method, case.dataset, taken / declared))
    return found
