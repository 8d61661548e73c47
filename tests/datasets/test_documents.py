"""From an archive of documents to weighted terms."""

import contextlib
import io
import tarfile

import numpy as np
import pytest

from consclust import files
from consclust.errors import InputError
from consclust.readers.document_counts import DocumentCountsReader
from consclust.readers.documents import DocumentsReader, body, stems, visible

PAGE = (
    "Server: CERN/3.0\r\nClass: telling\r\n\r\n<html><head><script>var telling = 1;</script>"
    "<title>Running&nbsp;dogs</title></head><!-- telling --><body>the <b>dog</b>runs</body></html>"
)


def archive(tmp_path, documents):
    path = tmp_path / "toy.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name, text in documents.items():
            content = text.encode("latin-1")
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def take(path, **options):
    reader = DocumentsReader(**{"format": "documents", "terms": 2} | options)
    return reader.read(path)


CORPUS = {
    "toy/rec.cars/2": "Newsgroups: rec.cars\n\nengines, engine; wheel",
    "toy/rec.cars/1": "Newsgroups: rec.cars\n\nengine of the wheels and everything",
    "toy/sci.space/1": "Newsgroups: sci.space\n\norbit orbits",
    "toy/sci.misc/1": "Newsgroups: sci.misc\n\norbit orbit wheel",
}


def test_what_is_read_of_a_page():
    text = visible(body(PAGE))
    assert "telling" not in text
    assert stems(text) == ["run", "dog", "dog", "run"]


def test_words_are_stemmed_by_porter_and_stop_words_left_out():
    words = "the Ponies' caresses of a relational university: x 1993"
    assert stems(words) == ["poni", "caress", "relat", "univers"]


def test_weights_by_hand(tmp_path):
    """Wheel is in 2 of 3 documents and engine in 2: both weigh ln(4 / 3) + 1; orbit is in one only."""
    raw = take(archive(tmp_path, CORPUS), leave_out=["*.misc"], hierarchy=True, min_documents=2)
    assert raw.classes == ["rec", "rec", "sci"]
    once, twice = np.array([1, 1]) / np.sqrt(2), np.array([2, 1]) / np.sqrt(5)
    np.testing.assert_allclose(raw.X.toarray(), [once, twice, [0, 0]])


def test_the_terms_of_the_largest_variance_are_kept(tmp_path):
    path = archive(tmp_path, CORPUS)
    whole, one = take(path, terms=3).X.toarray(), take(path, terms=1).X.toarray()
    assert one.var() == whole.var(axis=0).max()
    assert (whole.var(axis=0) > 0).all()


def test_folders_are_the_classes_unless_their_hierarchy_is(tmp_path):
    path = archive(tmp_path, CORPUS)
    assert take(path).classes == ["rec.cars", "rec.cars", "sci.misc", "sci.space"]
    assert take(path, hierarchy=True).classes == ["rec", "rec", "sci", "sci"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"leave_out": ["*"]}, "no document is left; correct reader.leave_out"),
        ({"terms": 9}, "3 terms, but terms = 9; lower it"),
        ({"min_documents": 4}, "lower reader.min_documents"),
    ],
)
def test_what_leaves_nothing_is_refused(tmp_path, options, message):
    with pytest.raises(InputError, match=r"^/.*toy\.tar\.gz") as caught:
        take(archive(tmp_path, CORPUS), **options)
    assert message in str(caught.value)


def test_what_is_no_archive_of_folders_is_refused(tmp_path):
    with pytest.raises(InputError, match="a document in no folder"):
        take(archive(tmp_path, {"toy/1": "\n\nword"}))
    damaged = tmp_path / "damaged.tar.gz"
    damaged.write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"no readable \.tar\.gz"):
        take(damaged)


def test_an_archive_is_read_without_links_and_bombs_and_leaves_no_file(tmp_path, monkeypatch):
    path = archive(tmp_path, {**CORPUS, "../../outside/a/1": "\n\nwheel", "/toy/b/1": "\n\nwheel"})
    assert len(take(path).classes) == len(CORPUS) + 2
    assert list(tmp_path.iterdir()) == [path]
    with tarfile.open(path, "w:gz") as tar:
        link = tarfile.TarInfo("toy/a/1")
        link.type, link.linkname = tarfile.SYMTYPE, str(path)
        tar.addfile(link)
    with pytest.raises(InputError, match="no document is left"):
        take(path)
    monkeypatch.setattr(files, "MOST_UNPACKED", 10**5)
    with pytest.raises(InputError, match="unpacks to more than 100,000 bytes"):
        take(archive(tmp_path, {"toy/a/1": " " * 10**6}))


def test_a_truncated_archive_is_refused_or_lacks_no_document(tmp_path):
    path = archive(tmp_path, CORPUS)
    content, whole, read = path.read_bytes(), take(path), 0
    for cut in range(0, len(content), 3):
        path.write_bytes(content[:cut])
        with contextlib.suppress(InputError):
            found, read = take(path), read + 1
            assert found.classes == whole.classes  # only zeros at the end are cut off
            assert (found.X != whole.X).nnz == 0
    assert read < len(content) / 6


def test_counts_have_the_terms_of_the_weights_and_the_lengths_of_the_documents(tmp_path):
    """The idf of wheel and engine is ln(4 / 3) + 1; the second document has engine twice."""
    options = {"leave_out": ["*.misc"], "hierarchy": True, "min_documents": 2, "terms": 2}
    path = archive(tmp_path, CORPUS)
    raw = DocumentCountsReader(format="document_counts", **options).read(path)
    assert raw.classes == ["rec", "rec", "sci"]
    idf = np.log(4 / 3) + 1
    np.testing.assert_allclose(raw.X.toarray(), np.array([[1, 1], [2, 1], [0, 0]]) * idf)
    some = {**options, "min_documents": 1, "terms": 1}
    weighted = DocumentsReader(format="documents", **some).read(path).X.toarray()
    counted = DocumentCountsReader(format="document_counts", **some).read(path).X.toarray()
    np.testing.assert_array_equal(weighted > 0, counted > 0)
