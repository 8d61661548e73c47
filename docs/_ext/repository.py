"""Links of included files, such as the README, to other files of the repository: to a page or a copy of the file."""

import os
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

ROOT = Path(__file__).parents[2]
# Files outside docs/ that a page includes.
PAGES = {
    "README.md": "index",
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changelog",
    "config/README.md": "configuration",
    "reports/accepted/ec_cms/README.md": "results/ec_cms",
    "reports/accepted/peace/README.md": "results/peace",
    "reports/accepted/rce/README.md": "results/rce",
    "reports/accepted/rsec/README.md": "results/rsec",
    "reports/accepted/ssce/README.md": "results/ssce",
}


class RepositoryLinks(SphinxTransform):
    """Point Markdown links to files outside docs/ to a page or a download; MyST checks the others."""

    default_priority = 210

    def apply(self) -> None:
        """Change the links of a page."""
        for link in list(self.document.findall(addnodes.pending_xref)):
            outside = link.get("refdomain") is None or link["reftarget"] not in self.env.found_docs
            if link.get("reftype") == "myst" and outside:
                self.resolve(link)

    def resolve(self, link: addnodes.pending_xref) -> None:
        """Find the file of a link that is relative to the root of the repository, or names a document outside docs/."""
        name, _, part = link["reftarget"].partition("#")
        path = ROOT / (f"{name}.md" if link["refdomain"] == "doc" else name)
        if not name or not path.exists():
            return
        page = PAGES.get(os.path.relpath(path, ROOT)) or self.env.path2doc(path)
        if path.is_dir():
            link.replace_self(nodes.inline("", "", *link.children))
        elif page in self.env.found_docs:
            link["refdomain"], link["reftarget"], link["reftargetid"] = "doc", page, part or None
        else:
            target = "/" + os.path.relpath(path, self.env.srcdir)
            where = {"reftarget": target, "refdoc": link["refdoc"]}
            link.replace_self(addnodes.download_reference("", "", *link.children, **where))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect it."""
    app.add_transform(RepositoryLinks)
    return {"parallel_read_safe": True}
