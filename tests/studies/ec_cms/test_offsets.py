import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.methods import ECCMS
from consclust_studies.config.published_tables import Published
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.selection import select
from small import planned, scores_of, source_of
from studies.ec_cms.exhibits.offsets import CHANGE, Offsets

LARGE = {
    "id": "large",
    "of": "EC-CMS",
    "method": "ECCMS",
    "parameters": {"gamma1": 100.0},
    "why": "x",
    "cases": ["wine"],
}
KEYS = {
    "kind": "offsets",
    "id": "table3",
    "title": "Table III",
    "case": "wine",
    "method": "EC-CMS",
    "variants": ["large"],
}


@pytest.fixture
def source():
    study = planned(methods=[{"id": "EC-CMS", "method": "ECCMS"}], variants={"methods": [LARGE]})
    (more,) = study.split_variants()
    variants = select(more, scores_of(study.model_copy(update={"cases": more.cases, "methods": more.methods}), seed=3))
    published = Published(
        scores={("wine", "ACC", "EC-CMS"): 0.5},
        offsets={("wine", "ACC", "large"): -0.1, ("wine", CHANGE, "large"): 0.2},
    )
    source = source_of(study, variants=variants, published=published)
    rng, classes = np.random.default_rng(1), np.arange(24) % 3
    labels = np.where(rng.random((24, 12)) < 0.3, rng.integers(0, 4, (24, 12)), classes[:, None])
    source.__dict__["stored"] = {"wine": store.StoredEnsemble(labels, classes, store.split(12, 4))}.__getitem__
    return source


def test_offsets_of_scores_and_of_the_matrix(source) -> None:
    frame = Offsets(**KEYS, metrics=["ACC"]).build(source).frame.set_index("quantity")
    ours, theirs = (
        table.query("case == 'wine' and metric == 'ACC' and method == @name and selection == 'fixed'")["value"].mean()
        for table, name in ((source.selected, "EC-CMS"), (source.variants, "large"))
    )
    assert frame["offset"]["ACC"] == pytest.approx(theirs - ours)
    changes = []
    for subset in range(3):
        ensemble = Ensemble(source.stored("wine").subset(subset))
        own, moved = (ECCMS(3, **given).fit(ensemble).consensus_matrix() for given in ({}, {"gamma1": 100.0}))
        changes.append(np.sqrt(((moved - own) ** 2).sum() / (own**2).sum()))
    assert frame["offset"][CHANGE] == pytest.approx(np.mean(changes))
    assert frame["published"].to_dict() == {"ACC": -0.1, CHANGE: 0.2}
    assert frame["parameters"].str.contains("100").all()


def test_it_fits_the_method_and_its_variants(source) -> None:
    needs = Offsets(**KEYS, metrics=["ACC"]).needs(source.study)
    assert needs.fits == (("wine", "EC-CMS"), ("wine", "large"))
