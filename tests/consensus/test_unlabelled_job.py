"""Consensus labels of a case without classes: the job has the number of clusters."""

import json

import numpy as np
import pytest

from consclust.errors import InputError
from consclust.testing import l30
from consclust_studies.specs import digest_spec
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.consensus import ConsensusJob, run
from job_files_of import files_of, marks

CLASSES = np.repeat([0, 1, 2], 10)


@pytest.fixture
def labels_of(tmp_path):
    """Run the job of a method on l30 with some classes; return its labels in the first subset."""

    def labels_of(method, classes, k=None):
        ensemble = tmp_path / "ensemble.npz"
        spec = f"{list(classes)}"
        store.save(ensemble, l30(), classes, [np.arange(8)], marks(spec))
        named = {"study": "s", "case": "c", "method_id": method, "method": method, "parameters": {}, "seed": 7}
        job = ConsensusJob(**named, n_clusters=k, ensemble=digest_spec(spec), code="a")
        out = {"labels": tmp_path / "labels.npz", "runtime": tmp_path / "runtime.json"}
        run(ConsensusJob.from_text(job.json_text, "x"), files_of({"ensemble": ensemble}, out, block="0-0"))
        stored = np.load(out["labels"])
        assert stored["spec"] == job.json_text
        return stored["labels"][0, 0]

    return labels_of


@pytest.mark.parametrize("method", ["KC", "RCE", "LWEA"])
def test_without_classes_the_labels_are_those_with_classes_if_k_is_their_number(labels_of, method):
    np.testing.assert_array_equal(labels_of(method, np.full(30, -1), 3), labels_of(method, CLASSES))
    assert len(np.unique(labels_of(method, np.full(30, -1), 5))) == 5


def test_more_clusters_than_objects(labels_of):
    with pytest.raises(InputError, match=r"studies/s/study.yaml: cases: c: k = 31: there are 30 objects[^\n]*$"):
        labels_of("LWEA", np.full(30, -1), 31)


def test_the_number_of_clusters_is_part_of_the_spec_of_no_other_job():
    plain = ConsensusJob(
        study="s", case="c", method_id="KC", method="KC", parameters={}, seed=1, ensemble="e", code="a"
    )
    assert "n_clusters" not in json.loads(plain.json_text)
    assert ConsensusJob.from_text(plain.json_text, "x").n_clusters is None
    without = plain.model_copy(update={"n_clusters": 4})
    assert without.digest != plain.digest
    assert ConsensusJob.from_text(without.json_text, "x") == without
    for text in ("{", "3", '{"n_clusters": "x"}'):
        with pytest.raises(InputError, match="x:"):
            ConsensusJob.from_text(text, "x")
