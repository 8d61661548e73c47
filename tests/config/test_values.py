import pytest
from pydantic import TypeAdapter, ValidationError

from consclust_studies.config.values import Name, Named, Positive, Text, Title, Value, grid_points


def taken(kind, value):
    return TypeAdapter(kind).validate_python(value)


@pytest.mark.parametrize(
    ("given", "value"), [("1e-4", 1e-4), ("12", 12.0), ("ward", "ward"), (True, True), (3, 3), (3.0, 3.0), (None, None)]
)
def test_values_keep_their_type_and_text_that_is_a_number_is_one(given, value):
    found = taken(Value, given)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "-inf", "nan", "1e999", 10**12, -(10**30), [1], {}])
def test_a_value_is_a_finite_number_of_a_sensible_size(value):
    with pytest.raises(ValidationError):
        taken(Value, value)


def test_the_points_of_a_grid_have_the_last_parameter_fastest():
    points = grid_points({"b": [2, 1], "a": [3, 4]})
    assert [tuple(point.items()) for point in points] == [(("b", b), ("a", a)) for b in (2, 1) for a in (3, 4)]
    assert grid_points({}) == [{}]


@pytest.mark.parametrize("name", ["", "-a", "_a", "a b", "a/b", "..", "a.b", "ä", "a\n", "a" * 61])
def test_a_name_that_is_no_part_of_a_file_name(name):
    with pytest.raises(ValidationError):
        taken(Name, name)


@pytest.mark.parametrize(("kind", "longest"), [(Title, 200), (Text, 2000)])
def test_texts_are_stripped_and_neither_empty_nor_endless(kind, longest):
    assert taken(kind, f"  {'a' * longest}\n") == "a" * longest
    for text in ("", " \n", "a" * (longest + 1)):
        with pytest.raises(ValidationError):
            taken(kind, text)


@pytest.mark.parametrize("count", [0, -1, 1.5, 10**12, "x"])
def test_a_count(count):
    assert taken(Positive, 10**6) == 10**6
    with pytest.raises(ValidationError):
        taken(Positive, count)


class Thing(Named):
    word = "kind"

    kind: str


def test_a_thing_may_be_written_as_one_word():
    assert Thing.model_validate("a") == Thing(id="a", kind="a") == Thing(kind="a")
    assert Thing.model_validate({"kind": "a", "id": "b"}).id == "b"
    with pytest.raises(ValidationError):
        Thing.model_validate("a/b")
