"""Puts `sosrep serve` to clients that others wrote, and to the lines of its own document.

    python service.py [--cases COUNT] BINARY

    docs           every block after `<!-- run -->` in docs/service.md runs, by bash and curl
    client         open-inference-openapi gets the scores that `sosrep score` gives
    metrics        prometheus_client reads them
    schemathesis   requests made from the description, COUNT of them at least: no answer is a fault of
                   the service, and each is as described

Exit code 1 if any of it fails, after a sentence on what.
"""

import argparse
import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from explorer import EXAMPLE, Failure, served
from open_inference.openapi.client import OpenInferenceClient
from open_inference.openapi.types import InferenceRequest, RequestInput
from prometheus_client.openmetrics import parser

DOCUMENT = Path(__file__).parents[3] / "docs" / "service.md"
RUN = re.compile(r"<!-- run -->\n```sh\n(.*?)```", re.DOTALL)
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
# What a generator of JSON can make; other bodies have tests of their own.
READABLE = {"application/json", "text/csv"}
ROWS = 50


def fetched(address):
    with urllib.request.urlopen(address) as answer:
        return answer.read()


def documented(address, folder):
    """The blocks of the document, one after another in one folder."""
    blocks = RUN.findall(DOCUMENT.read_text(encoding="utf-8"))
    if len(blocks) < 5:
        raise Failure(f"{DOCUMENT.name} has {len(blocks)} blocks to run.")
    for block in blocks:
        script = "set -euo pipefail\n" + block.replace("http://localhost:8080/", address)
        ended = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True)
        if ended.returncode != 0:
            raise Failure(f"This block of {DOCUMENT.name} fails:\n{block}{ended.stdout}{ended.stderr}")
    return f"{len(blocks)} blocks of {DOCUMENT.name} run"


def client(address, folder, binary):
    """A client of the protocol gets the scores of the program for the same rows."""
    model = folder / "client.sosrep"
    model.write_bytes(fetched(f"{address}v1/models/example/file"))
    command = [binary, "score", model, EXAMPLE, "--quiet"]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    expected = [float(row["anomaly_score"]) for row in csv.DictReader(lines)][:ROWS]
    with EXAMPLE.open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))[:ROWS]
    service = OpenInferenceClient(base_url=address)
    service.check_server_liveness()
    service.check_server_readiness()
    service.check_model_readiness("example")
    columns = service.read_model_metadata("example").inputs
    tensor = lambda name: RequestInput(  # noqa: E731
        name=name, shape=[ROWS], datatype="FP64", data=[float(row[name]) for row in rows]
    )
    request = InferenceRequest(id="1", inputs=[tensor(column.name) for column in columns])
    outputs = {output.name: output.data for output in service.model_infer("example", request=request).outputs}
    scores = getattr(outputs["anomaly_score"], "__root__", outputs["anomaly_score"])
    if list(scores) != expected:
        raise Failure("A client of the Open Inference Protocol gets other scores than the program gives.")
    return f"open-inference-openapi gets {len(expected)} scores, those of the program"


def metrics(address):
    """A parser of OpenMetrics reads what is counted, and the counts agree with each other."""
    families = list(parser.text_string_to_metric_families(fetched(f"{address}metrics").decode()))
    samples = [sample for family in families for sample in family.samples]
    total = lambda name: sum(s.value for s in samples if s.name == name)  # noqa: E731
    rows, spread = total("sosrep_rows_total"), total("sosrep_p_values_total")
    if not rows or rows != spread or not math.isfinite(total("sosrep_request_seconds_sum")):
        raise Failure(f"Metrics count {rows} rows and {spread} p-values.")
    return f"prometheus_client reads {len(families)} families, {len(samples)} samples"


def description(address):
    """The description with the names and columns of what is served, so that requests get somewhere."""
    described = json.loads(fetched(f"{address}openapi.json"))
    columns = [column["name"] for column in json.loads(fetched(f"{address}v1/models/example"))["columns"]]
    row = {
        "type": "object",
        "properties": {name: {"type": ["number", "null"]} for name in columns},
        "required": columns,
        "additionalProperties": False,
    }
    for path in described["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path":
                    parameter["schema"]["enum"] = ["example", "1", "other"]
            content = operation.get("requestBody", {}).get("content", {})
            for kind in set(content) - READABLE:
                del content[kind]
            if "text/csv" in content:
                content["application/json"]["schema"] = {"type": "array", "items": row, "minItems": 1, "maxItems": 4}
    return described


def schemathesis(address, folder, cases):
    """Requests made from the description."""
    described = description(address)
    file = folder / "openapi.json"
    file.write_text(json.dumps(described))
    # Those without a body have few different requests.
    operations = [operation for path in described["paths"].values() for operation in path.values()]
    each = math.ceil(cases / sum("requestBody" in operation for operation in operations))
    program = Path(sys.executable).parent / "schemathesis"
    command = [program, "run", file, "--url", address.rstrip("/"), "--checks", CHECKS, "--seed", "1", "--no-color"]
    command += ["--max-examples", str(each), "--phases", "examples,coverage,fuzzing", "--generation-database", "none"]
    command += ["--suppress-health-check", "all", "--warnings", "off", "--continue-on-failure"]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": ""}
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    found = re.search(r"(\d[\d,]*) generated", ended.stdout)
    made = int(found[1].replace(",", "")) if found else 0
    if ended.returncode != 0 or made < cases:
        raise Failure(f"schemathesis, {made} cases:\n{ended.stdout[-6000:]}{ended.stderr[-2000:]}")
    return f"schemathesis finds no fault in {made} cases"


def main():
    """The exit code."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--cases", type=int, default=1000, help="requests that schemathesis makes, at least")
    arguments.add_argument("binary", metavar="BINARY", type=Path, help="the sosrep to run")
    given = arguments.parse_args()
    binary = given.binary.resolve()
    if not shutil.which("curl"):
        print("skipped: no curl for the lines of the document")
    try:
        with tempfile.TemporaryDirectory() as name, served(binary, "--allow-fit") as address:
            folder = Path(name)
            if shutil.which("curl"):
                print(documented(address, folder))
            print(client(address, folder, binary))
            print(metrics(address))
            print(schemathesis(address, folder, given.cases))
    except Failure as failure:
        print(f"failed: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
