"""The other readings of a study: scored as the study is, and no part of it."""

from pathlib import Path

import pandas as pd
import pytest

from concord.config.protocol import Readings
from concord.errors import InputError
from concord.scores.command import main

RUNS = {"iris": ["KC-few"], "wine": ["KC-few"], "wine_pp": ["RCE"]}


def score(study, write_block, ensemble, folder: Path, runs: dict[str, list[str]], *options: str) -> None:
    folder.mkdir()
    (folder / "study.json").write_text(study.model_dump_json())
    tables, blocks = [], []
    for case, methods in runs.items():
        own = [write_block(case, method, [0, 1, 2, 3]) for method in methods]
        tables.append(folder / f"{case}.parquet")
        arguments = [*options, "--study", folder / "study.json", "--case", case, "--ensemble", ensemble]
        main([str(a) for a in ("case", *arguments, "--out", tables[-1], *own)])
        blocks += own
    arguments = [*options, "--study", folder / "study.json", "--out-dir", folder / "out"]
    main([str(a) for a in ("collect", *arguments, "--cases", *tables, "--blocks", *blocks)])


def test_readings_are_scored_by_case_with_their_base_clusterings(study, write_block, ensemble, tmp_path):
    score(study, write_block, ensemble, tmp_path / "other", RUNS, "--readings")
    out = tmp_path / "other" / "out"
    assert not (out / "pvalues.csv").exists(), "readings are not tested"
    selected = pd.read_parquet(out / "selected.parquet")
    rows = {case: set(group["method"]) for case, group in selected.groupby("case")}
    assert rows == {case: {"K-means", *methods} for case, methods in RUNS.items()}
    assert set(selected.loc[selected["method"] == "RCE", "reading"]) == {
        "oracle-per-subset",
        "oracle-common",
        "default",
    }
    assert (out / "failures.csv").read_text() == "case,method,subset,parameters,reason\n"


def test_what_is_ranked_is_the_same_with_and_without_readings(study, write_block, ensemble, tmp_path):
    whole = {case.id: [run.id for run in study.methods] for case in study.cases}
    score(study, write_block, ensemble, tmp_path / "with", whole)
    bare = study.model_copy(update={"readings": Readings()})
    score(bare, write_block, ensemble, tmp_path / "without", whole)
    for path in (tmp_path / "with" / "out").iterdir():
        assert path.read_bytes() == (tmp_path / "without" / "out" / path.name).read_bytes(), path.name


def test_a_case_without_readings_is_refused(study, write_block, ensemble, tmp_path):
    bare = study.model_copy(update={"readings": Readings()})
    with pytest.raises(InputError, match="none of them runs on the case iris"):
        score(bare, write_block, ensemble, tmp_path / "other", {"iris": ["KC"]}, "--readings")
