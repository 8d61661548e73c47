"""Write docs/performance.md from the tables of the other benchmarks; `make bench` runs all of them.

    python benchmarks/report.py docs/performance docs/performance.md

The folder holds kernels.csv, peers.csv, scale.csv with scale.svg, commands.csv, and speedup.txt, which is what
speedup.py printed. A table that is absent leaves its section out. Figures are written beside the tables. The machine is
the one that this runs on. If there is a file profiles.md beside the document, the document refers to it.
"""

import argparse
import os
import platform
import re
import sys
from collections.abc import Callable
from importlib.metadata import version
from io import StringIO
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

from speedup import COMMIT, LINE

PACKAGES = ("consclust", "numpy", "scipy", "numba", "scikit-learn", "mtkahypar", "pymetis")

INTRODUCTION = """# Performance

Seconds and memory of consclust's methods, written by `make bench`: compiled kernels beside the NumPy code that they
replaced, consclust beside other packages, growth with the number of objects, and this version beside an earlier one.
{profiles}
All seconds are CPU seconds (user and system) of one thread, medians where a fit is repeated. Each fit has a process of
its own and follows a first fit of thirty objects, so that imports and compilation do not count. MB is the peak memory
of that process, with Python and the packages (about 60 to 180 MB). ARI is the adjusted Rand index with the classes. n
is the number of objects, n' the number of different label profiles. On a shared machine trust ratios more than seconds.

{machine}
{choice}"""

CHOICE = """
## Which method for how many objects

Of 20 base clusterings of 10 to 50 clusters, most objects with a profile of their own (see "Growth with the number of
objects"). With fewer distinct profiles than objects, n' instead of n decides for the methods that work on profiles.
Which of these methods finds better clusters is on [Choose a method](choose-a-method.md). Methods that were added after
the last `make bench` are not in the table.

{table}
"""
LIMITS = (1, 10, 60)
"""CPU seconds that a reader may have for a fit."""

PROFILES = """What the time inside each method is spent on is in [profiles.md](profiles.md).
"""

KERNELS = """## Compiled kernels

Each kernel of `src/consclust/numerics/kernels/` and the NumPy code of commit {commit} that it replaced, in turn in one
process, on a label matrix of {rows} profiles. The ratio is NumPy seconds / kernel seconds. The difference is the
largest one between the results, relative to the largest entry.

{verdict}

![Ratio of the seconds of NumPy and of each kernel]({folder}/kernels.svg)

{table}
"""

PEERS = """## Beside other packages

The same label matrices through consclust and other packages at equal settings, one start against one start: 20
clusterings of digits, 4,000 points in blobs, Coil20, and the first 20 clusterings of the EC-CMS authors' pools LS and
USPS. The ratio is peer seconds / consclust seconds: above 1 consclust is faster. "Slower" says whether consclust takes
over a tenth longer than the peer with the same method.

{verdict}

* **Same method**: the peer implements the same method. **Same problem**: it minimises the same objective by another
  algorithm. **Nearest relative**: it has no such method; the nearest one is shown, and nothing is concluded.
* **Recorded**: the peer was absent. Its seconds and those of consclust at commit {commit} are from an earlier run, on
  other clusterings of the same data. The ratio is the recorded one, times by how much faster consclust is now than that
  commit on the label matrix of this row.
* "over 30 s" and the like: the limit on the CPU seconds of a fit. A peer that exceeds it is not tried on more objects.

![Ratio of the seconds of each peer and of consclust]({folder}/peers.svg)

{table}
"""

SCALE = """## Growth with the number of objects

Every method with its default parameters, on objects of 15 classes in 10 dimensions with 20 base clusterings of 10 to 50
clusters: most objects have a profile of their own. The exponent is the power of n by which the seconds grew from the
size before. A method is left out at larger sizes when it exceeds its limit on seconds or memory, or is expected to.

{verdict}

![CPU seconds of a fit against the number of objects]({folder}/scale.svg)

{table}
"""

COMMANDS = """## Commands with default options

Seconds and memory of `consclust consensus`, `choose-k`, `compare` and `report` on CSV files, from the start of Python
to the last file. Base clusterings: mini-batch k-means on half of the features, so that most of 20,000 objects have a
profile of their own. A command that would take longer than `--seconds` (60 of `consensus`, 120 of `report`, 100 of the
others) takes methods of linear cost and a part of the objects; the last column has what it says of that.

{table}
"""

SPEEDUP = """## Beside an earlier version

The same fits with this version and with commit {commit}, in turn. The ratio is old seconds / new seconds. ARI compares
the labels of both, and the difference is the largest one between the consensus matrices.

{verdict}

![Ratio of the seconds of the earlier and of this version]({folder}/speedup.svg)

{table}
"""


def main() -> None:
    """Write the document and its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the tables; figures are written here")
    parser.add_argument("out", type=Path, help="the document")
    options = parser.parse_args()
    sns.set_theme(style="whitegrid")
    plt.rcParams["svg.hashsalt"] = "performance"
    sections: dict[str, Callable[[Path, str], str]] = {
        "kernels.csv": kernels, "peers.csv": peers, "scale.csv": scale, "commands.csv": commands,
        "speedup.txt": speedup,
    }  # fmt: skip
    relative = os.path.relpath(options.folder, options.out.parent)
    profiles = PROFILES if (options.out.parent / "profiles.md").exists() else ""
    sizes = options.folder / "scale.csv"
    choice = CHOICE.format(table=choose_by_size(pd.read_csv(sizes))) if sizes.exists() else ""
    parts = [INTRODUCTION.format(machine=machine(), profiles=profiles, choice=choice)]
    parts += [
        write(options.folder / name, relative) for name, write in sections.items() if (options.folder / name).exists()
    ]
    options.out.write_text("\n".join(parts))


def machine() -> str:
    """Describe the machine and the versions."""
    model = re.search(r"model name\s*: (.*)", read("/proc/cpuinfo"))
    memory = re.search(r"MemTotal:\s*(\d+)", read("/proc/meminfo"))
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    size = f", {int(memory[1]) / 2**20:.0f} GiB of memory" if memory else ""
    processor = model[1] if model else platform.processor()
    return (
        f"Machine: {processor}, {os.cpu_count()} cores{size}, {platform.system()} ({platform.machine()}). "
        f"Python {platform.python_version()}, {packages}."
    )


def read(path: str) -> str:
    """Return the text of a file, nothing where there is none."""
    return Path(path).read_text() if Path(path).exists() else ""


def kernels(path: Path, folder: str) -> str:
    """Return the section of the kernels."""
    frame = pd.read_csv(path)
    bars(frame, "kernel", "ratio", path.with_suffix(".svg"))
    slower = frame.loc[frame["ratio"] < 1, "kernel"].tolist()
    verdict = f"Median ratio {frame['ratio'].median():.1f}; slower than NumPy: {listed(slower)}."
    return KERNELS.format(
        commit=COMMIT, rows=int(frame["rows"].mode()[0]), verdict=verdict, folder=folder, table=markdown(frame)
    )


def peers(path: Path, folder: str) -> str:
    """Return the section of the other packages."""
    frame = pd.read_csv(path)
    drawn = frame[frame["relation"] != "nearest relative"].dropna(subset="ratio")
    labels = (drawn["method"] + " / " + drawn["peer"]).where(
        ~drawn["note"].fillna("").str.startswith("recorded"), drawn["method"] + " / " + drawn["peer"] + ", recorded"
    )
    dots(drawn.assign(label=labels), "label", "data", path.with_suffix(".svg"))
    judged = frame[frame["slower"].notna()]
    slower = judged[judged["slower"] == "yes"]
    names = [f"{method} on {data} ({peer}, ratio {ratio:.2g})" for method, data, peer, ratio in
             slower[["method", "data", "peer", "ratio"]].itertuples(index=False)]  # fmt: skip
    slower_ones = f"{len(slower)}: {listed(names)}" if names else "none"
    verdict = f"Of {len(judged)} comparisons with the same method consclust is slower in {slower_ones}."
    return PEERS.format(commit=COMMIT, verdict=verdict, folder=folder, table=markdown(frame))


def scale(path: Path, folder: str) -> str:
    """Return the section of the sizes."""
    frame = pd.read_csv(path)
    done = frame.dropna(subset="seconds")
    largest = done[done["n"] == frame["n"].max()]
    verdict = f"These reach {int(frame['n'].max()):,} objects: {listed(largest['method'].tolist())}."
    return SCALE.format(verdict=verdict, folder=folder, table=markdown(frame))


def commands(path: Path, folder: str) -> str:
    """Return the section of the commands."""
    return COMMANDS.format(table=markdown(pd.read_csv(path)))


def choose_by_size(frame: pd.DataFrame) -> str:
    """Return a table of the methods that take at most so many seconds for so many objects, the fastest first."""
    done = frame.dropna(subset="seconds").sort_values("seconds")
    rows = []
    for n, of_size in done.groupby("n"):
        row = {"objects": f"{n:,}"}
        low = 0.0
        for high in LIMITS:
            within = of_size[(of_size["seconds"] > low) & (of_size["seconds"] <= high)]
            row[f"up to {high} s" if not low else f"{low:.0f} to {high} s"] = listed(within["method"].tolist())
            low = high
        row["largest memory, MB"] = f"{of_size['MB'].max():,.0f}"
        rows.append(row)
    return markdown(pd.DataFrame(rows))


def speedup(path: Path, folder: str) -> str:
    """Return the section of the earlier version."""
    frame = printed(path)
    path.with_suffix(".csv").write_text(frame.to_csv(index=False))
    dots(frame, "method", "data", path.with_suffix(".svg"))
    slower = frame[frame["ratio"] < 1]
    names = [f"{method} on {data}" for method, data in slower[["method", "data"]].itertuples(index=False)]
    verdict = f"Median ratio {frame['ratio'].median():.1f}; slower than before: {listed(names)}."
    return SPEEDUP.format(commit=COMMIT, verdict=verdict, folder=folder, table=markdown(frame))


def printed(path: Path) -> pd.DataFrame:
    """Read what speedup.py printed; lines of label matrices that were left out do not count."""
    widths = [int(width) for width in re.findall(r":[<>](\d+)", LINE)]
    lines = [line for line in path.read_text().splitlines() if "left out" not in line]
    repeated = [line for number, line in enumerate(lines) if number == 0 or line != lines[0]]
    frame = pd.read_fwf(StringIO("\n".join(repeated)), widths=[*widths, 200])
    if frame.empty:
        sys.exit(f"{path}: no line of speedup.py")
    return frame.rename(columns={frame.columns[-1]: "parameters"})


def bars(frame: pd.DataFrame, label: str, value: str, path: Path) -> None:
    """Draw a bar for each row, on a logarithmic scale."""
    figure, axes = plt.subplots(figsize=(7, 0.6 + 0.28 * len(frame)), layout="constrained")
    sns.barplot(frame, x=value, y=label, color="C0", ax=axes)
    save(figure, axes, path)


def dots(frame: pd.DataFrame, label: str, hue: str, path: Path) -> None:
    """Draw a dot for each row, on a logarithmic scale."""
    frame = frame.sort_values(label, kind="stable")
    figure, axes = plt.subplots(figsize=(7, 0.8 + 0.26 * frame[label].nunique()), layout="constrained")
    sns.stripplot(frame, x="ratio", y=label, hue=hue, jitter=False, size=7, alpha=0.8, ax=axes)
    sns.move_legend(axes, "upper left", bbox_to_anchor=(1, 1), title=None)
    save(figure, axes, path)


def save(figure: plt.Figure, axes: plt.Axes, path: Path) -> None:
    """Mark equal seconds, and write the figure."""
    axes.set(xscale="log", ylabel="", xlabel="ratio of the seconds")
    axes.axvline(1, color="black", linewidth=1)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def listed(names: list[str]) -> str:
    """Return names in a sentence."""
    return ", ".join(names) or "none"


def markdown(frame: pd.DataFrame) -> str:
    """Return a table; columns without any value are left out."""
    frame = frame.dropna(axis="columns", how="all")
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    rows = [list(frame.columns), ["--:" if right else ":--" for right in numeric]]
    rows += [[shown(value) for value in values] for values in frame.itertuples(index=False)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def shown(value: object) -> str:
    """Return a value with three digits; nothing for a missing one."""
    if not isinstance(value, float):
        return str(value).replace("|", "\\|")
    if pd.isna(value):
        return ""
    return f"{value:.0f}" if abs(value) >= 1000 or value == round(value) else f"{value:.3g}"


if __name__ == "__main__":
    main()
