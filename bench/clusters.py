"""Writes tables of any length as Parquet, whose rows are clusters with a few planted anomalies.

A normal row is of one of eight normal clusters of different size, spread and correlation, in
columns of different units. One row of a hundred is an anomaly, and `label` is 1:

    45 %  scattered   uniform in the box that holds the clusters
    45 %  shifted     a cluster's row, moved in a few columns by a few of the cluster's deviations
    10 %  broken      every column from another row of one cluster: the columns look right one by
                      one, and do not belong together

Rows are made in blocks, each from a generator of its own: a short table is the beginning of a long
one, and memory does not grow with the length.

    python bench/clusters.py TABLE --rows N [--sample FILE --sample-rows M]
    python bench/clusters.py TABLE --rows N --held-out      normal rows only, and no label
"""

import argparse
import pathlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SEED = 20
COLUMNS = 20
LABEL = "label"
BLOCK = 100_000
# Shares of the rows and standard deviations of the clusters.
SHARES = (0.28, 0.22, 0.15, 0.12, 0.09, 0.07, 0.05, 0.02)
SPREADS = (1.0, 0.6, 1.4, 0.8, 0.5, 1.8, 0.7, 0.4)
# How far apart the centres are, in units of the widest common spread.
CENTRES = 2.0
# Degrees of freedom of the tails, where they are heavy.
FREEDOM = 3.0
# Share of a column's deviation that is its own; the rest it has in common with others.
OWN = 0.25
FACTORS = 3
# Units of columns: from hundredths to hundreds.
UNITS = (-2.0, 2.0)
ANOMALIES = 0.01
# Of the anomalies; the others are broken.
SCATTERED = 0.45
SHIFTED = 0.45
SHIFTED_COLUMNS = 4
SHIFT = 4.0
# The box reaches this many deviations beyond the outermost centres.
BOX = 3.0


class Stream:
    """What a generator is for: seeds differ by it, so that no two tables share their rows."""

    LAYOUT, TABLE, HELD_OUT, SAMPLE = range(4)


def generator(stream: int, block: int = 0) -> np.random.Generator:
    return np.random.default_rng([SEED, stream, block])


class Clusters(NamedTuple):
    """Where the clusters are and how their columns go together."""

    centres: np.ndarray  # cluster × column
    mixing: np.ndarray  # cluster × source × column
    units: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def drawn(cls, columns: int = COLUMNS) -> "Clusters":
        random = generator(Stream.LAYOUT)
        count = len(SHARES)
        centres = random.normal(scale=CENTRES, size=(count, columns))
        common = random.normal(size=(count, FACTORS, columns))
        common *= np.sqrt((1 - OWN**2) / (common**2).sum(axis=1, keepdims=True))
        own = np.broadcast_to(OWN * np.eye(columns), (count, columns, columns))
        spreads = np.array(SPREADS)[:, None, None]
        units = 10.0 ** random.uniform(*UNITS, size=columns)
        reach = BOX * max(SPREADS)
        mixing = spreads * np.concatenate([common, own], axis=1)
        return cls(centres, mixing, units, centres.min(axis=0) - reach, centres.max(axis=0) + reach)

    def rows(self, members: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """A row of each of these clusters, before units."""
        columns = self.centres.shape[1]
        sources = random.normal(size=(len(members), FACTORS + columns))
        values = np.empty((len(members), columns))
        for cluster in range(len(SHARES)):
            chosen = members == cluster
            values[chosen] = self.centres[cluster] + sources[chosen] @ self.mixing[cluster]
        return values

    def normal(self, count: int, random: np.random.Generator) -> np.ndarray:
        return self.rows(random.choice(len(SHARES), size=count, p=SHARES), random)

    def heavy(self, count: int, random: np.random.Generator) -> np.ndarray:
        """Rows like the normal ones, further from their centres the rarer."""
        members = random.choice(len(SHARES), size=count, p=SHARES)
        centres = self.centres[members]
        tails = np.sqrt(FREEDOM / random.chisquare(FREEDOM, size=(count, 1)))
        return (self.rows(members, random) - centres) * tails + centres

    def anomalies(self, count: int, random: np.random.Generator) -> np.ndarray:
        """The three kinds, one after another."""
        width = self.centres.shape[1]
        scattered, shifted = round(SCATTERED * count), round(SHIFTED * count)
        broken = count - scattered - shifted
        kinds = [random.uniform(self.low, self.high, size=(scattered, width))]

        members = random.choice(len(SHARES), size=shifted, p=SHARES)
        order = random.random((shifted, width)).argsort(axis=1)
        signs = random.choice([-1.0, 1.0], size=(shifted, width))
        move = np.where(order < SHIFTED_COLUMNS, SHIFT * signs, 0.0)
        kinds.append(self.rows(members, random) + move * np.array(SPREADS)[members, None])

        members = random.choice(len(SHARES), size=broken, p=SHARES)
        columns = [self.rows(members, random)[:, column] for column in range(width)]
        kinds.append(np.column_stack(columns))
        return np.concatenate(kinds)

    def block(self, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Rows in their units, and their labels."""
        planted = round(ANOMALIES * BLOCK)
        values = np.concatenate(
            [self.normal(BLOCK - planted, random), self.anomalies(planted, random)]
        )
        labels = np.repeat(np.array([0, 1], dtype=np.int8), [BLOCK - planted, planted])
        order = random.permutation(BLOCK)
        return (values * self.units)[order], labels[order]


def table(values: np.ndarray, labels: np.ndarray | None) -> pa.Table:
    columns = {f"x{number}": values[:, number - 1] for number in range(1, COLUMNS + 1)}
    return pa.table(columns if labels is None else {**columns, LABEL: labels})


def blocks(rows: int) -> Iterator[pa.Table]:
    """The first rows of the one long table."""
    clusters = Clusters.drawn()
    for first in range(0, rows, BLOCK):
        whole = table(*clusters.block(generator(Stream.TABLE, first // BLOCK)))
        yield whole.slice(0, min(BLOCK, rows - first))


def write(path: pathlib.Path, rows: int, sample: pathlib.Path | None, sample_rows: int) -> None:
    """The table, and if asked for a random sample of its rows, in their order."""
    count = min(sample_rows, rows)
    chosen = np.sort(generator(Stream.SAMPLE).choice(rows, size=count, replace=False))
    parts, first, out = [], 0, None
    for part in blocks(rows):
        # Numbers at random have no dictionary worth building.
        out = out or pq.ParquetWriter(path, part.schema, use_dictionary=False)
        out.write_table(part)
        within = chosen[(chosen >= first) & (chosen < first + len(part))] - first
        parts.append(part.take(within))
        first += len(part)
    if out:
        out.close()
    if sample:
        pq.write_table(pa.concat_tables(parts), sample, use_dictionary=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--sample", type=pathlib.Path, help="where a sample of the rows goes")
    parser.add_argument("--sample-rows", type=int, default=0)
    parser.add_argument("--held-out", action="store_true", help="normal rows that no table has")
    arguments = parser.parse_args()
    if arguments.held_out:
        clusters = Clusters.drawn()
        values = clusters.normal(arguments.rows, generator(Stream.HELD_OUT)) * clusters.units
        pq.write_table(table(values, None), arguments.table, use_dictionary=False)
    else:
        write(arguments.table, arguments.rows, arguments.sample, arguments.sample_rows)


if __name__ == "__main__":
    main()
