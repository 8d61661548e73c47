"""Documents in an archive, a folder for each class: words -> stems -> tf-idf weights of the telling terms."""

# scikit-learn, snowballstemmer, NumPy and SciPy are imported where needed, so that what does without them starts faster

import fnmatch
import logging
import re
import tarfile
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from consclust.readers.common import AnyReader, Raw, Size, canonical, malformed, one_line, refuse_bomb

if TYPE_CHECKING:
    from scipy import sparse

log = logging.getLogger("consclust")

_WORD = re.compile(r"[a-z]{2,}")
_CODE = ("script", "style")
"""Elements whose content no reader of the page sees."""


class DocumentsReader(AnyReader):
    """Documents in a ``.tar.gz``, ``<set>/<class>/.../<document>``: tf-idf weights of stemmed words.

    The header of a document, up to its first empty line, is left out: it may tell the class.
    """

    format: Literal["documents"]
    markup: Literal["none", "html"] = Field("none", description="markup of the documents, whose tags are left out")
    leave_out: tuple[str, ...] = Field(
        (), description="patterns of folders of classes that are left out, such as *.misc"
    )
    hierarchy: bool = Field(
        False, description="whether the class is the folder's name up to its first dot: rec of rec.autos"
    )
    min_documents: Size = Field(1, description="number of documents in which a term must occur, or it is left out")
    terms: Size = Field(description="number of terms that are kept, those of the largest variance")

    def read(self, *paths: Path) -> Raw:
        """Read the documents of the archive, in the order of their paths."""
        path = paths[0]
        classes = []
        texts = []
        for folder, text in _documents(path):
            if not any(fnmatch.fnmatchcase(folder, pattern) for pattern in self.leave_out):
                classes.append(folder.partition(".")[0] if self.hierarchy else folder)
                texts.append(visible(body(text)) if self.markup == "html" else body(text))
        if not texts:
            malformed(path, "", "no document is left", "correct reader.leave_out in the registry")
        return Raw(_weights(path, texts, self.min_documents, self.terms), classes)


def body(text: str) -> str:
    """Return what follows the header of a page or an article, that is its first empty line."""
    return re.sub(r"\A.*?\n[ \t]*\n", "", text.replace("\r\n", "\n"), count=1, flags=re.DOTALL)


def visible(page: str) -> str:
    """Return the text of an HTML page without tags, comments, scripts and style sheets."""
    parser = _Text()
    parser.feed(page)
    parser.close()
    return "".join(parser.parts)


def stems(text: str) -> list[str]:
    """Return the stems (Porter's algorithm) of the words of two or more letters that are no stop words."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return [_stemmer()(word) for word in _WORD.findall(text.lower()) if word not in ENGLISH_STOP_WORDS]


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return cache(snowballstemmer.stemmer("porter").stemWord)


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._inside_code = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.parts.append(" ")
        self._inside_code |= tag in _CODE

    def handle_endtag(self, tag: str) -> None:
        self.parts.append(" ")
        self._inside_code &= tag not in _CODE

    def handle_data(self, data: str) -> None:
        if not self._inside_code:
            self.parts.append(data)


def _documents(path: Path) -> Iterator[tuple[str, str]]:
    """Folder (below the one that holds all) and text of each document, in the order of the paths."""
    try:
        with tarfile.open(path, "r:gz") as archive:
            members = sorted(filter(tarfile.TarInfo.isfile, archive), key=lambda member: member.name)
            refuse_bomb(path, sum(member.size for member in members))
            for member in members:
                parts = member.name.split("/")
                if len(parts) < 3:
                    malformed(path, member.name, "a document in no folder; expected <set>/<class>/.../<document>")
                file = archive.extractfile(member)
                yield parts[1], file.read().decode("latin-1") if file else ""
    except (tarfile.TarError, EOFError, OSError) as error:
        malformed(path, "", f"no readable .tar.gz: {one_line(error)}")


def _weights(path: Path, texts: list[str], min_documents: int, terms: int) -> "sparse.csr_array":
    """Weigh by scikit-learn's tf-idf, rows of length 1; keep the columns of the largest variance, in their order."""
    import numpy as np
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfVectorizer

    try:
        weights = sparse.csr_array(TfidfVectorizer(analyzer=stems, min_df=min_documents).fit_transform(texts))
    except ValueError as refusal:
        malformed(path, "", one_line(refusal), "lower reader.min_documents in the registry")
    if weights.shape[1] < terms:
        malformed(path, "", f"{weights.shape[1]} terms, but terms = {terms}", "lower it in the registry")
    variance = weights.power(2).mean(axis=0) - weights.mean(axis=0) ** 2
    kept = np.sort(np.argsort(-variance, kind="stable")[:terms])
    least = variance[kept].min()
    log.info("%s: %d of %d terms kept, of a variance of at least %.3g", path, terms, len(variance), least)
    return canonical(sparse.csr_array(weights[:, kept]))
