"""What must hold on three tables whose strange rows are known, as CSV lines.

    penguins   no island, species or sex of at least 15 % of the rows has more than 30 % of them
               flagged, and the bills of 59.6 and 58 mm, the longest of their species, come among
               the first ten
    diamonds   stones of no size (x = y = z = 0) and those of 58.9 and 31.8 mm, slips of a decimal
               point, come among the first thirty, with the columns of text and without
    titanic    of groups of equal rows the largest is the most usual, and the single row the least

python bench/table_laws.py FOLDER_OF_TABLES FOLDER_OF_SCORES
"""

import argparse
import csv
import pathlib
import sys
from collections.abc import Iterator

import pandas as pd

COMMON_SHARE, FLAGGED_SHARE = 0.15, 0.30
FIRST_PENGUINS, FIRST_DIAMONDS = 10, 30
DIAMONDS_WITHOUT_TEXT = "diamonds-without-text"

Line = tuple[str, str, str, str, bool]


def scored(table: pathlib.Path, scores: pathlib.Path) -> pd.DataFrame:
    """A table with the columns `anomaly_score`, `flagged` and `place`, 1 for the most anomalous."""
    rows = pd.read_csv(table)
    written = pd.read_csv(scores).set_index("row")
    written.index -= 1
    rows["anomaly_score"] = written["anomaly_score"]
    rows["flagged"] = written["is_anomaly"].astype(str).str.lower() == "true"
    # Equal scores share the worst of their places.
    rows["place"] = rows["anomaly_score"].rank(ascending=False, method="max", na_option="bottom")
    return rows


def within(table: str, what: str, rows: pd.DataFrame, first: int) -> Line:
    """All these rows come among the first ones."""
    places = sorted(rows["place"].astype(int))
    asked = f"within {first}"
    return table, f"places of {what}", " ".join(map(str, places)), asked, max(places) <= first


def penguins(rows: pd.DataFrame) -> Iterator[Line]:
    for column in ("island", "species", "sex"):
        for value, group in rows.groupby(column):
            if len(group) >= COMMON_SHARE * len(rows):
                share = group["flagged"].mean()
                law = f"flagged of {column} {value}, {len(group)} rows"
                asked = f"at most {FLAGGED_SHARE:.0%}"
                yield "penguins", law, f"{share:.1%}", asked, share <= FLAGGED_SHARE
    for length in (59.6, 58.0):
        bills = rows[rows["bill_length_mm"] == length]
        yield within("penguins", f"the bill of {length} mm", bills, FIRST_PENGUINS)


def diamonds(table: str, rows: pd.DataFrame) -> Iterator[Line]:
    sizeless = (rows[["x", "y", "z"]] == 0).all(axis=1)
    for what, chosen in {
        "x = y = z = 0": sizeless,
        "y = 58.9": rows["y"] == 58.9,
        "z = 31.8": rows["z"] == 31.8,
    }.items():
        yield within(table, what, rows[chosen], FIRST_DIAMONDS)


def titanic(rows: pd.DataFrame) -> Iterator[Line]:
    groups = rows.groupby(["class", "age", "sex", "survived"])["anomaly_score"]
    sizes, scores = groups.size(), groups.mean()
    for law, group, size in (
        ("size of the most usual group", scores.idxmin(), sizes.max()),
        ("size of the least usual group", scores.idxmax(), sizes.min()),
    ):
        measured = f"{sizes[group]}: {', '.join(group)}"
        yield "titanic", law, measured, str(size), sizes[group] == size


def laws(tables: pathlib.Path, scores: pathlib.Path) -> Iterator[Line]:
    for name, file, check in (
        ("penguins", "penguins", penguins),
        ("diamonds", "diamonds", lambda rows: diamonds("diamonds", rows)),
        (DIAMONDS_WITHOUT_TEXT, "diamonds", lambda rows: diamonds(DIAMONDS_WITHOUT_TEXT, rows)),
        ("titanic", "titanic", titanic),
    ):
        written = scores / f"{name}.csv"
        if written.is_file():
            yield from check(scored(tables / f"{file}.csv", written))
        else:
            yield name, "there are scores", "none", "some", False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", type=pathlib.Path)
    parser.add_argument("scores", type=pathlib.Path)
    arguments = parser.parse_args()
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerows(laws(arguments.tables, arguments.scores))


if __name__ == "__main__":
    main()
