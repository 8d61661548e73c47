import pytest

from consclust.errors import InputError
from consclust.validation import parse
from consclust_studies.config.settings import CONFIG_FILE, Settings


def settings(value):
    return parse(Settings, value, CONFIG_FILE)


@pytest.mark.parametrize("given", ["second, iris", "iris,second,", ["second", "iris"], ["iris", "second", "iris"]])
def test_names_may_stand_in_one_text_and_in_any_order(given):
    loaded = settings({"seed": 1, "datasets": given})
    assert loaded.restrictions == {"datasets": ("iris", "second")}


def test_without_restrictions():
    assert settings({"seed": 1, "datasets": None}).restrictions == {}
    assert settings({"seed": 1, "subsets": 2}).restrictions == {"subsets": ("2",)}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({}, ["seed", "missing"]),
        ({"seed": -1}, ["seed = -1"]),
        ({"seed": True}, ["seed = True", "number"]),
        ({"seed": 1.5}, ["seed = 1.5"]),
        ({"seed": 10**30}, ["seed = 1000"]),
        ({"seed": 1, "subsets_per_job": 0}, ["subsets_per_job = 0"]),
        ({"seed": 1, "subsets": 0}, ["subsets = 0"]),
        ({"seed": 1, "datasets": []}, ["datasets = []", "null"]),
        ({"seed": 1, "datasets": ""}, ["datasets = ''", "null"]),
        ({"seed": 1, "methods": " , "}, ["methods = ' , '", "null"]),
        ({"seed": 1, "datasets": "../iris"}, ["datasets[0] = '../iris'"]),
        ({"seed": 1, "data_miror": "x"}, ["data_miror = 'x'", 'did you mean "data_mirror"?']),
        ({"seed": 1, 2: 3}, ["the key 2", "quotes"]),
    ],
)
def test_a_mistake_is_a_line_with_file_key_and_remedy(value, words):
    with pytest.raises(InputError) as caught:
        settings(value)
    assert str(caught.value).startswith("config/config.yaml: ")
    assert "\n" not in str(caught.value)
    assert all(word in str(caught.value) for word in words), caught.value
