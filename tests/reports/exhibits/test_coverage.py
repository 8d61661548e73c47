"""Coverage says of every item of the paper where it is regenerated, and what is missing."""

import pytest

from consclust_studies.config.paper import LedgerItem
from consclust_studies.exhibits.coverage import Coverage
from small import planned, source_of

ITEMS = [
    {"id": "R1", "place": "Table 1", "text": "Eleven data sets.", "shown": ["table1"]},
    {"id": "R2", "place": "Table 2", "text": "Scores.", "shown": ["table1", "table2"]},
    {"id": "R3", "place": "Figure 1", "text": "Surfaces.", "shown": ["table1"], "missing": "one of two panels"},
    {"id": "R4", "place": "4.4", "text": "It is stable.", "missing": "the program is not at hand"},
]


def test_an_item_is_complete_only_if_all_that_shows_it_is_in_the_run():
    lacking = {"R2": ["not in this run: Table 2", "without iris"]}
    source = source_of(planned(ledger=ITEMS, sections={"table1": "Data sets"}, lacking=lacking))
    frame = Coverage(kind="coverage").build(source).frame.set_index("item")
    assert dict(frame["status"]) == {"R1": "complete", "R2": "partial", "R3": "partial", "R4": "not possible"}
    assert frame.loc["R2", "missing"] == "not in this run: Table 2; without iris"
    assert frame.loc["R3", "missing"] == "one of two panels"
    assert frame.loc["R1", "sections"] == "Data sets"


def test_parameters_are_written_as_symbols():
    item = {"id": "R6", "place": "4.5", "text": "It is stable over lambda1.", "shown": ["table1"]}
    shown = Coverage(kind="coverage").build(source_of(planned(ledger=[item], sections={"table1": "Data sets"})))
    assert "It is stable over λ₁." in [cell.text for cell in shown.blocks[0].rows[0]]
    assert shown.frame["text"].tolist() == ["It is stable over lambda1."]


def test_it_is_wanted_with_a_ledger():
    assert Coverage(kind="coverage").wanted(planned(ledger=ITEMS))
    assert not Coverage(kind="coverage").wanted(planned())


def test_an_item_that_is_neither_shown_nor_said_to_be_missing_is_refused():
    with pytest.raises(ValueError, match="shown nowhere"):
        LedgerItem(id="R1", place="Table 1", text="It.")
