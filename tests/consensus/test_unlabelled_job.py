"""Consensus labels of a case without classes: the job has the number of clusters."""

import json

import numpy as np
import pytest
from consclust_studies.stages.consensus_command import main
from consclust_studies.stages.consensus_job import ConsensusJob
from consclust_studies.stages.consensus_unlabelled import UnlabelledJob, job_of_text

from consclust.errors import InputError
from consclust.testing import l30
from consclust_studies.specs import digest
from consclust_studies.stages import stored_ensembles as store

CLASSES = np.repeat([0, 1, 2], 10)


@pytest.fixture
def labels_of(tmp_path):
    """Run a method through the command on l30 with some classes; return its labels in the first subset."""

    def run(method, classes, k=None):
        ensemble, spec = tmp_path / "ensemble.npz", f"{list(classes)}"
        store.save(ensemble, l30(), classes, [np.arange(8)], spec)
        named = {"study": "s", "case": "c", "method_id": method, "method": method, "parameters": {}, "seed": 7}
        job = ConsensusJob(**named, ensemble=digest(spec), code="a")
        job = UnlabelledJob.of(job, k, "b") if k else job
        files = {"--ensemble": ensemble, "--out": tmp_path / "labels.npz", "--runtime": tmp_path / "runtime.json"}
        words = [str(word) for pair in files.items() for word in pair]
        main(["--spec", job.json_text, "--subsets", "0-0", *words])
        stored = np.load(tmp_path / "labels.npz")
        assert stored["spec"] == job.json_text
        return stored["labels"][0, 0]

    return run


@pytest.mark.parametrize("method", ["KC", "RCE", "LWEA"])
def test_without_classes_the_labels_are_those_with_classes_if_k_is_their_number(labels_of, method):
    np.testing.assert_array_equal(labels_of(method, np.full(30, -1), 3), labels_of(method, CLASSES))
    assert len(np.unique(labels_of(method, np.full(30, -1), 5))) == 5


def test_more_clusters_than_objects(labels_of):
    with pytest.raises(InputError, match=r"^studies/s/study.yaml: cases: c: k = 31: there are 30 objects"):
        labels_of("LWEA", np.full(30, -1), 31)


def test_the_number_of_clusters_is_part_of_the_spec_of_no_other_job():
    plain = ConsensusJob(
        study="s", case="c", method_id="KC", method="KC", parameters={}, seed=1, ensemble="e", code="a"
    )
    assert "n_clusters" not in json.loads(plain.json_text)
    assert type(job_of_text(plain.json_text, "x")) is ConsensusJob
    without = UnlabelledJob.of(plain, 4, "b")
    assert job_of_text(without.json_text, "x") == without
    for text in ("{", "3", '{"n_clusters": "x"}'):
        with pytest.raises(InputError, match="x:"):
            job_of_text(text, "x")
