"""What it takes to begin: the program, the Python package, and how large they are.

    score      `sosrep score` of a CSV file of one row with a small model, a process from its start
               to its end; `sosrep --version` beside it, the least that a process can take
    import     `import numpy, sosrep` less `import numpy`, in interpreters that are started for it
               in turns; the same with `SobolevDetector`, which loads scikit-learn, beside it
    size       of the program as it was built, and stripped of symbols
    crates     that the program and the library depend on, themselves not counted

Medians are what to read; FOLDER/startup.csv has every process.

Run with `./x bench`, or where the package is installed:
    python bench/startup.py target/release/sosrep FOLDER
"""

import argparse
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import raw
from process import Command, run

PROCESSES = 30
INTERPRETERS = 15
TRAINING_ROWS = 200
COLUMNS = 4
HEADER = ("what", "run", "value", "unit")
SCORE, VERSION = "score one row", "version"
IMPORTS = {
    "import numpy": "import numpy",
    "import numpy, sosrep": "import numpy, sosrep",
    "import numpy, SobolevDetector": "import numpy; from sosrep import SobolevDetector",
}
NUMPY, PACKAGE, DETECTOR = IMPORTS
SIZE, STRIPPED = "program", "program, stripped"
CRATES = {"crates of the program": "sosrep-cli", "crates of the library": "sosrep"}

Line = tuple[str, int, float, str]


def write_rows(path: pathlib.Path, rows: int) -> None:
    """A CSV file of normal numbers."""
    generator = random.Random(1)
    lines = [",".join(f"x{column}" for column in range(1, COLUMNS + 1))]
    lines += [",".join(f"{generator.gauss():.4f}" for _ in range(COLUMNS)) for _ in range(rows)]
    path.write_text("\n".join(lines) + "\n")


def processes(program: pathlib.Path, scratch: pathlib.Path) -> Iterator[Line]:
    """Milliseconds of short processes, after one of each that is not counted."""
    table, row, model = (scratch / name for name in ("table.csv", "row.csv", "model"))
    write_rows(table, TRAINING_ROWS)
    write_rows(row, 1)
    run([program, "fit", table, "--model", model, "--quiet"])
    score: Command = [program, "score", model, row, "--out", scratch / "scores.csv", "--quiet"]
    version: Command = [program, "--version"]
    for what, command in ((SCORE, score), (VERSION, version)):
        run(command)
        for number in range(1, PROCESSES + 1):
            yield what, number, 1e3 * run(command).seconds, "ms"


def imports() -> Iterator[Line]:
    """Milliseconds of fresh interpreters; in turns, so that a busy moment meets all alike."""
    commands = {what: [sys.executable, "-c", code] for what, code in IMPORTS.items()}
    for command in commands.values():
        run(command)
    for number in range(1, INTERPRETERS + 1):
        for what, command in commands.items():
            yield what, number, 1e3 * run(command).seconds, "ms"


def sizes(program: pathlib.Path, scratch: pathlib.Path) -> Iterator[Line]:
    """Megabytes."""
    yield SIZE, 1, program.stat().st_size / 1e6, "MB"
    if shutil.which("strip"):
        stripped = scratch / "stripped"
        run(["strip", "-o", stripped, program])
        yield STRIPPED, 1, stripped.stat().st_size / 1e6, "MB"
    else:
        print("skipped: no strip for the stripped size")


def crates() -> Iterator[Line]:
    """Packages that are compiled in, each version counted."""
    if not shutil.which("cargo"):
        print("skipped: no cargo to count dependencies")
        return
    root = pathlib.Path(__file__).resolve().parent.parent
    for what, package in CRATES.items():
        command = ["cargo", "tree", "--package", package, "--edges", "normal", "--prefix", "none"]
        tree = subprocess.check_output(command, cwd=root, text=True)
        # A package that was shown before has a mark at its end.
        names = {line.removesuffix(" (*)").strip() for line in tree.splitlines()}
        yield what, 1, len(names - {""}) - 1, "crates"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the sosrep to run")
    parser.add_argument("folder", type=pathlib.Path, help=f"where {raw.STARTUP} is written")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        lines = [*processes(program, scratch), *imports(), *sizes(program, scratch), *crates()]
    for what in dict.fromkeys(line[0] for line in lines):
        values = [line[2] for line in lines if line[0] == what]
        unit = next(line[3] for line in lines if line[0] == what)
        print(f"{what:30} {statistics.median(values):8.1f} {unit}")
    raw.write(arguments.folder / raw.STARTUP, HEADER, lines)


if __name__ == "__main__":
    main()
