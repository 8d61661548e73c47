import numpy as np
import pandas as pd
import pytest

from concord.errors import InputError
from concord.scores.command import main
from concord.scores.significance import PAIR_COLUMNS

FILES = [
    "failures.csv",
    "notes.csv",
    "pvalues.csv",
    "scores.csv",
    "scores.parquet",
    "selected.csv",
    "selected.parquet",
]


@pytest.fixture
def run(study, write_block, ensemble, tmp_path):
    """Run the stage through its command; returns a function for ``collect``."""
    (tmp_path / "study.json").write_text(study.model_dump_json())
    failures = [{"subset": s, "point": 1, "reason": 'needs "two", has one'} for s in (3, 0)]
    blocks, tables = [], []
    for case in ("wine", "iris"):
        own = [
            write_block(case, "KC", [0, 1, 2, 3]),
            write_block(case, "RCE", [0, 1, 2, 3], failures=failures),
        ]
        tables.append(tmp_path / f"{case}.parquet")
        arguments = ["--study", tmp_path / "study.json", "--case", case, "--ensemble", ensemble]
        main([str(a) for a in ("case", *arguments, "--out", tables[-1], *own)])
        blocks += own

    def collect(out, tables=tables, blocks=blocks):
        arguments = [
            "--study",
            tmp_path / "study.json",
            "--out-dir",
            out,
            "--cases",
            *tables,
            "--blocks",
            *blocks,
        ]
        main([str(a) for a in ("collect", *arguments)])

    collect.tables, collect.blocks = tables, blocks
    return collect


def test_writes_everything_in_the_order_of_the_study(run, tmp_path):
    out = tmp_path / "results"
    run(out)
    assert sorted(path.name for path in out.iterdir()) == FILES
    scores = pd.read_parquet(out / "scores.parquet")
    assert list(scores["case"].unique()) == ["iris", "wine"]
    assert len(scores) == 2 * 4 * 6 * 2 * 5
    selected = pd.read_parquet(out / "selected.parquet")
    assert len(selected) == 2 * 5 * 5 * 4
    assert selected["subset"].dtype == np.int64
    for frame, name in ((scores, "scores"), (selected, "selected")):
        same = pd.read_csv(out / f"{name}.csv")
        pd.testing.assert_frame_equal(frame, same, check_dtype=False, rtol=1e-9)
    pvalues = pd.read_csv(out / "pvalues.csv")
    assert tuple(pvalues.columns) == PAIR_COLUMNS
    assert len(pvalues) == 2 * 5 * 10


def test_failures_are_records_and_never_selected(run, tmp_path):
    run(tmp_path / "results")
    failures = pd.read_csv(tmp_path / "results" / "failures.csv")
    point = '{"lambda1":0.1,"lambda2":10.0}'
    assert failures.to_numpy().tolist() == [
        [case, "RCE", subset, point, 'needs "two", has one'] for case in ("iris", "wine") for subset in (0, 3)
    ]
    selected = pd.read_parquet(tmp_path / "results" / "selected.parquet")
    assert selected["value"].notna().all()
    common = selected[selected["reading"] == "oracle-common"]
    assert point not in set(common["parameters"])


def test_bytes_are_reproducible(run, tmp_path):
    run(tmp_path / "a")
    run(tmp_path / "b", tables=run.tables[::-1], blocks=run.blocks[::-1])
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_no_failures_is_a_table_without_rows(run, write_block, tmp_path):
    run(tmp_path / "results", blocks=[path for path in run.blocks if path.parent.name == "KC"])
    assert (tmp_path / "results" / "failures.csv").read_text() == "case,method,subset,parameters,reason\n"


def test_a_case_is_missing_or_given_twice(run, tmp_path):
    with pytest.raises(InputError, match="no scores of case iris"):
        run(tmp_path / "results", tables=run.tables[:1])
    with pytest.raises(InputError, match=r"wine.parquet: case wine is also in .*wine.parquet"):
        run(tmp_path / "results", tables=[*run.tables, run.tables[0]])
    assert not (tmp_path / "results").exists()


def test_a_table_of_another_study(run, tmp_path):
    table = pd.read_parquet(run.tables[0])
    table["study"] = "other"
    table.to_parquet(run.tables[0])
    with pytest.raises(
        InputError, match=r"wine.parquet: holds other/wine; expected one case of the study tiny"
    ):
        run(tmp_path / "results")


def test_damaged_or_foreign_files(run, tmp_path):
    with pytest.raises(InputError, match="eac/EAC is not in the study tiny"):
        run(tmp_path / "results", blocks=[tmp_path / "eac" / "EAC" / "0-3.npz"])
    with pytest.raises(InputError, match=r"gone.parquet: no such file"):
        run(tmp_path / "results", tables=[tmp_path / "gone.parquet"])
    run.tables[0].write_bytes(b"not parquet")
    with pytest.raises(InputError, match=r"wine.parquet: not a readable Parquet file"):
        run(tmp_path / "results")
    pd.DataFrame({"a": [1]}).to_parquet(run.tables[0])
    with pytest.raises(InputError, match=r"wine.parquet: columns a; expected study, case"):
        run(tmp_path / "results")


def test_block_of_another_case(run, ensemble, tmp_path):
    arguments = ["--study", tmp_path / "study.json", "--case", "iris", "--ensemble", ensemble]
    with pytest.raises(InputError, match="lies in the folder of case wine, not of iris"):
        main([str(a) for a in ("case", *arguments, "--out", tmp_path / "x.parquet", *run.blocks)])


def test_study_file(tmp_path):
    path = tmp_path / "study.json"
    arguments = ["collect", "--study", str(path), "--out-dir", "x", "--cases", "x", "--blocks", "x"]
    with pytest.raises(InputError, match=r"study.json: no such file"):
        main(arguments)
    path.write_text("{")
    with pytest.raises(InputError, match=r"study.json: not valid JSON"):
        main(arguments)
    path.write_text("{}")
    with pytest.raises(InputError, match=r"study.json: id: missing"):
        main(arguments)


@pytest.mark.parametrize("job", [[], ["case"], ["collect"]])
def test_help(job, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([*job, "--help"])
    assert "usage: python -m concord scores" in capsys.readouterr().out


def test_notes_are_listed_in_the_order_of_the_study(run, write_block, tmp_path):
    notes = [{"subset": 2, "point": 3, "note": "a stand-in cut the graph"}]
    run.blocks.append(write_block("iris", "RCE", [0, 1, 2, 3], notes=notes))
    run(tmp_path / "results", blocks=[run.blocks[-1], *run.blocks[:2]])
    assert pd.read_csv(tmp_path / "results" / "notes.csv").to_numpy().tolist() == [
        ["iris", "RCE", 2, '{"lambda1":1.0,"lambda2":10.0}', "a stand-in cut the graph"]
    ]
