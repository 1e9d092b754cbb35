"""The one table of every performance target, from the raw measurements in a folder.

Reads what is there of the files that raw.py names; prints the table, writes it as FOLDER/targets.csv
and FOLDER/targets.md, the comparison with peers as FOLDER/peers.md, both into pages that have a place
for them, and draws FOLDER/scale.svg. Where a target is of any case, the value is that
of the worst, which is named. A figure is the median over repetitions, of memory the highest.
Nothing is asked of what is "reported". The exit code says nothing of the verdicts: this is a
measurement.

    python bench/targets.py FOLDER [--pages README.md docs/speed.md]
"""

import argparse
import pathlib
import statistics
from collections.abc import Callable, Iterator

import authors
import forests_figure
import raw
import scale
import scale_figure
import startup
from verdict import NOT_MEASURED, PASS, SHORT, Line, Target, reported

GIB = 2.0**30
# Methods and kernels as the files name them.
OURS, KERNEL_DENSITY = "sosrep", "KernelDensity"
KERNELS = ("product", "sdo")

BUILD_SHARE = Target("kernel matrix, share of the peak of arithmetic", "≥", 0.5, "{:.2f}")
PRODUCT_SHARE = Target("product with it, share of the copy bandwidth", "≥", 0.6, "{:.2f}")
TABLE_BUILD = Target("table of the SDO kernel", "<", 0.3, "{:.3f} s")

THREE_RUNS = Target("exact fit + score, share of three runs of KernelDensity", "<", 1.0, "{:.3f}")

OURS_OF_IFOREST = Target("fit + score, times IForest's", "≤", 1.0, "{:.2f}×")
TIMES_OURS = {
    "OCSVM": Target("OCSVM's fit + score, times ours", "≥", 10.0, "{:.1f}×"),
    KERNEL_DENSITY: Target("KernelDensity's fit + score, times ours", "≥", 4.0, "{:.1f}×"),
    "MCD": Target("MCD's fit + score, times ours", "≥", 4.0, "{:.1f}×"),
}
SCORING = Target("rows scored a second, times KernelDensity's", "≥", 20.0, "{:.0f}×")

# The data sets of ADBench that the comparison is of.
DATA_SETS = 43
TUNING = Target("tuning on all data sets", "≤", 180.0, "{:.1f} s")
AUTHORS = Target("the authors' procedure, times ours", "≥", 1000.0, "{:.0f}×")

SMALL_FOREST = Target("small tables: fit + score, times PyOD's IForest", "≤", 0.5, "{:.2f}×")
LARGE_FOREST = Target("large tables: fit + score, times IsolationForest's", "≤", 1.0, "{:.2f}×")
LARGE_SCORING = Target("large tables: scoring alone, times IsolationForest's", "≤", 0.7, "{:.2f}×")
LARGE_AUC = Target("large tables: AUC-ROC less that of an exact fit to 20 000 rows", "≥", -0.005, "{:+.4f}")
SPARK = Target("rows a second that Spark scores, times a UDF with IsolationForest", "≥", 1.0, "{:.2f}×")
CORRELATION = "large tables: rank correlation with that fit"

LONG, LONGER = 1_000_000, 10_000_000
LINEAR_FROM = 100_000
FIT_AND_SCORE = Target("fit + score", "≤", 60.0, "{:.1f} s")
MEMORY = {
    LONG: Target("peak memory", "≤", 2.0, "{:.2f} GiB"),
    LONGER: Target("peak memory", "≤", 4.0, "{:.2f} GiB"),
}
GROWTH = Target("growth of time, ten times the rows", "≤", 10.0, "{:.1f}×")
AUC = Target("AUC-ROC less the exact fit's", "≥", -0.005, "{:+.4f}")
LOG_LIKELIHOOD = Target("log-likelihood less the exact fit's", "≥", -0.05, "{:+.3f} nats")

SCORE_START = Target("score of one row, a process", "<", 30.0, "{:.1f} ms")
IMPORT = Target("import of the package beyond numpy", "<", 150.0, "{:.0f} ms")


def spaced(number: int) -> str:
    """A number with its thousands apart."""
    return f"{number:,}".replace(",", "\u202f")


def roofline(folder: pathlib.Path) -> Iterator[Line]:
    """Worst cases of the exact path."""
    lines = raw.read(folder / raw.ROOFLINE)
    for what, target, worst in (
        ("build-share", BUILD_SHARE, min),
        ("product-share", PRODUCT_SHARE, min),
        ("table-build", TABLE_BUILD, max),
    ):
        cases = [line for line in lines if line["what"] == what]
        if not cases:
            yield target.missing()
            continue
        case = worst(cases, key=lambda line: float(line["value"]))
        sizes = [f"{name} = {case[name]}" for name in ("n", "d") if case[name] not in ("", "0")]
        yield target.judge(float(case["value"]), ", ".join(filter(None, [case["kernel"], *sizes])))


def three_runs(folder: pathlib.Path) -> Iterator[Line]:
    """Our best run beside all of theirs, as ever since this was first measured."""
    lines = raw.read(folder / raw.KERNEL_DENSITY)
    theirs = sum(float(line["score seconds"]) for line in lines if line["method"] == KERNEL_DENSITY)
    for kernel in KERNELS:
        runs = [line for line in lines if line["method"] == kernel]
        if not runs:
            yield THREE_RUNS.missing(kernel)
            continue
        ours = sum(
            min(float(run[name]) for run in runs) for name in ("fit seconds", "score seconds")
        )
        case = f"{kernel}, n = {runs[0]['fitted']}, d = {runs[0]['columns']}"
        yield THREE_RUNS.judge(ours / theirs, case)


class Peers:
    """The lines of peers.csv, asked by data set; a figure is the median over repetitions."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.lines = raw.read(folder / raw.PEERS)

    def data_sets(self) -> dict[str, dict[str, str]]:
        """A line of each."""
        return {line["rows"]: line for line in self.lines}

    def median(self, name: str, method: str, column: str) -> float:
        runs = [line for line in self.lines if (line["rows"], line["method"]) == (name, method)]
        return statistics.median(float(run[column]) for run in runs)

    def total(self, name: str, method: str) -> float:
        """Seconds of fit and score."""
        return sum(self.median(name, method, f"{step} seconds") for step in ("fit", "score"))

    def times_ours(self, name: str, method: str) -> float:
        return self.total(name, method) / self.total(name, OURS)

    def scoring(self, name: str) -> float:
        """Seconds that KernelDensity takes for scores, over ours."""
        theirs, ours = (self.median(name, m, "score seconds") for m in (KERNEL_DENSITY, OURS))
        return theirs / ours

    def markdown(self) -> str:
        """How many times as long each peer takes, for a page."""
        methods = ("IForest", *TIMES_OURS)
        heads = [*methods, f"scoring alone, {KERNEL_DENSITY}"]
        rows = [
            f"| rows fitted × columns, scored | sosrep | {' | '.join(heads)} |",
            f"|---|---:|{'---:|' * len(heads)}",
        ]
        for name, line in self.data_sets().items():
            case = f"{name.partition('_')[2] or name}: {line['fitted']} × {line['columns']}, {line['scored']}"
            times = [self.times_ours(name, method) for method in methods] + [self.scoring(name)]
            cells = " | ".join(f"{value:.{1 if value < 10 else 0}f}×" for value in times)
            rows.append(f"| {case} | {self.total(name, OURS):.2f} s | {cells} |")
        return "\n".join(rows) + "\n"


def beside_peers(folder: pathlib.Path) -> Iterator[Line]:
    """Every data set beside every peer."""
    peers = Peers(folder)
    cases = {name: f"{name}, d = {line['columns']}" for name, line in peers.data_sets().items()}
    if not cases:
        yield from (target.missing() for target in (OURS_OF_IFOREST, *TIMES_OURS.values(), SCORING))
    for name, case in cases.items():
        yield OURS_OF_IFOREST.judge(1.0 / peers.times_ours(name, "IForest"), case)
    for peer, target in TIMES_OURS.items():
        for name, case in cases.items():
            yield target.judge(peers.times_ours(name, peer), case)
    for name, case in cases.items():
        yield SCORING.judge(peers.scoring(name), case)


class Forests:
    """The lines of forests.csv, asked by table; a figure is the median over repetitions."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.lines = raw.read(folder / raw.FORESTS)

    def tables(self, peer: str) -> list[tuple[str, str]]:
        """Rows and columns of those that a peer was measured on."""
        found = [(x["rows"], x["columns"]) for x in self.lines if x["method"] == peer]
        return list(dict.fromkeys(found))

    def median(self, table: tuple[str, str], method: str, column: str) -> float:
        key = (*table, method)
        runs = [x for x in self.lines if (x["rows"], x["columns"], x["method"]) == key]
        return statistics.median(float(x[column]) for x in runs)

    def share(self, table: tuple[str, str], peer: str, steps: tuple[str, ...]) -> float:
        """Our seconds over theirs."""
        ours, theirs = (
            sum(self.median(table, method, f"{step} seconds") for step in steps)
            for method in (OURS, peer)
        )
        return ours / theirs


def beside_forests(folder: pathlib.Path) -> Iterator[Line]:
    """Small and large tables beside isolation forests."""
    forests = Forests(folder)
    small, large = forests.tables("IForest"), forests.tables("IsolationForest")
    if not forests.lines:
        targets = (SMALL_FOREST, LARGE_FOREST, LARGE_SCORING, LARGE_AUC)
        yield from (target.missing() for target in targets)

    def case(table: tuple[str, str]) -> str:
        return f"{spaced(int(table[0]))} × {table[1]}"

    for table in small:
        yield SMALL_FOREST.judge(forests.share(table, "IForest", ("fit", "score")), case(table))
    for table in large:
        share = forests.share(table, "IsolationForest", ("fit", "score"))
        yield LARGE_FOREST.judge(share, case(table))
    for table in large:
        yield LARGE_SCORING.judge(forests.share(table, "IsolationForest", ("score",)), case(table))
    for table in large:
        ours, exact = (forests.median(table, method, "auc") for method in (OURS, f"{OURS}, exact"))
        yield LARGE_AUC.judge(ours - exact, f"{case(table)}: {ours:.4f} beside {exact:.4f}")
    for table in large:
        correlation = forests.median(table, OURS, "correlation")
        yield reported(f"{CORRELATION}, {case(table)}", correlation, "{:.3f}")


def on_spark(folder: pathlib.Path) -> Iterator[Line]:
    """The default model beside a forest in the same session."""
    lines = raw.read(folder / raw.SPARK)

    def rate(work: str) -> float:
        return statistics.median(float(x["rows_a_second"]) for x in lines if x["work"] == work)

    if lines:
        yield SPARK.judge(rate("sosrep on Spark") / rate("IsolationForest on Spark"), "20 columns")
    else:
        yield SPARK.missing()


def beside_the_paper(folder: pathlib.Path) -> Iterator[Line]:
    """Sums over the data sets; of fewer than all they are shown and not judged."""
    tuned = raw.read(folder / raw.TUNING)
    extrapolated = authors.extrapolate(folder)
    results: list[tuple[Target, float | None, str]] = [(TUNING, None, ""), (AUTHORS, None, "")]
    if tuned:
        slowest = max(tuned, key=lambda line: float(line["seconds"]))
        seconds = sum(float(line["seconds"]) for line in tuned)
        case = f"longest: {slowest['data set']}, {float(slowest['seconds']):.1f} s"
        results[0] = (TUNING, seconds, case)
    if extrapolated:
        ours = sum(line.ours for line in extrapolated)
        times = sum(line.seconds for line in extrapolated) / ours
        merged = sum(line.distinct_seconds for line in extrapolated) / ours
        case = f"extrapolated; {merged:.0f}× if they too merged equal rows"
        results[1] = (AUTHORS, times, case)
    for target, value, case in results:
        if value is not None and len(tuned) < DATA_SETS:
            yield target.missing(
                f"{len(tuned)} of {DATA_SETS} data sets", target.layout.format(value)
            )
        else:
            yield target.judge(value, case)


class Scale:
    """The lines of scale.csv, asked by size."""

    def __init__(self, lines: list[dict[str, str]]) -> None:
        self.lines = lines

    def values(self, rows: int, what: str, model: str = scale.DEFAULT) -> list[float]:
        key = (str(rows), model, what)
        return [float(x["value"]) for x in self.lines if (x["rows"], x["model"], x["what"]) == key]

    def seconds(self, rows: int) -> float | None:
        """Median fit plus median score."""
        fit, score = self.values(rows, "fit seconds"), self.values(rows, "score seconds")
        return statistics.median(fit) + statistics.median(score) if fit and score else None

    def peak(self, rows: int) -> float | None:
        """The most memory that fit or score ever took."""
        peaks = self.values(rows, "fit peak") + self.values(rows, "score peak")
        return max(peaks) / GIB if peaks else None

    def growth(self, rows: int) -> float | None:
        """Time of ten times the rows over time of these."""
        few, many = self.seconds(rows), self.seconds(10 * rows)
        return many / few if few and many else None

    def beside_references(self, rows: int, what: str) -> list[float]:
        """Ours and those of both references; none where one is missing."""
        models = (scale.DEFAULT, scale.REFERENCE, scale.SAME_BANDWIDTH)
        found = [value for model in models for value in self.values(rows, what, model)[:1]]
        return found if len(found) == len(models) else []


def at_scale(folder: pathlib.Path) -> Iterator[Line]:
    """Time, memory, growth and quality against the number of rows."""
    measured = Scale(raw.read(folder / raw.SCALE))
    yield FIT_AND_SCORE.judge(measured.seconds(LONG), f"{spaced(LONG)} rows")
    for rows, target in MEMORY.items():
        yield target.judge(measured.peak(rows), f"{spaced(rows)} rows")
    for rows in (LINEAR_FROM, 10 * LINEAR_FROM):
        yield GROWTH.judge(measured.growth(rows), f"{spaced(rows)} to {spaced(10 * rows)} rows")
    for target, what, layout in (
        (AUC, scale.AUC, "{:.4f}"),
        (LOG_LIKELIHOOD, scale.LOG_LIKELIHOOD, "{:.3f}"),
    ):
        for rows in scale.SIZES:
            values = measured.beside_references(rows, what)
            if not values:
                yield target.missing(f"{spaced(rows)} rows")
                continue
            ours, exact, same = map(layout.format, values)
            case = f"{spaced(rows)} rows: {ours} beside {exact}; {same} at the same bandwidth"
            yield target.judge(values[0] - values[1], case)


def beginning(folder: pathlib.Path) -> Iterator[Line]:
    """Start-up, sizes and dependencies."""
    lines = raw.read(folder / raw.STARTUP)

    def median(what: str) -> float | None:
        values = [float(line["value"]) for line in lines if line["what"] == what]
        return statistics.median(values) if values else None

    yield SCORE_START.judge(median(startup.SCORE))
    package, numpy = median(startup.PACKAGE), median(startup.NUMPY)
    yield IMPORT.judge(package - numpy if package is not None and numpy is not None else None)
    detector = median(startup.DETECTOR)
    beyond = detector - numpy if detector is not None and numpy is not None else None
    yield reported("the same and SobolevDetector, which loads scikit-learn", beyond, "{:.0f} ms")
    yield reported("sosrep --version, a process", median(startup.VERSION), "{:.1f} ms")
    yield reported("size of the program", median(startup.SIZE), "{:.1f} MB")
    yield reported("size of the program, stripped", median(startup.STRIPPED), "{:.1f} MB")
    for what in startup.CRATES:
        yield reported(what, median(what), "{:.0f}")


CONCERNS: tuple[Callable[[pathlib.Path], Iterator[Line]], ...] = (
    roofline,
    three_runs,
    beside_peers,
    beside_forests,
    on_spark,
    beside_the_paper,
    at_scale,
    beginning,
)


def summary(lines: list[Line]) -> str:
    """How many lines have which verdict."""
    verdicts = [line.verdict for line in lines]
    return ", ".join(
        f"{verdicts.count(verdict)} {verdict}" for verdict in (PASS, SHORT, NOT_MEASURED)
    )


def plain(lines: list[Line]) -> str:
    """The table for a terminal."""
    header = Line(*Line._fields)
    widths = [max(map(len, column)) for column in zip(header, *lines)]
    rows = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in (header, *lines)]
    rows.insert(1, "  ".join("─" * width for width in widths))
    return "\n".join([*rows, "", summary(lines)])


def markdown(lines: list[Line]) -> str:
    """The table for a page; what falls short is bold."""
    rows = ["| target | case | measured | asked | |", "|---|---|---:|---:|---|"]
    for line in lines:
        verdict = f"**{line.verdict}**" if line.verdict == SHORT else line.verdict
        rows.append(f"| {line.target} | {line.case} | {line.measured} | {line.asked} | {verdict} |")
    return "\n".join([*rows, "", summary(lines) + "."]) + "\n"


def put(page: pathlib.Path, name: str, block: str) -> None:
    """Puts a block into a page, between the lines that mark its place there, if they do."""
    begin, end = f"<!-- {name}: generated -->\n", f"<!-- end of {name} -->"
    text = page.read_text()
    before, marked, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if marked and closed:
        page.write_text(before + begin + block + end + after)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="with the raw measurements")
    parser.add_argument(
        "--pages", type=pathlib.Path, nargs="*", default=[], help="that have a place"
    )
    arguments = parser.parse_args()
    folder: pathlib.Path = arguments.folder
    lines = [line for concern in CONCERNS for line in concern(folder)]
    raw.write(folder / "targets.csv", Line._fields, lines)
    blocks = {"targets": markdown(lines), "peers": Peers(folder).markdown()}
    for name, block in blocks.items():
        (folder / f"{name}.md").write_text(block)
        for page in arguments.pages:
            put(page, name, block)
    scale_figure.draw(folder)
    forests_figure.draw(folder)
    print(plain(lines))


if __name__ == "__main__":
    main()
