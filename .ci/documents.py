"""Checks the documents: links, headings, names of files, pages of the guide, Rust examples.

    python .ci/documents.py                  the Markdown files of the repository
    python .ci/documents.py --guide FOLDER   the guide that mdBook wrote to FOLDER/docs

The second copies what the guide links to outside docs/ into FOLDER, so that its links hold there too.
"""

import argparse
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md"), *ROOT.glob("crates/*/README.md")])
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
SOURCE = re.compile(r"`([\w./-]+\.(?:rs|py))`")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)


def prose(page: Path) -> str:
    """The page without its blocks and spans of code."""
    return re.sub(r"`[^`\n]*`", "", FENCED.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """The names that headings have as targets of links."""
    headings = HEADING.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in kept}


def targets(page: Path) -> list[tuple[str, Path, str]]:
    """Each link within the repository: as written, its file, its anchor."""
    found = []
    for link in LINK.findall(prose(page)):
        parts = urlsplit(link)
        if not parts.scheme:
            file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            found.append((link, file, parts.fragment))
    return found


def dead_links() -> list[str]:
    found = []
    for page in PAGES:
        for link, file, anchor in targets(page):
            dead = not file.exists() or (file.suffix == ".md" and anchor and anchor not in anchors(file))
            if dead:
                found.append(f"{page.relative_to(ROOT)}: {link} leads nowhere")
    return found


def unknown_files() -> list[str]:
    """Source files that a page names, by the end of their path, and that are not there."""
    folders = ("crates", "python", "bench", "examples")
    known = ["/" + file.as_posix() for name in folders for file in (ROOT / name).rglob("*.*")]
    return [
        f"{page.relative_to(ROOT)}: there is no {name}"
        for page in PAGES
        for name in dict.fromkeys(SOURCE.findall(FENCED.sub("", page.read_text(encoding="utf-8"))))
        if not any(path.endswith("/" + name) for path in known)
    ]


def pages_outside_the_guide() -> list[str]:
    summary = {file for _, file, _ in targets(DOCS / "SUMMARY.md")} | {DOCS / "SUMMARY.md"}
    return [f"{page.relative_to(ROOT)} is not in docs/SUMMARY.md" for page in DOCS.glob("*.md") if page not in summary]


def untested_examples() -> list[str]:
    """The README of the crate is a documentation test; other Rust examples are copies of its own."""
    tested = (ROOT / "crates/sosrep/README.md").read_text(encoding="utf-8")
    blocks = [(page, block) for page in PAGES for block in FENCED.findall(page.read_text(encoding="utf-8"))]
    return [
        f"{page.relative_to(ROOT)}: a Rust example is not in crates/sosrep/README.md, where it would be tested"
        for page, block in blocks
        if block.startswith("```rust") and block not in tested
    ]


def copy_beside(guide: Path) -> None:
    """Copies what pages link to outside docs/. mdBook makes `.html` of `.md`: that file is copied as well."""
    for page in DOCS.glob("*.md"):
        for _, file, _ in targets(page):
            if not file.is_relative_to(DOCS):
                place = guide / file.relative_to(ROOT)
                place.parent.mkdir(parents=True, exist_ok=True)
                for source in {file, file.with_suffix(".html")} if file.suffix == ".md" else {file}:
                    if source.is_dir():
                        shutil.copytree(source, place, dirs_exist_ok=True)
                    elif source.exists():
                        shutil.copy2(source, place.with_suffix(source.suffix))


class Html(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name == "id":
                self.anchors.add(value)
            elif value and name in ("href", "src"):
                self.links.add(value)


def dead_links_of_the_guide(guide: Path) -> list[str]:
    pages = {page.resolve(): Html(page) for page in guide.glob("docs/*.html")}
    if not pages:
        return [f"{guide} holds no pages"]
    found = []
    for page, html in pages.items():
        for link in sorted(html.links):
            parts = urlsplit(link)
            file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            known = pages.get(file)
            # 404.html is served from any folder, so its links are not relative to its own.
            if not parts.scheme and page.name != "404.html":
                if not file.exists() or (parts.fragment and known and parts.fragment not in known.anchors):
                    found.append(f"guide, {page.name}: {link} leads nowhere")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--guide", type=Path, metavar="FOLDER", help="check the built guide in FOLDER/docs")
    guide = parser.parse_args().guide
    if guide:
        copy_beside(guide.resolve())
        complaints = dead_links_of_the_guide(guide.resolve())
    else:
        complaints = dead_links() + unknown_files() + pages_outside_the_guide() + untested_examples()
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
