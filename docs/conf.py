"""Sphinx: `make docs` builds build/docs/html from these pages, as they stand in the repository."""

import poolkit

project = "poolkit"
author = "the poolkit authors"
version = release = poolkit.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3
exclude_patterns = ["results"]

highlight_language = "sh"  # of indented blocks, which are commands

html_theme = "furo"
html_title = f"poolkit {version}"
html_show_sourcelink = False
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["wide.css"]

default_role = "code"  # docstrings put names between single backticks
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # signatures of `make` would be pages long; docstrings tell the types
napoleon_use_rtype = False
napoleon_use_ivar = True
