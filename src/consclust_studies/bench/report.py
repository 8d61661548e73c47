"""The report on a user's method: PDF and page, tables as files, and the leaderboard's page with one row more."""

# matplotlib and seaborn are imported where needed, so that what does without them starts faster

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consclust.files import write_csv
from consclust.report import figures
from consclust.report.blocks import Picture, Table, listed
from consclust.report.figures import PAGE, style
from consclust.report.items import Item, block_items, heading, paragraph, table
from consclust.report.own_labels import write_documents
from consclust.report.wording import DASH, conjunction, count, number, score, signed
from consclust_studies.bench.comparison import (
    BASE,
    DEFAULT,
    METRICS,
    ROPE,
    Board,
    compare_all,
    compare_with_each,
    find_headline,
    list_sets,
)
from consclust_studies.bench.contract import Outcome
from consclust_studies.exhibits.rank_diagram import draw_rank_panels
from consclust_studies.results.boards import keep_ranked, tabulate, write_p
from consclust_studies.results.over_datasets import FEWEST, rank_methods

if TYPE_CHECKING:
    import pandas as pd

    from consclust_studies.results.boards import Part

METRIC = METRICS[0]
SHOWN_SETS = 10
"""Data sets with the greatest and with the least difference that the report shows."""
NEIGHBOURS = 10
"""Methods of a diagram of critical differences."""
TABLES = ("checks", "board", "beside", "sets", "cells", "failures")
PICTURES = ("ranks", "differences")
PAGE_OF_ALL = "leaderboard.html"
FILES = (
    "report.pdf",
    "report.html",
    PAGE_OF_ALL,
    *(f"{name}.csv" for name in TABLES),
    *(f"{name}.{suffix}" for name in PICTURES for suffix in figures.FORMATS),
)
"""What the folder of a report may have, beside the kept fits."""


def write_report(
    board: Board,
    outcomes: Sequence[Outcome],
    failures: Sequence[tuple[str, str]],
    settings: Mapping[str, str],
    folder: Path,
) -> str:
    """Write all files of the report on a method into a folder; return its abstract."""
    import pandas as pd

    parts = compare_all(board, METRIC)
    headline = find_headline(parts)
    sets = list_sets(board, METRIC)
    beside = [(part, compare_with_each(board, part)) for part, _ in headline]
    write_csv(folder / "checks.csv", pd.DataFrame([{**one._asdict(), "outcome": one.word} for one in outcomes]))
    write_csv(folder / "board.csv", _join_frames([rows for _, rows in parts]))
    write_csv(folder / "beside.csv", _join_frames([rows.assign(kind=p.kind, group=p.group) for p, rows in beside]))
    write_csv(folder / "sets.csv", sets)
    write_csv(folder / "cells.csv", board.cells)
    write_csv(folder / "failures.csv", pd.DataFrame(failures, columns=["case", "reason"]))
    pictures = {"ranks": draw_ranks(board, [part for part, _ in headline]), "differences": draw_differences(sets)}
    sizes = {name: picture.get_size_inches() for name, picture in pictures.items()}
    for name, picture in pictures.items():
        figures.save(picture, folder, name)
    summary = summarise(board, headline)
    chapters = {
        "Result": list(_show_result(board, summary, parts, beside, sizes)),
        "Data sets": list(_show_sets(board, sets, failures, sizes)),
        "How this was computed": list(_describe_computation(board, outcomes, settings)),
    }
    failed = [one.title for one in outcomes if one.problem and one.is_required]
    files = [folder / f"{name}.svg" for name in pictures]
    about = {"title": f"{board.name} on the leaderboard", "study": board.name, "abstract": summary}
    write_documents(about | {"restricted": describe_failed(board.name, failed)}, chapters, files, folder)
    return summary


def _join_frames(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of all frames; there are none where no chosen data set is in a group that is ranked."""
    import pandas as pd

    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def describe_failed(name: str, failed: Sequence[str]) -> str:
    """Say which contract checks a method has failed and was compared all the same; empty if none."""
    if not failed:
        return ""
    return f"{name} fails the contract ({conjunction(failed)}); its scores may depend on what no method should use."


def summarise(board: Board, headline: Sequence[tuple[Part, pd.DataFrame]]) -> str:
    """Say for each kind of ensembles where the method stands, beside the default method and the best one."""
    sentences = []
    for part, rows in headline:
        methods = rows[rows["rank"].notna() & (rows["method"] != BASE)].reset_index(drop=True)
        mine = methods[methods["method"] == board.name]
        if mine.empty:
            sentences.append(f"With {part.kind}, {board.name} has no score.")
            continue
        own = mine.iloc[0]
        place = int((methods["rank"] < own["rank"]).sum()) + 1
        n_sets = count(len(part.table), "data set")
        sentences.append(
            f"With {part.kind} on {n_sets} ({part.group}), {board.name} has mean {METRIC} {score(own['mean_worst'])} "
            f"and mean rank {number(own['rank'], '.1f')}, place {place} of {len(methods)}."
        )
        if board.name != DEFAULT and own["datasets"] >= FEWEST:
            sentences.append(
                f"It is above {DEFAULT} on {number(100 * own['better'], '.0f')} % of them, and better, practically "
                f"equal (within {number(ROPE)}) or worse with probability {number(own['bayes_better'], '.2f')}, "
                f"{number(own['bayes_equal'], '.2f')} and {number(own['bayes_worse'], '.2f')}."
            )
    if not sentences:
        sentences.append("None of the chosen data sets is in a group that is ranked; there are scores alone.")
    return " ".join(sentences)


def _show_result(
    board: Board,
    summary: str,
    parts: Sequence[tuple[Part, pd.DataFrame]],
    beside: Sequence[tuple[Part, pd.DataFrame]],
    sizes: Mapping[str, Any],
) -> Iterator[Item]:
    """Yield the boards, the diagram, and the method beside each other one."""
    yield heading("Beside each method")
    blocks = tuple(_tabulate_beside(part, rows) for part, rows in beside if len(rows))
    caption = (
        f"Difference: mean {METRIC} of {board.name} minus that of the other method, on the data sets on which both "
        f"have a score. P(A > B): share of these on which {board.name} is above, ties as halves. p: Wilcoxon's signed "
        "rank test with Holm's correction. Seconds: those of a fit in terms of the other method's, which were measured "
        "in the accepted run."
    )
    yield from block_items("beside", "Beside each method", caption, blocks, whole=True)
    yield heading("Mean ranks")
    picture = Picture(width=sizes["ranks"][0], height=sizes["ranks"][1])
    caption = (
        f"Mean ranks of {board.name} and its neighbours, at most {NEIGHBOURS} methods. Methods that a bar joins do not "
        "differ significantly by Nemenyi's test (p < .05)."
    )
    yield from block_items("ranks", "Mean ranks", caption, (picture,))
    yield heading("The boards")
    caption = (
        f"The tables of the leaderboard on the chosen data sets, with {board.name}. A method without a score on a data "
        "set is its last, and has its lowest score in the mean with missing as worst. Better, equal, worse: posterior "
        f"of the Bayesian signed rank test against {DEFAULT}, equal within {number(ROPE)}. Order: mean difference of "
        "the score on the objects in the order of their file. Seconds: median CPU time of a fit."
    )
    # the PDF has those of the headline, the page all
    in_pdf = [(part.kind, part.group) for part, _ in find_headline(parts)]
    boards = tuple(_tabulate_board(part, rows, board.name, (part.kind, part.group) in in_pdf) for part, rows in parts)
    yield from block_items("board", "The boards", caption, boards, whole=True)


def _tabulate_beside(part: Part, rows: pd.DataFrame) -> Table:
    columns = {"Method": "method", "Sets": "datasets", "Difference": "difference", "P(A > B)": "better", "p": "p"}
    columns |= {"Seconds": "seconds"}
    forms: Any = {"datasets": str, "p": write_p, "seconds": lambda ratio: number(ratio, ".2g"), "difference": signed}
    return listed(f"{part.kind}, {part.group}", rows, columns, forms=forms)


def _tabulate_board(part: Part, rows: pd.DataFrame, name: str, in_pdf: bool) -> Table:
    """Return the table of a kind and group, the row of a method in bold."""
    made = tabulate(part, rows)
    marked = []
    for row in made.rows:
        is_own = row[0].text == name
        marked.append(tuple(cell.model_copy(update={"bold": True}) for cell in row) if is_own else row)
    return made.model_copy(update={"rows": tuple(marked), "in_pdf": in_pdf})


def _show_sets(
    board: Board, sets: pd.DataFrame, failures: Sequence[tuple[str, str]], sizes: Mapping[str, Any]
) -> Iterator[Item]:
    """Yield where the method wins and loses, and what has no score."""
    columns = {"Data set": "dataset", "Ensembles": "kind", board.name: "own", DEFAULT: "default"}
    columns |= {"Difference": "difference", "Best other": "best", "Its score": "best_score", "Rank": "rank"}
    forms: Any = {"rank": lambda rank: number(rank, ".1f"), "difference": signed}
    scored = sets.dropna(subset="difference")
    yield heading("Where it wins and loses")
    wins = scored[scored["difference"] > 0].head(SHOWN_SETS)
    losses = scored[scored["difference"] < 0].tail(SHOWN_SETS).iloc[::-1]
    blocks = []
    for title, rows in ((f"Above {DEFAULT}", wins), (f"Below {DEFAULT}", losses)):
        if len(rows):
            blocks.append(listed(title, rows, columns, left=2, forms=forms))
    picture = Picture(width=sizes["differences"][0], height=sizes["differences"][1])
    caption = (
        f"The {SHOWN_SETS} data sets and kinds with the greatest differences of {METRIC} to {DEFAULT}; sets.csv has "
        "all. Rank: among all methods."
    )
    yield from block_items("sets", "Where it wins and loses", caption, tuple(blocks))
    caption = f"Difference of {METRIC} to {DEFAULT}, a bar for each data set, in order."
    yield from block_items("differences", "", caption, (picture,))
    if failures:
        yield heading("Without a score")
        yield table(("Data set and kind", "Reason"), failures, "A case with such a fit counts as the worst of its set.")
    if board.different:
        yield paragraph(
            f"Left out: {conjunction(sorted(board.different))}. Their base clusterings have other scores here than in "
            "the accepted run, or are not in it, as k-means may differ on another kind of processor."
        )


def _describe_computation(board: Board, outcomes: Sequence[Outcome], settings: Mapping[str, str]) -> Iterator[Item]:
    """Yield the checks and the settings."""
    yield heading("Contract checks")
    header = ["Check", "Outcome"]
    rows = [[one.title, one.word] for one in outcomes]
    if any(one.problem for one in outcomes):
        header.append("What was found")
        rows = [[*row, one.problem or DASH] for row, one in zip(rows, outcomes, strict=True)]
    yield table(header, rows)
    yield heading("Settings")
    n_sets = board.cells["dataset"].nunique()
    yield paragraph(
        f"{board.name} was fitted to the ensembles of {count(n_sets, 'data set')} of the leaderboard. The scores of "
        "all other methods are those of the accepted run; nothing of them was run again. The data sets, the ensembles "
        "and the statistics are described in studies/leaderboard/protocol.md."
    )
    yield table(("Setting", "Value"), list(settings.items()))


# ---------------------------------------------------------------- pictures


@style()
def draw_ranks(board: Board, parts: Sequence[Part]) -> Any:
    """Draw the mean ranks of the method and its neighbours, a panel for each kind of ensembles."""
    groups = {}
    for part in parts:
        names = find_neighbours(board, part)
        if len(names) > 2 and len(part.table) > 1:
            groups[f"{part.kind}, {part.group}"] = rank_methods(part.table[names])
    picture = draw_rank_panels(groups)
    if not groups:
        picture.axes[0].text(0, 0.5, "Too few data sets to rank", va="center")
    for panel in picture.axes:
        for text in panel.texts:
            # a name with its rank after it on the left, before it on the right
            if text.get_text().startswith(f"{board.name} (") or text.get_text().endswith(f") {board.name}"):
                text.set_fontweight("bold")
    return picture


def find_neighbours(board: Board, part: Part) -> list[str]:
    """Return the methods with the nearest mean ranks, the user's own among them."""
    known = keep_ranked(part.table, board.ranked)
    if board.name not in known:
        return []
    order = list(rank_methods(known).mean().sort_values(kind="stable").index)
    place = order.index(board.name)
    first = max(0, min(place - NEIGHBOURS // 2, len(order) - NEIGHBOURS))
    return order[first : first + NEIGHBOURS]


@style()
def draw_differences(sets: pd.DataFrame) -> Any:
    """Draw the differences of the scores to the default method, a panel for each kind of ensembles."""
    import seaborn as sns
    from matplotlib.figure import Figure

    scored = sets.dropna(subset="difference")
    kinds = list(dict.fromkeys(scored["kind"]))
    picture = Figure(figsize=(PAGE, 1.7), layout="constrained")
    axes = picture.subplots(1, max(len(kinds), 1), squeeze=False, sharey=True).ravel()
    if not kinds:
        axes[0].set_axis_off()
    for panel, kind in zip(axes, kinds, strict=False):
        mine = scored[scored["kind"] == kind].reset_index(drop=True)
        sns.barplot(x=mine.index, y=mine["difference"], ax=panel, color="C0", width=0.9)
        panel.axhline(0, color="0.3", linewidth=0.6)
        panel.set_title(kind)
        panel.set_xlabel("data sets")
        panel.set_ylabel(f"{METRIC} minus that of {DEFAULT}")
        panel.set_xticks([])
    return picture
