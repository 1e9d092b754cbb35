"""What people build by hand: scikit-learn's IsolationForest behind FastAPI, for bench/service.py.

The body is the one that `sosrep serve` gets: a JSON array of objects, a number a column. It is read by the
fastest means that FastAPI offers, without a schema. SERVICE_TRAINING names the table to fit to.
"""

import csv
import os

import numpy as np
from fastapi import FastAPI, Request
from sklearn.ensemble import IsolationForest

with open(os.environ["SERVICE_TRAINING"], newline="", encoding="utf-8") as file:
    columns, *rows = csv.reader(file)
forest = IsolationForest(random_state=0).fit(np.array(rows, dtype=float))
app = FastAPI()


@app.post("/score")
async def score(request: Request):
    """A row's score, and whether it is an anomaly, for every row."""
    table = await request.json()
    matrix = np.array([[row[column] for column in columns] for row in table])
    scores = -forest.score_samples(matrix)
    return [
        {"row": number, "anomaly_score": value, "is_anomaly": value > -forest.offset_}
        for number, value in enumerate(scores.tolist(), 1)
    ]
