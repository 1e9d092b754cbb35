"""Methods × data sets: means over seeds, ranks, places, and why a result is missing.

A result is the mean over the seeds of a method on a data set. A mean is over the data sets that a
method covers. A rank is the paper's: the best of M methods has M, the worst 1, equals share, and a
method without a result shares the last ranks. A place compares two methods where both have results.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

PAPER, EXACT, DEFAULT = "SOSREP-paper", "SOSREP-paper-exact", "SOSREP-default"
OURS = (PAPER, EXACT, DEFAULT)
#: The first of these that was run stands for SDO. Runs before there was a preset of the second name have the first, and
#: the other kernels beside it, read by the same rule.
SDO = ("SOSREP-SDO", EXACT)
KERNELS = ("SOSREP-Laplacian", "SOSREP-Gaussian", "SOSREP-product")
#: The methods that the paper compares with.
BASELINES = (
    "IForest OCSVM COPOD ECOD KNN LOF HBOS CBLOF COF SOD LODA PCA MCD FeatureBagging DeepSVDD DAGMM"
    " KDE-gaussian KDE-exponential"
).split()
METHODS = (*BASELINES, *OURS)

#: Why there is no result, the stronger reason last.
REASONS = ("not run", "unavailable", "failed", "timed out")


def data_set_number(data_set: str) -> int:
    """14 of 14_glass; data sets without a number come last."""
    digits = data_set.split("_")[0]
    return int(digits) if digits.isdecimal() else 1000


def select(
    runs: pd.DataFrame, duplicates: int = 1, jitter: float = math.nan, protocol: str = "adbench"
) -> pd.DataFrame:
    """The runs of one protocol and one number of copies of the anomalies, without irrelevant columns."""
    same_jitter = runs["jitter"].isna() if math.isnan(jitter) else runs["jitter"] == jitter
    return runs[
        (runs["protocol"] == protocol)
        & (runs["duplicates"] == duplicates)
        & (runs["irrelevant_features"] == 0)
        & same_jitter
    ]


@dataclass(frozen=True)
class Scoreboard:
    """`by_seed`: results by method, data set and seed; `values`: their means over the seeds, methods ×
    data sets; `seeds`: how many; `reasons`: why there are none."""

    by_seed: pd.Series
    values: pd.DataFrame
    seeds: pd.DataFrame
    reasons: pd.DataFrame

    @property
    def data_sets(self) -> list[str]:
        """Those that at least one of the methods was run on, by number."""
        return list(self.values.columns)

    @property
    def ran(self) -> pd.DataFrame:
        """The methods that have a result."""
        return self.values.dropna(how="all")

    def covered(self, method: str) -> int:
        """How many data sets a method has a result on."""
        return int(self.values.loc[method].notna().sum())

    def means(self) -> pd.Series:
        """Of the methods that have a result, the best first."""
        return self.ran.mean(axis=1).sort_values(ascending=False, kind="stable")

    def ranks(self) -> pd.DataFrame:
        """Of the methods that have a result, on every data set; the largest is the best."""
        return self.ran.fillna(-math.inf).rank(axis=0)

    def mean_ranks(self) -> pd.Series:
        """Over data sets, the best first."""
        return self.ranks().mean(axis=1).sort_values(ascending=False, kind="stable")

    def restricted(self, data_sets: Collection[str]) -> Scoreboard:
        """The same with some of the data sets."""
        kept = [name for name in self.data_sets if name in data_sets]
        values, seeds, reasons = self.values[kept], self.seeds[kept], self.reasons[kept]
        return replace(self, values=values, seeds=seeds, reasons=reasons)

    def without(self, method: str) -> Scoreboard:
        """The same without one of the methods."""
        return replace(self, values=self.values.drop(index=method, errors="ignore"))

    def differences(self, method: str) -> pd.Series:
        """By how much a method is ahead of each other one, in the mean over the data sets both cover."""
        others = self.ran.drop(index=method, errors="ignore")
        return (self.values.loc[method] - others).mean(axis=1).dropna()

    def place_by_mean(self, method: str) -> tuple[int, int] | None:
        """(1, 18) if a method is the first of 18."""
        if method not in self.ran.index:
            return None
        return 1 + int((self.differences(method) < 0).sum()), len(self.ran)

    def place_by_rank(self, method: str) -> tuple[int, int] | None:
        """The same by mean rank."""
        ranks = self.mean_ranks()
        return (1 + int((ranks > ranks[method]).sum()), len(ranks)) if method in ranks else None

    def change(self, after: Scoreboard, method: str) -> float:
        """By which share the mean of a method differs on another board, over the data sets and seeds
        that have a result on both; NaN where there are none."""
        pair = [board.by_seed[board.by_seed.index.get_level_values("method") == method] for board in (self, after)]
        both = pd.concat(pair, axis=1, join="inner")
        before, then = both.groupby(level="data_set").mean().mean()
        return float(then / before - 1)

    def basis(self) -> str:
        """How many data sets and seeds are behind the results, in words."""
        counts = self.seeds.to_numpy()
        counts = counts[counts > 0]
        if not counts.size:
            seeds = "no seed"
        elif counts.min() == counts.max():
            seeds = plural(int(counts.max()), "seed")
        else:
            seeds = f"{counts.min():.0f} to {counts.max():.0f} seeds"
        return f"{plural(len(self.data_sets), 'data set')}, {seeds}"


def scoreboard(runs: pd.DataFrame, methods: Sequence[str], measure: str = "auc_roc") -> Scoreboard:
    """Puts selected runs in order. Of two runs with the same seed the later one counts."""
    key = ["method", "data_set", "seed"]
    runs = runs[runs["method"].isin(methods)].drop_duplicates(key, keep="last")
    grid = pd.MultiIndex.from_product([methods, sorted(runs["data_set"].unique(), key=data_set_number)], names=key[:2])
    measured = (runs["status"] == "done") & np.isfinite(runs[measure].astype(float))
    by_seed = runs[measured].set_index(key)[measure].astype(float).sort_index()
    cells = by_seed.groupby(level=key[:2])
    words = runs["status"].replace({"timed-out": "timed out", "done": "failed"})
    severity = words.map(REASONS.index).groupby([runs["method"], runs["data_set"]]).max()
    reasons = severity.reindex(grid, fill_value=0).map(lambda place: REASONS[place])

    def square(cells: pd.Series) -> pd.DataFrame:
        return cells.unstack().reindex(index=list(methods), columns=grid.levels[1][grid.codes[1]].unique())

    return Scoreboard(
        by_seed=by_seed,
        # Summed one by one in the order of seeds: equal results must be equal to the last bit to share a rank.
        values=square(cells.agg(lambda own: np.cumsum(own.to_numpy())[-1] / len(own)).reindex(grid)).astype(float),
        seeds=square(cells.size().reindex(grid, fill_value=0)),
        reasons=square(reasons),
    )


def listed(runs: pd.DataFrame) -> list[str]:
    """The baselines and our configurations; that with the exact kernel only where it was run."""
    return [method for method in METHODS if method != EXACT or (runs["method"] == EXACT).any()]


def kernels(runs: pd.DataFrame) -> list[str]:
    """The kernels that are compared, SDO, Laplacian and Gaussian first."""
    there = [name for name in SDO if (runs["method"] == name).any()]
    return [(there or [SDO[-1]])[0], *KERNELS]


def board(runs: pd.DataFrame, measure: str = "auc_roc", duplicates: int = 1) -> Scoreboard:
    """The baselines and our configurations, by ADBench's protocol."""
    return scoreboard(select(runs, duplicates=duplicates), listed(runs), measure)


def places(board: Scoreboard, method: str) -> tuple[str, str] | None:
    """`1 of 18` by mean and by rank, on the board without our other configurations."""
    alone = board
    for other in OURS:
        alone = alone if other == method else alone.without(other)
    found = alone.place_by_mean(method), alone.place_by_rank(method)
    return (f"{found[0][0]} of {found[0][1]}", f"{found[1][0]} of {found[1][1]}") if found[0] and found[1] else None


def plural(count: int, noun: str) -> str:
    """1 seed, 2 seeds."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
