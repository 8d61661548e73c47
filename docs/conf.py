"""How the documentation is built: ``make docs``."""

import sys
from pathlib import Path

import consclust

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project, author = "consclust", "The consclust authors"
copyright = author
release = version = consclust.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "matplotlib.sphinxext.plot_directive",
    "docstrings",
    "executed",
    "mathml",
    "repository",
    "tables",
]
exclude_patterns = ["_build", "_ext", "figures", "gallery/**/*.md5", "**/sg_execution_times.rst"]
templates_path = ["_templates"]
nitpicky = True
suppress_warnings = ["config.cache"]  # gallery settings hold functions, which no cache keeps

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

autosummary_ignore_module_all = False
autodoc_typehints = "none"  # the docstrings give types with shapes and units
autodoc_preserve_defaults = True  # watch=iter, and not what iter looks like
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "parallel": True,  # as many at a time as -j says
    "doc_module": ("consclust",),
    "backreferences_dir": "api/examples",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "remove_config_comments": True,
    "default_thumb_file": None,
}
plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = [("svg", 100)]
plot_include_source = False
plot_rcparams = {"figure.figsize": (7, 3), "figure.constrained_layout.use": True, "svg.fonttype": "path"}
plot_apply_rcparams = True

executed_pages = ["getting-started"]

html_theme = "pydata_sphinx_theme"
html_title = f"consclust {release}"
html_static_path = ["_static"]
html_css_files = ["consclust.css"]
html_math_renderer = "mathml"
html_sidebars = {"index": [], "getting-started": []}
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": False,
}
