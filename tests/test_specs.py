import json

import pytest

from consclust.datasets.prepared import Recipe
from consclust.errors import InputError
from consclust_studies.specs import check_made_for, digest, without_code, without_inputs
from consclust_studies.stages.base_clusterings import EnsembleJob
from consclust_studies.stages.consensus import ConsensusJob
from consclust_studies.stages.prepare import PrepareJob

GIVEN = {"study": "s", "case": "c", "method_id": "m", "method": "RCE", "seed": 1, "ensemble": "e"}


def job(**changes):
    return ConsensusJob(**{**GIVEN, "parameters": {"n_init": 2}, **changes})


def test_a_digest_is_of_the_content_alone():
    assert job().digest == job().digest == job(**dict(reversed(GIVEN.items()))).digest
    assert job().digest == job(grid={}, data=None).digest, "a default that is given is a default"
    assert job().digest == f"spec:{digest(job().json_text)}"
    assert len(job().digest) == len("spec:") + 16
    assert len({job(seed=seed).digest for seed in range(50)}) == 50


def test_digests_are_stable():
    """A digest that changes with the program would run every job of every user again."""
    spec = EnsembleJob(data="d", pool=("s", "c"), algorithm="kmeans", runs=4, subset_size=2, draws=None, draw_seed=None)
    text = '{"data":"d","pool":["s","c"],"algorithm":"kmeans","runs":4,"subset_size":2,"draws":null,"draw_seed":null}'
    assert spec.json_text == text
    assert spec.digest == "spec:68dc4f8fa68946bf"


def test_the_order_of_a_grid_is_kept():
    first, second = job(grid={"a": (2, 1), "b": (3,)}), job(grid={"b": (3,), "a": (2, 1)})
    assert first.digest != second.digest
    assert first.digest != job(grid={"a": (1, 2), "b": (3,)}).digest
    assert ConsensusJob.from_text(second.json_text, "here").points == second.points
    assert [list(point) for point in second.points] == [["b", "a"]] * 2


@pytest.mark.parametrize("value", [1, 1.0, True, False, None, "k-means", "ü", 1e-12, 0.1 + 0.2, -3])
def test_values_are_read_as_they_were_written(value):
    read = ConsensusJob.from_text(job(parameters={"x": value}).json_text, "here").parameters["x"]
    assert (read, type(read)) == (value, type(value))


def test_integers_and_numbers_are_apart():
    assert len({job(parameters={"x": value}).digest for value in (1, 1.0, True, "one")}) == 4


def test_a_spec_for_people_has_no_defaults():
    text = PrepareJob(recipe=Recipe(dataset="iris", reader=None, files=(), sample=None, shape=None, steps=())).json_text
    assert "classes" not in text
    assert "code" not in text


@pytest.mark.parametrize(
    ("text", "words"),
    [("{", "not valid JSON"), ("[]", "keys"), ("{}", "missing"), ('{"sed": 1}', 'did you mean "seed"')],
)
def test_a_text_that_is_no_spec(text, words):
    with pytest.raises(InputError) as caught:
        ConsensusJob.from_text(text, "labels.npz")
    assert all(line.startswith("labels.npz: ") for line in str(caught.value).splitlines())
    assert words in str(caught.value)


def test_a_file_made_for_another_spec():
    check_made_for("a.npz", job().json_text, job().digest)
    with pytest.raises(InputError, match=r"^a\.npz: made with other settings[^\n]*; delete it[^\n]*$"):
        check_made_for("a.npz", job().json_text, job(seed=2).digest)


def test_digests_of_text_and_bytes():
    assert digest("ü") == digest("ü".encode())


def test_the_spec_without_its_inputs_is_the_same_whatever_their_specs_are():
    first = job(ensemble=job(seed=1).digest, data=job(seed=2).digest)
    second = job(ensemble=job(seed=3).digest, data=job(seed=4).digest)
    assert first.json_text != second.json_text
    assert without_inputs(first.json_text) == without_inputs(second.json_text)
    alone = job(ensemble=job(seed=1).digest)
    assert without_inputs(alone.json_text) != without_inputs(first.json_text), "an input more is another job"


@pytest.mark.parametrize("changes", [{"seed": 2}, {"parameters": {"n_init": 3}}, {"grid": {"a": (1,)}}, {"code": "c"}])
def test_the_spec_without_its_inputs_holds_all_else(changes):
    inputs = {"ensemble": job().digest}
    assert without_inputs(job(**inputs).json_text) != without_inputs(job(**inputs, **changes).json_text)


def test_texts_that_look_like_digests_of_specs_are_no_inputs():
    """The names and the values that a user writes count, and so do the digests of published tables."""
    for value in ("spec", "spec:cafe", "spec:0123456789ABCDEF", "0123456789abcdef", " spec:0123456789abcdef"):
        assert without_inputs(job(parameters={"x": value}).json_text) == job(parameters={"x": value}).json_text


def test_the_spec_without_its_code_holds_all_else():
    assert (
        without_code(job(code="a").json_text) == without_code(job(code="b").json_text) == without_code(job().json_text)
    )
    assert without_code(job(seed=2, code="a").json_text) != without_code(job(code="a").json_text)
    assert "code" not in json.loads(without_code(job(code="a").json_text))
    ordered = job(grid={"b": (2, 1), "a": (3,)}, code="x").json_text
    assert list(json.loads(without_code(ordered))["grid"]) == ["b", "a"]
