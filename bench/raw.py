"""Raw measurements as CSV files: what every benchmark writes and the table of targets reads."""

import csv
import pathlib
from collections.abc import Iterable, Sequence

# The first and AUTHORS are written by the benchmark `roofline` of the library.
ROOFLINE = "roofline.csv"
KERNEL_DENSITY = "kernel_density.csv"
PEERS = "peers.csv"
TUNING = "tuning.csv"
AUTHORS = "authors.csv"
AUTHORS_EXTRAPOLATED = "authors-extrapolated.csv"
SCALE = "scale.csv"
STARTUP = "startup.csv"
FORESTS = "forests.csv"
SPARK = "spark.csv"


def write(path: pathlib.Path, header: Sequence[str], lines: Iterable[Sequence[object]]) -> None:
    """Writes a file, and the folder it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(lines)
    print(f"raw measurements: {path}", flush=True)


def read(path: pathlib.Path) -> list[dict[str, str]]:
    """The lines by the names in the header; none where the file is missing."""
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
