"""What test_cluster.py asks of another process with a Spark session of its own.

    python other_session.py FOLDER NAME [REMOTE]

Scores the rows in FOLDER by the pipeline that was saved there, fits the pipeline anew and saves it, and writes the
scores and the model. With REMOTE, all of it through Spark Connect.
"""

import sys
from pathlib import Path

from pyspark.ml import Pipeline, PipelineModel
from pyspark.sql import SparkSession

folder, name, *remote = sys.argv[1:]
if remote:
    spark = SparkSession.builder.remote(remote[0]).getOrCreate()
else:
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
rows = spark.read.parquet(f"{folder}/rows.parquet")
loaded = PipelineModel.load(f"{folder}/fitted")
loaded.transform(rows).write.parquet(f"{folder}/scores-{name}.parquet")
fitted = Pipeline.load(f"{folder}/pipeline").fit(rows)
# Twice, so that what is there is replaced.
for _ in range(2):
    fitted.write().overwrite().save(f"{folder}/fitted-{name}")
again = PipelineModel.load(f"{folder}/fitted-{name}").stages[-1]
assert again.notes == fitted.stages[-1].notes
Path(f"{folder}/{name}.sosrep").write_bytes(again.file)
spark.stop()
