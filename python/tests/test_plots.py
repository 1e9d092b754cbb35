"""Figures show the numbers of the estimator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402  (after the choice of its backend)
from matplotlib.axes import Axes  # noqa: E402

from sosrep import KDE, SobolevDensity, SobolevDetector, plots  # noqa: E402

from .common import normal_rows  # noqa: E402

ROWS = np.vstack([normal_rows(120, 2), [[6.0, 6.0], [7.0, -5.0]]])
LABELS = np.array([0] * 120 + [1] * 2)
DETECTOR = SobolevDetector().fit(ROWS)
NAMES = ["height", "weight"]


@pytest.fixture(autouse=True)
def no_figure_is_left() -> Iterator[None]:
    yield
    plt.close("all")


def words(ax: Axes) -> list[str]:
    """The texts of the legend."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


# Every figure -----------------------------------------------------------------------------------

CHOSEN = SobolevDensity("sdo", "likelihood", grid=[0.1, 0.3, 1.0, 3.0]).fit(ROWS)

DRAWINGS = {
    "bandwidth_curve": lambda **options: plots.bandwidth_curve(CHOSEN, **options),
    "score_distribution": lambda **options: plots.score_distribution(DETECTOR, ROWS, **options),
    "density_contour": lambda **options: plots.density_contour(
        DETECTOR, ROWS, resolution=15, **options
    ),
    "reasons": lambda **options: plots.reasons(DETECTOR, ROWS, row=-1, **options),
}


def test_every_public_function_is_drawn() -> None:
    assert set(DRAWINGS) == set(plots.__all__)


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_figure_of_its_own_is_drawn_on_new_axes(name: str) -> None:
    ax = DRAWINGS[name]()
    assert isinstance(ax, Axes) and plt.get_fignums() == [ax.figure.number]
    assert ax.get_xlabel()
    ax.figure.canvas.draw()


@pytest.mark.parametrize("name", DRAWINGS)
def test_axes_that_are_given_are_drawn_on_and_returned(name: str) -> None:
    ax = Figure().add_subplot()
    assert DRAWINGS[name](ax=ax) is ax
    assert plt.get_fignums() == [], "no figure but the one given"
    assert ax.has_data()


@pytest.mark.parametrize("name", DRAWINGS)
@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_no_setting_of_matplotlib_is_changed(name: str, style: str) -> None:
    with plt.style.context(style):
        before = dict(matplotlib.rcParams)
        DRAWINGS[name]()
        assert dict(matplotlib.rcParams) == before


# Bandwidths -------------------------------------------------------------------------------------


def test_the_curve_is_that_of_the_estimator() -> None:
    ax = plots.bandwidth_curve(CHOSEN)
    curve, mark = ax.get_lines()
    expected = CHOSEN.bandwidth_curve_
    assert expected is not None
    np.testing.assert_array_equal(curve.get_xdata(), expected["bandwidth"])
    np.testing.assert_array_equal(curve.get_ydata(), expected["value"])
    assert set(mark.get_xdata()) == {CHOSEN.bandwidth_}
    assert ax.get_xscale() == "log"
    assert f"{CHOSEN.bandwidth_:.3g}" in " ".join(words(ax))


def test_values_that_are_not_finite_are_left_out_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    curve = {"bandwidth": np.array([0.1, 1.0, 3.0]), "value": np.array([np.inf, 2.0, np.nan])}
    monkeypatch.setattr(SobolevDensity, "bandwidth_curve_", curve)
    ax = plots.bandwidth_curve(CHOSEN)
    np.testing.assert_array_equal(ax.get_lines()[0].get_xdata(), [1.0])
    assert any("2 not finite" in text for text in words(ax))


def test_a_bandwidth_that_was_given_has_no_curve() -> None:
    with pytest.raises(ValueError, match="not chosen from a curve; fit with bandwidth="):
        plots.bandwidth_curve(DETECTOR)


def test_an_estimate_without_a_choice_of_bandwidth_has_no_curve() -> None:
    with pytest.raises(TypeError, match="KDE"):
        plots.bandwidth_curve(KDE().fit(ROWS))


# Scores -----------------------------------------------------------------------------------------


def test_the_histogram_counts_the_anomaly_scores() -> None:
    ax = plots.score_distribution(DETECTOR, ROWS)
    heights = [bar.get_height() for bar in ax.patches]
    edges = [bar.get_x() for bar in ax.patches]
    edges.append(ax.patches[-1].get_x() + ax.patches[-1].get_width())
    # The sides of a bar are computed from its middle and may miss the extremes by a rounding.
    edges[0], edges[-1] = edges[0] - 1e-9, edges[-1] + 1e-9
    scores = -DETECTOR.score_samples(ROWS)
    np.testing.assert_array_equal(heights, np.histogram(scores, edges)[0])
    assert sum(heights) == len(ROWS)
    (line,) = ax.get_lines()
    assert set(line.get_xdata()) == {-DETECTOR.offset_}


def test_the_legend_says_what_share_is_flagged() -> None:
    share = 100 * np.mean(DETECTOR.predict(ROWS) == -1)
    assert any(f"{share:.3g} %" in text for text in words(plots.score_distribution(DETECTOR, ROWS)))


def test_labels_split_the_histogram_in_two() -> None:
    ax = plots.score_distribution(DETECTOR, ROWS, y=LABELS)
    usual, strange = ax.containers
    assert sum(bar.get_height() for bar in usual) == pytest.approx(1)
    assert sum(bar.get_height() for bar in strange) == pytest.approx(1)
    legend = words(ax)
    assert any("120" in text for text in legend)
    assert any(re.search(r"2 .*100 % flagged", text) for text in legend)


@pytest.mark.parametrize(
    ("y", "piece"), [([0, 1], "one label for each of the 122 rows"), ([2] * 122, "1 for anomalies")]
)
def test_labels_that_do_not_fit_are_refused(y: Any, piece: str) -> None:
    with pytest.raises(ValueError, match=piece):
        plots.score_distribution(DETECTOR, ROWS, y=y)


def test_a_density_has_no_threshold_to_show() -> None:
    with pytest.raises(TypeError, match="SobolevDensity"):
        plots.score_distribution(SobolevDensity().fit(ROWS), ROWS)


# Contours ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [SobolevDetector(), SobolevDensity(), KDE()], ids=repr)
def test_the_contours_are_those_of_the_log_density(
    estimator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []
    contourf = Axes.contourf

    def record(self: Axes, *arguments: Any, **options: Any) -> Any:
        drawn.extend(arguments)
        return contourf(self, *arguments, **options)

    monkeypatch.setattr(Axes, "contourf", record)
    estimator.fit(ROWS)
    plots.density_contour(estimator, ROWS, resolution=12)
    x, y, surface = drawn
    assert surface.shape == (12, 12)
    assert x.min() < ROWS[:, 0].min() and x.max() > ROWS[:, 0].max()
    for i, j in [(0, 0), (3, 7), (11, 2)]:
        assert surface[i, j] == estimator.score_samples([[x[j], y[i]]])[0]


def drawn_rows(ax: Axes) -> list[Any]:
    """The places of each set of dots."""
    contours = {"QuadContourSet"}
    return [
        np.asarray(dots.get_offsets())
        for dots in ax.collections
        if type(dots).__name__ not in contours
    ]


def test_flagged_rows_are_marked() -> None:
    ax = plots.density_contour(DETECTOR, ROWS, resolution=12)
    usual, strange = drawn_rows(ax)
    flagged = DETECTOR.predict(ROWS) == -1
    np.testing.assert_array_equal(usual, ROWS[~flagged])
    np.testing.assert_array_equal(strange, ROWS[flagged])


def test_a_density_marks_no_rows() -> None:
    (usual,) = drawn_rows(plots.density_contour(SobolevDensity().fit(ROWS), ROWS, resolution=12))
    np.testing.assert_array_equal(usual, ROWS)


def test_axes_have_the_names_of_the_columns() -> None:
    frame = pd.DataFrame(ROWS, columns=NAMES)
    detector = SobolevDetector().fit(frame)
    ax = plots.density_contour(detector, frame, resolution=12)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", "weight")
    ax = plots.density_contour(detector, frame, resolution=12, features=("weight", 0))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("weight", "height")
    np.testing.assert_array_equal(
        np.sort(np.concatenate(drawn_rows(ax))[:, 0]), np.sort(ROWS[:, 1])
    )


def test_other_columns_are_held_at_their_median(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = normal_rows(50, 4)
    density = SobolevDensity().fit(rows)
    seen: list[Any] = []
    score_samples = SobolevDensity.score_samples

    def record(self: Any, X: Any, **options: Any) -> Any:
        seen.append(np.asarray(X))
        return score_samples(self, X, **options)

    monkeypatch.setattr(SobolevDensity, "score_samples", record)
    ax = plots.density_contour(density, rows, features=(1, 3), resolution=12)
    places = seen[0]
    np.testing.assert_array_equal(places[:, [0, 2]] - np.median(rows, axis=0)[[0, 2]], 0)
    assert len(np.unique(places[:, 1])) == len(np.unique(places[:, 3])) == 12
    assert "2 other columns" in ax.get_title()


@pytest.mark.parametrize(
    ("options", "piece"),
    [
        ({"features": (0, 0)}, "two different columns"),
        ({"features": (0, 5)}, "5"),
        ({"features": (0, "age")}, "'age', which is no column"),
        ({"features": "height"}, "give two columns"),
        ({"resolution": 1}, "resolution is 1; it must be at least 2"),
    ],
)
def test_a_contour_that_cannot_be_drawn_is_refused(options: Any, piece: str) -> None:
    with pytest.raises(ValueError, match=piece):
        plots.density_contour(DETECTOR, ROWS, **options)


def test_a_contour_needs_two_columns() -> None:
    with pytest.raises(ValueError, match="a contour needs two"):
        plots.density_contour(SobolevDensity().fit(ROWS[:, :1]), ROWS[:, :1])


# Reasons ----------------------------------------------------------------------------------------


def bars(ax: Axes) -> dict[str, float]:
    """Lengths of the bars by their labels, from top to bottom."""
    labels = [text.get_text() for text in ax.get_yticklabels()]
    return dict(zip(labels, [bar.get_width() for bar in ax.patches], strict=True))


def test_bars_are_the_contributions_largest_first() -> None:
    rows = normal_rows(80, 5)
    detector = SobolevDetector().fit(rows)
    ax = plots.reasons(detector, rows, row=3)
    lengths = list(bars(ax).values())
    contributions = detector.explain(rows[3:4])[0]
    expected = contributions[np.argsort(-np.abs(contributions))]
    np.testing.assert_array_equal(lengths, expected)
    assert ax.yaxis_inverted()


def test_labels_have_the_value_and_the_typical_one() -> None:
    frame = pd.DataFrame(ROWS, columns=NAMES)
    detector = SobolevDetector().fit(frame)
    ax = plots.reasons(detector, frame, row=-1)
    reasons = detector.explain(frame[-1:], as_frame=True)
    for _, reason in reasons.iterrows():
        label = next(text for text in bars(ax) if text.startswith(reason.feature))
        assert f"{reason.value:.4g}" in label and f"{reason.typical_value:.4g}" in label


def test_columns_beyond_the_first_few_are_summed_up() -> None:
    rows = normal_rows(80, 6)
    detector = SobolevDetector().fit(rows)
    drawn = bars(plots.reasons(detector, rows, row=0, top=2))
    assert len(drawn) == 3
    assert "4 others" in list(drawn)[-1]
    assert sum(drawn.values()) == pytest.approx(detector.explain(rows[:1]).sum(), rel=1e-9)


@pytest.mark.parametrize(
    ("options", "piece"),
    [({"row": 122}, "122 rows"), ({"row": -123}, "122 rows"), ({"top": 0}, "top is 0")],
)
def test_reasons_that_cannot_be_drawn_are_refused(options: Any, piece: str) -> None:
    with pytest.raises(ValueError, match=piece):
        plots.reasons(DETECTOR, ROWS, **options)


@pytest.mark.parametrize("name", ["score_distribution", "density_contour", "reasons"])
def test_an_estimator_without_a_fit_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        getattr(plots, name)(SobolevDetector(), ROWS)
