"""How the study was run, in the words of its configuration and of the docstrings of its methods."""

import inspect
import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from concord.config.protocol import MethodRun
from concord.config.study import Study
from concord.config.values import Value
from concord.datasets.registry import MADE
from concord.reports.rows import (
    READINGS,
    all_parameters,
    default_parameters,
    numbers_text,
    point_text,
    symbol,
)
from concord.reports.wording import conjunction

METRICS = {
    "ACC": ("accuracy under the best one-to-one matching of clusters and classes", "kuhn"),
    "NMI": ("mutual information divided by the larger of the two entropies", "strehl"),
    "NMI-mean": ("mutual information divided by the mean of the two entropies", "strehl"),
    "ARI": ("adjusted Rand index", "hubert"),
    "purity": ("share of objects in the majority class of their cluster", ""),
    "F": ("pairwise F measure: precision and recall of the pairs of objects put together", ""),
}

LITERATURE = {
    "kuhn": "Kuhn: The Hungarian method for the assignment problem, "
    "Naval Research Logistics Quarterly 2, 1955.",
    "strehl": "Strehl, Ghosh: Cluster ensembles, a knowledge reuse framework for combining multiple "
    "partitions, Journal of Machine Learning Research 3, 2002.",
    "hubert": "Hubert, Arabie: Comparing partitions, Journal of Classification 2, 1985.",
    "holm": "Holm: A simple sequentially rejective multiple test procedure, "
    "Scandinavian Journal of Statistics 6, 1979.",
    "sklearn": "Pedregosa and others: Scikit-learn: machine learning in Python, "
    "Journal of Machine Learning Research 12, 2011.",
    "snakemake": "Mölder and others: Sustainable data analysis with Snakemake, F1000Research 10, 2021.",
}


class References:
    """Numbers for cited works, in the order of their first citation."""

    def __init__(self) -> None:
        self.works: dict[str, int] = {}

    def cite(self, work: str) -> str:
        """Return "[3]" for a work; empty for none."""
        return f"[{self.works.setdefault(work, len(self.works) + 1)}]" if work else ""


def protocol(study: Study, titles: Mapping[str, str], references: References) -> dict[str, Any]:
    """Return what the section on the protocol says."""
    ensemble, significance = study.ensemble, study.significance
    words = {
        "classes": "the number of classes",
        "random": "drawn for each run from 2 to the root of n",
        "random-fine": "drawn for each run from half the root of n to the root of n",
    }
    k = words.get(str(ensemble.n_clusters), numbers_text(ensemble.n_clusters))
    tuned = [run for run in study.methods if run.grid]
    cited = [(metric, *METRICS[metric]) for metric in study.metrics]
    return {
        "runs": ensemble.runs,
        "subset_size": ensemble.subset_size,
        "n_subsets": ensemble.n_subsets,
        "drawn": ensemble.draws is not None,
        "max_iter": ensemble.max_iter,
        "k": k,
        "ready_made": sum(case.ensemble not in MADE for case in study.cases),
        "made": sum(case.ensemble in MADE for case in study.cases),
        "otherwise": _made_otherwise(study),
        "restarts": {
            "mean": "the mean over its random restarts",
            "chosen": "that of the restart with the best objective",
        }[study.restarts],
        "methods": [_method(run, references) for run in study.methods],
        "departures": _departures(study, titles),
        "absent": _absent(study, titles),
        "base": study.base_clusterings,
        "metrics": "; ".join(
            " ".join(filter(None, (f"{metric}, {text}", references.cite(LITERATURE.get(key, "")))))
            for metric, text, key in cited
        ),
        "tuned": conjunction([run.id for run in tuned]) if tuned else "",
        "many_tuned": len(tuned) > 1,
        "defaults": "; ".join(
            f"{point_text(run.default)}{f' for {run.id}' if len(tuned) > 1 else ''}" for run in tuned
        ),
        "reading": READINGS[study.reading],
        "test": {"paired": "the paired t-test", "welch": "Welch's t-test"}[significance.test],
        "alpha": f"{significance.alpha:g}",
        "holm": references.cite(LITERATURE["holm"]),
    }


def _made_otherwise(study: Study) -> list[str]:
    """Say where base clusterings that are made here are not the study's k-means."""
    found = []
    if any(isinstance(case.n_clusters, tuple) for case in study.cases):
        found.append("Where Table 1 lists several numbers, the runs take them as k in turn.")
    if any(case.ensemble == "minibatch" for case in study.cases):
        found.append(
            "Mini-batch k-means moves its centres with batches of the objects (scikit-learn's defaults)."
        )
    shares = sorted({case.object_share for case in study.cases if case.ensemble == "mixed"})
    if shares:
        found.append(
            "Several algorithms means single, average, Ward and centroid linkage, k-means and spectral "
            "clustering (of a Gaussian similarity as wide as the median distance from the seventh neighbour) "
            f"in turn, each on {conjunction([f'{share:.0%}' for share in shares])} of the objects, drawn "
            "anew for each run: the others have no label there, but every object has one in each subset."
        )
    return found


def _method(run: MethodRun, references: References) -> dict[str, str]:
    text = _docstring(run)
    section = re.search(r"References\n-+\n(.+?)(?:\n\n|;|\Z)", text, flags=re.DOTALL)
    work = " ".join(section.group(1).split()) if section else ""
    fixed = {name: value for name, value in all_parameters(run).items() if name not in {"method", *run.grid}}
    grid = ", ".join(f"{symbol(name)} ∈ {{{_values(values)}}}" for name, values in run.grid.items())
    return {
        "id": run.id,
        "does": text.split("\n", 1)[0],
        "parameters": ", ".join(f"{symbol(name)} = {_value(value)}" for name, value in fixed.items()),
        "grid": f"{grid} ({len(run.points)} points)" if grid else "",
        "cite": references.cite(work.rstrip(".") + "." if work else ""),
    }


def _docstring(run: MethodRun) -> str:
    from concord.methods import registry

    method = registry.load(run.method) if run.method in registry.available() else None
    return inspect.cleandoc(method.__doc__ or "") if method else ""


def _departures(study: Study, titles: Mapping[str, str]) -> list[str]:
    """Say in the words of its docstring where a method departs from its own parameters, and where."""
    found = []
    for run in study.methods:
        defaults = default_parameters(run.method)
        where: dict[tuple[str, Value], list[str]] = {}
        for case in study.cases:
            for item in study.parameters(case, run).items():
                where.setdefault(item, []).append(titles[case.id])
        for (name, value), cases in where.items():
            if name in defaults and value != defaults[name]:
                everywhere = len(cases) == len(study.cases)
                text = f"{run.id} with {symbol(name)} = {_value(value)} instead of {_value(defaults[name])}"
                text += "" if everywhere else f" on {conjunction(cases)}"
                meaning = _meaning(_docstring(run), name)
                found.append(f"{text}: {_uncapitalised(meaning)}" if meaning else f"{text}.")
    return found


def _uncapitalised(sentence: str) -> str:
    """Write a sentence after a colon: with a small letter, if it does not begin with an abbreviation."""
    return sentence if sentence[:2].isupper() else sentence[0].lower() + sentence[1:]


def _absent(study: Study, titles: Mapping[str, str]) -> str:
    """Say which methods do not run on which data sets; empty if all run on all."""
    together: dict[tuple[str, ...], list[str]] = {}
    for method, cases in study.absent().items():
        together.setdefault(tuple(titles[case.id] for case in cases), []).append(method)
    return "; ".join(f"{conjunction(m)} on {conjunction(cases)}" for cases, m in together.items())


def _meaning(docstring: str, parameter: str) -> str:
    """Return what a docstring says about a parameter; empty if nothing."""
    entry = re.compile(rf"^(?:\w+, )*{parameter}(?:, \w+)* : .*\n((?:    .*\n?)+)", flags=re.MULTILINE)
    found = entry.search(docstring)
    return " ".join(found.group(1).replace("`", "").split()) if found else ""


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _values(values: Sequence[Any]) -> str:
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(numbers) == len(values) > 3 and all(v > 0 for v in numbers):
        ratios = {round(math.log10(b / a), 6) for a, b in pairwise(numbers)}
        if len(ratios) == 1:  # a geometric grid
            return f"{_power(numbers[0])}, {_power(numbers[1])}, …, {_power(numbers[-1])}"
    return ", ".join(map(_value, values))


def _power(value: float) -> str:
    """Return a power of ten as such: 10⁻⁴; other numbers as they are."""
    exponent = round(math.log10(value))
    if abs(exponent) < 2 or not math.isclose(value, 10.0**exponent):
        return f"{value:g}"
    return "10" + f"{exponent}".translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
