"""Measures rows a second and core that Spark scores, beside a Python UDF with scikit-learn's IsolationForest.

The table of clusters.py, in one session `local[1]`: each model is fitted to the same rows, and then scores the same table
from Parquet, its scores thrown away (`noop`), several times in turn. The forest runs as `mapInPandas`, the usual way.
Both are also timed without Spark, so that what the engine adds can be seen.

    python bench/spark.py FOLDER [--rows N] [--times N]
"""

import argparse
import csv
import os
import pathlib
import sys
import time
from collections.abc import Callable, Iterator

import pandas as pd
import pyarrow.parquet as pq
from clusters import write
from pyspark.sql import DataFrame, SparkSession
from sklearn.ensemble import IsolationForest

from sosrep.spark import SobolevDetector

FITTED = 23_170


def forest_scores(forest: IsolationForest, names: list[str]) -> Callable:
    def part(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            yield frame.assign(anomaly_score=-forest.score_samples(frame[names].to_numpy()))

    return part


def run(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--times", type=int, default=3)
    arguments = parser.parse_args()
    path = arguments.folder / "spark.parquet"
    write(path, arguments.rows, None, 0)
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", "OMP_NUM_THREADS": "1"}
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    frame = spark.read.parquet(str(path)).drop("label")
    rows = pq.read_table(path).drop_columns(["label"]).to_pandas()
    names = list(rows.columns)

    started = time.perf_counter()
    model = SobolevDetector().fit(frame)
    fit_seconds = time.perf_counter() - started
    local = model.detector
    local.n_jobs = 1
    small = SobolevDetector(max_support=300).fit(frame)
    forest = IsolationForest(random_state=0, n_jobs=1).fit(rows[:FITTED].to_numpy())
    types = frame.schema.simpleString().removeprefix("struct<").removesuffix(">").replace(":", " ")
    scored = frame.mapInPandas(forest_scores(forest, names), types + ", anomaly_score double")
    works = {
        "sosrep on Spark": lambda: run(model.transform(frame)),
        "sosrep with a support of 300 on Spark": lambda: run(small.transform(frame)),
        "IsolationForest on Spark": lambda: run(scored),
        "sosrep": lambda: local.assess(rows),
        "IsolationForest": lambda: forest.score_samples(rows.to_numpy()),
    }
    works["IsolationForest on Spark"]()
    with open(arguments.folder / "spark.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["work", "time", "rows", "seconds", "rows_a_second"])
        writer.writerow(["fit on Spark", 0, arguments.rows, fit_seconds, arguments.rows / fit_seconds])
        for turn in range(arguments.times):
            for name, work in works.items():
                took = seconds(work)
                writer.writerow([name, turn, arguments.rows, took, arguments.rows / took])
                print(name, turn, f"{arguments.rows / took:,.0f} rows a second", flush=True)
    spark.stop()
    path.unlink()


if __name__ == "__main__":
    main()
