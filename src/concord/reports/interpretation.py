"""What a variant does otherwise than the study."""

from typing import TYPE_CHECKING, Any

from concord.config.experiment import Case, CaseVariant, MethodRun, MethodVariant
from concord.datasets.registry import MADE
from concord.reports.values import numbers, symbol

if TYPE_CHECKING:
    from concord.reports.study import PlannedStudy


def differs(study: "PlannedStudy", variant: CaseVariant | MethodVariant) -> str:
    """Return what is done otherwise: "own → other"."""
    own, other = (
        (_parameters(study.method(variant.of)), _parameters(variant))
        if isinstance(variant, MethodVariant)
        else (_origin(study, study.case(variant.of)), _origin(study, variant))
    )
    return ", ".join(
        f"{symbol(name)}: {f'{own[name]} → ' if name in own else ''}{value}"
        for name, value in other.items()
        if own.get(name) != value
    )


def _parameters(run: MethodRun) -> dict[str, Any]:
    """Return the parameters of a run, set or left at the method's own defaults; a grid counts as a value."""
    from concord import methods

    return {"method": run.method, **methods.load(run.method).parameters(), **run.parameters, **run.grid}


def _origin(study: "PlannedStudy", case: Case) -> dict[str, str]:
    """Return how the base clusterings of a case are made."""
    made = {
        "clusters": numbers(case.n_clusters or study.ensemble.n_clusters),
        "features": f"{case.feature_share:.0%}",
        "objects": f"{case.object_share:.0%}",
    }
    return {
        "data set": case.dataset,
        "preprocessing": ", ".join(case.steps) or "none",
        "base clusterings": case.ensemble,
        "first centres": case.init,
        "base clusterings in a subset": f"{study.subset_size(case)}",
        **(made if case.ensemble in MADE else {}),
    }
