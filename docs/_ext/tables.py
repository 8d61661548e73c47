"""Tables made when the documentation is built: from accepted results, benchmarks, the methods, the registry."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from consclust import methods
from consclust.datasets.registry import RawFile, load_registry
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.results.main_table import DIGITS

ROOT = Path(__file__).parents[2]
SCALE = ROOT / "docs/performance/scale.csv"


class Table(SphinxDirective):
    """A directive that shows a data frame as a table."""

    optional_arguments = 1
    final_argument_whitespace = True

    def frame(self) -> pd.DataFrame:
        """Return the table, all cells as text."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """Write it as Markdown and parse that."""
        frame = self.frame()
        lines = [frame.columns, [":--"] * frame.shape[1], *frame.astype(str).to_numpy()]
        text = "\n".join("| " + " | ".join(str(cell).replace("|", r"\|") for cell in line) + " |" for line in lines)
        return self.parse_text_to_nodes(text)


class Costs(Table):
    """Seconds and memory of some methods, by the number of objects, as ``make bench`` measured them."""

    def frame(self) -> pd.DataFrame:
        """Return a row for each method that is named."""
        measured = pd.read_csv(SCALE)
        measured = measured[measured["method"].isin(self.arguments[0].split())]
        seconds = measured.pivot(index="method", columns="n", values="seconds").dropna(axis=1, how="all")
        table = seconds.map(number)
        table.columns = [f"s at n = {n:,}" for n in table.columns]
        largest = measured.dropna(subset=["seconds"]).groupby("method").tail(1).set_index("method")
        table["MB at the largest n"] = largest["MB"].map(number)
        table["exponent"] = largest["exponent"].map(number)
        return table.reset_index().fillna("")


class Leaderboard(Table):
    """Mean ranks of the rows of an accepted study, without and with the classes, and seconds."""

    def frame(self) -> pd.DataFrame:
        """Return a row for each method of the study and each way of choosing its parameters."""
        study = self.arguments[0]
        scores = pd.read_csv(ROOT / f"reports/accepted/{study}/table2.csv")
        stated = yaml.safe_load((ROOT / f"studies/{study}/study.yaml").read_text(encoding="utf-8"))
        # several cases of one data set, such as two ensembles, count once
        scores["dataset"] = scores["case"].map(datasets_of_cases(stated["cases"]))
        ranks = mean_ranks(scores)
        runs = [MethodRun.model_validate(entry) for entry in stated["methods"]]
        classes = {run.id: run.method for run in runs}
        table = ranks.map("{:.1f}".format).add_prefix("rank, ")
        seconds = pd.read_csv(SCALE).set_index(["method", "n"])["seconds"]
        rows = scores.drop_duplicates("row").set_index("row")
        chosen = {"fixed": "fixed", "default": "default", "oracle-per-subset": "by the classes", "oracle-common": ""}
        table.insert(0, "parameters", rows["selection"].map(chosen))
        table.insert(1, "data sets", scores.dropna(subset=["mean"]).groupby("row")["dataset"].nunique())
        method = rows["method"].map(classes)
        table["s at n = 1,000"] = [number(seconds.get((method[row], 1000))) for row in table.index]
        table["s at n = 10,000"] = [number(seconds.get((method[row], 10_000))) for row in table.index]
        table.index = pd.Index(rows["method"][table.index], name="method")
        return table.reset_index().fillna("")


class Board(Table):
    """The accepted leaderboard on the real data sets with one kind of ensembles, the best mean rank first."""

    columns = {
        "method": "method",
        "mean": "mean ARI",
        "rank": "mean rank",
        "p_best": "p, against the best rank",
        "better": "better than the default",
        "order": "order",
        "seconds": "seconds",
    }

    def frame(self) -> pd.DataFrame:
        """Return a row for each method, and for what is beside the methods."""
        board = pd.read_csv(ROOT / "reports/accepted/leaderboard/board.csv")
        rows = board[(board["kind"] == self.arguments[0]) & (board["group"] == "real")]
        forms = {"mean": "{:.3f}", "rank": "{:.1f}", "p_best": "{:.3f}", "better": "{:.2f}", "order": "{:.3f}"}
        table = rows[list(self.columns)].copy()
        for column, form in forms.items():
            table[column] = [form.format(value) if pd.notna(value) else "" for value in rows[column]]
        table["seconds"] = rows["seconds"].map(number)
        return table.rename(columns=self.columns)


def datasets_of_cases(cases: list[Any]) -> dict[str, str]:
    """Return the data set of each case of a study: its name, or what the case says."""
    named = [{"dataset": case} if isinstance(case, str) else case for case in cases]
    return {case.get("id", case.get("dataset")): case.get("dataset", case.get("id")) for case in named}


def mean_ranks(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the mean rank of each row by metric, over the cases of a data set and then over the data sets it ran on.

    Rows that need no classes are ranked among themselves; a row whose parameters are chosen by the classes has the rank
    that it would have in the place of its method.
    """
    scores = scores.dropna(subset=["mean"])
    blind = scores[scores["selection"].isin(["fixed", "default"])]
    tuned = scores[scores["selection"] == "oracle-per-subset"]
    parts = [_ranks(blind)]
    for row, own in tuned.groupby("row", sort=False):
        others = blind[blind["method"] != own["method"].iloc[0]]
        ranks = _ranks(pd.concat([others, own]))
        parts.append(ranks[ranks["row"] == row])
    ranks = pd.concat(parts)
    by_data = ranks.groupby(["row", "metric", "dataset"])["rank"].mean()
    table = by_data.groupby(["row", "metric"]).mean().unstack()[list(scores["metric"].unique())]
    return table.sort_values(table.columns[0])


def _ranks(scores: pd.DataFrame) -> pd.DataFrame:
    ranks = scores.groupby(["case", "metric"])["mean"].transform(
        lambda means: means.round(DIGITS).rank(ascending=False)
    )
    return scores.assign(rank=ranks)


class Methods(Table):
    """What each method gives, as its class declares it, and the most objects that it was measured with."""

    def frame(self) -> pd.DataFrame:
        """Return a row for each method."""
        measured = pd.read_csv(SCALE).dropna(subset=["seconds"]).groupby("method")["n"].max()
        rows = []
        for name in methods.names():
            cls = methods.load(name)
            predict = [f"`predict({cls.predicts_from})`"] * (cls.predicts_from is not None)
            gives = ", ".join([*(f"`{result}`" for result in cls.matrices if result[-1] != "_"), *predict])
            order = "matters" if cls.order_dependent else ""
            largest = f"{measured[name]:,}" if name in measured else ""
            rows.append((f"{{class}}`~consclust.methods.{name}`", cls.summary, gives, order, largest))
        header = ["method", "what it does", "beside labels", "order of the objects", "measured up to n ="]
        return pd.DataFrame(rows, columns=header)


class Datasets(Table):
    """Data sets of the registry with their sources, the addresses of their files, and terms."""

    def frame(self) -> pd.DataFrame:
        """Return a row for each data set."""
        specs = load_registry(ROOT / "config/datasets.yaml").values()
        rows = []
        for spec in specs:
            files = "; ".join(map(_describe_address, spec.raw_files)) or "made here, or part of a package"
            rows.append((spec.title, spec.source.replace("/", "/<wbr>"), files, spec.licence))
        return pd.DataFrame(rows, columns=["data set", "source", "files", "terms"])


def _describe_address(file: RawFile) -> str:
    """Return the name of a file with a link to its first public address, and what is made of an archive there."""
    if not file.public_addresses:
        return f"{file.name}: no public address"
    made = ""
    if file.archive:
        made = " (packed of members of an archive)" if file.archive.members else " (a member of an archive)"
    return f"[{file.name}]({file.public_addresses[0]}){made}"


class Oracles(Table):
    """Recorded reference values of the tests, with what they say of their origin."""

    def frame(self) -> pd.DataFrame:
        """Return a row for each file."""
        files = sorted((ROOT / "tests/oracles").glob("*.json"))
        rows = [(f"`{path.name}`", origin(json.loads(path.read_text(encoding="utf-8")))) for path in files]
        return pd.DataFrame(rows, columns=["file", "origin"])


def origin(oracle: dict[str, Any]) -> str:
    """Return where reference values come from: a sentence, or the versions of the programs that made them."""
    stated = oracle.get("provenance") or oracle["versions"]
    return stated if isinstance(stated, str) else "; ".join(f"{key}: {value}" for key, value in stated.items())


def number(value: float | None) -> str:
    """Return three significant digits; nothing for what was not measured."""
    return "" if value is None or pd.isna(value) else f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    tables = {
        "board": Board,
        "costs": Costs,
        "datasets": Datasets,
        "leaderboard": Leaderboard,
        "methods": Methods,
        "oracles": Oracles,
    }
    for name, directive in tables.items():
        app.add_directive(name, directive)
    return {"parallel_read_safe": True}
