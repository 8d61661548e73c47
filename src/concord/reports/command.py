"""``python -m concord reports ...``: tables, figures, pdf."""

import argparse
import json
import logging
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from concord.config.figures import GRID_FIGURES
from concord.config.files import read_study
from concord.config.study import Study
from concord.errors import InputError
from concord.files import write_text
from concord.reports.published import PUBLISHED, load_published, only_printed, printed_names
from concord.reports.rows import case_titles
from concord.validation import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

    from concord.datasets.registry import DatasetSpec

log = logging.getLogger("concord")

REPRODUCIBLE = (
    "table1.csv", "table1.md", "table2.csv", "table2.md", "claims.csv", "claims.md", "pvalues.csv",
    "agreement.csv", "agreement.md", "ranks.csv", "restarts.csv", "restarts.md", "grids.csv", "grids.md",
    "readings.csv", "readings.md", "generalisation.csv", "generalisation.md", "figure1.svg", "figure1.pdf",
    "figure1.png", "figure2.svg", "figure2.pdf", "figure2.png", "starts.csv", "starts.md", "f1_bounds.csv",
)  # fmt: skip
"""Outputs that the same seed and versions give again to the byte, as are further figures with their tables;
the others hold seconds."""


ENSEMBLES_HELP = "folder of the base clusterings; ensembles/<study> beside the results if absent"

FRAMES = ("table1", "table2", "claims", "agreement", "ranks", "restarts", "grids")
"""Tables that the PDF shows."""

STARTS = ("starts", "f1_bounds")
"""Tables that it shows of a study with a table of starts."""


def main(argv: Sequence[str] | None = None) -> None:
    """Run one job of the stage."""
    options = _parser().parse_args(argv)
    options.run(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m concord reports",
        description="Tables, figures, claims with verdicts, and the PDF. Run tables and figures, then pdf.",
    )
    jobs = parser.add_subparsers(required=True, metavar="JOB")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--study", type=Path, required=True, help="resolved study: results/<study>/study.json"
    )
    common.add_argument(
        "--results", type=Path, help="folder of the scores; the study file's folder if absent"
    )
    common.add_argument("--out", type=Path, required=True, help="folder for the outputs: reports/<study>")
    common.add_argument(
        "--registry", type=Path, default=Path("config/datasets.yaml"), help="registered data sets"
    )
    common.add_argument("--published", type=Path, default=PUBLISHED, help="folder of the printed tables")

    job = jobs.add_parser(
        "tables",
        parents=[common],
        help="table1, table2, claims, agreement, restarts, grids (.csv, .md), ranks.csv, pvalues.csv",
    )
    job.add_argument(
        "--prepared", nargs="+", required=True, metavar="CASE=PATH", help="prepared data file of every case"
    )
    job.set_defaults(run=_tables)

    job = jobs.add_parser("readings", parents=[common], help="readings (.csv, .md)")
    job.set_defaults(run=_readings)

    job = jobs.add_parser("starts", parents=[common], help="starts (.csv, .md), f1_bounds.csv")
    job.add_argument("--ensembles", type=Path, help=ENSEMBLES_HELP)
    job.add_argument("blocks", nargs="+", type=Path, metavar="BLOCK", help="consensus files of its methods")
    job.set_defaults(run=_starts)

    job = jobs.add_parser("generalisation", parents=[common], help="generalisation (.csv, .md)")
    job.set_defaults(run=_generalisation)

    job = jobs.add_parser("view", parents=[common], help="a table of some of the methods (.csv, .md)")
    job.add_argument("--view", required=True, metavar="ID", help="which of the study's views")
    job.set_defaults(run=_view)

    job = jobs.add_parser(
        "figures", parents=[common], help="a figure (.svg, .pdf, .png; a further one: .csv)"
    )
    job.add_argument(
        "--figure", default="figure1", metavar="ID", help="figure1, figure2, or one of the study's figures"
    )
    job.add_argument("--ensembles", type=Path, help=ENSEMBLES_HELP)
    job.add_argument("--seed", type=int, help="seed of the configuration, for figures that fit methods")
    job.add_argument(
        "--prepared",
        nargs="*",
        default=[],
        metavar="CASE=PATH",
        help="prepared data file of cases whose objects it shows",
    )
    job.set_defaults(run=_figures)

    job = jobs.add_parser(
        "pdf",
        parents=[common],
        fromfile_prefix_chars="@",
        help="runtime (.csv, .md), provenance.json, report.pdf, SHA256SUMS; needs tables and figures",
        epilog="@FILE stands for the arguments in FILE, one in a line: for many runtime files.",
    )
    job.add_argument(
        "--runtimes", nargs="*", type=Path, default=[], metavar="FILE", help=".runtime.json files"
    )
    job.add_argument("--seed", type=int, help="seed of the configuration, for the record")
    job.set_defaults(run=_pdf)
    return parser


def _registry(options: argparse.Namespace) -> "dict[str, DatasetSpec]":
    from concord.datasets.registry import load_registry

    return load_registry(options.registry)


def _results(options: argparse.Namespace) -> Path:
    results: Path = options.results or options.study.parent
    return results


def _ensembles(options: argparse.Namespace, study: Study) -> Path:
    folder: Path = options.ensembles or _results(options).parent / "ensembles" / study.id
    return folder


def _parquet(path: Path) -> "pd.DataFrame":
    import pandas as pd

    try:
        return pd.read_parquet(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; run `python -m concord scores collect` first") from None


def _csv(path: Path, job: str) -> "pd.DataFrame":
    import pandas as pd

    try:
        return pd.read_csv(path, keep_default_na=False, na_values=[""])
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; run `python -m concord {job}` first") from None


def _tables(options: argparse.Namespace) -> None:
    from concord.reports import agreement, claims, grids, restarts, tables
    from concord.scores.summary import summarise

    study, registry = read_study(options.study), _registry(options)
    results, out = _results(options), options.out
    published = load_published(study, options.published)
    table1 = tables.table1(study, registry, published, _prepared(options.prepared))
    tables.write_csv(table1, out / "table1.csv")
    write_text(out / "table1.md", tables.table1_markdown(study, table1))

    selected, scores = _parquet(results / "selected.parquet"), _parquet(results / "scores.parquet")
    of_paper = only_printed(study, published)
    summary, papers = summarise(study, selected), summarise(of_paper, selected)
    remarks = [_csv(results / name, "scores collect") for name in ("failures.csv", "notes.csv")]
    table2 = tables.table2(study, registry, published, summary, papers, selected, *remarks)
    tables.write_csv(table2, out / "table2.csv")
    write_text(out / "table2.md", tables.table2_markdown(study, table2))

    names = printed_names(study, registry, published)
    others = _parquet(results / "readings/selected.parquet") if study.readings_by_case() else None
    unseen = _unseen(study, case_titles(study, registry), results)
    verdicts = claims.claims_table(
        claims.Material(study, summary, scores, published, names, others, selected, unseen),
        claims.Material(of_paper, papers, scores, published, names, others, selected, unseen),
    )
    tables.write_csv(verdicts, out / "claims.csv")
    write_text(out / "claims.md", claims.claims_markdown(study, verdicts))

    per_case, ranks = agreement.agreement_table(study, table2), agreement.ranks_table(study, table2)
    tables.write_csv(per_case, out / "agreement.csv")
    tables.write_csv(ranks, out / "ranks.csv")
    write_text(out / "agreement.md", agreement.agreement_markdown(study, table2, per_case, ranks))
    of_restarts = restarts.restarts_table(study, scores, table2)
    tables.write_csv(of_restarts, out / "restarts.csv")
    write_text(out / "restarts.md", restarts.restarts_markdown(study, of_restarts))
    of_grids = grids.grids_table(study, scores, table2)
    tables.write_csv(of_grids, out / "grids.csv")
    write_text(out / "grids.md", grids.grids_markdown(study, of_grids))
    shutil.copyfile(results / "pvalues.csv", out / "pvalues.csv")
    log.info("%s: %d data sets, %d claims", study.id, len(table1), len(verdicts))


def _readings(options: argparse.Namespace) -> None:
    from concord.reports import readings, tables

    study, registry, results = read_study(options.study), _registry(options), _results(options)
    published = load_published(study, options.published)
    selected = [_parquet(folder / "selected.parquet") for folder in (results, results / "readings")]
    table = readings.readings_table(study, registry, published, *selected)
    tables.write_csv(table, options.out / "readings.csv")
    write_text(options.out / "readings.md", readings.readings_markdown(study, table))
    log.info("%s: %d scores in other readings", study.id, len(table))


def _starts(options: argparse.Namespace) -> None:
    import numpy as np

    from concord.ensembles import store
    from concord.reports import starts, tables

    study = read_study(options.study)
    if study.starts is None:
        raise InputError(f"{options.study}: the study has no table of starts; add starts to it")
    published = load_published(study, options.published)
    stored = {
        case.id: store.load(_ensembles(options, study) / f"{case.id}.npz") for case, _ in study.started()
    }
    blocks: dict[tuple[str, str], list[Path]] = {}
    for path in options.blocks:
        blocks.setdefault((path.parent.parent.name, path.parent.name), []).append(path)
    table = starts.starts_table(study, _registry(options), published, stored, blocks)
    sizes = {case: np.bincount(one.classes).tolist() for case, one in stored.items()}
    bounds = starts.bounds_table(table, sizes)
    tables.write_csv(table, options.out / "starts.csv")
    tables.write_csv(bounds, options.out / "f1_bounds.csv")
    write_text(options.out / "starts.md", starts.starts_markdown(study, table, bounds))
    log.info(
        "%s: %d rows of starts, %d printed F1 held against their bounds", study.id, len(table), len(bounds)
    )


def _unseen(study: Study, titles: dict[str, str], results: Path) -> "pd.DataFrame | None":
    """Return the table of the study of generalisation; None without one."""
    import pandas as pd

    from concord.reports.generalisation import generalisation_table

    cases = [_parquet(results / f"generalisation/{case.id}.parquet") for case in study.generalised()]
    return generalisation_table(study, titles, pd.concat(cases)) if cases else None


def _generalisation(options: argparse.Namespace) -> None:
    from concord.reports import tables
    from concord.reports.generalisation import generalisation_markdown

    study, registry = read_study(options.study), _registry(options)
    table = _unseen(study, case_titles(study, registry), _results(options))
    if table is None:
        raise InputError(f"{options.study}: {study.id} has no generalisation; add it to the study's file")
    tables.write_csv(table, options.out / "generalisation.csv")
    write_text(options.out / "generalisation.md", generalisation_markdown(study, table))
    log.info("%s: %d scores on unseen objects", study.id, len(table))


def _view(options: argparse.Namespace) -> None:
    import pandas as pd

    from concord.reports import tables
    from concord.scores.summary import summarise

    study, results = read_study(options.study), _results(options)
    views = {view.id: view for view in study.views}
    if options.view not in views:
        raise InputError(f"--view {options.view}: {study.id} has {', '.join(views) or 'none'}; choose one")
    seen = study.seen(views[options.view])
    folders = [results, *([results / "readings"] if study.readings_by_case() else [])]
    selected = pd.concat([_parquet(folder / "selected.parquet") for folder in folders])
    selected = selected.drop_duplicates(["case", "method", "reading", "metric", "subset"])
    failures, notes = (
        pd.concat([_csv(folder / name, "scores collect") for folder in folders])
        for name in ("failures.csv", "notes.csv")
    )
    summary = summarise(seen, selected)
    published = load_published(study, options.published)
    table = tables.table2(seen, _registry(options), published, summary, summary, selected, failures, notes)
    tables.write_csv(table, options.out / f"{options.view}.csv")
    write_text(options.out / f"{options.view}.md", tables.view_markdown(seen, table))
    log.info("%s: %s: %d scores", study.id, options.view, len(table))


def _prepared(words: Sequence[str]) -> dict[str, Path]:
    prepared = {}
    for word in words:
        case, equals, path = word.partition("=")
        if not (case and equals and path):
            raise InputError(
                f"--prepared {word}: write CASE=PATH, for example iris=data/prepared/iris/raw.npz"
            )
        prepared[case] = Path(path)
    return prepared


def _figures(options: argparse.Namespace) -> None:
    study = read_study(options.study)
    titles = case_titles(study, _registry(options))
    cpu = time.process_time()
    if options.figure in GRID_FIGURES:
        _grid_figure(options, study, titles)
    else:
        _further_figure(options, study, titles)
    log.info("%s: %s: %.2f CPU s", study.id, options.figure, time.process_time() - cpu)


def _grid_figure(options: argparse.Namespace, study: Study, titles: dict[str, str]) -> None:
    from concord.reports import figures

    scores = _parquet(_results(options) / "scores.parquet")
    figures.save(figures.draw(study, titles, scores, options.figure), options.out, options.figure)


def _further_figure(options: argparse.Namespace, study: Study, titles: dict[str, str]) -> None:
    from concord.reports import further
    from concord.reports.figure_source import Source

    results, ids = _results(options), [figure.id for figure in study.figures]
    if options.figure not in ids:
        remedy = did_you_mean(options.figure, [*GRID_FIGURES, *ids])
        raise InputError(f"--figure {options.figure}: not in {options.study}; {remedy}")
    prepared = _prepared(options.prepared)
    source = Source(study, titles, results, _ensembles(options, study), options.seed, prepared)
    further.write(study.figure(options.figure), source, options.out)


def _pdf(options: argparse.Namespace) -> None:
    from concord.reports import provenance, runtime, tables
    from concord.reports.document import document
    from concord.reports.figures import FORMATS
    from concord.reports.pdf import write_pdf

    study, registry, out = read_study(options.study), _registry(options), options.out
    published = load_published(study, options.published)
    times = runtime.runtime_table(study, options.runtimes)
    times = runtime.beside_the_print(study, registry, published, times)
    tables.write_csv(times, out / "runtime.csv")
    write_text(out / "runtime.md", runtime.runtime_markdown(study, times))

    seconds = float(times["cpu_seconds"].sum())
    record = provenance.provenance(study, registry, options.seed, seconds, Path.cwd())
    write_text(out / "provenance.json", json.dumps(record, indent=2, ensure_ascii=False) + "\n")

    frames = {name: _csv(out / f"{name}.csv", "reports tables") for name in FRAMES}
    frames["runtime"] = times
    for name in ("failures", "notes"):
        frames[name] = _csv(_results(options) / f"{name}.csv", "scores collect")
    if study.starts:
        frames |= {name: _csv(out / f"{name}.csv", "reports starts") for name in STARTS}
    frames |= {view.id: _csv(out / f"{view.id}.csv", "reports view") for view in study.views}
    if study.readings_by_case():
        frames["readings"] = _csv(out / "readings.csv", "reports readings")
    if study.generalisation:
        frames["generalisation"] = _csv(out / "generalisation.csv", "reports generalisation")
    frames |= {figure.id: _csv(out / f"{figure.id}.csv", "reports figures") for figure in study.figures}
    content = document(study, registry, published, frames, record)
    figures = [out / figure["file"] for figure in content["figures"] if figure["cases"]]
    write_pdf(content, figures, out / "report.pdf")
    views = [f"{view.id}.{suffix}" for view in study.views for suffix in ("csv", "md")]
    further = [f"{figure.id}.{suffix}" for figure in study.figures for suffix in ("csv", *FORMATS)]
    files = [out / name for name in (*REPRODUCIBLE, *views, *further) if (out / name).is_file()]
    write_text(out / "SHA256SUMS", provenance.sha256sums(files))
    log.info("%s: %s", study.id, out / "report.pdf")
