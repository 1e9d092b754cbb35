"""What the paper says it measured, each claim beside what these runs say.

A claim is data: its words, its place in the paper and a function that compares. No number of ours is
written here, and how near is near enough is said in each sentence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import pandas as pd

from .document import Cell, Section, Table
from .readings import KINDS, PROTOCOLS, Kind, Reader, seed_error
from .scoreboard import BASELINES, EXACT, OURS, Scoreboard, kernels, plural, scoreboard, select

#: A mean AUC-ROC this near to the published one agrees: seeds alone move it by up to 0.02.
NEAR = 0.02
#: A median loss this near to the published one agrees.
NEAR_LOSS = 0.05
#: A share of negative values may rise by so much and count as kept.
KEPT = 0.01
#: A kernel this far behind the better of two others underperforms.
BEHIND = 0.05

#: Whether the runs agree, and a sentence with their numbers; None where they say nothing.
Verdict = tuple[bool, str] | None


@dataclass(frozen=True)
class Evidence:
    """What claims are compared with."""

    runs: pd.DataFrame
    gradients: pd.DataFrame
    readings: pd.DataFrame

    def board(self, method: str, duplicates: int = 1) -> Scoreboard:
        """The baselines and one of ours: the others are the same method once more."""
        return scoreboard(select(self.runs, duplicates), [*BASELINES, method])

    def of_reading(self, kind: Kind, protocol: str) -> Evidence:
        """The same runs, with a reading by one of the protocols as a method of its name."""
        own = kind.runs(self.runs, self.readings)
        own = own[own["protocol"] == protocol].assign(protocol="adbench")
        others = self.runs[self.runs["method"].isin(BASELINES)]
        # Places are those on the data sets that the reading has.
        others = others[others["data_set"].isin(own["data_set"])]
        return replace(self, runs=pd.concat([others, own], ignore_index=True))


def _on(board: Scoreboard, method: str) -> str:
    covered, every = board.covered(method), len(board.data_sets)
    return f"on {plural(every, 'data set')}" if covered == every else f"on {covered} of {every} data sets"


def _error(board: Scoreboard, method: str) -> str:
    """What other seeds would change of a mean, in words."""
    error = seed_error(board, method)
    return "" if math.isnan(error) else f" (seed to seed ± {error:.3f})"


def _place(board: Scoreboard, method: str, by_rank: bool = False) -> tuple[int, int] | None:
    """A board without other methods has no places."""
    place = board.place_by_rank(method) if by_rank else board.place_by_mean(method)
    return place if place and place[1] > 1 else None


def second_by_mean(evidence: Evidence, method: str) -> Verdict:
    board = evidence.board(method)
    if (place := _place(board, method)) is None:
        return None
    mean = board.means()[method]
    return place[0] <= 2, (
        f"It is number {place[0]} of {place[1]} with a mean AUC-ROC of {mean:.3f}{_error(board, method)}"
        f" {_on(board, method)}; first or second agrees."
    )


def second_by_rank(evidence: Evidence, method: str) -> Verdict:
    board = evidence.board(method)
    if (place := _place(board, method, by_rank=True)) is None:
        return None
    rank = board.mean_ranks()[method]
    return place[0] <= 2, (
        f"It is number {place[0]} of {place[1]} with a mean rank of {rank:.1f} {_on(board, method)}; first or second"
        " agrees."
    )


def best_with_duplicates(evidence: Evidence, method: str) -> Verdict:
    board = evidence.board(method, 5)
    if (place := _place(board, method)) is None:
        return None
    return place[0] == 1, (
        f"It is number {place[0]} of {place[1]} with a mean AUC-ROC of {board.means()[method]:.3f}"
        f"{_error(board, method)} {_on(board, method)}; first agrees."
    )


def mean_with_duplicates(evidence: Evidence, method: str) -> Verdict:
    board = evidence.board(method, 5)
    if method not in board.ran.index:
        return None
    mean = board.means()[method]
    sentence = f"The mean is {mean:.3f}{_error(board, method)} {_on(board, method)}; within {NEAR} counts as agreement."
    return abs(mean - 0.716) <= NEAR, sentence


def lead_with_duplicates(evidence: Evidence, method: str) -> Verdict:
    board = evidence.board(method, 5)
    if _place(board, method) is None or (ahead := board.differences(method)).empty:
        return None
    lead, other = float(ahead.min()), ahead.idxmin()
    where = "behind" if lead < 0 else "ahead of"
    return lead >= 0.035, (
        f"It is {abs(100 * lead):.1f} points {where} {other}, {_on(board, method)}; a lead that rounds to 4 or more agrees."
    )


def small_drop(evidence: Evidence, method: str) -> Verdict:
    copied = evidence.board(method, 6)
    change = evidence.board(method).change(copied, method)
    if math.isnan(change):
        return None
    sentence = f"Its mean AUC-ROC {_moved(change)}, {_on(copied, method)}; a fall of less than 2 % agrees."
    return change > -0.02, sentence


def drop_of_baselines(evidence: Evidence) -> Verdict:
    plain, copied = (evidence.board(OURS[0], duplicates) for duplicates in (1, 6))
    changes = pd.Series([plain.change(copied, method) for method in BASELINES]).dropna()
    if changes.empty:
        return None
    change = float(changes.median())
    return abs(change + 0.1643) <= NEAR_LOSS, (
        f"The median over {len(changes)} baselines of the change of the mean AUC-ROC: it {_moved(change)}; within"
        f" {100 * NEAR_LOSS:.0f} points counts as agreement."
    )


def _moved(change: float) -> str:
    return f"{'falls' if change < 0 else 'rises'} by {abs(100 * change):.1f} %"


def minutes(evidence: Evidence, method: str) -> Verdict:
    board = scoreboard(select(evidence.runs), OURS, "seconds")
    if method not in board.ran.index:
        return None
    taken, covered = board.values.loc[method].sum() / 60, board.covered(method)
    allowed = 186 * covered / 47
    own = evidence.runs[evidence.runs["method"] == method]
    capped = "parameters" in own and own["parameters"].fillna("").str.contains('"max_rows":[0-9]').any()
    rows = ", fitted to a sample of the rows where there are many," if capped else ""
    return bool(taken <= allowed), (
        f"One run of each of {plural(covered, 'data set')}{rows} takes {taken:.2f} minutes on the machine of these runs; not"
        f" more than their share of the 186, {allowed:.1f}, counts as agreement."
    )


def natural_keeps(evidence: Evidence) -> Verdict:
    shares = evidence.gradients
    if shares.empty:
        return None
    rise = shares["negative_natural"] - shares["negative_start"]
    worst = shares.iloc[int(rise.argmax())]
    found = (
        f"most on {worst['data_set']}, from {100 * worst['negative_start']:.1f} % to {100 * worst['negative_natural']:.1f} %"
        if rise.max() > 0
        else "on none"
    )
    return bool(rise.max() <= KEPT), (
        f"Of {len(shares)} data sets it rises {found}; a rise of at most {100 * KEPT:.0f} point counts as kept."
    )


def standard_raises(evidence: Evidence) -> Verdict:
    shares = evidence.gradients[evidence.gradients["data_set"].str.endswith("shuttle")]
    if shares.empty:
        return None
    start, end = shares.iloc[0][["negative_start", "negative_standard"]]
    sentence = f"It goes from {100 * start:.1f} % to {100 * end:.1f} %; between 60 % and 80 % counts as agreement."
    return 0.6 <= end <= 0.8, sentence


def gaussian_is_behind(evidence: Evidence) -> Verdict:
    names = kernels(evidence.runs)
    values = scoreboard(select(evidence.runs), names).values.loc[names[:3]].dropna(axis=1)
    if values.empty:
        return None
    sdo, laplacian, gaussian = values.to_numpy()
    shortfall = pd.Series(sdo).combine(pd.Series(laplacian), max) - gaussian
    behind = int((shortfall > BEHIND).sum())
    return 1 <= behind <= len(shortfall) / 4, (
        f"The Gaussian kernel is more than {BEHIND} behind the better of SDO and Laplacian on {behind} of"
        f" {len(shortfall)} data sets, the median shortfall is {shortfall.median():.3f}; at least one and at most a"
        " quarter count as a few."
    )


MAIN = "“Anomaly Detection Results for ADbench”"
COPIES = "supplement, “Duplicate Anomalies”"
GRADIENTS = "“Natural-Gradient vs Standard Gradient Comparison”"

#: In the order of the paper: words, place, and a comparison for each of ours, or for something named.
CLAIMS: list[tuple[str, str, Callable[[Evidence, str], Verdict] | tuple[str, Callable[[Evidence], Verdict]]]] = [
    ("SOSREP is second of 18 methods by mean AUC-ROC.", MAIN, second_by_mean),
    ("SOSREP is second of 18 methods by mean rank.", "supplement, “AUC-ROC Performance Analysis”", second_by_rank),
    ("With anomalies ×5, SOSREP has the best mean AUC-ROC.", MAIN, best_with_duplicates),
    ("With anomalies ×5, the mean AUC-ROC of SOSREP is 0.716.", MAIN, mean_with_duplicates),
    ("With anomalies ×5, SOSREP leads by 4 points of AUC-ROC.", MAIN, lead_with_duplicates),
    ("With anomalies ×6, SOSREP loses less than 2 %.", COPIES, small_drop),
    (
        "With anomalies ×6, the median loss of unsupervised methods is 16.43 %.",
        COPIES,
        ("baselines", drop_of_baselines),
    ),
    ("The 47 data sets take 186 minutes on one RTX 3090 and one CPU.", MAIN, minutes),
    ("The natural gradient keeps the share of negative values.", GRADIENTS, ("natural gradient", natural_keeps)),
    (
        "On shuttle, the standard gradient raises the share of negative values to about 70 %.",
        GRADIENTS,
        ("standard gradient", standard_raises),
    ),
    (
        "Kernels behave alike, but the Gaussian kernel underperforms on a few data sets.",
        "supplement, “Comparison of SOSREP for Different Kernels”",
        ("kernels", gaussian_is_behind),
    ),
]


#: How many copies of anomalies a claim is about; the others are about plain anomalies.
COPIES_OF = {best_with_duplicates: (5,), mean_with_duplicates: (5,), lead_with_duplicates: (5,), small_drop: (1, 6)}


def is_complete(runs: pd.DataFrame, compare: Callable[[Evidence, str], Verdict], method: str, every: int) -> bool:
    """Whether a method has a result on every data set that a claim is about."""
    counts = (scoreboard(select(runs, copies), [method]).covered(method) for copies in COPIES_OF.get(compare, (1,)))
    return all(count >= every for count in counts)


def verdicts(evidence: Evidence) -> list[tuple[str, str, str, str, str]]:
    """Claim, place, what was looked at, whether it agrees, the numbers."""
    lines = []
    every = evidence.runs["data_set"].nunique()
    for words, place, compare in CLAIMS:
        if isinstance(compare, tuple):
            found = [(compare[0], compare[1](evidence))]
        else:
            found = [(method, compare(evidence, method)) for method in OURS]
            # The exact kernel comes from curves, which have no time of a run.
            found = [(method, verdict) for method, verdict in found if verdict or method != EXACT]
        for subject, verdict in found:
            agrees, sentence = verdict or (None, "There are no runs that would tell.")
            outcome = {True: "agrees", False: "does not agree", None: "not measured"}[agrees]
            if subject == EXACT and agrees is not None and not is_complete(evidence.runs, compare, EXACT, every):
                outcome = "data sets are missing"
            lines.append((words, place, subject, outcome, sentence))
        if not isinstance(compare, tuple) and compare is not minutes and len(evidence.readings):
            lines.append((words, place, "every reading", *of_readings(evidence, compare)))
    return lines


def of_readings(evidence: Evidence, compare: Callable[[Evidence, str], Verdict]) -> tuple[str, str]:
    """Whether any reading bears a claim out, and which does and which does not, in sentences."""
    outcomes: dict[bool, list[str]] = {True: [], False: []}
    with_labels, incomplete = [], []
    every = evidence.runs["data_set"].nunique()
    for kind in KINDS:
        for protocol, words in PROTOCOLS.items():
            own = evidence.of_reading(kind, protocol)
            verdict = compare(own, kind.name)
            if verdict is None:
                continue
            name = f"{kind.name}, by {words}"
            if not is_complete(own.runs, compare, kind.name, every):
                incomplete.append(name)
            elif kind.labels:
                with_labels.append(f"{name}: {'agrees' if verdict[0] else 'does not'}")
            else:
                outcomes[verdict[0]].append(name)
    missing = f"Not judged, because data sets are missing: {'; '.join(incomplete)}." if incomplete else ""
    if not outcomes[True] and not outcomes[False]:
        return (
            ("data sets are missing", missing) if incomplete else ("not measured", "There are no runs that would tell.")
        )
    count = len(outcomes[True]) + len(outcomes[False])
    sentences = [
        f"{len(outcomes[True])} of {plural(count, 'reading')} {'agrees' if len(outcomes[True]) == 1 else 'agree'}."
    ]
    for agrees, words in ((True, "Agreeing"), (False, "Not agreeing")):
        if outcomes[agrees]:
            sentences.append(f"{words}: {'; '.join(outcomes[agrees])}.")
    if with_labels:
        sentences.append(f"With the help of labels, so no evidence: {'; '.join(with_labels)}.")
    if missing:
        sentences.append(missing)
    return ("agrees for some" if outcomes[True] else "does not agree"), " ".join(sentences)


def section(evidence: Evidence) -> Section:
    """The claims of the paper and these runs."""
    header = ["the paper says", "where", "looked at", "outcome", "these runs"]
    rows: list[list[Cell]] = [list(line) for line in verdicts(evidence)]
    text = (
        "Each configuration takes its place on the board without the others. A method without any result is not on"
        " the board."
    )
    return Section("What the paper says, and what these runs say", [text, Table(header, rows, "claims")])
