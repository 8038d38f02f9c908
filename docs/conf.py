"""The site: `sphinx-build -W --keep-going -n docs build/site`."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

import gallery_table

import dmlc

project = "dmlc"
copyright = "the authors of dmlc"
release = dmlc.__version__
version = release

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "operator_pages",
    "repository",
    "sources",
]
exclude_patterns = ["_extensions", "_templates"]
templates_path = ["_templates"]
default_role = "py:obj"

# Pages.
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
copybutton_exclude = ".linenos, .gp, .go"

# The API reference: a page for each function.
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
# Packages of hundreds of megabytes: the docstrings are read without them.
autodoc_mock_imports = [name for name in ("torch", "dask") if find_spec(name) is None]
if "torch" in autodoc_mock_imports:  # what tables these make of it does not stand in docstrings
    autodoc_mock_imports += ["dmlc.torch.memory", "dmlc.torch.operators"]

# The gallery: every script in the table of `examples/README.md` runs when the site is built.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "backreferences_dir": "gallery/uses",
    "doc_module": ("dmlc",),
    "reference_url": {"dmlc": None},
    "filename_pattern": r"\.py$",
    "ignore_pattern": gallery_table.others(),
    "within_subsection_order": "gallery_table.InOrder",
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
}

# Followed by `-b linkcheck`.
linkcheck_timeout = 20
linkcheck_retries = 2

# The look.
html_theme = "furo"
pygments_dark_style = "monokai"
html_title = "dmlc"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b6e99", "color-brand-content": "#0b6e99"},
    "dark_css_variables": {"color-brand-primary": "#5cc3ee", "color-brand-content": "#5cc3ee"},
    "navigation_with_keys": True,
}


def _headers_of_the_gallery_alone(app: Sphinx) -> None:
    # A README.md in a folder of examples is for readers of the repository, and no part of the gallery.
    app.config.sphinx_gallery_conf["source_suffix"] = {".rst": "restructuredtext"}


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", _headers_of_the_gallery_alone, priority=0)
