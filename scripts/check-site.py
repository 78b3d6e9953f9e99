#!/usr/bin/env python3
"""Checks that every link of the built site leads to a file in it, and its anchor to an element. Usage: check-site.py FOLDER"""

import pathlib
import sys
import urllib.parse
from html.parser import HTMLParser


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text()) for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts}
    count = dead = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.exists():
                why = "no such file"
            elif anchor and target in pages and anchor not in pages[target].anchors:
                why = "no such place on the page"
            else:
                continue
            dead += 1
            print(f"{path.relative_to(folder)}: {link}: {why}", file=sys.stderr)
    print(f"{len(pages)} pages, {count} links, {dead} dead")
    return 1 if dead or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
