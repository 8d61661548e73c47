"""The plan of a project, from its files."""

import pytest

from consclust.errors import InputError
from consclust_studies.config.exhibit_kinds import engine_kinds
from consclust_studies.plan.load import check_command_line, load_plan, load_study


def exhibits(make_plan, *listed):
    plan = make_plan(lambda study, data: study.update(exhibits=[*listed]))
    return [(exhibit.kind, exhibit.id) for exhibit in plan.studies["mine"].exhibits]


PLACES = {word: cls.place for word, cls in engine_kinds().items() if cls.place is not None}
HEATMAP = {"kind": "heatmap", "id": "f", "title": "t", "method": "RCE", "x": "lambda1", "y": "lambda2"}


def test_standard_exhibits_are_there_without_being_listed(make_plan):
    kinds = [kind for kind, _ in exhibits(make_plan)]
    assert set(kinds) <= PLACES.keys()
    assert {"datasets", "scores", "claims", "runtime"} <= set(kinds)
    assert kinds == sorted(kinds, key=lambda kind: PLACES[kind])


def test_own_exhibits_stand_between_the_standard_ones(make_plan):
    own = exhibits(make_plan, HEATMAP)
    position = own.index(("heatmap", "f"))
    assert all(PLACES[kind] < 0 for kind, _ in own[:position])
    assert all(PLACES[kind] >= 0 for kind, _ in own[position + 1 :])


def test_a_standard_exhibit_that_is_listed_stands_once_with_its_own_title(make_plan):
    own = exhibits(make_plan, {"kind": "runtime", "id": "seconds", "title": "Seconds"})
    assert [id_ for kind, id_ in own if kind == "runtime"] == ["seconds"]


def test_a_project_without_studies(make_plan, tmp_path):
    make_plan()
    (tmp_path / "studies/mine/study.yaml").unlink()
    with pytest.raises(InputError, match=r"^studies: no study; .*study\.yaml$"):
        load_plan({"seed": 1})


def test_the_default_study_is_one_that_is_there(make_plan):
    assert make_plan().settings.default_study is None
    assert make_plan(default_study="mine").settings.default_study == "mine"
    with pytest.raises(InputError, match=r'^config/config\.yaml: default_study = \'mina\': .*"mine"'):
        make_plan(default_study="mina")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"subsets": 0}, "subsets = 0: "),
        ({"subsetz": 2}, "subsetz = 2: unknown key"),
        ({"methods": "RCF"}, "methods = 'RCF': "),
        ({"methods": None}, "methods = '': names nothing; .*leave"),
        ({"data_mirror": "nowhere"}, "data_mirror = 'nowhere': "),
    ],
)
def test_a_mistake_of_the_command_line_is_not_that_of_the_file(make_plan, given, said):
    make_plan()
    with pytest.raises(InputError, match=f"^--config: {said}"):
        load_plan({"seed": 1, **given}, given=given)
    if None not in given.values():
        with pytest.raises(InputError, match=rf"^config/config\.yaml: {said}"):
            load_plan({"seed": 1, **given}, given={"seed": 1})


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["--config", "datasets=iris", "seed=1", "datasets=wine"], "datasets=iris and datasets=wine.*=iris,wine$"),
        (["mine", "-C", "seed=1", "--cores", "2", "--config", "seed=2"], "seed=1 and seed=2.*write one of them"),
    ],
)
def test_a_setting_that_is_given_twice_is_refused(arguments, remedy):
    with pytest.raises(InputError, match=f"^--config: {remedy}"):
        check_command_line(arguments)


def test_words_that_are_no_settings_may_repeat():
    check_command_line(["mine", "mine", "--config", "seed=1", "methods=A", "--set-threads", "seed=1", "seed=2"])


def test_what_the_command_line_leaves_of_no_study_names_it(make_plan):
    plan = make_plan()
    n = plan.studies["mine"].n_subsets
    refused = load_plan({"seed": 1, "subsets": n + 1}, given={"subsets": n + 1}).refused["mine"]
    assert refused.startswith("--config: subsets")


def test_a_mistake_in_any_file_stops_before_a_job(make_plan, tmp_path):
    plan = make_plan()
    path = tmp_path / "studies/mine/study.yaml"
    assert load_study(path, plan.registry).id == "mine"
    path.write_text(path.read_text() + "metric: [ACC]\n")
    with pytest.raises(InputError, match=r"^studies/mine/study\.yaml: metric = .*metrics"):
        load_plan({"seed": 1})
    with pytest.raises(InputError, match=r"^config/config\.yaml: seed"):
        load_plan({})
