"""What is left of the studies where the configuration names some cases, methods or subsets."""

from collections.abc import Iterable
from pathlib import Path

from concord.config.files import CONFIG_FILE, Config
from concord.config.protocol import Generalisation, Readings
from concord.config.study import Study
from concord.errors import InputError
from concord.validation import did_you_mean


def restrict(study: Study, config: Config) -> Study | None:
    """Keep the cases, methods and first subsets that the configuration names; None if nothing is left."""
    cases = tuple(c for c in study.cases if config.datasets is None or c.id in config.datasets)
    methods = tuple(m for m in study.methods if config.methods is None or m.id in config.methods)
    described = () if config.datasets else study.only_in_table1
    readings = _restricted(study.readings, {c.id for c in cases}, {m.id for m in methods})
    ensemble = study.ensemble.first(config.subsets or study.ensemble.n_subsets)
    update = {
        "ensemble": ensemble,
        "cases": cases,
        "methods": methods,
        "figures": tuple(f for f in study.figures if getattr(f, "subset", 1) <= ensemble.n_subsets),
        "only_in_table1": described,
        "readings": readings,
        "generalisation": _fewer(study.generalisation, {c.id for c in cases}, {m.id for m in methods}),
    }
    kept = study.model_copy(update=update)
    if not any(kept.runs(case) for case in cases):
        return None
    return kept.model_copy(update={"views": tuple(view for view in study.views if kept.seen(view).cases)})


def _fewer(
    generalisation: Generalisation | None, cases: set[str], methods: set[str]
) -> Generalisation | None:
    """Keep what is kept of a study of generalisation; None if nothing is left."""
    if generalisation is None or (generalisation.cases and not cases & {*generalisation.cases}):
        return None
    kept = tuple(m for m in generalisation.methods if m.method in methods)
    return generalisation.model_copy(update={"methods": kept}) if kept else None


def _restricted(readings: Readings, cases: set[str], methods: set[str]) -> Readings:
    """Keep the readings of what is kept."""
    kept = [
        case.model_copy(update={"methods": tuple(m for m in case.methods if m in methods)})
        for case in readings.cases
        if case.of in cases
    ]
    return Readings(methods=tuple(m for m in readings.methods if m.of in methods), cases=tuple(kept))


def check_restrictions(studies: Iterable[Study], config: Config, file: Path = CONFIG_FILE) -> None:
    """Refuse a restriction that names a case or a method of no study, or leaves no study anything to do."""
    studies = list(studies)
    known = {
        "datasets": {c.id for s in studies for c in s.cases},
        "methods": {m.id for s in studies for m in s.methods},
    }
    mistakes = [
        f"{file}: {key} = {word!r}: in no study; {did_you_mean(word, sorted(ids))}"
        for key, ids in known.items()
        for word in getattr(config, key) or ()
        if word not in ids
    ]
    if not mistakes and not any(restrict(study, config) for study in studies):
        asked = "; ".join(f"{key} = {', '.join(words)}" for key in known if (words := getattr(config, key)))
        mistakes = [f"{file}: {asked}: no study runs that; a case names under 'without' what it leaves out"]
    if mistakes:
        raise InputError("\n".join(mistakes))
