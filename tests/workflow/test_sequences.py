"""Random changes of a finished study, one after the other, with kills in between: the end is that of a fresh folder.

The changes are those of ``test_metamorphic``. ``make torture`` makes more sequences: ``CONSCLUST_SEQUENCES``;
``CONSCLUST_SEED`` draws others.
"""

import os
import random

import pytest
from kills import disturbed
from test_metamorphic import CHANGES, NOTHING, TOY
from toys import differing, outcome

pytestmark = pytest.mark.workflow

SEQUENCES = int(os.environ.get("CONSCLUST_SEQUENCES", "1"))
SEED = int(os.environ.get("CONSCLUST_SEED", "0"))
THAT_RUN = [change for change in CHANGES if change[1][-1] not in NOTHING]


@pytest.mark.parametrize("number", range(SEQUENCES))
def test_three_changes_with_kills_give_what_a_fresh_folder_gives(toy, copy_of_toy, tmp_path, number):
    random_, project, made = random.Random(f"{SEED} {number}"), copy_of_toy, []
    while len(made) < 3:
        made.append(random_.choice(THAT_RUN))
        TOY.write(project, made)
        if random_.random() < 0.5:
            disturbed(project, "toy", random_, 6)
        if outcome(project)[1]:
            made.pop()  # a mistake, as it is in a fresh folder; test_metamorphic compares
    anew = TOY.fresh(tmp_path / "fresh", made)
    anew.run("toy")
    assert differing(project, anew.reproducible_files()) == []
    assert project.run("toy") == []

    made.remove(random_.choice(made))
    for changes in (made, []):  # undo one change, then the others
        TOY.write(project, changes)
        disturbed(project, "toy", random_, 6)
        project.run("toy")
    assert differing(project, toy.reproducible_files()) == []
    assert project.run("toy") == []
