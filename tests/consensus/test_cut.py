"""Blocks of another size: what is cut out of some equals what a job of that size writes."""

import json

import numpy as np
import pytest

from consclust.errors import ConsensusFailure
from consclust.methods import SpectralConsensus
from consclust.testing import l30
from consclust_studies.config.race import Race
from consclust_studies.specs import digest_spec
from consclust_studies.stages.consensus import ConsensusJob, fit_subsets, write_results
from consclust_studies.stages.cutting import cut_labels, cut_record
from consclust_studies.stages.stored_ensembles import StoredEnsemble, split
from job_files_of import STAMP

STORED = StoredEnsemble(np.tile(l30(), 4), np.repeat(np.arange(3), 10), split(32, 8))


def blocks_of(folder, sizes, stay=None):
    """Run a job on blocks of subsets; return their arrays and their records."""
    job = ConsensusJob(
        study="s", case="c", method_id="SpectralConsensus", method="SpectralConsensus", parameters={"n_init": 3},
        grid={"assign_labels": ("kmeans", "discretize")}, seed=5, ensemble=digest_spec("ensemble"),
        race=Race(metric="ACC", subsets=1, points=1) if stay else None, default={"assign_labels": "kmeans"},
    )  # fmt: skip
    labels, records = [], []
    for subsets in sizes:
        out = folder / f"{subsets[0]}-{subsets[-1]}.npz"
        cells = fit_subsets(job, subsets, STORED, stay=stay)
        write_results(job, subsets, STORED, cells, out, out.with_suffix(".json"), STAMP)
        with np.load(out, allow_pickle=False) as arrays:
            labels.append(dict(arrays))
        records.append(json.loads(out.with_suffix(".json").read_text()))
    return labels, records


@pytest.fixture(params=["all", "raced", "failed"])
def made(request, tmp_path, monkeypatch):
    """Blocks of two subsets, and those of other sizes that a job of the same spec writes."""
    if request.param == "failed":
        fit = SpectralConsensus.fit

        def fail_at_times(self, *given):
            if self.assign_labels == "kmeans" and next(fits) % 3 == 0:
                raise ConsensusFailure("too few clusters")
            return fit(self, *given)

        monkeypatch.setattr(SpectralConsensus, "fit", fail_at_times)
    stay = [0] if request.param == "raced" else None
    fits = iter(range(100))
    pairs = blocks_of(tmp_path, [[0, 1], [2, 3]], stay)
    fits = iter(range(100))
    others = blocks_of(tmp_path, [[0, 1, 2], [3]], stay)
    return pairs, others


def test_labels_of_other_blocks_equal_those_of_a_job(made):
    (pairs, _), (others, _) = made
    for block in others:
        cut = cut_labels(pairs, block["subsets"].tolist())
        assert [*cut] == [*block]
        for key in set(block) - {"notes", "failures"}:
            np.testing.assert_array_equal(cut[key], block[key], key)
            assert np.asarray(cut[key]).dtype == block[key].dtype
        for key in ("notes", "failures"):
            assert json.loads(cut[key]) == json.loads(str(block[key]))


def test_a_record_has_the_seconds_of_its_subsets_and_the_largest_memory(made):
    (_, pairs), _ = made
    for number, record in enumerate(pairs):
        record["peak_rss_mib"] = 100.0 + number
    cut = cut_record(pairs, [1, 2])
    assert cut["subsets"] == [1, 2]
    assert cut["cpu_seconds"] == [pairs[0]["cpu_seconds"][1], pairs[1]["cpu_seconds"][0]]
    assert cut["wall_seconds"] == [pairs[0]["wall_seconds"][1], pairs[1]["wall_seconds"][0]]
    assert cut["peak_rss_mib"] == 101.0


def test_a_subset_that_no_block_holds_is_refused(made):
    (pairs, records), _ = made
    with pytest.raises(KeyError):
        cut_labels(pairs[:1], [1, 2])
    with pytest.raises(KeyError):
        cut_record(records[:1], [2])
