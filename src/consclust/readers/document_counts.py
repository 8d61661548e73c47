"""Documents as :mod:`consclust.readers.documents` reads them, with rows of their own lengths."""

# scikit-learn, NumPy and SciPy are imported where needed, so that what does without them starts faster

import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from consclust.readers.common import Raw, canonical
from consclust.readers.documents import DocumentsReader, _documents, body, stems, visible

if TYPE_CHECKING:
    from scipy import sparse


class DocumentCountsReader(DocumentsReader):
    """The same documents and terms as ``documents`` has, weighted by their counts times idf: no row has length 1."""

    format: Literal["document_counts"]  # type: ignore[assignment]

    def read(self, *paths: Path) -> Raw:
        """Read the documents of the archive, in the order of their paths."""
        # by the other reader, which refuses what is malformed
        classes = super().read(*paths).classes
        texts = []
        for folder, text in _documents(paths[0]):
            if not any(fnmatch.fnmatchcase(folder, pattern) for pattern in self.leave_out):
                texts.append(visible(body(text)) if self.markup == "html" else body(text))
        return Raw(_weigh_counts(texts, self.min_documents, self.terms), classes)


def _weigh_counts(texts: list[str], min_documents: int, terms: int) -> "sparse.csr_array":
    """Weigh by scikit-learn's tf-idf without a norm; keep the terms of the largest variance in rows of length 1."""
    import numpy as np
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    counted = TfidfVectorizer(analyzer=stems, min_df=min_documents, norm=None).fit_transform(texts)
    of_length_1 = sparse.csr_array(normalize(counted))
    variance = of_length_1.power(2).mean(axis=0) - of_length_1.mean(axis=0) ** 2
    kept = np.sort(np.argsort(-variance, kind="stable")[:terms])
    return canonical(sparse.csr_array(sparse.csr_array(counted)[:, kept]))
