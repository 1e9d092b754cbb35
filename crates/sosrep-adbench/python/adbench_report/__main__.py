"""The command line of the report."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

PACKAGES = ("matplotlib", "numpy", "pandas", "scipy")


def parsed() -> argparse.Namespace:
    """What was typed."""
    parser = argparse.ArgumentParser(prog="adbench_report", description="The report of a run.")
    parser.add_argument(
        "folders", type=Path, nargs="+", metavar="folder",
        help="the folder of the run; of several, a later one replaces the methods and experiments that it has",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, help="where the report goes [default: the last folder]")
    parser.add_argument("--readme", type=Path, help="a text that the main table is put into")
    parser.add_argument("--quiet", action="store_true", help="print errors only")
    return parser.parse_args()


def main() -> None:
    """Writes the report, or ends with one sentence about what is wrong."""
    arguments = parsed()
    try:
        from . import report
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.split(".")[0] not in PACKAGES:
            raise
        sys.exit(
            f"error: the report needs the Python packages {', '.join(PACKAGES)}, and {sys.executable} has no"
            f" {missing.name}; install them (crates/sosrep-adbench/python/requirements.txt) or give another --python"
        )
    try:
        lines = report.make(arguments.folders, arguments.out or arguments.folders[-1], arguments.readme)
    except (report.Refused, OSError) as problem:
        sys.exit(f"error: {problem}")
    if not arguments.quiet:
        print("\n".join(lines), file=sys.stderr)


if __name__ == "__main__":
    main()
