"""The features behind the pools of EC-CMS, from the mirror: the objects are those of the pools, in order."""

from pathlib import Path

import numpy as np
import pytest

from consclust.datasets.registry import load_registry
from consclust_studies.stages.prepare import PrepareJob, load, prepare

pytestmark = pytest.mark.mirror

DATASETS = load_registry(Path(__file__).parents[2] / "config/datasets.yaml")
POOLS = {
    "ecoli": "ecoli_pool",
    "aggregation": "aggregation_pool",
    "texture": "texture_pool",
    "landsat": "ls_pool",
    "covertype": "fct_pool",
    "steel_faults": "spf_pool",
    "usps": "usps_pool",
}


@pytest.mark.parametrize(("features", "pool"), POOLS.items())
def test_the_classes_of_the_features_are_those_of_the_pool(features, pool, mirror, tmp_path):
    classes = []
    for name in (features, pool):
        spec, out = DATASETS[name], tmp_path / f"{name}.npz"
        prepare(PrepareJob.make(name, spec, ()), [mirror / file.mirror for file in spec.prepared_from], out)
        classes.append(load(out).y)
    pairs = np.unique(np.column_stack(classes), axis=0)
    assert len(pairs) == DATASETS[features].shape[2] == len(np.unique(classes[1]))
