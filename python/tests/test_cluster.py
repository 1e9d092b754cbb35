"""One table gives one model by every interface, on one machine and on several, in any order and parts."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sosrep import SobolevDetector

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
dask = pytest.importorskip("dask", reason="dask is not installed")
if shutil.which("java") is None:
    pytest.skip("there is no Java for Spark", allow_module_level=True)

import dask.array
import dask.dataframe
from distributed import Client, LocalCluster
from pyspark.errors import PythonException
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.feature import SQLTransformer
from pyspark.sql import DataFrame, SparkSession

import sosrep.dask
from sosrep.spark import SobolevDetector as SparkDetector
from sosrep.spark import SobolevDetectorModel

from .common import REPOSITORY

PROGRAM, EXAMPLES = os.environ.get("SOSREP_PROGRAM"), os.environ.get("SOSREP_EXAMPLES")
ROWS = 40_000
#: So little that rows are sampled: fewer are held than there are, and fewer still are fitted.
MEMORY = 4_000_000
SEED = 3
PARAMETERS = {"memory": MEMORY, "random_state": SEED}
RESULTS = ["anomaly_score", "p_value", "is_anomaly"]


def table() -> pd.DataFrame:
    """Columns of all kinds with gaps; some rows repeat, and one is a tenth of the table."""
    random = np.random.default_rng(5)
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(random.integers(0, 90, ROWS), unit="D")
    frame = pd.DataFrame(
        {
            "amount": np.round(random.lognormal(size=ROWS), 3),
            "age": np.where(random.random(ROWS) < 0.05, np.nan, random.normal(40, 9, ROWS).round(1)),
            "visits": random.poisson(3.0, ROWS),
            "city": random.choice(["Oslo", "Rome", "Lima", None], ROWS, p=[0.5, 0.3, 0.15, 0.05]),
            "member": random.random(ROWS) < 0.3,
            "day": days,
        }
    )
    frame.loc[1:3000] = frame.loc[3001:6000].to_numpy()
    frame.loc[random.choice(ROWS, ROWS // 10, replace=False)] = frame.loc[0].to_numpy()
    return frame.astype({"amount": float, "age": float, "visits": int, "member": bool})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cluster")
    rows = pa.Table.from_pandas(table(), preserve_index=False)
    pq.write_table(rows, folder / "data.parquet", coerce_timestamps="us")
    return folder


@pytest.fixture(scope="module")
def local(folder: Path) -> SobolevDetector:
    return SobolevDetector(**PARAMETERS).fit(pd.read_parquet(folder / "data.parquet"))


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """A session on a cluster that is also a server of Spark Connect."""
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    options = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.memory": "1g",
        "spark.task.maxFailures": "8",
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(free_port()),
    }
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def frame(spark: SparkSession, folder: Path) -> DataFrame:
    return spark.read.parquet(str(folder / "data.parquet"))


def file_of(detector: SobolevDetector) -> bytes:
    return detector.__getstate__()["_model"][0]  # type: ignore[no-any-return]


def digest(file: bytes) -> str:
    return hashlib.sha256(file).hexdigest()


def scores_of(detector: SobolevDetector, rows: pd.DataFrame) -> pd.DataFrame:
    found = detector.assess(rows)
    columns = zip(RESULTS, found[:3], strict=True)
    return pd.DataFrame(dict(columns))


def in_order(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with their scores, in an order of their own."""
    words = rows.astype(str)
    return rows.loc[words.sort_values(list(words.columns)).index].reset_index(drop=True)


def run(*command: Any) -> None:
    finished = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr


def test_the_table_is_sampled_and_has_anomalies(local: SobolevDetector) -> None:
    report = local.fit_report_
    different = len(table().drop_duplicates())
    assert report["fitted_rows"] < report["distinct_rows"] < different < report["rows"] == ROWS
    assert (local.training_scores_ < local.offset_).any()


@pytest.mark.skipif(not (PROGRAM and EXAMPLES), reason="the programs are not named")
def test_rust_and_the_command_line_give_the_model_of_python(
    folder: Path, local: SobolevDetector
) -> None:
    assert PROGRAM is not None and EXAMPLES is not None
    memory = ["--memory", f"{MEMORY // 1_000_000}MB", "--seed", SEED, "--quiet"]
    program, data = Path(PROGRAM).resolve(), folder / "data.parquet"
    run(program, "fit", data, "--model", folder / "fit.sosrep", *memory)
    run(program, "detect", data, "--model", folder / "detect.sosrep", *memory)
    run(Path(EXAMPLES).resolve() / "fit_table", data, folder / "rust.sosrep", MEMORY, SEED)
    for name in ["fit", "detect", "rust"]:
        assert digest((folder / f"{name}.sosrep").read_bytes()) == digest(file_of(local)), name


@pytest.mark.parametrize("parts", ["as read", "one", "by city"])
def test_spark_gives_the_model_and_the_scores_of_python(
    frame: DataFrame, local: SobolevDetector, folder: Path, parts: str
) -> None:
    divided = {
        "as read": lambda: frame,
        "one": lambda: frame.coalesce(1),
        "by city": lambda: frame.repartition(5, "city").sortWithinPartitions("amount"),
    }
    rows = divided[parts]()
    model = SparkDetector(**PARAMETERS).fit(rows)
    assert digest(model.file) == digest(file_of(local))
    assert model.notes == local.notes_
    if parts == "by city":
        found = model.transform(rows).toPandas()
        given = pd.read_parquet(folder / "data.parquet")
        expected = pd.concat([given, scores_of(local, given)], axis=1)
        assert list(found.columns) == list(expected.columns)
        pd.testing.assert_frame_equal(
            in_order(found), in_order(expected), check_dtype=False, check_exact=True
        )


def killing(frame: DataFrame, flag: Path) -> DataFrame:
    """The same rows; the executor that reads them first is lost."""

    def part(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if not flag.exists():
                flag.touch()
                process = os.getpid()
                while Path(f"/proc/{process}/comm").read_text().strip() != "java":
                    process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
                os.kill(process, signal.SIGKILL)
            yield batch

    return frame.mapInArrow(part, frame.schema)


def test_a_lost_executor_changes_nothing(
    frame: DataFrame, local: SobolevDetector, tmp_path: Path
) -> None:
    model = SparkDetector(**PARAMETERS).fit(killing(frame, tmp_path / "fit"))
    assert (tmp_path / "fit").exists()
    assert digest(model.file) == digest(file_of(local))
    few = frame.limit(500).repartition(2)
    expected = in_order(model.transform(few).toPandas())
    found = in_order(model.transform(killing(few, tmp_path / "transform")).toPandas())
    assert (tmp_path / "transform").exists()
    pd.testing.assert_frame_equal(found, expected)


@pytest.fixture(scope="module")
def saved(frame: DataFrame, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, PipelineModel]:
    """A folder with rows, a pipeline, and the same fitted."""
    folder = tmp_path_factory.mktemp("pipeline")
    frame.limit(3000).write.parquet(str(folder / "rows.parquet"))
    doubled = SQLTransformer(statement="SELECT amount * 2 AS twice, city, visits FROM __THIS__")
    detector = SparkDetector(inputCols=["twice", "city"], reasons=True, **PARAMETERS)
    pipeline = Pipeline(stages=[doubled, detector])
    fitted = pipeline.fit(frame.sparkSession.read.parquet(str(folder / "rows.parquet")))
    pipeline.save(str(folder / "pipeline"))
    fitted.save(str(folder / "fitted"))
    return folder, fitted


@pytest.mark.parametrize("door", ["session", "connect"])
def test_a_saved_pipeline_scores_the_same_to_the_bit_in_another_process(
    spark: SparkSession, saved: tuple[Path, PipelineModel], door: str
) -> None:
    folder, fitted = saved
    remote = []
    if door == "connect":
        pytest.importorskip("grpc", reason="Spark Connect is not installed")
        remote = [f"sc://127.0.0.1:{spark.conf.get('spark.connect.grpc.binding.port')}"]
    run(sys.executable, Path(__file__).with_name("other_session.py"), folder, door, *remote)
    found = pd.read_parquet(folder / f"scores-{door}.parquet")
    expected = fitted.transform(spark.read.parquet(str(folder / "rows.parquet"))).toPandas()
    assert list(found.columns) == ["twice", "city", "visits", *RESULTS, "reasons"]
    assert found.reasons.notna().equals(found.is_anomaly.astype(bool)) and found.is_anomaly.any()
    pd.testing.assert_frame_equal(in_order(found), in_order(expected), check_exact=True)
    # And the other way round: what was fitted there is read here.
    assert digest((folder / f"{door}.sosrep").read_bytes()) == digest(fitted.stages[1].file)
    assert PipelineModel.load(str(folder / f"fitted-{door}")).stages[1].file == fitted.stages[1].file


def test_estimators_and_models_are_saved_and_not_confused(
    saved: tuple[Path, PipelineModel], tmp_path: Path
) -> None:
    model = saved[1].stages[1]
    assert isinstance(model, SobolevDetectorModel)
    for _ in range(2):
        model.write().overwrite().save(str(tmp_path / "model"))
    assert SobolevDetectorModel.load(str(tmp_path / "model")).file == model.file
    detector = SparkDetector(inputCols=["twice"], max_rows=np.int64(2000))
    detector.save(str(tmp_path / "estimator"))
    assert SparkDetector.load(str(tmp_path / "estimator")).explainParams() == detector.explainParams()
    with pytest.raises(Exception, match="already exists"):
        detector.save(str(tmp_path / "estimator"))
    with pytest.raises(AssertionError, match="found class name sosrep.spark.SobolevDetectorModel"):
        SparkDetector.load(str(tmp_path / "model"))


def python_with(folder: Path, package: str | None) -> str:
    """A Python that has everything that this one has, but this package instead of sosrep, or none."""
    venv.create(folder, symlinks=True)
    site = next(folder.glob("lib/python3*/site-packages"))
    for entry in Path(pa.__file__).parent.parent.iterdir():
        if not entry.name.startswith("sosrep"):
            (site / entry.name).symlink_to(entry)
    if package is not None:
        (site / "sosrep.py").write_text(package)
    return str(folder / "bin" / "python")


@pytest.mark.parametrize(
    ("package", "words"),
    [
        (None, "cannot import sosrep .No module named 'sosrep'.; install sosrep "),
        ("__version__ = '0.0.1'", "has sosrep 0.0.1, which may score differently from "),
    ],
    ids=["none", "another version"],
)
def test_executors_without_this_package_say_so_and_name_the_way_out(
    frame: DataFrame,
    local: SobolevDetector,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    package: str | None,
    words: str,
) -> None:
    few = frame.limit(20)
    python = python_with(tmp_path / "other", package)
    monkeypatch.setattr(frame.sparkSession.sparkContext, "pythonExec", python)
    words = f"the Python of the executors .PYSPARK_PYTHON., {python}, {words}"
    with pytest.raises(RuntimeError, match=words) as of_fit:
        SparkDetector().fit(few)
    assert len(str(of_fit.value).splitlines()) == 1
    # Scores by the same function; every failure takes Spark a while, since it tries again.
    if package is None:
        with pytest.raises(PythonException, match=f"RuntimeError: {words}"):
            SobolevDetectorModel(file_of(local)).transform(few).collect()


def test_types_and_names_of_spark_change_no_model(spark: SparkSession) -> None:
    given = table()[["amount", "visits", "day"]][:400]
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    columns = ["cast(amount AS decimal(12, 3)) AS `a.b`", "coalesce(visits, 0) AS `c``d`", "day"]
    frame = spark.createDataFrame(given).selectExpr(*columns, "1 AS same", "2 AS same")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    model = SparkDetector(inputCols=["a.b", "c`d", "day"]).fit(frame)
    found = model.transform(frame).collect()
    spark.conf.set("spark.sql.session.timeZone", zone)
    named = given.set_axis(["a.b", "c`d", "day"], axis=1)
    expected = SobolevDetector().fit(named)
    assert digest(model.file) == digest(file_of(expected))
    assert found[0].__fields__ == ["a.b", "c`d", "day", "same", "same", *RESULTS]
    assert [row.anomaly_score for row in found] == (-expected.score_samples(named)).tolist()


def test_the_columns_of_weights_and_keys_are_no_features(
    spark: SparkSession, local: SobolevDetector
) -> None:
    rows = pd.DataFrame({"x": np.arange(60.0) ** 1.5 % 7, "w": [1.0, 2.0] * 30, "id": range(60)})
    frame = spark.createDataFrame(rows)
    model = SparkDetector(weightCol="w", rowKeyCol="id").fit(frame)
    expected = SobolevDetector().fit(rows[["x"]], sample_weight=rows.w.to_numpy())
    assert digest(model.file) == digest(file_of(expected))
    parts = dask.dataframe.from_pandas(rows, npartitions=4)
    by_dask = sosrep.dask.fit(parts, weight="w", row_key="id")
    assert digest(file_of(by_dask)) == digest(file_of(expected))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: frame.drop("city"), "'city'"),
        (lambda frame: frame.withColumn("visits", frame.city), '"visits" is of type text'),
        (lambda frame: frame.withColumn("p_value", frame.amount), "'p_value'"),
    ],
    ids=["missing column", "another type", "name taken"],
)
def test_a_frame_that_does_not_suit_a_model_is_refused_on_the_driver(
    frame: DataFrame, local: SobolevDetector, change: Any, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        SobolevDetectorModel(file_of(local)).transform(change(frame))


def test_what_does_not_suit_is_said_in_one_sentence(frame: DataFrame, local: SobolevDetector) -> None:
    with pytest.raises(ValueError, match="no column 'town'"):
        SparkDetector(inputCols=["town"]).fit(frame)
    with pytest.raises(ValueError, match="0 rows"):
        SparkDetector().fit(frame.limit(0))
    with pytest.raises(ValueError, match='"age".*missing'):
        SparkDetector(missing="error").fit(frame)
    with pytest.raises(ValueError, match="must be finite and not negative"):
        SparkDetector(weightCol="w").fit(frame.selectExpr("amount", "-visits AS w"))
    with pytest.raises(ValueError, match="weights 'city' is of type string; weights are numbers"):
        SparkDetector(weightCol="city").fit(frame)
    with pytest.raises(ValueError, match="'city' is of type array<string>, which is neither number"):
        SparkDetector().fit(frame.selectExpr("amount", "array(city) AS city"))
    with pytest.raises(ValueError, match="2 columns 'amount'; rename them"):
        SparkDetector().fit(frame.selectExpr("amount", "age AS amount"))
    with pytest.raises(ValueError, match="'city' is named twice"):
        SparkDetector(inputCols=["amount", "city"], rowKeyCol="city").fit(frame)
    with pytest.raises(TypeError, match="inputCols.*Could not convert amount to list"):
        SparkDetector(inputCols="amount")
    with pytest.raises(TypeError, match="give a Spark data frame"):
        SparkDetector().fit(table())
    with pytest.raises(TypeError, match="give a Spark data frame"):
        SobolevDetectorModel(file_of(local)).transform(table())
    with pytest.raises(TypeError, match="no parameter 'bandwith'"):
        SparkDetector(bandwith=0.1)


def test_a_part_of_nulls_alone_has_no_scores_and_changes_no_model(
    spark: SparkSession, frame: DataFrame
) -> None:
    few = frame.select("amount", "age").limit(400).toPandas()
    empty = pd.DataFrame({"amount": [np.nan] * 3, "age": [np.nan] * 3})
    together = pd.concat([few, empty], ignore_index=True)
    parts = spark.createDataFrame(few).union(spark.createDataFrame(empty))
    for missing in ["auto", "drop"]:
        model = SparkDetector(missing=missing).fit(parts)
        expected = SobolevDetector(missing=missing).fit(together)
        assert digest(model.file) == digest(file_of(expected)), missing
    # Rows between others are left out too.
    found = model.transform(parts).toPandas()
    assert found.anomaly_score.isna().equals(together.isna().any(axis=1))
    with pytest.warns(UserWarning, match="cannot be scored"):
        scores = scores_of(expected, together).anomaly_score
    np.testing.assert_array_equal(found.anomaly_score, scores)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Client(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as client:
        yield client


@pytest.mark.parametrize("parts", [3, 9])
def test_dask_gives_the_model_and_the_scores_of_python(
    client: Client, local: SobolevDetector, folder: Path, parts: int
) -> None:
    given = pd.read_parquet(folder / "data.parquet")
    rows = dask.dataframe.from_pandas(given, npartitions=parts)
    if parts == 9:
        # Parts without a row.
        rows = dask.dataframe.concat([rows, rows[rows.amount < 0]])
    model = sosrep.dask.fit(rows, **PARAMETERS)
    assert digest(file_of(model)) == digest(file_of(local))
    found = sosrep.dask.score(model, rows, reasons=True)
    assert list(found.columns) == [*RESULTS, "reasons"]
    found = found.compute()[RESULTS]
    pd.testing.assert_frame_equal(found, scores_of(local, given), check_dtype=False, check_exact=True)


def test_a_dask_array_is_an_array(client: Client) -> None:
    rows = np.random.default_rng(2).normal(size=(900, 3))
    blocks = dask.array.from_array(rows, chunks=(200, 2))
    model, local = sosrep.dask.fit(blocks), SobolevDetector().fit(rows)
    found = sosrep.dask.score(model, blocks).compute()
    np.testing.assert_array_equal(found.anomaly_score, -local.score_samples(rows))


def test_a_dask_worker_without_this_package_says_so_and_names_the_way_out(tmp_path: Path) -> None:
    python = python_with(tmp_path / "other", None)
    given = table()[["amount", "age"]][:300]
    rows = dask.dataframe.from_pandas(given, npartitions=2)
    words = f"the Python of the workers, {python}, cannot import sosrep .*; install sosrep .* there"
    with (
        LocalCluster(n_workers=0, processes=False, protocol="tcp://", dashboard_address=None) as cluster,
        Client(cluster),
    ):
        command = [python, "-m", "distributed.cli.dask_worker", cluster.scheduler_address, "--no-nanny"]
        worker = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
        try:
            with pytest.raises(RuntimeError, match=words):
                sosrep.dask.fit(rows)
            with pytest.raises(RuntimeError, match=words):
                sosrep.dask.score(SobolevDetector().fit(given), rows).compute()
        finally:
            worker.kill()
            worker.wait()


def test_dask_says_what_does_not_suit_before_it_works(client: Client, folder: Path) -> None:
    rows = dask.dataframe.from_pandas(table()[:300], npartitions=2)
    model = sosrep.dask.fit(rows)
    with pytest.raises(ValueError, match="no column 'city'"):
        sosrep.dask.score(model, rows.drop(columns="city"))
    with pytest.raises(ValueError, match='"visits" is of type text'):
        sosrep.dask.score(model, rows.assign(visits=rows.city))
    with pytest.raises(ValueError, match="0 rows"):
        sosrep.dask.fit(rows[rows.amount < 0])


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_the_recipes_of_the_guide_give_the_scores_of_python(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = pytest.importorskip(engine)
    given = pd.DataFrame(np.random.default_rng(4).normal(size=(500, 2)), columns=["x", "y"])
    detector = SobolevDetector().fit(given)
    detector.save(tmp_path / "model.sosrep")
    monkeypatch.chdir(tmp_path)
    blocks = (REPOSITORY / "docs" / "cluster.md").read_text(encoding="utf-8").split("```python ")
    block = next(block for block in blocks if block.startswith(f"{engine}\n"))
    names: dict[str, Any] = {"rows": given}
    if engine == "polars":
        names["table"] = library.from_pandas(given).lazy()
    exec(block.removeprefix(engine).partition("```")[0], names)
    result = names["result"]
    result = result.read_all() if hasattr(result, "read_all") else result
    found = np.asarray(result["anomaly_score"])
    np.testing.assert_array_equal(found, -detector.score_samples(given))
