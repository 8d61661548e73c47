from consclust_studies.config.published_tables import Published
from consclust_studies.exhibits.agreement import Farthest
from small import planned, source_of

EXHIBIT = Farthest(kind="farthest")


def test_the_farthest_come_first() -> None:
    published = {("iris", "ACC", "KC"): 0.9, ("wine", "NMI", "EAC"): 0.0, ("wine", "ACC", "RCE"): 0.51}
    shown = EXHIBIT.build(source_of(planned(), published=Published(scores=published)))
    assert shown.frame[["case", "method"]].to_numpy().tolist() == [["wine", "EAC"], ["iris", "KC"], ["wine", "RCE"]]
    assert shown.frame["selection"].tolist() == ["fixed", "fixed", "oracle-per-subset"]
    first = [cell.text for cell in shown.blocks[0].rows[0]]
    assert first[:3] == ["Wine", "NMI", "EAC"]
    assert first[4] == ".000"
    assert first[5].startswith("+.")


def test_at_most_ten_of_the_cases_that_count() -> None:
    published = {
        (case, metric, method): 0.9
        for case in ("iris", "wine")
        for metric in ("ACC", "NMI")
        for method in ("K-means", "KC", "EAC")
    }
    study = planned()
    assert len(EXHIBIT.build(source_of(study, published=Published(scores=published))).frame) == 10
    cases = (study.cases[0].model_copy(update={"instead_of": "wine"}), study.cases[1])
    once = study.model_copy(update={"cases": cases})
    shown = EXHIBIT.build(source_of(once, published=Published(scores=published)))
    assert set(shown.frame["case"]) == {"iris"}


def test_one_subset_has_no_standard_error() -> None:
    source = source_of(planned(subsets=1), published=Published(scores={("iris", "ACC", "KC"): 0.9}))
    assert "Standard errors" not in EXHIBIT.build(source).blocks[0].header


def test_nothing_published() -> None:
    assert not EXHIBIT.build(source_of(planned())).blocks
