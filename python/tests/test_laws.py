"""Laws of the estimators: what must hold whatever the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import kstest
from sklearn.preprocessing import StandardScaler

from sosrep import KDE, SobolevDensity, SobolevDetector

from .common import (
    BANDWIDTH,
    assert_same_bits,
    every_estimator,
    every_kernel,
    every_kernel_with_integral,
    functions_of_rows,
    normal_rows,
)

ROWS = normal_rows(80, 3)
NEW = 1.5 * normal_rows(30, 3, seed=1)


# Bits -------------------------------------------------------------------------------------------


@every_estimator
def test_a_row_alone_has_the_bits_it_has_in_a_batch(make: Any) -> None:
    for function in functions_of_rows(make().fit(ROWS)).values():
        together = function(NEW)
        alone = np.concatenate([function(NEW[i : i + 1]) for i in range(len(NEW))])
        assert_same_bits(alone, together)


def test_a_row_has_the_same_bits_wherever_it_is_in_a_long_table() -> None:
    detector = SobolevDetector().fit(ROWS[:20])
    long = np.tile(NEW, (1200, 1))  # more than two of the portions in which rows are read
    for function in (detector.score_samples, detector.p_value):
        assert_same_bits(function(long), np.tile(function(NEW), 1200))


@every_estimator
def test_the_number_of_threads_changes_no_bit(make: Any) -> None:
    one = functions_of_rows(make(n_jobs=1).fit(ROWS))
    for n_jobs in (2, 3, -1, None):
        several = functions_of_rows(make(n_jobs=n_jobs).fit(ROWS))
        for name, function in one.items():
            assert_same_bits(several[name](NEW), function(NEW))


def test_the_number_of_threads_changes_no_draw() -> None:
    for make in (SobolevDensity, SobolevDetector):
        draws = [
            make(n_jobs=n_jobs).fit(ROWS).sample(20, random_state=3) for n_jobs in (1, 2, 3, -1)
        ]
        for other in draws[1:]:
            assert_same_bits(other, draws[0])


# Invariances ------------------------------------------------------------------------------------

#: Rounding, carried through the ten or so steps of the solver.
ROUNDING = 1e-9


def values(fitted: Any) -> NDArray[np.float64]:
    """What a detector or a density says of new rows, side by side."""
    said = [fitted.score_samples(NEW)]
    if isinstance(fitted, SobolevDetector):
        said += [fitted.p_value(NEW), [fitted.offset_]]
    return np.concatenate(said)


@every_estimator
def test_the_order_of_rows_does_not_matter(make: Any) -> None:
    order = np.random.default_rng(0).permutation(len(ROWS))
    shuffled = make().fit(ROWS[order])
    np.testing.assert_allclose(
        values(shuffled), values(make().fit(ROWS)), rtol=ROUNDING, atol=ROUNDING
    )


def assert_weights_are_copies(make: Callable[[], Any]) -> None:
    weights = np.random.default_rng(0).integers(0, 4, size=len(ROWS))
    weighted = make().fit(ROWS, sample_weight=weights)
    copies = np.random.default_rng(1).permutation(np.repeat(ROWS, weights, axis=0))
    np.testing.assert_allclose(
        values(weighted), values(make().fit(copies)), rtol=ROUNDING, atol=ROUNDING
    )


@every_estimator
def test_a_weight_of_k_is_k_copies(make: Any) -> None:
    assert_weights_are_copies(make)


@every_kernel
def test_a_weight_of_k_is_k_copies_for_the_share_to_flag(kernel: str) -> None:
    assert_weights_are_copies(lambda: SobolevDetector(kernel, contamination=0.1))


@every_estimator
def test_equal_weights_are_none(make: Any) -> None:
    equal = make().fit(ROWS, sample_weight=np.ones(len(ROWS)))
    np.testing.assert_allclose(values(equal), values(make().fit(ROWS)), rtol=1e-12, atol=1e-12)


@every_kernel
def test_units_of_columns_do_not_matter_to_a_detector(kernel: str) -> None:
    scale, shift = np.array([1e-3, 7.0, 1e6]), np.array([5.0, -2.0, 1e6])
    plain = SobolevDetector(kernel).fit(ROWS)
    scaled = SobolevDetector(kernel).fit(ROWS * scale + shift)
    # A shift of one unit in the last place of a value moves its score by rounding as well, and more
    # where the sampled f is close to 0.
    tolerance = 1e-6 if kernel == "sdo-sampled" else 1e-8
    np.testing.assert_allclose(
        scaled.score_samples(NEW * scale + shift),
        plain.score_samples(NEW),
        rtol=tolerance,
        atol=tolerance,
    )


# Derivatives ------------------------------------------------------------------------------------


def central_differences(
    function: Callable[[Any], NDArray[np.float64]], rows: NDArray[np.float64], step: float
) -> NDArray[np.float64]:
    """Along each column, the columns as the second axis of the result."""
    shifts = step * np.eye(rows.shape[1])
    differences = [function(rows + shift) - function(rows - shift) for shift in shifts]
    return np.stack(differences, axis=1) / (2 * step)


@every_kernel
def test_the_score_function_is_the_gradient_of_the_log_density(kernel: str) -> None:
    density = SobolevDensity(kernel, BANDWIDTH).fit(ROWS)
    expected = central_differences(density.score_samples, NEW, step=1e-5)
    # Values that are exact to 1e-11 give differences that are exact to 1e-6.
    np.testing.assert_allclose(density.score_function(NEW), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kernel", ["sdo", "sdo-sampled", "laplacian", "gaussian"])
def test_the_fisher_divergence_is_the_mean_of_its_definition(kernel: str) -> None:
    density = SobolevDensity(kernel, BANDWIDTH).fit(ROWS)
    score = density.score_function(NEW)
    hessian = central_differences(density.score_function, NEW, step=1e-6)
    trace = np.trace(hessian, axis1=1, axis2=2)
    expected = np.mean(trace + 0.5 * np.sum(score**2, axis=1))
    assert density.fisher_divergence(NEW) == pytest.approx(expected, rel=1e-5)


@every_kernel
def test_reasons_add_up_to_the_difference_in_score(kernel: str) -> None:
    detector = SobolevDetector(kernel).fit(ROWS)
    frame = detector.explain(NEW, as_frame=True)
    typical = frame.sort_values(["row", "feature"])["typical_value"].to_numpy().reshape(NEW.shape)
    difference = detector.score_samples(typical) - detector.score_samples(NEW)
    np.testing.assert_allclose(
        detector.explain(NEW).sum(axis=1), difference, rtol=ROUNDING, atol=ROUNDING
    )


def test_a_frame_of_reasons_holds_the_numbers_largest_first() -> None:
    detector = SobolevDetector().fit(ROWS)
    frame = detector.explain(NEW, as_frame=True)
    names = [f"column_{j + 1}" for j in range(3)]
    wide = frame.pivot(index="row", columns="feature", values=["value", "contribution"])
    assert_same_bits(wide["value"][names].to_numpy(), NEW)
    assert_same_bits(wide["contribution"][names].to_numpy(), detector.explain(NEW))
    np.testing.assert_array_equal(
        frame.groupby("row")["anomaly_score"].first(), -detector.score_samples(NEW)
    )
    assert (frame.groupby("row")["contribution"].diff().dropna() <= 0).all()


# Densities --------------------------------------------------------------------------------------


def lattice(columns: int, limit: float, points: int) -> tuple[NDArray[np.float64], float]:
    """Midpoints of equal cells that fill [-limit, limit] in every column, and a cell's volume."""
    width = 2 * limit / points
    line = -limit + width * (np.arange(points) + 0.5)
    mesh = np.meshgrid(*[line] * columns, indexing="ij")
    return np.stack([axis.ravel() for axis in mesh], axis=1), width**columns


#: Far enough for the tails to be below 1e-6, fine enough for the kinks: the midpoint rule is exact
#: to the square of a cell's width over the bandwidth.
LATTICES = {1: lattice(1, 12.0, 12_000), 2: lattice(2, 9.0, 450)}


@pytest.mark.parametrize("columns", LATTICES)
@every_kernel_with_integral
@pytest.mark.parametrize("estimator", [SobolevDensity, KDE])
def test_a_density_integrates_to_one(estimator: Any, kernel: str, columns: int) -> None:
    if (estimator, kernel, columns) == (KDE, "sdo", 2):
        pytest.skip("this kernel has negative values, and an estimate the absolute value of them")
    density = estimator(kernel, BANDWIDTH).fit(normal_rows(40, columns))
    places, volume = LATTICES[columns]
    integral = np.exp(density.score_samples(places)).sum() * volume
    assert integral == pytest.approx(1, abs=2e-3)


@pytest.mark.parametrize("columns", LATTICES)
@every_kernel_with_integral
def test_the_density_of_a_detector_integrates_to_one_in_its_own_units(
    kernel: str, columns: int
) -> None:
    unit, centre = 7.0, 100.0
    rows = centre + unit * normal_rows(40, columns)
    detector = SobolevDetector(kernel, BANDWIDTH, clip=None).fit(rows)
    places, volume = LATTICES[columns]
    log_density = detector.log_density(centre + unit * places)
    integral = np.exp(log_density).sum() * volume * unit**columns
    assert integral == pytest.approx(1, abs=2e-3)


@every_kernel_with_integral
def test_the_density_and_the_pre_density_differ_by_a_constant(kernel: str) -> None:
    density = SobolevDensity(kernel, BANDWIDTH).fit(ROWS)
    difference = density.score_samples(NEW) - density.score_samples(NEW, normalized=False)
    np.testing.assert_allclose(difference, difference[0], rtol=1e-12)


@every_kernel
def test_coefficients_meet_the_conditions_of_the_optimum(kernel: str) -> None:
    density = SobolevDensity(kernel, BANDWIDTH, tolerance=1e-9).fit(ROWS)
    assert density.residual_ <= 1e-9
    assert density.fit_report_["stop"] == "converged"
    # At the optimum the norm of f is one, and so is the sum of alpha times f over the rows.
    assert density.fit_report_["norm_squared"] == pytest.approx(1, abs=1e-8)
    if kernel != "sdo-sampled":
        f = np.exp(0.5 * density.score_samples(ROWS, normalized=False))
        # The kernel matrix is kept in single precision, f is not.
        np.testing.assert_allclose(density.alpha_ * f, 1 / len(ROWS), rtol=6e-8)


@pytest.mark.parametrize("estimator", [SobolevDensity, KDE])
def test_the_score_is_the_sum_of_the_log_densities(estimator: Any) -> None:
    fitted = estimator().fit(ROWS)
    assert fitted.score(NEW) == np.sum(fitted.score_samples(NEW))


def moments(density: Any) -> tuple[float, float]:
    """Mean and variance of a density in one column, by quadrature."""
    places, width = LATTICES[1]
    mass = np.exp(density(places)) * width
    mean = float(mass @ places[:, 0])
    return mean, float(mass @ (places[:, 0] - mean) ** 2)


@pytest.mark.parametrize("kernel", ["product", "gaussian"])
def test_draws_have_the_mean_and_the_variance_of_the_density(kernel: str) -> None:
    fitted = SobolevDensity(kernel, BANDWIDTH).fit(normal_rows(200, 1))
    mean, variance = moments(fitted.score_samples)
    # Twenty samples that know nothing of each other say how exact their average is.
    samples = [fitted.sample(300, random_state=seed)[:, 0] for seed in range(20)]
    for expected, each in [
        (mean, [sample.mean() for sample in samples]),
        (variance, [np.mean((sample - mean) ** 2) for sample in samples]),
    ]:
        deviation = np.std(each, ddof=1) / np.sqrt(len(each))
        assert abs(np.mean(each) - expected) < 4 * deviation


# Thresholds and p-values ------------------------------------------------------------------------


@pytest.mark.parametrize("contamination", [0.01, 0.05, 0.1, 0.25, 0.5])
def test_the_share_asked_for_is_flagged(contamination: float) -> None:
    rows = normal_rows(300, 2)
    flagged = SobolevDetector(contamination=contamination).fit_predict(rows) == -1
    assert abs(flagged.mean() - contamination) <= 1 / len(rows)


def test_labels_are_the_signs_of_the_decision_function() -> None:
    detector = SobolevDetector().fit(ROWS)
    far = np.vstack([NEW, 10.0 + NEW])
    decision = detector.decision_function(far)
    assert_same_bits(decision, detector.score_samples(far) - detector.offset_)
    np.testing.assert_array_equal(detector.predict(far), np.where(decision < 0, -1, 1))
    assert set(detector.predict(far)) == {1, -1}


def test_a_score_that_equals_the_offset_is_usual() -> None:
    same = np.zeros((10, 2))
    assert (SobolevDetector(contamination=0.5).fit_predict(same) == 1).all()


@every_kernel
def test_p_values_of_new_rows_are_uniform(kernel: str) -> None:
    count = 1500
    detector = SobolevDetector(kernel).fit(normal_rows(count, 2))
    p_values = detector.p_value(normal_rows(count, 2, seed=1))
    # Both the rows of the fit and the new ones are random: the distance is that of two samples,
    # sqrt(2) times as far as one sample is from its law, and beyond 1.95 once in a thousand times.
    distance = kstest(p_values, "uniform").statistic
    assert distance * np.sqrt(count / 2) < 1.95


def test_p_values_fall_with_the_score_and_are_never_zero() -> None:
    detector = SobolevDetector().fit(ROWS)
    line = np.linspace(0, 50, 200)[:, None] * np.ones(3)
    order = np.argsort(detector.score_samples(line))
    p_values = detector.p_value(line)[order]
    assert (np.diff(p_values) >= 0).all()
    assert p_values[0] == pytest.approx(1 / (len(ROWS) + 1), rel=1e-12)


# Randomness -------------------------------------------------------------------------------------


def fitted_scores(random_state: Any) -> NDArray[np.float64]:
    """Scores that depend on the seed: the frequencies of the sampled kernel do."""
    density = SobolevDensity("sdo-sampled", BANDWIDTH, random_state=random_state)
    return density.fit(ROWS).score_samples(NEW)


def drawn_rows(random_state: Any) -> NDArray[np.float64]:
    return SobolevDensity().fit(ROWS).sample(5, random_state=random_state)


@pytest.mark.parametrize("random", [fitted_scores, drawn_rows])
def test_a_random_state_is_reproducible_unless_it_is_none(random: Any) -> None:
    for seed in (0, 2**64 - 1, np.int64(7)):
        assert_same_bits(random(seed), random(seed))
    assert not np.array_equal(random(0), random(1))
    assert not np.array_equal(random(None), random(None))
    for kind in (np.random.RandomState, np.random.default_rng):
        assert_same_bits(random(kind(5)), random(kind(5)))
        moving = kind(5)
        assert not np.array_equal(random(moving), random(moving))


def test_none_follows_the_global_state_of_numpy() -> None:
    state = np.random.get_state()
    try:
        np.random.seed(11)
        first = drawn_rows(None)
        np.random.seed(11)
        assert_same_bits(drawn_rows(None), first)
    finally:
        np.random.set_state(state)


# Edges ------------------------------------------------------------------------------------------


@every_estimator
def test_one_row_is_enough(make: Any) -> None:
    fitted = make().fit([[1.0, 2.0]])
    near, far = fitted.score_samples([[1.0, 2.0], [3.0, 9.0]])
    assert np.isfinite([near, far]).all() and near > far


@pytest.mark.parametrize("size", [1e-300, 1e145])
@every_estimator
def test_rows_of_any_size_have_finite_scores(make: Any, size: float) -> None:
    rows = size * np.random.default_rng(0).uniform(-1, 1, size=(20, 3))
    assert np.isfinite(make().fit(rows).score_samples(rows)).all()


@every_estimator
def test_rows_at_any_distance_have_finite_scores(make: Any) -> None:
    far = np.array([[1e3], [1e9], [1e160], [1e300]]) * np.ones(3)
    assert np.isfinite(make().fit(ROWS).score_samples(far)).all()


def test_the_paper_configuration_is_what_it_says() -> None:
    changed = {
        name: value
        for name, value in SobolevDetector.paper().get_params().items()
        if value != getattr(SobolevDetector(), name)
    }
    kernel = {"kernel": "sdo-sampled", "bandwidth": "paper", "tolerance": 1e-3}
    # What is the default's too is not listed here.
    preparation = {"trim": 0.0, "repeats": "keep", "clip": None, "whitening": 0.0}
    every_row: dict[str, Any] = {"max_rows": None, "max_support": None}
    assert changed.items() <= (kernel | preparation | every_row).items()
    paper = SobolevDetector.paper().get_params()
    assert paper["scaling"] == "standard" and paper["whitening"] == 0.0
    exact = SobolevDetector.paper_exact().get_params()
    assert {name: exact[name] for name in exact if exact[name] != paper[name]} == {
        "kernel": "sdo",
        "tolerance": 1e-6,
    }
    assert SobolevDetector.paper(trim=0.2).trim == 0.2


def test_a_bandwidth_is_judged_by_the_rows_given() -> None:
    detector = SobolevDetector.paper_exact(bandwidth="fisher", n_jobs=1)
    frame, names = pd.DataFrame(ROWS), ["a", "b", "c"]
    frame.columns = pd.Index(names[: ROWS.shape[1]])
    judge = NEW[np.isfinite(NEW).all(axis=1)]
    judged = detector.fit(ROWS, judge=judge)
    # The curve is the divergence of a density of all rows, on the rows given.
    for place, bandwidth in enumerate(judged.bandwidth_curve_["bandwidth"]):
        scaled = StandardScaler().fit(ROWS)
        density = SobolevDensity("sdo", bandwidth).fit(scaled.transform(ROWS))
        expected = density.fisher_divergence(scaled.transform(judge))
        assert np.isclose(judged.bandwidth_curve_["value"][place], expected, rtol=1e-6)
    # A data frame is judged by a data frame alike.
    own = detector.fit(frame, judge=pd.DataFrame(judge, columns=frame.columns))
    np.testing.assert_array_equal(own.bandwidth_curve_["value"], judged.bandwidth_curve_["value"])
    with pytest.raises(ValueError, match="rows were given to judge"):
        SobolevDetector(bandwidth=0.3).fit(ROWS, judge=judge)
    with pytest.raises(ValueError, match="columns"):
        detector.fit(ROWS, judge=judge[:, :-1])


@pytest.mark.parametrize("how", ["fisher", "likelihood", "paper", "influence"])
@pytest.mark.parametrize("estimator", [SobolevDensity, SobolevDetector])
def test_a_chosen_bandwidth_comes_from_its_curve(estimator: Any, how: str) -> None:
    grid = [0.05, 0.2, 0.8, 3.0]
    fitted = estimator("sdo", how, grid=grid).fit(ROWS)
    curve = fitted.bandwidth_curve_
    assert set(curve) == {"bandwidth", "value", "iterations", "residual"}
    assert set(curve["bandwidth"]) <= set(grid) and fitted.bandwidth_ in grid
    if how != "paper":  # which reads the first stable minimum, not the lowest
        assert fitted.bandwidth_ == curve["bandwidth"][np.argmin(curve["value"])]
    fixed = estimator("sdo", fitted.bandwidth_).fit(ROWS)
    assert fixed.bandwidth_curve_ is None
    assert_same_bits(fixed.score_samples(NEW), fitted.score_samples(NEW))
