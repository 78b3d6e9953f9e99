"""The site: these pages, the tutorials, the C headers and the Python package. scripts/docs.sh --site calls it."""

import importlib.util
import os
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here / "site"))
base_h = here.parent / "include" / "hamel" / "base.h"
project = "Hamel"
release = re.search(r'HML_VERSION_STRING "([^"]+)"', base_h.read_text()).group(1)
# without myst-nb the tutorials are pages that do not run
links = bool(os.environ.get("HAMEL_LINKS"))  # only the links matter: nothing that takes time and has none
notebooks = not links and importlib.util.find_spec("myst_nb") is not None
extensions = ["myst_nb" if notebooks else "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "extension"]
exclude_patterns = ["requirements.txt", "site"]
html_theme = "furo"
html_title = "Hamel"
mathjax = os.environ.get("HAMEL_MATHJAX")  # the folder of mathjax.js; without it formulas stay as they are written
html_static_path = ["site/static"] + [mathjax] * bool(mathjax)
mathjax_path = "mathjax.js"
mathjax3_config = {"svg": {"mtextInheritFont": True}, "options": {"enableMenu": False}}  # its menu would load more scripts
smartquotes = not links  # the header of a notebook would be taken for a language
html_use_index = html_domain_indices = html_copy_source = not links

myst_heading_anchors = 4
# Links and their anchors follow GitHub and are checked by scripts/check-docs.sh and, in the site, by scripts/check-site.py; a
# page may begin below the first level, and one that is in no menu is found by its links.
# ref.python: three modules have a Linearization; a bare name outside of them means that of hamel, the first
suppress_warnings = ["myst.xref_missing", "myst.header", "toc.not_included", "ref.python"]
myst_fence_as_directive = {"math"}  # ```math, as on GitHub
if notebooks:
    nb_execution_mode = "force" if os.environ.get("HAMEL_RUN_TUTORIALS") else "off"
    nb_execution_raise_on_error = True
    nb_execution_timeout = 300

autodoc_member_order = "alphabetical"
toc_object_entries = False  # a thousand functions are no table of contents
