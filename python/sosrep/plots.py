"""Figures of what was fitted.

Each function draws on the axes it is given, or on those of a new figure, and returns them. Nothing
is shown or saved, and no setting of matplotlib is changed. The estimators are those of `sosrep`; of
a `sosrep.pyod.SOSREP` give its ``detector_``, of a pipeline its last step and the rows as that step
sees them.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ._base import Estimator
from ._density import SobolevDensity
from ._detector import SobolevDetector
from ._input import Array
from ._kde import KDE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["bandwidth_curve", "density_contour", "reasons", "score_distribution"]

#: Colours of matplotlib's own cycle, so that styles apply: usual rows, and what stands out.
USUAL, STRANGE = "C0", "C3"

ANOMALY_SCORE = "anomaly score $-\\log f^2$ (higher is stranger)"

#: What the criterion is called, by the parameter ``bandwidth``.
CRITERIA = {
    "fisher": "held-out Fisher divergence + constant",
    "paper": "held-out Fisher divergence + constant",
    "paper-text": "held-out Fisher divergence + constant",
    "paper-released": "held-out Fisher divergence + constant",
    "likelihood": "mean held-out $-\\log p$",
    "influence": "$|\\log$(median self-influence / target)$|$",
}

AnyEstimator = TypeVar("AnyEstimator", bound="Estimator[Any]")


def bandwidth_curve(estimator: Any, ax: Axes | None = None) -> Axes:
    """The criterion along the bandwidths tried, with the one that was chosen.

    Parameters
    ----------
    estimator : SobolevDetector or SobolevDensity
        Fitted with a bandwidth chosen from a grid, for example ``bandwidth="likelihood"``.
    ax : Axes, default=None
        Where to draw; None for a new figure.

    Returns
    -------
    ax : Axes

    Examples
    --------
    >>> import numpy as np
    >>> from sosrep import SobolevDensity, plots
    >>> X = np.random.default_rng(0).normal(size=(200, 1))
    >>> density = SobolevDensity(bandwidth="likelihood").fit(X)
    >>> plots.bandwidth_curve(density).get_xscale()
    'log'
    """
    _expect(estimator, "estimator", SobolevDetector, SobolevDensity)
    curve = estimator.bandwidth_curve_
    if curve is None:
        raise ValueError(
            "the bandwidth was not chosen from a curve; fit with bandwidth='likelihood', "
            "'fisher', 'paper' or 'influence'"
        )
    bandwidths, values = curve["bandwidth"], curve["value"]
    finite = np.isfinite(values)
    if not finite.any():
        raise ValueError("no value of the criterion is finite; try another grid or criterion")
    left_out = int((~finite).sum())

    ax = _axes(ax)
    remark = f" ({left_out} not finite, left out)" if left_out else ""
    ax.plot(bandwidths[finite], values[finite], "o-", color=USUAL, label=f"tried{remark}")
    chosen = estimator.bandwidth_
    ax.axvline(chosen, color=STRANGE, linestyle="--", label=f"chosen: {chosen:.3g}")
    ax.set_xscale("log")
    ax.set_xlabel(_bandwidth_label(estimator))
    ax.set_ylabel(CRITERIA.get(estimator.bandwidth, "criterion") + "\n(lower is better)")
    ax.legend()
    return ax


def score_distribution(detector: Any, X: Any, ax: Axes | None = None, y: Any = None) -> Axes:
    """How the anomaly scores of rows are distributed, and where the threshold lies.

    Parameters
    ----------
    detector : SobolevDetector
        Fitted.
    X : array or data frame of shape (n_samples, n_features)
    ax : Axes, default=None
        Where to draw; None for a new figure.
    y : array of shape (n_samples,), default=None
        Known labels, 1 for anomalies and 0 for others. The two kinds get a histogram each, scaled
        to its own number of rows, so that a few anomalies stay visible.

    Returns
    -------
    ax : Axes

    Examples
    --------
    >>> import numpy as np
    >>> from sosrep import SobolevDetector, plots
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> detector = SobolevDetector(contamination=0.05).fit(X)
    >>> ax = plots.score_distribution(detector, X)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['200 rows, 5 % flagged', 'threshold']
    """
    _expect(detector, "detector", SobolevDetector)
    scores, threshold = -detector.score_samples(X), -detector.offset_
    groups = _groups(scores, y)
    bins = np.histogram_bin_edges(scores, bins=int(np.clip(np.sqrt(len(scores)), 10, 50)))

    ax = _axes(ax)
    for name, group, color in groups:
        flagged = 100 * float(np.mean(group > threshold))
        ax.hist(
            group,
            bins=bins.tolist(),
            weights=None if y is None else np.full(len(group), 1 / len(group)),
            color=color,
            alpha=0.6,
            label=f"{len(group)} {name}, {flagged:.3g} % flagged",
        )
    ax.axvline(threshold, color="gray", linestyle="--", label="threshold")
    ax.set_xlabel(ANOMALY_SCORE)
    ax.set_ylabel("rows" if y is None else "share of the rows of a kind")
    ax.legend()
    return ax


def density_contour(
    estimator: Any,
    X: Any,
    ax: Axes | None = None,
    features: tuple[int | str, int | str] = (0, 1),
    resolution: int = 100,
) -> Axes:
    """The log density over two columns, with rows on top.

    Parameters
    ----------
    estimator : SobolevDetector, SobolevDensity or KDE
        Fitted. What is drawn is its `score_samples`.
    X : array or data frame of shape (n_samples, n_features)
        Rows to draw. Those that a detector flags are marked.
    ax : Axes, default=None
        Where to draw; None for a new figure.
    features : two columns, by number or name, default=(0, 1)
        Which columns to draw. Others are held at the median of the rows: the contours are a slice
        through the density, and the rows are seen as their shadows on it.
    resolution : int, default=100
        Points of the grid along each axis.

    Returns
    -------
    ax : Axes

    Examples
    --------
    >>> import numpy as np
    >>> from sosrep import SobolevDensity, plots
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> ax = plots.density_contour(SobolevDensity().fit(X), X, resolution=20)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('column_1', 'column_2')
    """
    _expect(estimator, "estimator", SobolevDetector, SobolevDensity, KDE)
    if isinstance(estimator, SobolevDetector) and not estimator._fitted().is_plain:
        raise ValueError(
            "some columns of the detector are not numbers or have gaps, and a contour needs numbers; "
            "fit a detector to the columns of numbers"
        )
    rows = _rows(estimator, X)
    names = _names(estimator)
    first, second = _two_columns(features, names)
    if resolution < 2:
        raise ValueError(f"resolution is {resolution}; it must be at least 2")
    # The rows have lost their names by now, and the estimator must not ask for them.
    nameless = _without_names(estimator)
    across, along = _span(rows[:, first], resolution), _span(rows[:, second], resolution)
    slice_ = np.tile(np.median(rows, axis=0), (resolution * resolution, 1))
    slice_[:, first] = np.tile(across, resolution)
    slice_[:, second] = np.repeat(along, resolution)
    surface = nameless.score_samples(slice_).reshape(resolution, resolution)

    ax = _axes(ax)
    levels = _levels(surface)
    filled = ax.contourf(across, along, surface, levels=levels, extend="min")
    ax.figure.colorbar(filled, ax=ax, label=f"{_surface_name(estimator)} (higher is more usual)")
    _draw_rows(ax, nameless, rows, first, second)
    ax.set_xlabel(names[first])
    ax.set_ylabel(names[second])
    others = len(names) - 2
    if others:
        ax.set_title(f"slice at the median of {_count(others, 'other column')}", fontsize="medium")
    return ax


def reasons(
    detector: Any, X: Any, row: int = 0, ax: Axes | None = None, top: int = 10
) -> Axes:
    """What each column adds to the anomaly score of one row.

    Parameters
    ----------
    detector : SobolevDetector
        Fitted.
    X : array or data frame of shape (n_samples, n_features)
    row : int, default=0
        Which row of X; negative numbers count from the end.
    ax : Axes, default=None
        Where to draw; None for a new figure.
    top : int, default=10
        Columns with a bar of their own: those with the largest contributions, whatever their sign,
        largest first. The others are added up in one bar, the last.

    Returns
    -------
    ax : Axes

    Examples
    --------
    >>> import numpy as np
    >>> from sosrep import SobolevDetector, plots
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> detector = SobolevDetector().fit(X)
    >>> ax = plots.reasons(detector, [[0.0, 0.0, 6.0]], top=1)
    >>> [text.get_text().split(" ")[0] for text in ax.get_yticklabels()]
    ['column_3', '2']
    """
    _expect(detector, "detector", SobolevDetector)
    if top < 1:
        raise ValueError(f"top is {top}; it must be at least 1")
    score, contributions, values, typical = (part[0] for part in detector._reasons(X, row))
    bars = _bars(detector.used_columns_, values, typical, contributions, top)

    ax = _axes(ax, size=(8.0, 1.2 + 0.35 * len(bars)))
    lengths = np.array([length for _, length in bars])
    places = np.arange(len(bars))
    drawn = ax.barh(places, lengths, color=np.where(lengths > 0, STRANGE, USUAL).tolist())
    ax.bar_label(drawn, labels=[f"{length:+.3g}" for length in lengths], padding=3)
    ax.set_yticks(places, [label for label, _ in bars])
    ax.invert_yaxis()
    ax.set_xlim(_with_room(lengths))
    ax.axvline(0, color="gray", linewidth=0.8)
    ax.set_xlabel("contribution to the anomaly score")
    title = f"row {_row_name(X, row)}: anomaly score {score:.4g}, threshold {-detector.offset_:.4g}"
    ax.set_title(title, fontsize="medium")
    return ax


def _axes(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """The axes given, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError('sosrep.plots needs matplotlib: pip install "sosrep[plot]"') from error
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def _expect(estimator: Any, name: str, *kinds: type[Estimator[Any]]) -> None:
    """An error unless the estimator is fitted and of one of these kinds."""
    if not isinstance(estimator, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"{name} is a {type(estimator).__name__}; give a fitted {wanted}")
    estimator._fitted()


def _rows(estimator: Estimator[Any], X: Any) -> NDArray[np.float64]:
    """X as the estimator sees it, checked against the columns of the fit."""
    return estimator._new_rows(X).astype(np.float64)


def _names(estimator: Estimator[Any]) -> list[str]:
    """Names of the columns, or stand-ins."""
    if isinstance(estimator, SobolevDetector):
        return estimator.used_columns_
    return estimator._feature_names or [
        f"column_{j + 1}" for j in range(estimator.n_features_in_)
    ]


def _without_names(estimator: AnyEstimator) -> AnyEstimator:
    """The same model, for rows that come as plain arrays."""
    nameless = copy(estimator)
    nameless._feature_names = None
    if isinstance(nameless, SobolevDetector):
        nameless._width = None
    return nameless


def _bandwidth_label(estimator: Any) -> str:
    """A detector scales its columns itself; a density takes them as they are."""
    scaled = isinstance(estimator, SobolevDetector) and estimator.scaling != "none"
    return f"bandwidth (distance per {'scaled ' if scaled else ''}column)"


def _surface_name(estimator: Any) -> str:
    """What `score_samples` gives: a detector has no need of a normaliser, cosines have none."""
    unnormalised = isinstance(estimator, SobolevDetector) or estimator.kernel == "sdo-sampled"
    return "$\\log f^2$" if unnormalised else "log density"


def _groups(scores: Array, y: Any) -> list[tuple[str, Array, str]]:
    """The scores, by label if there are labels: name, scores, colour."""
    if y is None:
        return [("rows", scores, USUAL)]
    labels = np.asarray(y)
    if labels.shape != scores.shape:
        raise ValueError(
            f"y has shape {labels.shape}; give one label for each of the {len(scores)} rows"
        )
    if not np.isin(labels, (0, 1)).all():
        raise ValueError("y holds other values than 0 and 1; give 1 for anomalies, 0 for others")
    kinds = (("usual rows", 0, USUAL), ("anomalies", 1, STRANGE))
    groups = [(name, scores[labels == label], color) for name, label, color in kinds]
    return [group for group in groups if len(group[1])]


def _two_columns(features: Any, names: list[str]) -> tuple[int, int]:
    """Numbers of the two columns to draw."""
    if len(names) < 2:
        raise ValueError("the estimator was fitted on one column; a contour needs two")
    if not isinstance(features, (tuple, list)) or len(features) != 2:
        raise ValueError(f"features is {features!r}; give two columns, by number or name")
    first, second = (_column(feature, names) for feature in features)
    if first == second:
        raise ValueError(f"features is {features!r}; give two different columns")
    return first, second


def _column(feature: int | str, names: list[str]) -> int:
    if feature in names:
        return names.index(str(feature))
    if isinstance(feature, (int, np.integer)) and -len(names) <= feature < len(names):
        return int(feature) % len(names)
    raise ValueError(
        f"features names {feature!r}, which is no column; there are {len(names)}, "
        f"from {names[0]!r} to {names[-1]!r}"
    )


def _span(values: Array, resolution: int) -> Array:
    """Evenly spaced values over a column, with a margin."""
    lowest, highest = float(values.min()), float(values.max())
    margin = 0.1 * (highest - lowest) or 1.0
    return np.linspace(lowest - margin, highest + margin, resolution)


def _levels(surface: Array) -> Array:
    """Levels for the upper part of the surface: tails fall without end and would take them all."""
    from matplotlib.ticker import MaxNLocator

    highest, typical = float(surface.max()), float(np.median(surface))
    lowest = max(float(surface.min()), highest - 2 * (highest - typical))
    # Round numbers, for the sake of the colour bar.
    return np.asarray(MaxNLocator(nbins=15).tick_values(lowest, highest))


def _draw_rows(ax: Axes, estimator: Any, rows: Array, first: int, second: int) -> None:
    """Rows as dots, those that a detector flags as crosses."""
    detects = isinstance(estimator, SobolevDetector)
    flagged = estimator.predict(rows) == -1 if detects else np.zeros(len(rows), dtype=bool)
    usual = rows[~flagged]
    # White and black are seen on every colour of a map, whatever the style.
    ax.scatter(
        usual[:, first], usual[:, second], s=8, color="white", edgecolors="black", linewidths=0.4
    )
    if detects:
        strange = rows[flagged]
        label = f"flagged: {len(strange)} of {_count(len(rows), 'row')}"
        ax.scatter(strange[:, first], strange[:, second], marker="x", color="red", label=label)
        ax.legend()


def _bars(
    names: list[str], values: Array, typical: Array, contributions: Array, top: int
) -> list[tuple[str, float]]:
    """Label and length of each bar, largest first, those beyond `top` in one."""
    order = np.argsort(-np.abs(contributions), kind="stable")
    bars = [
        (f"{names[j]} = {_cell(values[j])} (typical {_cell(typical[j])})", float(contributions[j]))
        for j in order[:top]
    ]
    rest = order[top:]
    if len(rest):
        bars.append((_count(len(rest), "other"), float(contributions[rest].sum())))
    return bars


def _cell(value: Any) -> str:
    """A value of a table, in a few characters."""
    try:
        return f"{float(value):.4g}"
    except ValueError:
        return str(value)


def _row_name(X: Any, row: int) -> Any:
    """What pandas calls a row; its number in any other table."""
    return X.index[row] if hasattr(X, "reset_index") else row


def _with_room(lengths: Array) -> tuple[float, float]:
    """Limits that hold the bars and the numbers beside them."""
    lowest, highest = min(0.0, float(lengths.min())), max(0.0, float(lengths.max()))
    room = 0.2 * (highest - lowest) or 1.0
    return lowest - room * (lowest < 0), highest + room * (highest > 0 or lowest == 0)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
