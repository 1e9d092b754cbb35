"""Places of rows that are wrong or strange beyond doubt, by every method, as CSV lines.

Slips of a decimal point, impossible values, rows without measurements: chosen for what their
values say. Some were noticed in the list of a method, so this is no blind trial. Rows with equal
scores share the last of their places.

python bench/table_known.py FOLDER_OF_TABLES FOLDER_OF_SCORES
"""

import argparse
import csv
import pathlib
import statistics
import sys
from typing import NamedTuple

import pandas as pd

import table_encoding
from table_peers import PEERS_SUFFIX, ours


class Known(NamedTuple):
    """Rows of a table that are strange."""

    table: str
    what: str
    # A query of pandas.
    rows: str


KNOWN = (
    Known("penguins", "without any measurement", "bill_length_mm.isna()"),
    Known("penguins-raw", "without any measurement", "`Culmen Length (mm)`.isna()"),
    Known("diamonds", "no size: x = y = z = 0", "x == 0 and y == 0 and z == 0"),
    Known("diamonds", "no height: z = 0", "z == 0 and x > 0"),
    Known("diamonds", "slips: y = 58.9 and 31.8, z = 31.8", "y > 20 or z > 20"),
    Known("flights", "from Newark to LaGuardia, 17 miles", "dest == 'LGA'"),
    Known("flights", "more than 1000 minutes late", "dep_delay > 1000"),
    Known("weather", "13 °F in May", "month == 5 and temp < 20"),
    Known("planes", "not airliners: one engine or rotor", "type != 'Fixed wing multi engine'"),
    Known("airports", "not in the United States", "country != 'USA'"),
    Known("passengers", "class not known: *", "`class` == '*'"),
    Known("survey", "hands of 18 and 13.3 cm", "`Wr.Hnd` - `NW.Hnd` > 4"),
    Known("movies", "longer than 1000 minutes", "length > 1000"),
    Known("colleges", "118 % graduate", "`Grad.Rate` > 100"),
    Known("colleges", "103 % of the faculty have a doctorate", "PhD > 100"),
    Known("starwars", "mass of 1358 kg", "mass > 1000"),
)


def places(table: pd.DataFrame, scores: pd.Series, rows: str) -> str:
    """Best, median and worst; 1 is the most anomalous."""
    ranks = scores.rank(ascending=False, method="max", na_option="bottom")
    found = sorted(ranks[table.query(rows, engine="python").index].astype(int))
    if len(found) <= 3:
        return " ".join(map(str, found))
    return f"{found[0]} … {statistics.median_low(found)} … {found[-1]}"


def lines(tables: pathlib.Path, scores: pathlib.Path) -> list[tuple[object, ...]]:
    result: list[tuple[object, ...]] = []
    for known in KNOWN:
        peers = scores / f"{known.table}{PEERS_SUFFIX}"
        if not peers.is_file():
            continue
        table = table_encoding.read(next(tables.glob(f"{known.table}.*")))
        table = table.reset_index(drop=True)
        methods = pd.read_csv(peers)
        methods.insert(0, "sosrep", ours(scores / f"{known.table}.csv", len(table)).anomaly_score)
        count = len(table.query(known.rows, engine="python"))
        found = [places(table, methods[name], known.rows) for name in methods.columns]
        result.append((known.table, known.what, count, len(table), *found))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", type=pathlib.Path)
    parser.add_argument("scores", type=pathlib.Path)
    arguments = parser.parse_args()
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerows(lines(arguments.tables, arguments.scores))


if __name__ == "__main__":
    main()
