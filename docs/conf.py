"""The site: these pages, the tutorials and the Python package. scripts/docs.sh --site calls it."""

import inspect
import os
import pathlib
import re

base_h = pathlib.Path(__file__).resolve().parents[1] / "include" / "hamel" / "base.h"
project = "Hamel"
release = re.search(r'HML_VERSION_STRING "([^"]+)"', base_h.read_text()).group(1)
extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["requirements.txt"]
html_theme = "furo"
html_title = "Hamel"

myst_heading_anchors = 4
# Links and their anchors follow GitHub and are checked by scripts/check-docs.sh; a page may begin below the first level, and
# one that is in no menu is found by its links.
suppress_warnings = ["myst.xref_missing", "myst.header", "toc.not_included"]
myst_enable_extensions = ["dollarmath"]
nb_execution_mode = "force" if os.environ.get("HAMEL_RUN_TUTORIALS") else "off"
nb_execution_raise_on_error = True
nb_execution_timeout = 300

autodoc_member_order = "alphabetical"


def as_written(app, what, name, obj, options, lines):
    """The package's docstrings are plain text laid out by hand, with tables of shapes: shown as they are."""
    if what != "module" and lines:
        text = inspect.cleandoc("\n".join(lines)).splitlines()
        lines[:] = [".. code-block:: text", "", *("   " + line for line in text), ""]


def setup(app):
    app.connect("autodoc-process-docstring", as_written)
