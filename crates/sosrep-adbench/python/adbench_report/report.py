"""The whole report of a folder, and the block of the main table for a README."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from . import boards, claims, densities, detectors, readings, robustness, theory
from .document import Cell, Section, Table, markdown, number, out_of, write, write_atomically
from .logs import DamagedLog, RunFolder, read_folders
from .robustness import statistic_cell
from .scoreboard import board

#: The experiments, in the order of the report.
EXPERIMENTS = ("fisher", "gradients", "clusters", "two-blocks", "consistency", "sampling", "families", "thresholds")

#: The lines between which the main table stands in a text.
BEGIN, END = "<!-- adbench: generated -->", "<!-- end of adbench -->"


class Refused(Exception):
    """Something the user can put right: one sentence."""


def experiments(found: dict[str, pd.DataFrame]) -> dict[str, Section | None]:
    """A section for each experiment that was run, None for the others."""
    cluster_files = [found.get(name) for name in ("clusters", "clusters-kernel", "clusters-rows")]
    gradients = found.get("gradients")
    measured = gradients is not None and gradients["rows"].notna().any()
    simple = {
        "fisher": densities.fisher,
        "two-blocks": theory.two_blocks,
        "consistency": theory.consistency,
        "sampling": theory.sampling,
        "families": detectors.families,
        "thresholds": detectors.thresholds,
    }
    made: dict[str, Section | None] = {name: make(found[name]) for name, make in simple.items() if name in found}
    if gradients is not None and measured:
        made["gradients"] = densities.gradients(gradients)
    if all(frame is not None for frame in cluster_files):
        made["clusters"] = densities.clusters(*cluster_files)
    return {name: made.get(name) for name in EXPERIMENTS}


def sections(folder: RunFolder) -> list[Section]:
    """All chapters that have something to tell."""
    runs = folder.runs
    gradients = folder.experiments.get("gradients", pd.DataFrame(columns=["data_set", "rows"]))
    known = densities.gradient_rows(gradients) if len(gradients) else gradients
    evidence = claims.Evidence(runs, known[known["rows"].notna()], folder.readings)
    made = experiments(folder.experiments)
    chapters = [
        boards.set_up(folder),
        claims.section(evidence),
        readings.section(runs, folder.readings),
        boards.scores(runs),
        boards.ranks(runs),
        boards.heat_maps(runs),
        robustness.duplicates(runs),
        boards.kernels(runs),
        boards.times(runs),
        robustness.groups(runs),
        robustness.seeds(runs),
        robustness.authors(runs),
        *made.values(),
        boards.missing(folder, [name for name, section in made.items() if section is None]),
    ]
    return [chapter for chapter in chapters if chapter is not None]


def readme_table(runs: pd.DataFrame) -> str:
    """The main board as a Markdown table, sorted by mean AUC-ROC, with a line about what is behind it."""
    auc, precision, copied = board(runs), board(runs, "average_precision"), board(runs, duplicates=5)
    ranks = auc.mean_ranks()
    rows: list[list[Cell]] = [
        [
            str(method), number(mean), number(precision.values.loc[method].mean()), number(ranks[method], 1),
            statistic_cell(copied, str(method), "mean"), out_of(auc.covered(str(method)), len(auc.data_sets)),
        ]
        for method, mean in auc.means().items()
    ]  # fmt: skip
    header = ["method", "mean AUC-ROC", "mean AP", "mean rank", "AUC-ROC, anomalies ×5", "data sets"]
    return (
        f"{Table(header, rows).markdown()}\n\n{auc.basis()}; anomalies ×5: {copied.basis()}. Higher is better, also of"
        " ranks; a number in brackets counts the data sets behind a mean that are not all."
    )


def with_table(file: Path, runs: pd.DataFrame) -> str:
    """The text of a file with the main table between its marks."""
    before, begin, rest = file.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise Refused(f"{file}: there is no place for the table; write the lines {BEGIN} and {END} where it belongs")
    return f"{before}{begin}\n{readme_table(runs)}\n{end}{after}"


def make(folders: Sequence[Path], out: Path, readme: Path | None) -> list[str]:
    """Writes everything and gives what to tell."""
    for folder in folders:
        if not folder.is_dir():
            raise Refused(f"{folder} is not a folder; give that of a run")
    try:
        found = read_folders(folders)
    except DamagedLog as problem:
        raise Refused(str(problem)) from problem
    if found.runs.empty:
        raise Refused(f"there are no runs in {folders[0]}; make some with sosrep-adbench all")
    # Before anything is drawn: a text without a place for the table ends it here.
    updated = None if readme is None else with_table(readme, found.runs)
    chapters = sections(found)
    text = markdown("SOSREP on ADBench", boards.lead(found.runs), chapters)
    figures, tables = write(out, text, chapters)
    told = [f"{out / 'report.md'}: {figures} figures, {tables} tables"]
    if readme is not None and updated is not None:
        write_atomically(readme, updated.encode())
        told.append(f"{readme}: the table is up to date")
    return told
