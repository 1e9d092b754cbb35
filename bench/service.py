"""`sosrep serve` under load, beside FastAPI with scikit-learn's IsolationForest, and beside the library.

    throughput   requests of 1000 rows of 20 columns in JSON from 16 connections: rows/s, the peer in turns
                 with the same bytes (two uvicorn workers on two cores)
    saturation   the same from 128 connections, more than queue and cores take, for as long as asked: answers by
                 kind, and the memory of the process as it begins and ends and at most
    half load    requests at half the rate of the throughput, evenly paced: p50 and p99
    arrow        an Arrow stream of 300 000 rows from two connections: rows/s, beside `anomaly_score` of the
                 library on the same rows and cores, in turns; the fastest of each

The load generator, wrk, runs on the same cores, for either service. FOLDER/service.csv has every measurement.

    apt-get install wrk
    cargo build --release --package sosrep-cli --package sosrep-serve --examples --bins
    pip install -r bench/requirements-service.txt
    python bench/service.py target/release FOLDER [--seconds 60] [--saturation 600] [--training-rows 1000]
"""

import argparse
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pyarrow as pa
import raw

HEADER = ("what", "service", "run", "value", "unit")
HERE = pathlib.Path(__file__).parent
COLUMNS, BODY_ROWS, ARROW_ROWS = 20, 1000, 300_000
TURNS, ARROW_TIMES = 3, 4
PEER_PORT = 8199
STREAM = "application/vnd.apache.arrow.stream"


def table(rows, seed):
    """Rows in two groups with correlated columns, and a hundredth of strays."""
    random = np.random.default_rng(seed)
    mixing = np.random.default_rng(0).normal(size=(COLUMNS, COLUMNS)) / np.sqrt(COLUMNS)
    values = random.normal(size=(rows, COLUMNS)) @ mixing + 3.0 * (random.random((rows, 1)) < 0.4)
    values[random.random(rows) < 0.01] *= 4.0
    return values.round(4)


class Files:
    """The tables and the model, in a folder."""

    def __init__(self, programs, folder, training_rows):
        names = [f"x{j}" for j in range(COLUMNS)]
        self.training, self.model = folder / "training.csv", folder / "m.sosrep"
        self.body, self.arrow = folder / "body.json", folder / "rows.arrows"
        np.savetxt(self.training, table(training_rows, 1), "%.4f", ",", header=",".join(names), comments="")
        self.body.write_text(json.dumps([dict(zip(names, row)) for row in table(BODY_ROWS, 2).tolist()]))
        rows = pa.table(dict(zip(names, table(ARROW_ROWS, 3).T)))
        with pa.ipc.new_stream(self.arrow, rows.schema) as writer:
            writer.write_table(rows, max_chunksize=20_000)
        command = [programs / "sosrep", "fit", self.training, "--model", self.model, "--quiet"]
        subprocess.run(command, check=True)


@contextlib.contextmanager
def service(programs, files):
    """Process and port of `sosrep serve`."""
    command = [programs / "sosrep", "serve", files.model]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            text = process.stdout.readline() + process.stdout.readline()
            yield process.pid, int(re.search(r":(\d+)/", text)[1])
        finally:
            process.terminate()


@contextlib.contextmanager
def peer(files):
    """The port of the peer."""
    command = [sys.executable, "-m", "uvicorn", "--workers", "2", "--port", str(PEER_PORT), "--log-level", "error"]
    command.append("service_peer:app")
    settings = {**os.environ, "SERVICE_TRAINING": str(files.training), "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, cwd=HERE, env=settings) as process:
        try:
            for _ in range(300):
                with contextlib.suppress(OSError):
                    post(PEER_PORT, "/score", files.body, "application/json")
                    break
                time.sleep(0.2)
            yield PEER_PORT
        finally:
            process.terminate()


def post(port, path, body, kind, accept="application/json"):
    """One request; its status and the bytes of its answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    data = body.read_bytes() if isinstance(body, pathlib.Path) else body
    connection.request("POST", path, data, {"Content-Type": kind, "Accept": accept})
    answer = connection.getresponse()
    return answer.status, answer.read()


def load(port, path, body, connections, seconds):
    """What wrk counts: scored, turned away, other answers, broken connections, seconds, p99."""
    command = ["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", "-s", HERE / "service.lua"]
    command += [f"http://127.0.0.1:{port}{path}", "--", body, "application/json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    numbers = re.search(r"RESULT (.*)", output)[1].split()
    return [int(number) for number in numbers[:4]] + [float(number) for number in numbers[4:]]


def memory(pid, field="VmRSS"):
    """Mebibytes of a process, now or at most."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{field}:\s+(\d+)", text)[1]) / 1024


def paced(port, path, body, rate, seconds):
    """Latencies of requests that begin at even times, from when each was due."""
    data, taken = body.read_bytes(), []
    start, lock = time.perf_counter(), threading.Lock()

    def one(number):
        due = start + number / rate
        time.sleep(max(0.0, due - time.perf_counter()))
        status, _ = post(port, path, data, "application/json")
        with lock:
            taken.append((time.perf_counter() - due, status))

    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        list(pool.map(one, range(int(rate * seconds))))
    return taken


def throughput(lines, port, files, seconds):
    """Rows/s of both services, in turns; requests/s of ours, the median."""
    rates = []
    with peer(files) as peer_port:
        for run in range(TURNS):
            ours = load(port, "/v1/models/m/score", files.body, 16, seconds)
            theirs = load(peer_port, "/score", files.body, 16, seconds)
            for name, found in (("sosrep", ours), ("peer", theirs)):
                lines.append(("throughput", name, run, found[0] * BODY_ROWS / found[4], "rows/s"))
                lines.append(("not scored", name, run, sum(found[1:4]), "requests"))
            rates.append(ours[0] / ours[4])
            print(f"throughput: {rates[-1]:.1f} requests/s, peer {theirs[0] / theirs[4]:.1f}", flush=True)
    return sorted(rates)[TURNS // 2]


def saturation(lines, pid, port, files, seconds):
    before = memory(pid)
    scored, turned_away, others, broken, took, p99 = load(port, "/v1/models/m/score", files.body, 128, seconds)
    found = {"scored": scored, "503 with Retry-After": turned_away, "other answers": others, "broken": broken}
    lines += [("saturation", "sosrep", name, value, "requests") for name, value in found.items()]
    sizes = {"at the start": before, "at the end": memory(pid), "at most": memory(pid, "VmHWM")}
    lines += [("saturation memory", "sosrep", name, value, "MiB") for name, value in sizes.items()]
    lines.append(("saturation", "sosrep", "time", took, "s"))
    print(f"saturation, {took:.0f} s: {found}, memory {sizes}, p99 {p99:.3f} s", flush=True)


def half_load(lines, port, files, rate, seconds):
    taken = paced(port, "/v1/models/m/score", files.body, rate / 2, seconds)
    p50, p99 = np.percentile([time for time, _ in taken], [50, 99])
    failed = sum(status != 200 for _, status in taken)
    lines += [("half load", "sosrep", name, value, unit) for name, value, unit in (
        ("rate", rate / 2, "requests/s"), ("p50", p50, "s"), ("p99", p99, "s"), ("failed", failed, "requests"))]
    print(f"half load, {rate / 2:.1f} requests/s: p50 {p50:.4f} s, p99 {p99:.4f} s, {failed} failed", flush=True)


def arrow(lines, programs, port, files):
    """Rows/s by the library and by the service."""
    example = [programs / "examples" / "score_arrow", files.model, files.arrow, str(ARROW_TIMES)]
    best = {"library": 0.0, "sosrep": 0.0}
    data = files.arrow.read_bytes()
    for run in range(TURNS):
        rows, seconds = subprocess.run(example, check=True, capture_output=True, text=True).stdout.split()
        speed = {"library": int(rows) / float(seconds)}
        started = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            one = lambda _: post(port, "/v1/models/m/score", data, STREAM, STREAM)  # noqa: E731
            answers = list(pool.map(one, range(ARROW_TIMES)))
        speed["sosrep"] = ARROW_TIMES * ARROW_ROWS / (time.perf_counter() - started)
        assert all(status == 200 for status, _ in answers)
        for name, value in speed.items():
            best[name] = max(best[name], value)
            lines.append(("arrow", name, run, value, "rows/s"))
    print(f"arrow: {best['sosrep']:.0f} rows/s, {best['sosrep'] / best['library']:.2f} of the library", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=pathlib.Path, help="where sosrep and examples/score_arrow are")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60, help="of each load")
    parser.add_argument("--saturation", type=int, default=600, help="seconds of saturation")
    parser.add_argument("--training-rows", type=int, default=1000, help="scoring takes time in proportion to them")
    given = parser.parse_args()
    programs, lines = given.programs.resolve(), []
    with tempfile.TemporaryDirectory() as scratch:
        files = Files(programs, pathlib.Path(scratch), given.training_rows)
        with service(programs, files) as (pid, port):
            arrow(lines, programs, port, files)
            rate = throughput(lines, port, files, given.seconds)
            half_load(lines, port, files, rate, given.seconds)
            saturation(lines, pid, port, files, given.saturation)
    raw.write(given.folder / "service.csv", HEADER, lines)


if __name__ == "__main__":
    main()
