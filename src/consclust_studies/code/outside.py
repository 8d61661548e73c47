"""What never counts as code of a result, by name: each entry says why no number of a result depends on it.

A name is that of a module with everything in it and below it, or of a function, or of a method with what overrides it
in subclasses. There are two kinds.

*Checks* only refuse: they raise, or they do nothing. A call of one that stands alone is left out with its arguments.

*Handling* carries data to a file or from it, unchanged. What it is given counts, its own code does not.
"""

from typing import Literal

from consclust_studies.code.modules import Definition

CHECKS = {
    "consclust.datasets.download": "fetches files, and verifies their checksums, which stand in the spec",
    "consclust.readers.common.short": "quotes a text for a message",
    "consclust.readers.common.one_line": "writes an error as one line of a message",
    "consclust.label_checks": "refuses labels that no clustering has",
    "consclust.validation": "refuses configuration; what it lets pass stands in the spec as it was written",
    "consclust.extras": "says which packages are to be installed",
    "consclust.discovery": "imports the files of a folder; the job names the class that it uses",
    "consclust.methods.constraints": "says which values of parameters are refused",
    "consclust.memory": "counts the bytes that are free",
    "consclust.methods.base.ConsensusMethod.check_parameters": "refuses values of parameters, which are in the spec",
    "consclust.methods.base.ConsensusMethod._doubles": "estimates memory",
    "consclust.methods.base.ConsensusMethod._require_memory": "refuses a fit that does not fit into the memory",
    "consclust.methods.base.ConsensusMethod._check_labels": "refuses a defect of a method, which ends the job",
    "consclust.methods.base.ConsensusMethod.summary": "a sentence for reports",
    "consclust.methods.base.ConsensusMethod.reference": "a citation for reports",
    "consclust.methods.base.Cost": "seconds and bytes, for schedulers",
    "consclust.methods.base.ConsensusMethod.cost": "seconds and bytes, for schedulers",
    "consclust.methods.base.ConsensusMethod.find_cost": "seconds and bytes, for schedulers",
    "consclust.methods.base.ConsensusMethod.matrices": "names, for reports",
    "consclust.methods.base.ConsensusMethod.paths": "names, for reports",
    "consclust.methods.base.ConsensusMethod.constraints": "what :meth:`check_parameters` refuses",
    "consclust_studies.specs.check_made_for": "refuses a file that was made for another job",
    "consclust.scores._check_names": "refuses names of metrics",
    "consclust_studies.stages.label_blocks.check_cover": "refuses files that do not hold each subset once",
    "consclust_studies.stages.label_blocks.Block.check_labels": "refuses a damaged file",
    "consclust.files.refuse_claims": "refuses a damaged file",
}
"""What refuses, and why it changes no result."""

HANDLING = {
    "consclust_studies.contents": "reads and writes what outputs carry beside their content",
    "consclust_studies.stamps": "says which versions made an output; they stand beside the spec",
    "consclust_studies.makers": "says which versions made labels, for the report",
    "consclust_studies.job_files": "carries a job and the names of its files to the process that does it",
    "consclust_studies.kinds": "finds the function of a job by its word; the spec names what it calls",
    "consclust_studies.runner": "does jobs: their own functions are the entries",
    "consclust_studies.progress": "says how far a run is",
    "consclust_studies.code": "says what a fingerprint begins with",
    "consclust_studies.plan": "plans jobs; what it decides stands in their specs",
    "consclust.files": "writes files atomically and reads them back",
    "consclust_studies.specs": "writes a spec as text; the text is compared, never computed with",
    "consclust_studies.stages.consensus.measure_peak_mib": "measures memory",
    "consclust.datasets.catalogue": "gives a person a data set; no job calls it",
    "consclust.ensemble.Ensemble.__repr__": "writes the sizes of an ensemble for a person",
    "consclust.ensemble.Ensemble.from_frame": "reads the data frame of a person; no job calls it",
    "consclust.methods.base.ConsensusMethod.parameters": "lists parameters, for documents and checks; no fit calls it",
    "consclust.methods.streamed.Stream": "says for type checkers that ``fit`` takes streams, too",
    "consclust.methods.streamed.hand_streams_on": "hands streams on; a job that fits one names the function it calls",
    "consclust.methods.load": "finds the class of a method by its name; the job names the class",
    "consclust.methods.names": "lists the methods",
    "consclust.datasets.preprocessing.function": "finds a step by its name; the job names the function",
    "consclust.datasets.preprocessing.module_of": "finds the module of a step; the job names the function",
}
"""What carries data, and why it changes no result."""


def find_kind_of_outside(definition: Definition) -> Literal["check", "handling"] | None:
    """Return why a definition does not count; None if it does."""
    name = repr(definition)
    for end in range(len(name), 0, -1):
        if end < len(name) and name[end] != ".":
            continue
        # the longest entry decides: a check within a module that handles files is a check
        if name[:end] in CHECKS:
            return "check"
        if name[:end] in HANDLING:
            return "handling"
    return None
