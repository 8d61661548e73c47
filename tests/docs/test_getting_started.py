"""The code of the pages for newcomers runs as it stands, in a process and a folder of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
COMMAND = f"consclust() {{ '{sys.executable}' -c 'from consclust.cli import main; main()' \"$@\"; }}\n"


def blocks(page, language):
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(arguments, folder):
    env = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(arguments, cwd=folder, env=env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_every_block_is_of_a_kind_that_is_executed_or_installs():
    text = (DOCS / "getting-started.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^```([\w{}-]+)$", text, re.MULTILINE)) == {"console", "python", "sh", "{eval-rst}"}
    assert all("pip install" in block for block in blocks("getting-started.md", "console"))


@pytest.mark.long
def test_three_lines_of_the_home_page(tmp_path):
    data = "from sklearn.datasets import load_iris\nX = load_iris().data.repeat(7, axis=0)\n"
    printed = run([sys.executable, "-c", data + blocks("index.md", "python")[0] + "print(labels.shape)"], tmp_path)
    assert "(1050,)" in printed


@pytest.mark.long
def test_getting_started(tmp_path):
    # the documentation runs all blocks when it is made; choose_k, which takes longest, is called in sh below too
    code = [block for block in blocks("getting-started.md", "python") if "choose_k" not in block]
    assert len(code) == len(blocks("getting-started.md", "python")) - 1
    printed = run([sys.executable, "-c", "\n".join(code)], tmp_path)
    consensus, base = (float(re.search(rf"{name}: +(\S+)", printed)[1]) for name in ("consensus", "base clusterings"))
    assert 1 > consensus > base > 0
    assert (tmp_path / "digits.png").read_bytes().startswith(b"\x89PNG")

    printed = run(["bash", "-euo", "pipefail", "-c", COMMAND + "\n".join(blocks("getting-started.md", "sh"))], tmp_path)
    assert "LWEA" in printed
    assert len((tmp_path / "consensus.csv").read_text(encoding="utf-8").splitlines()) >= 600
