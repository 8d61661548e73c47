"""The ensembles of the leaderboard: which there are, and how they come to this machine."""

import subprocess  # nosec B404
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from consclust.errors import InputError
from consclust.validation import did_you_mean, read_yaml
from consclust_studies.config.settings import CONFIG_FILE
from consclust_studies.plan.load import load_plan
from consclust_studies.plan.plan import Plan
from consclust_studies.results.boards import find_kind

STUDY = "leaderboard"
SMALL = 300
"""Most objects of a data set of ``--sets small``."""
CHOICES = ("small", "all")


class EnsemblesOfCase(NamedTuple):
    """The ensembles of one kind of a data set, and where they lie."""

    case: str
    dataset: str
    kind: str
    """As the leaderboard calls it: k = classes, random k, pool."""
    ensemble: str
    """The file."""
    ensemble_digest: str
    """Of the spec of its job."""
    prepared: str
    """The file with the features."""
    prepared_digest: str
    has_features: bool
    shuffle: int | None
    """Seed by which the objects were shuffled."""
    n_ensembles: int
    seed: int


def read_plan() -> Plan:
    """Return the plan of all studies, in the folder of the project."""
    return load_plan(read_yaml(CONFIG_FILE))


def choose_sets(plan: Plan, wanted: str) -> list[str]:
    """Return the data sets that are meant by "small", "all", or ids with commas; InputError for an unknown one.

    Small are the real ones with features and at most 300 objects, whose classes are not suspect.
    """
    study = plan.studies[STUDY]
    known = list(dict.fromkeys(case.dataset for case in study.cases))
    if wanted == "all":
        return known
    if wanted == "small":
        return [name for name in known if _is_small(plan, name)]
    names = [word.strip() for word in wanted.split(",") if word.strip()]
    if not names:
        raise InputError(f"--sets {wanted!r}: names nothing; write small, all, or ids of data sets with commas")
    for name in names:
        if name not in known:
            raise InputError(
                f"--sets: {name}: no data set of the leaderboard; {did_you_mean(name, [*CHOICES, *known])}"
            )
    return list(dict.fromkeys(names))


def _is_small(plan: Plan, dataset: str) -> bool:
    entry = plan.registry[dataset]
    if entry.shape is None or entry.card is None:
        return False
    n_objects, n_features, _ = entry.shape
    return n_objects <= SMALL and n_features > 0 and not entry.card.synthetic and not entry.card.suspect


def list_cases(plan: Plan, datasets: Sequence[str]) -> list[EnsemblesOfCase]:
    """Return the ensembles of some data sets."""
    study = plan.studies[STUDY]
    found = []
    for case in study.cases:
        if case.dataset not in datasets:
            continue
        entry = plan.registry[case.dataset]
        found.append(
            EnsemblesOfCase(
                case=case.id,
                dataset=case.dataset,
                kind=find_kind(case),
                ensemble=plan.ensemble_file(STUDY, case.id),
                ensemble_digest=plan.ensemble(STUDY, case.id).digest,
                prepared=plan.prepared_file(case),
                prepared_digest=plan.prepare(case.dataset, case.steps_word).digest,
                has_features=entry.shape is None or entry.shape[1] > 0,
                shuffle=entry.shuffle,
                n_ensembles=study.n_subsets_of(case),
                seed=plan.settings.seed,
            )
        )
    return found


def make_ensembles(cases: Sequence[EnsemblesOfCase], cores: int) -> None:
    """Let Snakemake make the ensembles that are not there yet: download, preparation, k-means.

    InputError if it fails; what it said stands on the terminal.
    """
    files = [case.ensemble for case in cases]
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), "--", *files]
    ended = subprocess.run(command, check=False)  # nosec B603
    if ended.returncode != 0:
        absent = sum(not Path(file).exists() for file in files)
        raise InputError(f"{absent} of {len(files)} ensembles could not be made; Snakemake says above why")
