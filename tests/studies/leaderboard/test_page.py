"""The page of the leaderboard: its data, and what a browser without a network shows of it."""

import html
import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

FOLDER = Path(__file__).parents[3] / "studies/leaderboard"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SCORES = {  # by data set: A, B, C; None: no score
    "one": (0.9, 0.5, None),
    "two": (0.4, 0.6, 0.3),
    "three": (0.8, 0.795, 0.1),
    "made": (0.1, 0.9, 0.8),
}
FACTS = {"one": ("text", 100), "two": ("medical", 400), "three": ("medical", 2000), "made": ("2-D synthetic", 500)}


@pytest.fixture(scope="module")
def page_module():
    spec = importlib.util.spec_from_file_location("make_page", FOLDER / "make_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def cells(tmp_path):
    rows = []
    for name, scores in SCORES.items():
        domain, n = FACTS[name]
        for kind in ("k = classes", "random k"):
            facts = {"dataset": name, "kind": kind, "domain": domain, "n": n, "n_profiles": 9}
            facts |= {"synthetic": name == "made", "unclusterable": name == "three", "suspect": False}
            for method, score, seconds in zip("ABC", scores, (0.01, 0.5, 20), strict=True):
                if score is not None:
                    rows.append({**facts, "method": method, "ARI": score, "AMI": score / 2, "seconds": seconds})
            rows.append({**facts, "method": "Best </script>", "ARI": 0.95, "AMI": 0.5, "seconds": None})
    path = tmp_path / "cells.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def test_the_page_has_all_scores_and_needs_no_network(page_module, cells):
    page_module.main(cells)
    text = (cells.parent / "leaderboard.html").read_text()
    assert not re.search(r"(src|href)=|https?://|@import|url\(", text)
    assert text.count("</script>") == 1
    data = json.loads(re.search(r"const DATA = (.*);\n", text)[1].replace("<\\/", "</"))
    assert [method["ranked"] for method in data["methods"]] == [True, True, False, True]
    place = [one["name"] for one in data["sets"]].index("two")
    methods = [one["name"] for one in data["methods"]]
    found = {methods[cell[2]]: cell[3:] for cell in data["cells"] if cell[:2] == [place, 1]}
    best = {"Best </script>": [None, 0.95, 0.5]}
    assert found == {"A": [0.01, 0.4, 0.2], "B": [0.5, 0.6, 0.3], "C": [20, 0.3, 0.15], **best}
    assert len(data["cells"]) == 2 * (4 * 4 - 1)


SCRIPT = """
<script type="module">
const read = () => [...document.querySelectorAll("#rows tr")].map(
  (row) => [...row.children].map((cell) => cell.textContent).join("|")).join(";");
const choose = (name, word) => {
  const select = document.querySelector(`select[name=${name}]`);
  select.value = word;
  select.dispatchEvent(new Event("change", { bubbles: true }));
};
const said = [read()];
document.querySelectorAll("#heads button")[2].click();
said.push(read());
choose("group", "all");
choose("domain", "medical");
choose("cost", "at most 1 s");
choose("metric", "AMI");
said.push(read());
choose("size", "below 300");
said.push(document.getElementById("said").textContent);
said.push(document.querySelector("th[aria-sort=descending]").dataset.id);
said.push(document.activeElement.tagName, document.documentElement.scrollWidth <= innerWidth);
const result = document.createElement("pre");
result.id = "result";
result.textContent = said.join("\\n");
document.body.append(result);
</script>
"""


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")
def test_a_browser_ranks_sorts_and_filters(page_module, cells, tmp_path):
    text = page_module.make_page(cells).replace("</body>", f"{SCRIPT}</body>")
    (tmp_path / "page.html").write_text(text)
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND"]
    options += ["--window-size=500,800", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    command = [CHROMIUM, *options, (tmp_path / "page.html").as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    found = re.search(r'<pre id="result">(.*?)</pre>', shown, re.DOTALL)
    assert found, shown[-2000:]
    ranked, by_mean, medical, nothing, sorted_by, _, fits = html.unescape(found[1]).split("\n")
    # on the real sets A has the ranks 1, 2, 1, B 2, 1, 2 and C 3, 3, 3, once as it has no score: in the mean it has .5,
    # that of B
    best = "Best </script>|3|0.950|{0}|{0}|{0}".format("\N{EN DASH}")
    assert ranked.split(";") == ["A|3|0.700|1.3|67 %|0.010", "B|3|0.632|1.7|67 %|0.5", "C|2|0.300|3.0|0 %|20.0", best]
    assert [row.split("|")[0] for row in by_mean.split(";")] == ["Best </script>", "A", "B", "C"]
    # two medical sets, without C, which takes too long
    assert [row.split("|")[:3] for row in medical.split(";")] == [
        ["Best </script>", "2", "0.500"],
        ["B", "2", "0.349"],
        ["A", "2", "0.300"],
    ]
    assert nothing.startswith("No data set is like that")
    assert sorted_by == "mean"
    assert fits == "true"
