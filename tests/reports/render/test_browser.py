"""The page of a report in a browser without a network: a click sorts a table, a word filters it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from consclust.report.items import heading, number_items, table
from consclust.report.markup import page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SCRIPT = """
<script type="module">
const wait = (found) => new Promise((resolve) => {
  const look = () => (found() ? resolve() : setTimeout(look, 20));
  look();
});
const column = () => [...document.querySelectorAll("table.data tbody tr td:first-child")].map((cell) => cell.innerText);
const said = [];
await wait(() => document.documentElement.dataset.sortable);
said.push(column());
document.querySelectorAll("table.data th")[1].click();
await wait(() => column()[0] !== said[0][0]);
said.push(column());
const box = document.querySelector(".dt-search input");
box.value = "nine";
box.dispatchEvent(new Event("input", { bubbles: true }));
box.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
await wait(() => column().length === 1);
said.push(column());
const result = document.createElement("pre");
result.id = "result";
result.textContent = said.map((words) => words.join(" ")).join("; ");
document.body.append(result);
</script>
"""
NUMBERS = {"ten": "1.5 s", "two": "350 ms", "nine": "2 h", **{f"w{i}": f"{i + 2} s" for i in range(6)}}


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")
def test_a_click_sorts_a_table_and_a_word_filters_it(tmp_path: Path) -> None:
    items = [heading("Seconds"), table(("Method", "Time"), NUMBERS.items(), "Times.", left=1)]
    content = {
        **{"title": "T", "study": "s", "version": "1", "relation": "After", "paper": "", "restricted": ""},
        **{
            "kind": "study",
            "abstract": "A.",
            "tones": {},
            "references": [],
            "chapters": [{"title": "R", "number": "1", "items": number_items(items, "1")}],
        },
    }
    (tmp_path / "page.html").write_text(page(content, []).replace("</body>", f"{SCRIPT}</body>"))
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND"]
    options += [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=20000", "--dump-dom"]
    command = [CHROMIUM, *options, (tmp_path / "page.html").as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    found = re.search(r'<pre id="result">(.*?)</pre>', shown)
    assert found, shown[-2000:]
    drawn, sorted_, filtered = found[1].split("; ")
    assert drawn == " ".join(NUMBERS)
    assert sorted_ == "two ten w0 w1 w2 w3 w4 w5 nine"
    assert filtered == "nine"
