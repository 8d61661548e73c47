"""Confirming results of other code: a sample of the fits is made again, and must agree to the bit.

A change may touch the code of every fit and be meant to change no label. Then not all fits are repeated, but at least
one of every job and about a twentieth of the time, drawn by the seed. Where all of them agree, the kept labels are
taken over under the spec of the new code; where one differs, the job is made anew as a whole.

A job is a block of subsets. Where the fits take long, a block has few of them, perhaps one, and one of each block would
be much more than a twentieth of the time. Such blocks share a sample, see :mod:`consclust_studies.shared_samples`: it
is drawn from all blocks of the method on the case, and where a fit of it differs, all of these are fitted again.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from consclust.ensemble import Ensemble
from consclust.plurals import count
from consclust.seeds import generator
from consclust.validation import did_you_mean
from consclust_studies.config.settings import CONFIG_FILE
from consclust_studies.job_files import Files
from consclust_studies.kept_blocks import Fit, KeptBlock, draw_share, read_seconds
from consclust_studies.shared_samples import SharedSample
from consclust_studies.stages.consensus import OF_RACE, Cell, ConsensusJob, fit, load_late_imports, read_inputs
from consclust_studies.stamps import Confirmation, parse_stamp

SHARE = 0.05
"""Share of the CPU seconds of a job, or of all blocks that share a sample, that the sample takes."""


def has_fewer_clusters(labels: Any, n_clusters: int) -> bool:
    """Whether a fit has fewer clusters than were asked for, in any of its restarts, (restarts, n)."""
    return any(len(np.unique(restart[restart >= 0])) < n_clusters for restart in labels if restart.max() >= 0)


SORTS: Mapping[str, Callable[[Any, int], bool]] = {"fewer-clusters": has_fewer_clusters}
"""Sorts of fits at which a change can aim, all of which are made again: by the word in ``--config refit=``."""


class Found(NamedTuple):
    """What a sample showed, where all of its fits agree."""

    confirmation: Confirmation
    said: str
    """For the log of the run."""


def confirm(job: ConsensusJob, files: Files, previous: Mapping[Path, Path], sorts: Sequence[str]) -> Found | None:
    """Make a sample of the fits of a job again; return what was confirmed, None if a fit differs.

    ``previous`` has what an earlier run made, by output. Of the ``sorts`` of fits all are made again.
    """
    own = KeptBlock(previous[files.output("labels")], previous[files.output("runtime")])
    inputs = read_inputs(job, files)
    n_clusters = job.n_clusters or inputs.stored.n_classes
    fits = own.list_fits()
    labels = own.arrays["labels"]
    aimed = [one for one in fits if any(SORTS[sort](labels[one.row, one.point], n_clusters) for sort in sorts)]
    load_late_imports(job)

    def repeats(block: KeptBlock, one: Fit) -> bool:
        ensemble = Ensemble(inputs.stored.subset(one.subset), job.missing)
        cell = fit(job, ensemble, inputs.stored, one.subset, one.point, inputs.features)
        return is_same(cell, block.arrays, one)

    if not own.is_long():
        sample = dict.fromkeys([*aimed, *draw_sample(job, fits, own.runtime)])
        if not all(repeats(own, one) for one in sample):
            return None
        said = f"confirmed on {len(sample)} of {count(len(fits), 'fit')}"
        return Found(Confirmation(made_by=find_maker(job, own.arrays), fits=len(sample), of=len(fits)), said)
    shared = SharedSample.find(job, files.stamp, own, SHARE)
    if not all(repeats(own, one) for one in aimed) or not shared.agrees(repeats):
        return None
    mine = {*aimed, *shared.list_fits_of(own)}
    said = f"confirmed on {len(shared.members)} of {count(shared.of, 'fit')} of all its blocks"
    return Found(Confirmation(made_by=find_maker(job, own.arrays), fits=len(mine), of=len(fits)), said)


def find_maker(job: ConsensusJob, kept: Mapping[str, Any]) -> str:
    """Return the fingerprint of the code that made some labels; those that were confirmed before are of older code."""
    before = parse_stamp(kept["stamp"]).confirmed
    return before.made_by if before else job.from_text(str(kept["spec"]), "the kept labels").code


def draw_sample(job: ConsensusJob, fits: Sequence[Fit], runtime: Mapping[str, Any]) -> list[Fit]:
    """Draw fits in random order until they took :data:`SHARE` of the seconds of all; one at least."""
    first = fits[0].subset if fits else 0
    seconds = {one: read_seconds(runtime, one) for one in fits}
    return draw_share(seconds, SHARE, generator(job.seed, "confirm", job.study, job.case, job.method_id, first))


def is_same(cell: Cell, kept: Mapping[str, Any], one: Fit) -> bool:
    """Whether a fit made again has the kept labels and chooses the kept ones among its restarts, or failed as before.

    Notes count: exhibits read numbers in them.

    Another restart with the same labels is no other choice: which of several is chosen depends on rounding errors of
    their costs in labels that older code made. What is kept of the choice, the iterations of the last stage, is then
    that of another restart and is not compared.
    """
    labels = kept["labels"][one.row, one.point]
    said = cell.note, cell.reason
    if said != (find_remark(kept["notes"], "note", one), find_remark(kept["failures"], "reason", one)):
        return False
    if cell.labels is None:
        return bool((labels < 0).all())
    restarts = len(cell.labels)
    same_labels = np.array_equal(labels[:restarts], cell.labels) and bool((labels[restarts:] < 0).all())
    place = one.row, one.point
    if not same_labels or kept["converged"][place] != cell.converged:
        return False
    chosen = int(kept["chosen"][place])
    if chosen != cell.chosen:
        return np.array_equal(cell.labels[chosen], cell.labels[cell.chosen])
    return bool(kept["iterations"][place] == cell.iterations)


def find_remark(text: Any, word: str, one: Fit) -> str:
    """Return what the notes, or the failures, say of a fit: JSON text with the subset and the point of each.

    What a race left out is noted beside the first fit of a subset, and is no remark of the fit.
    """
    remarks = json.loads(str(text))
    found = (each[word] for each in remarks if (each["subset"], each["point"]) == (one.subset, one.point))
    return str(next((remark for remark in found if not remark.startswith(OF_RACE)), ""))


def unknown_sorts(sorts: Sequence[str]) -> list[str]:
    """Return a message for each sort of fits that is not known."""
    return [
        f"{CONFIG_FILE}: refit = {sort!r}: not known; {did_you_mean(sort, list(SORTS))}"
        for sort in sorts
        if sort not in SORTS
    ]
