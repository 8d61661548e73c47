"""The kinds of jobs: for each the model of its spec, and the function that does it.

A kind is imported when a job of it starts, so that no job pays for the imports of another.
"""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from consclust.errors import InputError
from consclust_studies.specs import Spec


class Kind(NamedTuple):
    """Where the parts of a kind of jobs are."""

    module: str
    spec: str
    """Name of the model of its spec in the module."""
    run: str = "run"
    """Name of the function that does it: run(job, files), which returns what it says in the log."""
    keeps_results: bool = True
    """Whether a result stays where its inputs were made anew with the same content; not where it takes no time."""
    reads_makers: bool = False
    """Whether the versions that made the inputs are part of what it reads."""
    is_sampled: bool = False
    """Whether results of other code may be taken over where a sample of them is confirmed."""
    extra: str = "workflow"
    """The extra of the installation that it needs."""
    uses_pandas: bool = True

    def load_spec(self) -> type[Spec]:
        """Import the model of the spec."""
        found: type[Spec] = getattr(importlib.import_module(self.module), self.spec)
        return found

    def load_run(self) -> Callable[[Any, Any], str]:
        """Import the function that does a job."""
        found: Callable[[Any, Any], str] = getattr(importlib.import_module(self.module), self.run)
        return found


_STAGES = "consclust_studies.stages"
_PIECES = f"{_STAGES}.pieces"
_STREAMED_PIECES = f"{_STAGES}.streamed_pieces"

KINDS = {
    "fetch": Kind(f"{_STAGES}.fetch", "FetchJob", keeps_results=False, uses_pandas=False),
    "prepare": Kind(f"{_STAGES}.prepare", "PrepareJob", uses_pandas=False),
    "base_clusterings": Kind(f"{_STAGES}.base_clusterings", "EnsembleJob", uses_pandas=False),
    "consensus": Kind(f"{_STAGES}.consensus", "ConsensusJob", is_sampled=True, uses_pandas=False),
    "methods": Kind(f"{_STAGES}.methods_of_case", "MethodsJob", uses_pandas=False),
    "race": Kind(f"{_STAGES}.races", "ConsensusJob"),
    "score": Kind(f"{_STAGES}.score", "ScoreJob", reads_makers=True),
    "score_methods": Kind(f"{_STAGES}.score_methods", "MethodsScoreJob", reads_makers=True, uses_pandas=False),
    "collect": Kind(f"{_STAGES}.collect", "CollectJob", reads_makers=True),
    "unseen": Kind(f"{_STAGES}.unseen_objects", "UnseenJob", uses_pandas=False),
    "exhibits": Kind("consclust_studies.exhibits.exhibits_job", "ExhibitJob", extra="report"),
    "document": Kind(
        "consclust_studies.document.document_job", "DocumentJob", keeps_results=False, reads_makers=True, extra="report"
    ),
    "profiles": Kind(_PIECES, "ProfilesJob", run="find_profiles"),
    "merge": Kind(_PIECES, "MergeJob", run="merge_profiles"),
    "consensus_of_labels": Kind(_PIECES, "LabelsJob", run="find_consensus"),
    "label": Kind(_PIECES, "LabelsJob", run="label_piece", keeps_results=False),
    "summary": Kind(_STREAMED_PIECES, "SummaryJob", run="summarise_piece"),
    "consensus_of_stream": Kind(_STREAMED_PIECES, "StreamLabelsJob", run="find_stream_consensus"),
    "label_of_stream": Kind(_STREAMED_PIECES, "StreamLabelsJob", run="label_stream_piece", keeps_results=False),
    "sizes_of_clusters": Kind(_PIECES, "SizesJob", run="count_sizes", keeps_results=False),
}
"""By the word in the rule and in the file of a job."""


def find_kind(word: str, source: Path) -> Kind:
    """Return the kind of jobs of a word; :class:`InputError` names the file of the job, the ``source``."""
    if word not in KINDS:
        raise InputError(f"{source}: kind = {word!r}: no such kind of jobs; run Snakemake again, which writes it")
    return KINDS[word]
