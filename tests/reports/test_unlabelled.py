"""The report of base clusterings without classes, through the command."""

import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from consclust import diagnostics
from consclust.cli import main
from consclust.ensemble import Ensemble
from consclust.methods import EAC, KC, Voting
from consclust.report import diagnosis
from consclust.report.shown import abstract, base, between, criteria, methods, objects, tracking
from report_contents import Page, Pdf

pytestmark = pytest.mark.long

FEW = ["--ks", "2:3", "--draws", "3", "--halves", "3", "--nulls", "2", "--folds", "2", "--methods", "EAC,KC"]


@pytest.fixture(scope="module")
def labels():
    """Eight clusterings of 24 objects, one object of which they disagree on."""
    rng = np.random.default_rng(0)
    labels = np.where(rng.random((24, 8)) < 0.1, rng.integers(0, 3, (24, 8)), np.arange(24)[:, None] % 3)
    labels[7] = np.arange(8) % 3
    return labels


@pytest.fixture(scope="module")
def report(tmp_path_factory, labels):
    """The folder of a report; the file is beside it."""
    folder = tmp_path_factory.mktemp("unlabelled")
    file = folder / "survey.csv"
    pd.DataFrame(labels, index=[f"<{i}>" for i in range(24)], columns=[f"run {j}" for j in range(8)]).to_csv(file)
    command = ["report", str(file), "-k", "3", "--method", "EAC", *FEW, "--out", str(folder / "report")]
    done = CliRunner().invoke(main, command, catch_exceptions=False)
    assert (done.exit_code, done.stdout) == (0, "")
    return folder / "report"


@pytest.mark.long
def test_its_numbers_are_those_of_the_library(report, labels):
    consensus = EAC(3).fit_predict(labels)
    found = pd.read_csv(report / "consensus.csv")
    np.testing.assert_array_equal(found["label"], consensus)
    objects = pd.read_csv(report / "objects.csv")
    assert objects["id"].tolist() == [f"<{i}>" for i in range(24)]
    np.testing.assert_allclose(objects["contested"], diagnostics.contested(labels))
    items = diagnostics.item_consensus(labels, consensus)
    np.testing.assert_allclose(objects["silhouette"], diagnostics.consensus_silhouette(items, consensus))
    stays = diagnostics.bootstrap_stability(labels, EAC(3), draws=3)
    np.testing.assert_allclose(objects["stability"], stays.share)
    base = pd.read_csv(report / "base.csv").set_index("clustering")
    assert base.index.tolist() == [f"run {j}" for j in range(8)]
    np.testing.assert_allclose(base["with_the_consensus"], diagnostics.agreement_with(labels, consensus))
    np.testing.assert_allclose(base["held_out"], diagnostics.held_out_agreement(labels, EAC(3), folds=2))
    np.testing.assert_allclose(base["influence"], diagnostics.influence(labels))
    criteria = diagnostics.choose_k(labels, [2, 3], halves=3, nulls=2)
    np.testing.assert_allclose(pd.read_csv(report / "criteria.csv")["value"], criteria["value"])
    clusters = pd.read_csv(report / "clusters.csv")
    np.testing.assert_allclose(clusters["cluster_consensus"], diagnostics.cluster_consensus(items, consensus))


def test_one_numbering_in_every_table(report):
    """The method's own clusters, those of the compared methods, and those at each number of clusters."""
    consensus = pd.read_csv(report / "consensus.csv")["label"]
    between, tracking = pd.read_csv(report / "between.csv"), pd.read_csv(report / "tracking.csv")
    for labels in (between["EAC"], tracking["k3"], pd.read_csv(report / "objects.csv")["cluster"]):
        assert labels.tolist() == consensus.tolist()
    for column in (between["KC"], tracking["k2"]):
        assert column.tolist() == pd.factorize(column)[0].tolist()


def test_the_contested_object_leads_its_table(report):
    page = (report / "report.html").read_text(encoding="utf-8")
    table = page[page.index("Contested objects.</b>") :]
    assert re.findall(r"<td class=\"left\"[^>]*>([^<]*)</td>", table)[0] == "&lt;7&gt;"


def test_the_marks_of_the_criteria_are_explained_where_they_stand(labels):
    settings = diagnosis.Settings(EAC(3), [2, 3], {"EAC": EAC(3)}, 2, 2, 2, 2, 0)
    caption = criteria(diagnosis.Diagnosis(settings, Ensemble(labels), np.arange(24), [""] * 8)).caption
    assert all(word in caption for word in ("Best", "Chosen", "Recommended", "star", "ring", "bold", "dotted"))
    assert "PAC, cophenetic and delta area were" in caption, "an abbreviation keeps its letters"


def test_coalitions_are_named_beside_the_base_clusterings(labels):
    settings = diagnosis.Settings(EAC(3), [2, 3], {"EAC": EAC(3)}, 2, 2, 2, 2, 0)
    # the blocks of the first eight and those of the others have nothing in common
    two = np.column_stack([labels, np.roll(np.arange(24) // 8, 3)[:, None] + 10 * np.ones((1, 5), dtype=int)])
    names = [f"run {j}" for j in range(two.shape[1])]
    shown = base(diagnosis.Diagnosis(settings, Ensemble(two), np.arange(24), names))
    assert [table.title for table in shown.blocks] == ["Base clusterings", "Coalitions"]
    assert [row[-1].text for row in shown.blocks[1].rows] == [", ".join(names[:8]), ", ".join(names[8:])]
    assert "2 groups" in shown.caption
    one = base(diagnosis.Diagnosis(settings, Ensemble(labels), np.arange(24), names[:8]))
    assert len(one.blocks) == 1
    assert "no coalitions" in one.caption


def test_the_page_is_whole_and_offline(report):
    page = (report / "report.html").read_text(encoding="utf-8")
    pictures = [path.stem for path in report.glob("*.svg")]
    assert len(re.findall("<figure>", page)) == Page(page).n_pictures == len(pictures) == 8
    assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", page)


CHAPTERS = {
    "1 Consensus": ["Clusters", "Consensus matrix"],
    "2 Number of clusters": ["Choice of the number of clusters", "Consensus values", "Clusters over k"],
    "3 Objects": ["Stable and contested objects", "Item consensus"],
    "4 Base clusterings": ["Diversity and quality"],
    "5 Methods": ["Agreement of the methods"],
    "6 How this was computed": [],
}


def test_page_and_pdf_have_every_chapter_section_and_picture(report):
    expected = [title for chapter, sections in CHAPTERS.items() for title in (chapter, *sections)]
    page = Page((report / "report.html").read_text(encoding="utf-8"))
    pdf = Pdf(report / "report.pdf")
    title = "Consensus of survey.csv"
    assert sorted(page.headings) == sorted([title, *expected, "References"])
    assert sorted(pdf.headings()) == sorted([title, *(re.sub(r"^\d ", "", each) for each in expected), "References"])
    text = " ".join(pdf.pages())
    numbers = [f"{chapter[0]}.{i} {each}" for chapter, of in CHAPTERS.items() for i, each in enumerate(of, 1)]
    assert [each for each in [*CHAPTERS, *numbers] if each not in text] == []
    assert pdf.count_figures() == 8


def test_tables_of_page_and_pdf_have_the_numbers_of_the_files(report):
    page = Page((report / "report.html").read_text(encoding="utf-8"))
    text = " ".join(Pdf(report / "report.pdf").pages())
    clusters = pd.read_csv(report / "clusters.csv")
    assert len(clusters) == 3
    for row in clusters.itertuples():
        means = (row.cluster_consensus, row.silhouette, row.stability)
        shown = [str(row.cluster), str(row.objects), *(f"{mean:.3f}".removeprefix("0") for mean in means)]
        assert [*shown, row.most_typical] in page.rows
        assert " ".join([*shown, row.most_typical]) in text
    criteria = pd.read_csv(report / "criteria.csv").pivot(index="k", columns="criterion", values="value")
    for k, values in criteria.loc[2:].iterrows():
        (shown,) = (row for row in page.rows if row[0] == str(k) and len(row) == 1 + len(values))
        assert sorted(shown[1:]) == sorted(f"{value:.3f}".removeprefix("0") for value in values)
        assert " ".join(shown) in text


@pytest.mark.long
def test_a_draw_without_a_consensus_leaves_the_report(tmp_path):
    """Three clusterings that part eight groups of objects together; two of them part four."""
    file, out = tmp_path / "coarse.csv", tmp_path / "report"
    pd.DataFrame(np.repeat(np.arange(8)[:, None] >> np.arange(3) & 1, 2, axis=0)).to_csv(file)
    done = CliRunner().invoke(main, ["report", str(file), "-k", "8", *FEW, "--out", str(out)], catch_exceptions=False)
    assert done.exit_code == 0
    assert pd.read_csv(out / "clusters.csv")["stability"].isna().all()
    assert pd.read_csv(out / "base.csv")["held_out"].isna().all()
    assert pd.read_csv(out / "methods.csv")["note"].str.contains("bootstrap").all()
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "no stability, since a bootstrap" in page
    assert "no held-out ARI, since a fold" in page


@pytest.mark.long
@pytest.mark.parametrize(
    ("labels", "k", "groups"),
    [
        (np.repeat([0, 1, 2], 4)[:, None] + np.zeros((12, 3), dtype=int), "2", "3 groups"),
        (np.zeros((12, 3), dtype=int), "1", "1 group"),
    ],
)
def test_a_report_without_a_consensus_at_any_number_of_clusters(tmp_path, labels, k, groups):
    file = tmp_path / "agreed.csv"
    np.savetxt(file, labels, fmt="%d", delimiter=",")
    few = ["--draws", "3", "--halves", "3", "--nulls", "2", "--folds", "2", "--methods", "EAC,KC"]
    command = ["report", str(file), "-k", k, "--ks", "4:6", *few, "--out", str(tmp_path / "report")]
    done = CliRunner().invoke(main, command, catch_exceptions=False)
    assert done.exit_code == 0
    html = (tmp_path / "report" / "report.html").read_text()
    what = "There is no consensus at any number of clusters that is compared: 4-6."
    assert html.count(f"{what} The base clusterings distinguish only {groups} of objects.") == 2
    assert pd.read_csv(tmp_path / "report" / "cdf.csv").empty
    assert (tmp_path / "report" / "report.pdf").stat().st_size > 0


def make_diagnosis(labels, **settings):
    given = {"method": EAC(3), "ks": [2, 3], "others": {"EAC": EAC(3), "KC": KC(3, random_state=0)}}
    given |= {"draws": 3, "halves": 2, "nulls": 0, "folds": 2, "seed": 0, **settings}
    n, m = labels.shape
    return diagnosis.Diagnosis(diagnosis.Settings(**given), Ensemble(labels), np.arange(n), [""] * m)


def test_a_method_without_a_note_has_an_empty_cell(labels):
    found = make_diagnosis(labels)
    noted = [one._replace(note="a note" if one.method == "KC" else "") for one in found.compared]
    vars(found)["compared"] = noted
    (table,) = methods(found).blocks
    assert [row[-1].text for row in table.rows] == ["", "a note"]


def test_what_is_repeated_is_of_the_drawn_objects(labels):
    """All other numbers are of all objects."""
    drawn = np.array([1, 2, 3, 4, 6, 8, 11, 12, 13, 15, 18, 20])
    samples = diagnosis.Samples(of_trust=drawn, of_k=drawn[:10], of_methods=drawn[2:])
    found = make_diagnosis(labels, samples=samples, choices=["12 of 24 objects"])
    consensus = EAC(3).fit_predict(labels)
    np.testing.assert_array_equal(found.labels, consensus)
    stays = diagnostics.bootstrap_stability(labels[drawn], EAC(3), draws=3, reference=consensus[drawn])
    np.testing.assert_array_equal(found.stays.share[drawn], stays.share)
    assert np.isnan(np.delete(found.stays.share, drawn)).all()
    np.testing.assert_array_equal(found.held_out, diagnostics.held_out_agreement(labels[drawn], EAC(3), folds=2))
    criteria = diagnostics.choose_k(labels[drawn[:10]], [2, 3], halves=2, nulls=0)
    pd.testing.assert_frame_equal(found.criteria, criteria)
    assert tracking(found).frame["id"].tolist() == drawn[:10].tolist()
    compared = between(found).frame
    assert compared["id"].tolist() == drawn[2:].tolist()
    assert compared["EAC"].tolist() == EAC(3).fit_predict(labels[drawn[2:]]).tolist()
    of_all = objects(found).frame
    np.testing.assert_allclose(of_all["contested"], diagnostics.contested(labels))
    assert "12 of the 24 objects" in objects(found).caption
    assert "10 of the 24 objects" in tracking(found).caption
    assert "the last chapter says which" in abstract(found, "labels.csv")
    assert "the last chapter says which" not in abstract(make_diagnosis(labels), "labels.csv")


def test_numbers_of_clusters_are_compared_by_the_method_that_is_wanted(labels):
    found = make_diagnosis(labels, k_method=KC(2, random_state=0))
    expected = diagnostics.choose_k(labels, [2, 3], method=KC(2, random_state=0), halves=2, nulls=0)
    pd.testing.assert_frame_equal(found.criteria, expected)
    assert "Consensus at each k: KC." in tracking(found).caption


def test_cautions_stand_in_the_abstract(labels):
    """With four clusters the contested object is alone in one of them."""
    cheap = [Voting(4, random_state=0)]
    found = make_diagnosis(labels, method=EAC(4), cheap=cheap)
    assert found.cautions == ["1 cluster of a single object"]
    assert "Note: 1 cluster of a single object." in abstract(found, "labels.csv")
    poor = make_diagnosis(labels, method=EAC(4), cheap=cheap)
    vars(poor)["agreement"] = np.zeros(8)
    assert "Note: Voting agrees clearly more" in abstract(poor, "labels.csv")
    assert make_diagnosis(labels, cheap=cheap).cautions == []


@pytest.mark.long
def test_no_number_depends_on_the_number_of_processes(labels):
    settings = diagnosis.Settings(EAC(3), [2, 3], {"EAC": EAC(3), "KC": KC(3, random_state=0)}, 2, 2, 2, 2, 0)
    of = (settings, Ensemble(labels), np.arange(24), [""] * 8)
    one, two = (diagnosis.Diagnosis(*of, n_jobs=jobs) for jobs in (1, 2))
    assert one.criteria.equals(two.criteria)
    for first, second in zip(one.compared, two.compared, strict=True):
        np.testing.assert_array_equal(first.labels, second.labels)
        assert first._replace(seconds=0, labels=None) == second._replace(seconds=0, labels=None)


def test_a_folder_with_other_files_is_refused_before_anything_is_computed(tmp_path, report):
    (tmp_path / "notes.txt").write_text("")
    command = ["report", str(report.parent / "survey.csv"), "-k", "3", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, command, catch_exceptions=False)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "notes.txt" in done.stderr
