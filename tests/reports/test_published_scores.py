"""Which published values belong to the cases and methods of a study."""

import math

import pandas as pd
import pytest

from consclust_studies.config.published_tables import Published
from consclust_studies.results.published_scores import (
    HALF_DIGIT,
    find_nearer,
    find_published_methods,
    find_published_names,
    restrict_to_paper,
)
from small import STUDY, planned

YALE = {"yale": {"title": "Yale faces", "source": "-", "licence": "-"}}
TWO_OF_KC = ["KC", {"method": "KC", "id": "KC-few", "parameters": {"n_init": 2}}, "EAC"]


def published(*methods: str, dataset: str = "iris") -> Published:
    return Published(scores={(dataset, "ACC", method): 0.5 for method in methods})


def test_cases_are_found_by_their_titles_in_scores_and_in_shapes() -> None:
    tables = Published(scores=published("KC").scores, shapes={"wine": (178, 13, 3)})
    assert find_published_names(planned(), tables) == {"iris": "iris", "wine": "wine"}
    assert find_published_names(planned(), published("KC")) == {"iris": "iris"}


def test_data_sets_that_are_only_described_are_left_out_unless_they_are_wanted() -> None:
    study = planned(only_in_table1=["yale"], origins={**STUDY["origins"], **YALE})
    tables = Published(scores=published("KC").scores, shapes={"yale faces": (165, 1024, 15)})
    assert find_published_names(study, tables) == {"iris": "iris"}
    assert find_published_names(study, tables, described=True) == {"iris": "iris", "yale": "yale faces"}


def test_the_title_in_the_study_wins_over_that_of_the_registry() -> None:
    origin = {"source": "-", "licence": "-"}
    study = planned(origins={"iris": {"title": "Irises", **origin}, "wine": {"title": "Wines", **origin}})
    tables = Published(shapes={"iris": (1, 1, 1), "irises": (2, 2, 2), "wines": (3, 3, 3)})
    assert find_published_names(study, tables) == {"iris": "iris", "wine": "wines"}


@pytest.mark.parametrize(
    ("methods", "known", "expected"),
    [
        ([{"method": "KC", "id": "mine"}], ["KC"], {"mine": "KC"}),
        ([{"method": "KC", "id": "mine"}], ["KC", "mine"], {"mine": "mine"}),
        (TWO_OF_KC, ["EAC"], {"KC": "KC", "KC-few": "KC-few", "EAC": "EAC"}),
        (TWO_OF_KC, ["KC", "EAC"], {"KC": "KC", "KC-few": "KC-few", "EAC": "EAC"}),
    ],
)
def test_a_run_has_its_own_name_if_that_is_published_or_its_class_runs_twice(methods, known, expected) -> None:
    names = find_published_methods(planned(methods=methods), published(*known))
    assert names == {"K-means": "K-means", **expected}


@pytest.mark.parametrize(
    ("known", "unpublished", "expected"),
    [
        (["KC", "RCE"], [], ["KC", "RCE"]),
        (["RCE"], ["EAC"], ["EAC", "RCE"]),
        (["KC", "EAC", "RCE"], [], ["KC", "EAC", "RCE"]),
        (["CSPA"], [], ["KC", "EAC", "RCE"]),
        ([], [], ["KC", "EAC", "RCE"]),
    ],
)
def test_a_study_is_restricted_to_the_methods_of_its_paper(known, unpublished, expected) -> None:
    study = restrict_to_paper(planned(unpublished=unpublished), published(*known))
    assert [run.id for run in study.methods] == expected


def test_the_nearer_of_two_columns() -> None:
    cells = pd.DataFrame(
        {
            "own": [0.4, 0.25, 0.6, 0.5, math.nan],
            "other": [0.6, 0.75, 0.1, math.nan, 0.5],
            "published": [0.55, 0.5, 0.5, 0.5, 0.5],
        },
        index=list("abcde"),
    )
    assert find_nearer(cells, "own", "other").to_dict() == {"a": "other", "b": "equal", "c": "own", "d": "", "e": ""}


@pytest.mark.parametrize(("difference", "is_equal"), [(0.5e-12, True), (-0.5e-12, True), (1e-11, False)])
def test_columns_that_differ_by_rounding_are_equally_near(difference, is_equal) -> None:
    cells = pd.DataFrame({"own": [0.5 + difference], "other": [0.5], "published": [0.25]})
    assert (find_nearer(cells, "own", "other")[0] == "equal") is is_equal


def test_half_a_digit_takes_scores_on_its_edge_and_no_more() -> None:
    assert abs(0.4125 - 0.412) < HALF_DIGIT < abs(0.41251 - 0.412)
