"""Plain `sosrep detect FILE` on real tables, as a new user would type it, and what it finds.

Fetches the tables of `table_catalogue` from their packages into a scratch folder, runs the program
on each without an option, and once more for its scores. Writes into FOLDER

    tables.csv   success or the message, seconds, peak of memory, rows, columns, flagged, notes
    top.csv      the first ten rows beside those of IsolationForest and ECOD, with values
    known.csv    places of rows that are wrong beyond doubt, by every method
    laws.csv     what must hold on three tables
    tables.md, top.md   the same to read

Where bench/requirements-real-tables.txt is installed:
    python bench/real_tables.py target/release/sosrep FOLDER
"""

import argparse
import csv
import io
import json
import pathlib
import sys
from typing import NamedTuple

import raw
import table_page
from process import Command, Run, attempt, run
from table_catalogue import TABLES, Table

HERE = pathlib.Path(__file__).resolve().parent
TABLES_HEADER = (
    "table",
    "package",
    "kind",
    "success",
    "seconds",
    "peak MiB",
    "rows",
    "columns",
    "features",
    "fitted rows",
    "flagged",
    "message",
    "notes",
)
# Of what table_peers, table_known and table_laws print, which load what makes a process large.
TOP_HEADER = (
    "table",
    "method",
    "place",
    "row",
    "score",
    "flagged",
    "found by",
    "identifier",
    "values",
)
KNOWN_HEADER = ("table", "what", "strange", "rows", "sosrep", "IsolationForest", "ECOD")
LAWS_HEADER = ("table", "law", "measured", "asked", "holds")
DIAMONDS_WITHOUT_TEXT = "diamonds-without-text"


class Folders(NamedTuple):
    """Where things are put that are not kept."""

    scratch: pathlib.Path

    @property
    def tables(self) -> pathlib.Path:
        return self.scratch / "tables"

    @property
    def scores(self) -> pathlib.Path:
        return self.scratch / "scores"

    def scores_of(self, name: str) -> pathlib.Path:
        return self.scores / f"{name}.csv"


def detect(program: pathlib.Path, file: pathlib.Path, scores: pathlib.Path, *options: str) -> Run:
    """A second run, which keeps the scores and tells its figures."""
    scores.unlink(missing_ok=True)
    scores.parent.mkdir(parents=True, exist_ok=True)
    return attempt([program, "detect", file, "--json", "--out", scores, *options])


def figures(
    table: Table, file: pathlib.Path, program: pathlib.Path, scores: pathlib.Path
) -> tuple[object, ...]:
    """The line of one table in tables.csv."""
    plain = attempt([program, "detect", file])
    told = detect(program, file, scores)
    facts = json.loads(told.output) if told.exit_code == 0 else {}
    names = ("rows", "columns", "features", "fitted_rows", "flagged")
    message = "" if plain.exit_code == 0 else without_folder(plain.errors, file)
    notes = " | ".join(without_folder(str(note), file) for note in facts.get("notes", []))
    return (
        table.name,
        table.package,
        table.kind,
        "yes" if plain.exit_code == 0 else "no",
        f"{plain.seconds:.2f}",
        f"{plain.peak_bytes / 2**20:.0f}",
        *(facts.get(name, "") for name in names),
        message,
        notes,
    )


def without_folder(text: str, file: pathlib.Path) -> str:
    """A message on one line, with the bare name of the file."""
    return " ".join(text.replace(str(file), file.name).split())


def script(name: str, *arguments: str | pathlib.Path) -> list[list[str]]:
    """The CSV lines that a script prints."""
    command: Command = [sys.executable, HERE / name, *arguments]
    return list(csv.reader(io.StringIO(run(command).output)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the sosrep to run")
    parser.add_argument("folder", type=pathlib.Path, help="where the results are written")
    parser.add_argument("--scratch", type=pathlib.Path, default=HERE.parent / "target/real-tables")
    parser.add_argument("--only", nargs="+", default=[], help="names of tables; all if left out")
    parser.add_argument("--no-peers", action="store_true", help="run the program alone")
    arguments = parser.parse_args()
    program, folders = arguments.program.resolve(), Folders(arguments.scratch.resolve())
    files = dict(script("table_fetch.py", folders.scratch, *arguments.only))
    lines, top = [], []
    for table in TABLES:
        if table.name not in files:
            continue
        file, scores = pathlib.Path(files[table.name]), folders.scores_of(table.name)
        lines.append(figures(table, file, program, scores))
        print("  ".join(map(str, lines[-1])), flush=True)
        if not arguments.no_peers:
            top += script("table_peers.py", file, scores)
    raw.write(arguments.folder / "tables.csv", TABLES_HEADER, lines)
    if not arguments.no_peers:
        raw.write(arguments.folder / "top.csv", TOP_HEADER, top)
        known = script("table_known.py", folders.tables, folders.scores)
        raw.write(arguments.folder / "known.csv", KNOWN_HEADER, known)
    without = folders.scores_of(DIAMONDS_WITHOUT_TEXT)
    detect(program, folders.tables / "diamonds.csv", without, "--drop", "cut,color,clarity")
    laws = script("table_laws.py", folders.tables, folders.scores)
    raw.write(arguments.folder / "laws.csv", LAWS_HEADER, laws)
    table_page.write(arguments.folder)


if __name__ == "__main__":
    main()
