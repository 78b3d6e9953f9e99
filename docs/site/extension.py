"""What the site adds to Sphinx: links that name pages by their titles, pages of headers, dots and indices where they belong."""

import html
import os
import pathlib
import posixpath
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.directives.code import CodeBlock
from sphinx.highlighting import PygmentsBridge

import c_reference
import docstrings

MARKS = {"\u0307": "˙", "\u0308": "¨", "\u0302": "ˆ", "\u0303": "˜", "\u0304": "¯"}
OVER = re.compile(f"([^\\s<>&;])([{''.join(MARKS)}])")
# D_q, ν_rep, x_{k+1}, ad_ν: one letter, or the name of a map, and what stands below it
INDEX = "[A-Za-z0-9\u0391-\u03c9]"
BELOW = re.compile(f"(?<![A-Za-z0-9_])([^\\W\\d_][{''.join(MARKS)}]?|[Aaã]d|diag)_(?:{{([^}}<]+)}}|({INDEX}{{1,5}}))(?![A-Za-z0-9_/])")
CODE = re.compile(r"<(pre|code|script)\b.*?</\1>|<(?:div|span) class=\"math.*?</(?:div|span)>", re.DOTALL)
ROOT = pathlib.Path(__file__).resolve().parents[2]


def write_headers(app):
    if os.environ.get("HAMEL_LINKS"):
        app.builder.search = False
    c_reference.write(ROOT / "include" / "hamel", pathlib.Path(app.srcdir) / "c")


def header_page(app, docname, target):
    """The page of a header that a link from a page leads to, or None"""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(f"docs/{docname}"), target))
    if not path.startswith("include/hamel/"):
        return None
    return "c/" + path[len("include/hamel/") :].replace("/", "-")


def links_in_the_site(app, doctree):
    """Links to headers lead to their pages; those to folders, of which the site has none, are only words"""
    docname = app.env.docname
    for node in list(doctree.findall(addnodes.download_reference)):
        page = header_page(app, docname, node.get("reftarget", ""))
        if page:
            new = addnodes.pending_xref("", reftype="doc", refdomain="std", reftarget=f"/{page}", refexplicit=True)
            new["refdoc"], new["refwarn"] = docname, False
            new += nodes.inline("", node.astext())
            node.replace_self(new)
    for node in list(doctree.findall(lambda n: isinstance(n, (nodes.reference, addnodes.pending_xref)))):
        target = node.get("refuri") or node.get("reftarget") or ""
        if "://" in target or target.startswith(("#", "mailto:")) or not target.startswith("."):
            continue
        place = (pathlib.Path(app.srcdir) / posixpath.dirname(docname) / target.split("#")[0]).resolve()
        if place.is_dir():
            node.replace_self(nodes.inline("", node.astext()))


def wrap_commands(app, doctree):
    """Blocks without columns, such as commands, are wrapped in a narrow window; tables scroll"""
    for node in doctree.findall(nodes.literal_block):
        if not re.search(r"\S {2,}(?!#)\S|[│├─┌]", node.astext()):
            node["classes"].append("wrap")


def titles(app, doctree, docname):
    """[x](conventions.md) and [conventions.md](conventions.md): the second is called by the page's title"""
    for node in doctree.findall(nodes.reference):
        text, target = node.astext(), node.get("refuri", "")
        if not node.get("internal") or not re.fullmatch(r"[\w./-]+\.md", text):
            continue
        path = posixpath.normpath(posixpath.join(posixpath.dirname(docname), target.split("#")[0]))
        title = app.env.titles.get(re.sub(r"\.html$", "", path))
        if title is not None:
            node.children = [nodes.inline("", title.astext())]


def over(text):
    return OVER.sub(lambda m: f'<span class="over" data-over="{MARKS[m[2]]}">{m[1]}</span>', text)


def prose_of(text):
    """Indices below, and names_of_functions that may be broken where a column of a table is narrow"""
    return over(re.sub(r"(?<=[a-z0-9])_(?=[a-z0-9])", "_<wbr>", BELOW.sub(r"\1<sub>\2\3</sub>", text)))


def letters(app, pagename, templatename, context, doctree):
    """Letters with a dot or a hat: the mark is placed by the style sheet, not by whatever font a browser has. In prose, indices
    stand below."""
    body = context.get("body")
    if not body:
        return
    at, parts = 0, []
    for code in [*CODE.finditer(body), None]:
        prose = body[at : code.start() if code else None]
        parts.append(re.sub(r"(?<=>)[^<]+(?=<|$)|^[^<]+", lambda m: prose_of(m[0]), prose))
        if code:
            parts.append(re.sub(r">[^<]+<", lambda m: over(m[0]), code[0]))
            at = code.end()
    context["body"] = "".join(parts)


class Cell(CodeBlock):
    """A cell of a tutorial where nothing runs it"""

    option_spec = {**CodeBlock.option_spec, "tags": str}


def plain(self, source, *arguments, **options):
    """A block of code without its colours"""
    return f"<div class='highlight'><pre>{html.escape(source)}</pre></div>"


def setup(app):
    if os.environ.get("HAMEL_LINKS"):
        PygmentsBridge.highlight_block = plain
        app.add_directive("code-cell", Cell)
    app.connect("builder-inited", write_headers)
    app.connect("doctree-read", links_in_the_site)
    app.connect("doctree-read", wrap_commands)
    app.connect("doctree-resolved", titles)
    app.connect("html-page-context", letters)
    app.connect("autodoc-process-docstring", docstrings.process)
    app.add_css_file("hamel.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
