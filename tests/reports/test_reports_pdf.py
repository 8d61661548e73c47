import contextlib
import getpass
import hashlib
import io
import json
import platform
import subprocess
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pandas as pd
import pytest
import typst

from concord.config.protocol import MethodRun, Readings
from concord.config.study import Study
from concord.datasets.registry import load_registry
from concord.errors import InputError
from concord.reports.command import FRAMES, main
from concord.reports.document import document
from concord.reports.pdf import typeset_folder, write_pdf
from concord.reports.provenance import git_commit, sha256sums
from concord.reports.published import Published, load_published
from concord.reports.runtime import beside_the_print, runtime_markdown, runtime_table
from concord.reports.tables import DASH
from concord.scores.selection import select
from concord.scores.table import compact

ROOT = Path(__file__).parents[2]
REGISTRY = ROOT / "config" / "datasets.yaml"
SUBSETS = range(3)

STUDY = Study.model_validate(
    {
        "id": "small",
        "title": "A small study",
        "summary": "A test of the report with lambda1.",
        "paper": {"authors": "Some Body", "title": "On It", "venue": "V", "year": 2000},
        "published": "paper",
        "cases": ["iris", "wine"],
        "ensemble": {"runs": 6, "subset_size": 2},
        "methods": [
            "EAC",
            {
                "method": "RCE",
                "grid": {"lambda1": [0.1, 1.0], "lambda2": [0.1, 1.0]},
                "default": {"lambda1": 1.0, "lambda2": 1.0},
            },
        ],
        "metrics": ["ACC", "NMI"],
        "figure1": {"method": "RCE", "x": "lambda1", "y": "lambda2", "cases": ["iris", "digits"]},
        "claims": [{"text": "RCE is best over lambda1.", "check": "best", "method": "RCE", "metric": "ACC"}],
    }
)


def scores(study: Study) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = [
        (study.id, case.id, s, method, compact(point), restart, metric, level + 0.01 * rng.random())
        for case in study.cases
        for method, level, points in (
            (study.base_clusterings, 0.5, [{}]),
            *((run.id, 0.6 + 0.1 * i, run.points) for i, run in enumerate(study.methods)),
        )
        for point in points
        for metric in study.metrics
        for s in SUBSETS
        for restart in ("mean", "chosen")
    ]
    return pd.DataFrame(
        rows, columns=["study", "case", "subset", "method", "parameters", "restart", "metric", "value"]
    )


def runtimes(study: Study, folder: Path) -> list[Path]:
    paths = []
    for case in study.cases:
        for run in study.methods:
            path = folder / case.id / run.id / "0-2.runtime.json"
            path.parent.mkdir(parents=True)
            record = {
                "study": study.id,
                "case": case.id,
                "method": run.id,
                "subsets": list(SUBSETS),
                "n": 150,
                "n_profiles": [10, 30, 20],
                "cpu_seconds": [[0.5] * len(run.points) for _ in SUBSETS],
                "wall_seconds": [[0.5] * len(run.points) for _ in SUBSETS],
                "peak_rss_mib": 123.4,
            }
            path.write_text(json.dumps(record))
            paths.append(path)
    return paths


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Lay out the results of a small run; the working directory is its project folder."""
    monkeypatch.chdir(tmp_path)
    return lay_out(tmp_path)


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Project folder of a small run after its three jobs; not to be changed."""
    folder = tmp_path_factory.mktemp("reported")
    with contextlib.chdir(folder):
        everything(lay_out(folder))
    return folder


def lay_out(folder: Path) -> dict[str, Any]:
    results = folder / "results" / "small"
    results.mkdir(parents=True)
    (results / "study.json").write_text(STUDY.model_dump_json())
    table = scores(STUDY)
    table.to_parquet(results / "scores.parquet")
    select(STUDY, table).to_parquet(results / "selected.parquet")
    (results / "failures.csv").write_text(
        "case,method,subset,parameters,reason\nwine,EAC,0,{},tree is a # _bush_\n"
    )
    (results / "notes.csv").write_text(
        "case,method,subset,parameters,note\n" + "iris,EAC,0,{},cut by hand\nwine,EAC,1,{},cut by hand\n"
    )
    (results / "pvalues.csv").write_text("case,metric\n")
    published = folder / "published" / "paper"
    published.mkdir(parents=True)
    (published / "table1.csv").write_text("dataset,instances,features,classes\nIris,150,4,3\n")
    (published / "table2.csv").write_text(
        "dataset,metric,method,value\nIris,ACC,RCE,0.7\nIris,ACC,CSPA,0.5\n"
    )
    prepared = []
    for case, n, d, k in (("iris", 150, 4, 3), ("wine", 178, 13, 3)):
        classes = np.arange(n) % k
        np.savez(
            folder / f"{case}.npz",
            X=np.ones((n, d)),
            classes=classes,
            class_names=np.array(["x", "y", "z"]),
        )
        prepared.append(f"{case}={case}.npz")
    common = ["--study", "results/small/study.json", "--out", "reports/small"]
    common += ["--registry", str(REGISTRY), "--published", "published"]
    return {"common": common, "prepared": prepared, "runtimes": runtimes(STUDY, results / "consensus")}


def everything(run: dict[str, Any]) -> Path:
    main(["tables", *run["common"], "--prepared", *run["prepared"]])
    main(["figures", *run["common"]])
    Path("runtimes.txt").write_text("\n".join(["--runtimes", *map(str, run["runtimes"])]))
    main(["pdf", *run["common"], "--seed", "7", "@runtimes.txt"])
    return Path("reports/small")


def test_the_three_jobs_give_all_files_and_checksums_that_hold(run: dict[str, Any]) -> None:
    out = everything(run)
    assert sorted(p.name for p in out.iterdir()) == sorted(
        [
            "SHA256SUMS",
            "claims.csv",
            "claims.md",
            "agreement.csv",
            "agreement.md",
            "grids.csv",
            "grids.md",
            "ranks.csv",
            "restarts.csv",
            "restarts.md",
            "figure1.pdf",
            "figure1.png",
            "figure1.svg",
            "provenance.json",
            "pvalues.csv",
            "report.pdf",
            "runtime.csv",
            "runtime.md",
            "table1.csv",
            "table1.md",
            "table2.csv",
            "table2.md",
        ]
    )
    lines = (out / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert not {"report.pdf", "runtime.csv", "provenance.json"} & set(sums)
    assert "table2.csv" in sums
    for name, digest in sums.items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    assert (out / "report.pdf").read_bytes().startswith(b"%PDF-")
    first = (out / "SHA256SUMS").read_bytes(), (out / "report.pdf").read_bytes()
    assert (everything(run) / "SHA256SUMS").read_bytes() == first[0]
    assert (out / "report.pdf").read_bytes() == first[1]  # the same seconds give the same bytes


def test_provenance_names_no_path_host_or_user(reported: Path) -> None:
    text = (reported / "reports/small/provenance.json").read_text()
    record = json.loads(text)
    assert record["seed"] == 7
    assert record["cpu_seconds_in_methods"] == 2 * 3 * (1 + 4) * 0.5
    assert record["versions"]["numpy"] == np.__version__
    assert record["data"]["iris"] == {}
    assert platform.node() not in text
    assert str(reported) not in text
    assert str(Path.home()) not in text
    assert f'"{getpass.getuser()}"' not in text


def test_checksums_of_downloaded_files_and_of_ready_made_ensembles_are_kept() -> None:
    from concord.datasets.registry import load_registry
    from concord.reports.provenance import provenance

    registry = load_registry(REGISTRY)
    case = STUDY.cases[0].model_copy(update={"id": "yale_authors", "dataset": "yale", "ensemble": "authors"})
    record = provenance(STUDY.model_copy(update={"cases": (case,)}), registry, 0, 0.0, ROOT)
    expected = [registry["yale"].files[0], registry["yale"].ensembles["authors"].file]
    assert record["data"]["yale_authors"] == {file.name: file.sha256 for file in expected}


def test_the_checksum_of_an_unregistered_file_is_that_of_the_file(tmp_path: Path) -> None:
    from concord.datasets.registry import load_registry
    from concord.reports.provenance import provenance

    registry = load_registry(REGISTRY)
    file = registry["glass"].files[0].model_copy(update={"sha256": None, "urls": (), "mirror": None})
    registry["glass"] = registry["glass"].model_copy(update={"files": (file,)})
    case = STUDY.cases[0].model_copy(update={"id": "glass", "dataset": "glass"})
    (tmp_path / "data/raw/glass").mkdir(parents=True)
    (tmp_path / "data/raw/glass" / file.name).write_bytes(b"1,2,a")
    record = provenance(STUDY.model_copy(update={"cases": (case,)}), registry, 0, 0.0, tmp_path)
    assert record["data"]["glass"] == {file.name: hashlib.sha256(b"1,2,a").hexdigest()}


def test_git_commit_and_dirt(tmp_path: Path) -> None:
    assert git_commit(tmp_path) is None
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@y"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "--no-gpg-sign", "-m", "x"], check=True)
    clean = git_commit(tmp_path)
    assert clean
    assert len(clean["commit"]) == 40
    assert clean["dirty"] is False
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "file").write_text("x")
    assert git_commit(tmp_path) == {**clean, "dirty": True}
    assert git_commit(tmp_path / "new") is None  # someone else's checkout


def test_sha256sums_is_sorted_by_name(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).write_text(name)
    lines = sha256sums([tmp_path / "b", tmp_path / "a"]).splitlines()
    assert [line[-1] for line in lines] == ["a", "b"]
    assert lines[0].startswith(hashlib.sha256(b"a").hexdigest())


def test_runtime_table_sums_blocks(run: dict[str, Any]) -> None:
    table = runtime_table(STUDY, run["runtimes"])
    rce = table[(table["case"] == "iris") & (table["method"] == "RCE")].iloc[0]
    assert (rce["fits"], rce["cpu_seconds"], rce["cpu_seconds_per_fit"], rce["n_profiles"]) == (
        12,
        6.0,
        0.5,
        20,
    )
    iris = ("iris", "RCE")
    printed = Published(scores={("iris", "ACC", "RCE"): 0.5}, seconds={iris: 14.0}, program={iris: 2.5})
    table = beside_the_print(STUDY, load_registry(REGISTRY), printed, table)
    text = runtime_markdown(STUDY, table)
    assert "| iris | RCE | 150 | 20 | 12 | 6.00 | 0.5000 | 14 | 2.5 | 123 |" in text
    assert text.count(f"| {DASH} | {DASH} | 123 |") == len(table) - 1


def test_runtime_refuses_a_subset_twice_and_a_broken_file(run: dict[str, Any], tmp_path: Path) -> None:
    first = run["runtimes"][0]
    twice = first.with_name("1-2.runtime.json")
    twice.write_text(first.read_text())
    with pytest.raises(InputError, match=r"1-2\.runtime\.json: subset 0 is in another file too"):
        runtime_table(STUDY, [first, twice])
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(InputError, match="'case' is missing"):
        runtime_table(STUDY, [tmp_path / "x.json"])


def content(reported: Path, study: Study = STUDY) -> dict[str, Any]:
    out = reported / "reports/small"
    frames = {name: pd.read_csv(out / f"{name}.csv") for name in (*FRAMES, "runtime")}
    for name in ("failures", "notes"):
        frames[name] = pd.read_csv(reported / f"results/small/{name}.csv")
    record = json.loads((out / "provenance.json").read_text())
    published = load_published(study, reported / "published")
    return document(study, load_registry(REGISTRY), published, frames, record)


def test_the_document_says_what_was_found(reported: Path) -> None:
    said = content(reported)
    assert said["verdicts"] == "Of 1 claim checked in code, 1 is reproduced."
    assert (
        said["failures"] == "Expected failures, printed as missing: EAC on Wine (1 fit: tree is a # _bush_)."
    )
    assert said["remarks"] == "Of note: EAC: cut by hand."
    assert said["summary"] == "A test of the report with λ₁."
    assert said["claims"][0]["claim"] == "RCE is best over λ₁."
    assert said["table1"]["sentence"].startswith("1 of the 1 cases in print")
    assert any("In print but not in this run: the methods CSPA." in point for point in said["points"])
    assert [row["row"] for row in said["agreement"]] == [
        "RCE (oracle, per subset)",
        "RCE (oracle, common)",
        "RCE (default)",
    ]
    assert said["figures"][0]["caption"].endswith("Not in this run: Digits.")
    assert said["order"]["sentences"][0].startswith("0 of 1 printed scores lie within 2 standard errors")
    titles = [section["title"] for section in said["differences"]]
    assert titles == ["Choice of parameters on the true classes", "Scores over the grids"]
    rce = said["protocol"]["methods"][1]
    assert "tol = None, boundary = pin" in rce["parameters"], "what the study does not set is said too"
    assert "λ" not in rce["parameters"]
    assert said["protocol"]["departures"] == []
    assert said["provenance"]["embedded"] == "Iris, Wine"
    cells = said["table2"]["blocks"][0]["rows"][0]["cells"]
    assert cells[2]["bold"] is True
    assert cells[2]["mean"].startswith(".70")
    assert cells[2]["printed"] == ".700"
    assert cells[0]["printed"] == DASH


def test_the_pdf_has_no_section_on_agreement_without_a_print(reported: Path, tmp_path: Path) -> None:
    said = content(reported)
    nothing = {"points": [], "agreement": [], "order": {**said["order"], "sentences": [], "cases": []}}
    source = typeset_folder(said | nothing, [reported / "reports/small/figure1.svg"], tmp_path)
    headings = typst.query(str(source), "heading", root=str(tmp_path), ignore_system_fonts=True)
    assert "Claims" in headings
    assert "Agreement with the print" not in headings


def test_the_pdf_has_its_sections_and_tables(reported: Path, tmp_path: Path) -> None:
    folder = tmp_path / "typeset"
    folder.mkdir()
    source = typeset_folder(content(reported), [reported / "reports/small/figure1.svg"], folder)
    headings = json.dumps(
        json.loads(typst.query(str(source), "heading", root=str(folder), ignore_system_fonts=True))
    )
    for word in (
        "Data",
        "Protocol",
        "Significance",
        "Results",
        "Figure 1",
        "Claims",
        "Runtime",
        "Provenance",
    ):
        assert word in headings
    assert "Agreement with the print" in headings
    captions = json.loads(typst.query(str(source), "figure", root=str(folder), ignore_system_fonts=True))
    # data; ACC, NMI; figure; claims; agreement; tau, ranks, worst; runtime; restarts in ACC, NMI
    assert len(captions) == 1 + 2 + 1 + 1 + 1 + 3 + 1 + 2
    pages = typst.compile(str(source), root=str(folder), format="png", ppi=20, ignore_system_fonts=True)
    assert isinstance(pages, list)
    assert 3 <= len(pages) <= 6


def test_a_tall_figure_stays_on_the_page_of_its_heading(reported: Path, tmp_path: Path) -> None:
    tall = tmp_path / "figure1.svg"
    tall.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 400"><rect width="100" height="400"/></svg>'
    )
    said = content(reported)
    alone = said | {"figures": [said["figures"][0] | {"wide": 3}]}
    (tmp_path / "typeset").mkdir()
    source = typeset_folder(alone, [tall], tmp_path / "typeset")
    pages = typst.compile(str(source), format="png", ppi=20, ignore_system_fonts=True)
    pictures = [matplotlib.image.imread(io.BytesIO(page), format="png") for page in pages]
    ink = [1 - picture[20:-20, :, :3].mean() for picture in pictures]
    assert max(ink) > 0.2, "the black figure"
    assert min(ink) > 0.01, "a page with a heading alone"


def test_a_study_without_figure_claims_paper_and_print_makes_a_pdf(run: dict[str, Any]) -> None:
    bare = STUDY.model_copy(update={"figure1": None, "claims": (), "paper": None, "published": None})
    Path("results/small/study.json").write_text(bare.model_dump_json())
    Path("results/small/failures.csv").write_text("case,method,subset,parameters,reason\n")
    main(["tables", *run["common"], "--prepared", *run["prepared"]])
    main(["pdf", *run["common"]])
    assert Path("reports/small/report.pdf").read_bytes().startswith(b"%PDF-")
    assert "figure1" not in Path("reports/small/SHA256SUMS").read_text()


def test_missing_inputs_are_one_line_with_the_remedy(run: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"table1\.csv: no such file; run .*reports tables"):
        main(["pdf", *run["common"]])
    with pytest.raises(InputError, match="write CASE=PATH"):
        main(["tables", *run["common"], "--prepared", "iris"])
    with pytest.raises(InputError, match=r"figure1\.svg: no such file"):
        write_pdf({}, [Path("figure1.svg")], Path("x.pdf"))
    Path("results/small/study.json").write_text("{}")
    with pytest.raises(InputError, match=r"study\.json: title: missing"):
        main(["figures", *run["common"]])


def test_a_stopping_rule_that_the_study_sets_is_told_in_words(reported: Path) -> None:
    early = STUDY.methods[1].model_copy(update={"parameters": {"tol": 1e-4, "max_inner": 20}})
    study = STUDY.model_copy(update={"methods": (STUDY.methods[0], early)})
    assert content(reported, study)["protocol"]["departures"] == [
        "RCE with tol = 0.0001 instead of None: stop when a round lowers the objective by less than tol "
        "times its value; None: fixed rounds."
    ]


def test_a_stopping_rule_of_one_case_is_told_with_the_case(reported: Path) -> None:
    early = STUDY.cases[0].model_copy(update={"parameters": {"RCE": {"tol": 1e-3}}})
    (said,) = content(reported, STUDY.model_copy(update={"cases": (early, STUDY.cases[1])}))["protocol"][
        "departures"
    ]
    assert said.startswith("RCE with tol = 0.001 instead of None on Iris: stop when a round")


def test_an_abbreviation_keeps_its_capitals_after_a_colon(reported: Path) -> None:
    pta = MethodRun.model_validate({"id": "PTA-CL", "method": "PTA", "parameters": {"linkage": "complete"}})
    study = STUDY.model_copy(update={"methods": (*STUDY.methods, pta)})
    assert content(reported, study)["protocol"]["departures"] == [
        "PTA-CL with linkage = complete instead of average: PTA-AL, PTA-CL and PTA-SL of the paper."
    ]


def test_where_a_method_does_not_run_is_told_beside_the_methods_and_above_the_table(reported: Path) -> None:
    said = content(reported, STUDY)
    assert said["protocol"]["absent"] == ""
    assert "not run" not in said["table2"]["legend"]
    iris, other = STUDY.cases
    spared = iris.model_copy(update={"without": tuple(run.id for run in STUDY.methods)})
    said = content(reported, STUDY.model_copy(update={"cases": (spared, other)}))
    assert said["protocol"]["absent"] == "EAC and RCE on Iris"
    assert '"-" without a note: not run there.' in said["table2"]["legend"]


def test_data_that_may_not_be_the_papers_are_told(reported: Path) -> None:
    doubtful = STUDY.cases[0].model_copy(update={"doubt": "petals were measured by hand"})
    study = STUDY.model_copy(update={"cases": (doubtful, STUDY.cases[1])})
    section = content(reported, study)["differences"][0]
    assert section["title"] == "Data and base clusterings"
    (sentence,) = section["sentences"]
    assert sentence.startswith("Iris: petals were measured by hand. Its scores are .0")


READINGS = {
    "methods": [
        {
            "id": "EAC-single",
            "of": "EAC",
            "method": "EAC",
            "parameters": {"linkage": "single"},
            "why": "which tree",
        }
    ]
}


def test_the_other_readings_are_in_the_pdf_and_change_nothing_else(run: dict[str, Any]) -> None:
    bare = everything(run)
    ranked = {p.name: p.read_bytes() for p in bare.iterdir() if p.suffix in {".csv", ".md", ".svg"}}
    study = STUDY.model_copy(update={"readings": Readings.model_validate(READINGS)})
    Path("results/small/study.json").write_text(study.model_dump_json())
    folder = Path("results/small/readings")
    folder.mkdir()
    others = [select(part, scores(part)) for part in study.readings_by_case()]
    pd.concat(others).to_parquet(folder / "selected.parquet")
    with pytest.raises(InputError, match=r"readings\.csv: no such file; run .*reports readings"):
        everything(run)
    main(["readings", *run["common"]])
    out = everything(run)
    assert {name: (out / name).read_bytes() for name in ranked} == ranked
    assert {"readings.csv", "readings.md"} <= {p.name for p in out.iterdir()} - set(ranked)
    table = pd.read_csv(out / "readings.csv")
    assert table["case"].tolist() == ["iris", "iris", "wine", "wine"]
    assert table["differs"].unique().tolist() == ["linkage: average → single"]
    assert "readings.csv" in (out / "SHA256SUMS").read_text()
