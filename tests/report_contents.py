"""Read what a report says: headings, rows of tables and pictures of its page, headings and text of its PDF.

No package of the environment reads PDFs; this is enough for those that Typst writes.
"""

import re
import zlib
from html.parser import HTMLParser
from pathlib import Path

ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
FONTS_AND_TEXTS = re.compile(rb"/(\w+) [\d.]+ Tf|\[((?:\((?:\\.|[^\\)])*\)|[^\]()])*)\]TJ|\((?:\\.|[^\\)])*\)Tj", re.S)


class Page(HTMLParser):
    """A page of HTML: its headings, the cells of the rows of all tables, and the number of pictures in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.rows: list[list[str]] = []
        self.n_pictures = 0
        self._into: list[str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in ("h1", "h2", "h3"):
            self.headings.append("")
            self._into = self.headings
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self._into = self.rows[-1]
        elif tag == "svg":
            self.n_pictures += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in ("h1", "h2", "h3", "td", "th"):
            self._into = None

    def handle_data(self, data: str) -> None:
        if self._into is not None:
            self._into[-1] += data


class Pdf:
    """A PDF: its objects, and the text and outline in them."""

    def __init__(self, path: Path) -> None:
        objects = re.finditer(rb"(\d+) 0 obj\n(.*?)\nendobj", path.read_bytes(), re.S)
        self.objects = {int(found[1]): found[2] for found in objects}

    def pages(self) -> list[str]:
        """Return the text of each page, the pieces that are placed by themselves separated by spaces."""
        (tree,) = (of for of in self.objects.values() if re.search(rb"/Type ?/Pages\b", of))
        return [self._read_page(self.objects[int(n)]) for n in re.findall(rb"(\d+) 0 R", tree[tree.index(b"/Kids") :])]

    def headings(self) -> list[str]:
        """Return the titles of the outline, in order."""
        entries = [re.search(rb"/Title ?\((.*?)\)/?", of, re.S) for of in self.objects.values() if b"/Title" in of]
        return [found[1].decode("latin-1").strip() for found in entries if found]

    def count_figures(self) -> int:
        """Return how many pictures are tagged as such."""
        return sum(bool(re.search(rb"/S ?/Figure\b", of)) for of in self.objects.values())

    def _read_page(self, page: bytes) -> str:
        resources = self.objects[self._find(rb"/Resources (\d+)", page)]
        fonts = {name: int(n) for name, n in re.findall(rb"/(f\d+) (\d+) 0 R", resources)}
        content = self._read_stream(self._find(rb"/Contents (\d+)", page))
        texts = []
        characters: dict[int, str] = {}
        for found in FONTS_AND_TEXTS.finditer(content):
            if found[1]:
                font = self.objects[fonts[found[1]]]
                characters = self._read_characters(self._find(rb"/ToUnicode (\d+)", font))
            else:
                codes = b"".join(map(unescape, re.findall(rb"\(((?:\\.|[^\\)])*)\)", found[0], re.S)))
                glyphs = [int.from_bytes(codes[i : i + 2], "big") for i in range(0, len(codes), 2)]
                texts.append("".join(characters.get(glyph, "") for glyph in glyphs))
        return " ".join(" ".join(texts).split())

    def _read_characters(self, number: int) -> dict[int, str]:
        """Return the characters of a font by the numbers of their glyphs."""
        pairs = re.findall(rb"^<(\w{4})> <(\w+)>$", self._read_stream(number), re.M)
        return {int(glyph, 16): bytes.fromhex(text.decode()).decode("utf-16-be") for glyph, text in pairs}

    def _read_stream(self, number: int) -> bytes:
        head, _, rest = self.objects[number].partition(b"stream\n")
        data = rest[: self._find(rb"/Length (\d+)", head)]
        return zlib.decompress(data) if b"FlateDecode" in head else data

    def _find(self, pattern: bytes, text: bytes) -> int:
        found = re.search(pattern, text)
        assert found, f"no {pattern!r}"
        return int(found[1])


def unescape(text: bytes) -> bytes:
    """Return a string of a PDF without its backslashes."""

    def replace(found: re.Match[bytes]) -> bytes:
        if found[1].isdigit():
            return bytes([int(found[1], 8)])
        return ESCAPES.get(found[1], found[1])

    return re.sub(rb"\\([0-7]{1,3}|.)", replace, text, flags=re.S)
