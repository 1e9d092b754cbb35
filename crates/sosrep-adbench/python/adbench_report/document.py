"""Sections of text, tables and figures, written as Markdown with files beside it."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure as Drawing

#: Equal figures are equal files: names inside them are not random, and no date is written.
SVG = {"svg.hashsalt": "sosrep-adbench", "svg.fonttype": "none", "font.family": "sans-serif"}


@dataclass(frozen=True)
class Number:
    """A cell: what a reader sees, and what the file of the table holds."""

    text: str
    exact: str


Cell = str | int | Number


def number(value: float, decimals: int = 3, note: str = "") -> Number:
    """A rounded number with a note behind it; a dash where there is none."""
    if math.isnan(value):
        return Number("–", "")
    return Number(f"{value:.{decimals}f}".replace("-", "−") + note, repr(float(value)))


def p_value(value: float) -> Number:
    """Four decimals; what would be rounded to zero is said to be below."""
    return number(value, 4) if not value < 0.0001 else Number("< 0.0001", repr(float(value)))


def whole(value: float) -> Number:
    """A count that may be missing."""
    return number(value, 0) if math.isnan(value) else Number(f"{value:.0f}", f"{value:.0f}")


def out_of(part: int, all_of_them: int) -> Number:
    """`42 of 43`."""
    return Number(f"{part} of {all_of_them}", str(part))


@dataclass(frozen=True)
class Table:
    """Rows of cells under a header. With a name it is a file of its own, too."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    name: str = ""

    def markdown(self) -> str:
        """Columns padded to the same width; those without words to the right."""
        texts = [[_cell_text(cell) for cell in row] for row in (self.header, *self.rows)]
        widths = [max(3, *(len(row[i]) for row in texts)) for i in range(len(self.header))]
        to_right = [all(not isinstance(row[i], str) for row in self.rows) for i in range(len(self.header))]
        rule = [f"{'-' * (width - right)}{':' * right}" for width, right in zip(widths, to_right)]

        def line(cells: Iterable[str]) -> str:
            padded = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, widths, to_right))
            return f"| {' | '.join(padded)} |"

        return "\n".join([line(texts[0]), f"| {' | '.join(rule)} |", *map(line, texts[1:])])

    def csv(self) -> str:
        """At full precision."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows([c.exact if isinstance(c, Number) else c for c in row] for row in self.rows)
        return text.getvalue()


@dataclass(frozen=True)
class Figure:
    """A drawing with its caption; `numbers` is what it shows, as a file."""

    name: str
    drawing: Drawing
    caption: str
    numbers: Table | None = None


@dataclass(frozen=True)
class Folded:
    """Parts that a reader opens."""

    summary: str
    parts: Sequence[Part]


Part = str | Table | Figure | Folded


@dataclass(frozen=True)
class Section:
    """A chapter of the report."""

    heading: str
    parts: Sequence[Part] = field(default_factory=list)


def escaped(text: str) -> str:
    """Text that Markdown takes for text."""
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{c}" if c in "\\*`[]" else c for c in text)


def _cell_text(cell: Cell) -> str:
    return cell.text if isinstance(cell, Number) else escaped(str(cell)).replace("|", "\\|")


def _markdown(part: Part) -> str:
    if isinstance(part, str):
        return escaped(part)
    if isinstance(part, Table):
        return part.markdown()
    if isinstance(part, Figure):
        return f"![{part.name}](figures/{part.name}.svg)\n\n*{escaped(part.caption)}*"
    inner = "\n\n".join(map(_markdown, part.parts))
    return f"<details><summary>{escaped(part.summary)}</summary>\n\n{inner}\n\n</details>"


def markdown(title: str, lead: str, sections: Iterable[Section]) -> str:
    """The whole report."""
    blocks = [f"# {escaped(title)}", escaped(lead)]
    for section in sections:
        blocks += [f"## {escaped(section.heading)}", *map(_markdown, section.parts)]
    return "\n\n".join(blocks) + "\n"


def flat(parts: Iterable[Part]) -> Iterator[Part]:
    """Every part, those that are folded too."""
    for part in parts:
        yield from flat(part.parts) if isinstance(part, Folded) else [part]


def svg(drawing: Drawing) -> bytes:
    """A drawing as the bytes of a file."""
    file = io.BytesIO()
    with rc_context(SVG):
        drawing.savefig(file, format="svg", metadata={"Date": None}, bbox_inches="tight")
    return file.getvalue()


def write_atomically(path: Path, contents: bytes) -> None:
    """A file that is whole or not there."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(contents)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write(out: Path, text: str, sections: Iterable[Section]) -> tuple[int, int]:
    """Writes `report.md`, `figures/*.svg` and `tables/*.csv`; gives how many figures and tables."""
    parts = [part for section in sections for part in flat(section.parts)]
    figures = [part for part in parts if isinstance(part, Figure)]
    tables = [part for part in parts if isinstance(part, Table) and part.name]
    tables += [figure.numbers for figure in figures if figure.numbers]
    for name in ("figures", "tables"):
        (out / name).mkdir(parents=True, exist_ok=True)
    for figure in figures:
        write_atomically(out / "figures" / f"{figure.name}.svg", svg(figure.drawing))
    for table in tables:
        write_atomically(out / "tables" / f"{table.name}.csv", table.csv().encode())
    write_atomically(out / "report.md", text.encode())
    return len(figures), len(tables)
