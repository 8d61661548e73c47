"""The file of p-values has every pair of rows once, for each data set and metric."""

from concord.reports.exhibits.pvalues import PValues
from concord.scores.significance import PAIR_COLUMNS, pairwise


def test_every_pair_of_rows_is_compared(study, source):
    shown = PValues(kind="pvalues").build(source)
    assert tuple(shown.frame.columns) == PAIR_COLUMNS
    assert len(shown.frame) == 2 * 2 * 15  # cases, metrics, pairs of K-means, KC, EAC and three selections of RCE
    assert shown.frame.equals(pairwise(study, source.selected))
    assert not shown.blocks
    assert PValues(kind="pvalues").needs(study).selected
