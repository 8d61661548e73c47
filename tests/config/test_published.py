from pathlib import Path

import pytest

from consclust.errors import InputError
from consclust_studies.config.published_tables import Published, load_published

FILES = {
    "table1": "dataset,instances,features,classes\nOne,4,,2\n",
    "table2": 'dataset,metric,method,value\nOne,ACC,KC,0.7\nOne,ACC,RCE,0.8\n"Two, b",NMI,KC,0.1\n',
    "starts": "dataset,metric,method,selected,mean,std,max,min\nOne,ACC,KC,0.5,,,0.6,\n",
    "seconds": "dataset,method,seconds\nOne,KC,700\n",
    "program": "dataset,method,seconds\nOne,KC,0.3\n",
    "offsets": "dataset,metric,method,value\nOne,ACC,small,-0.03\n",
}


def load(folder: Path, **texts: str) -> Published:
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text)
    return load_published({name: folder / f"{name}.csv" for name in texts})


def test_tables_become_mappings(tmp_path: Path) -> None:
    found = load(tmp_path, **FILES)
    assert found.shapes == {"one": (4, 0, 2)}
    assert list(found.scores.items())[1:] == [(("one", "ACC", "RCE"), 0.8), (("two, b", "NMI", "KC"), 0.1)]
    assert found.starts == {("one", "ACC", "KC"): {"selected": 0.5, "max": 0.6}}
    assert (found.seconds, found.program) == ({("one", "KC"): 700.0}, {("one", "KC"): 0.3})
    assert (found.deviations, found.offsets) == ({}, {("one", "ACC", "small"): -0.03})
    assert (found.list_methods("ACC"), found.list_datasets("NMI")) == (["KC", "RCE"], ["two, b"])


def test_a_table_of_scores_may_have_deviations(tmp_path: Path) -> None:
    found = load(tmp_path, table2="dataset,metric,method,value,std\nOne,ACC,KC,0.7,0.02\nOne,NMI,KC,0.6,\n")
    assert found.scores == {("one", "ACC", "KC"): 0.7, ("one", "NMI", "KC"): 0.6}
    assert found.deviations == {("one", "ACC", "KC"): 0.02}


def test_tables_that_are_not_given_are_empty(tmp_path: Path) -> None:
    assert load(tmp_path) == Published()
    assert load(tmp_path, table1="dataset,instances,features,classes\n") == Published()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("table2", "dataset,metric,method,value\nOne,ACC,KC,seven\n", "line 2, value = 'seven': not a number"),
        ("table2", "dataset,metric,method,value\nOne,ACC,KC,.1\nOne,ACC,EAC,\n", "line 3, value = '': not a number"),
        ("table2", "dataset,metric,method,value\nOne,ACC,KC,nan\n", "line 2, value = 'nan': not a number"),
        ("table2", "dataset,metric,method,value\nOne,ACC\n", "line 2: no method; complete this line"),
        ("table2", "dataset,metric,method,value,std\nOne,ACC,KC,.1,x\n", "line 2, std = 'x': not a number"),
        ("seconds", "dataset,method\nOne,KC\n", "line 2, seconds = '': not a number"),
        ("starts", "dataset,metric,method,selected\nOne,ACC,KC,.5\n", "line 2, mean = '': not a number"),
    ],
)
def test_what_the_header_does_not_say_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"{name}\.csv: {message}"):
        load(tmp_path, **{name: text})


def test_a_file_that_cannot_be_read_has_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.csv: no such file; add the published values"):
        load_published({"table1": tmp_path / "x.csv"})
    (tmp_path / "x.csv").write_bytes(b"dataset,instances\n\xff,1\n")
    with pytest.raises(InputError, match=r"x\.csv: not a CSV file in UTF-8"):
        load_published({"table1": tmp_path / "x.csv"})
