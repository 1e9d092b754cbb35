"""The anomaly detector."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._base import OutlierMixin, SolvedEstimator, warn
from ._input import (
    Array,
    Progress,
    arrow_table,
    is_frame,
    read_count,
    read_progress,
    read_rows,
    read_seed,
    read_weights,
)


class SobolevDetector(OutlierMixin, SolvedEstimator[_core.Detector]):
    r"""Finds unusual rows by the Sobolev-regularised density of the others.

    Columns are standardised, a density p ∝ f² is fitted by

    .. math:: f^* = \arg\min_f \|f\|_H^2 - \sum_i w_i \log f(x_i)^2,

    fitted once more to the densest share of the rows, a core that anomalies do not reach, and a
    row's anomaly score is :math:`-\log f(x)^2`. `score_samples` is its negative: higher is more
    normal.

    Parameters
    ----------
    kernel : one of product, sdo, sdo-sampled, laplacian, gaussian, default="product"
        The kernel of the space H: ``"product"`` is strongest at finding anomalies, ``"sdo"`` the
        paper's kernel, exact, and ``"sdo-sampled"`` the same from 10 000 random frequencies.
    bandwidth : auto, fisher, likelihood, paper, influence, or a number between 1e-50 and 1e50, default="auto"
        A distance per standardised column. ``"auto"`` is a rule that depends on the number of
        rows; the others choose from `grid` by Fisher divergence or likelihood of held-out rows,
        the paper's rule, or the influence of rows on their own density.
    contamination : auto, or above 0 and at most 0.5, default="auto"
        The share of the training rows to flag; ``"auto"`` flags scores that are more than 1.5
        interquartile ranges above the upper quartile.
    trim : at least 0 and below 1, default=0.5
        The share of the rows, least dense first, that the final density does not rest on.
    repeats : one of auto, keep, once, default="auto"
        How equal rows count. ``"auto"`` keeps how often a row occurs where other rows differ from
        it in one column only, as in tables of codes, and takes it for a copy, which counts once,
        where none does. Weights that are whole numbers count as copies; others are kept.
    scaling : one of none, standard, robust, default="standard"
        Mean and standard deviation, or median and quartiles, or columns as they are.
    clip : none, or between 1e-50 and 1e50, default=5.0
        Beyond it a scaled value counts by its logarithm, so that one value does not outweigh all
        others of its row.
    whitening : between 0 and 0.5, default=0.0
        Power of the covariance's eigenvalues divided out; 0.5 is full whitening.
    max_rows : none, or at least 1, default=None
        Most distinct rows fitted, more are represented by a sample; None for what `memory` allows.
    grid : none, or bandwidths between 1e-50 and 1e50, strictly increasing, default=None
        What a bandwidth is chosen from; None for 15 values from 0.01 to 100.
    holdout : above 0 and below 1, default=0.3
        Share of the rows held out where a bandwidth is chosen by them.
    tolerance : zero or positive, default=1e-6
        The solver stops once the optimum is met to this relative precision.
    max_iterations : a whole number, zero or more, default=1000
        The solver stops after this many steps; it needs about ten.
    memory : a whole number of bytes, zero or more, default=1073741824
        For the kernel matrix.
    random_state : a whole number from 0 to 2^64 - 1, RandomState, Generator or None, default=0
        Seed of everything random. A number, like the default, gives the same results every time.
    n_jobs : int or None, default=None
        Threads; None and -1 for every core. Results do not depend on it.

    Attributes
    ----------
    offset_ : float
        ``decision_function(X) = score_samples(X) - offset_``; rows below zero are outliers.
    bandwidth_ : float
        The bandwidth.
    bandwidth_curve_ : dict of arrays, or None
        Where the bandwidth was chosen: ``bandwidth``, ``value`` (lower is better), ``iterations``
        and ``residual`` of every one tried.
    n_iter_ : int
        Steps of the last solve.
    residual_ : float
        How far its optimality conditions are from being met.
    fit_report_ : dict
        Rows, distinct rows, rows of the core, constant columns, and how the solver stopped.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if the rows came as a data frame.

    References
    ----------
    Kozdoba, Perets and Mannor, "Sobolev Space Regularised Pre Density Models".

    Examples
    --------
    >>> import numpy as np
    >>> from sosrep import SobolevDetector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> detector = SobolevDetector(contamination=0.02).fit(X)
    >>> int((detector.predict(X) == -1).sum())
    10
    >>> strange = [[0.0, 0.0, 6.0]]
    >>> detector.predict(strange)
    array([-1])
    >>> bool(detector.p_value(strange)[0] < 0.01)
    True
    >>> int(detector.explain(strange)[0].argmax())  # the third column is to blame
    2
    """

    _core_model = "Detector"

    def __init__(
        self,
        kernel: str = "product",
        bandwidth: str | float = "auto",
        *,
        contamination: str | float = "auto",
        trim: float = 0.5,
        repeats: str = "auto",
        scaling: str = "standard",
        clip: float | None = 5.0,
        whitening: float = 0.0,
        max_rows: int | None = None,
        grid: Any = None,
        holdout: float = 0.3,
        tolerance: float = 1e-6,
        max_iterations: int = 1000,
        memory: int = 1073741824,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.contamination = contamination
        self.trim = trim
        self.repeats = repeats
        self.scaling = scaling
        self.clip = clip
        self.whitening = whitening
        self.max_rows = max_rows
        self.grid = grid
        self.holdout = holdout
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def paper(cls, **parameters: Any) -> Self:
        """The paper's configuration: sampled SDO kernel, its rule for the bandwidth, no core.

        Parameters
        ----------
        **parameters
            Parameters to set differently.

        Returns
        -------
        SobolevDetector
            Not fitted.

        Examples
        --------
        >>> from sosrep import SobolevDetector
        >>> SobolevDetector.paper().kernel
        'sdo-sampled'
        """
        paper: dict[str, Any] = dict(
            kernel="sdo-sampled",
            bandwidth="paper",
            trim=0.0,
            repeats="keep",
            clip=None,
            tolerance=1e-3,
        )
        return cls(**(paper | parameters))

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, progress: Progress | None = None
    ) -> Self:
        """Fits the detector to rows, most of which are usual.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            Numbers, none missing.
        y : ignored
            Present by convention.
        sample_weight : array of shape (n_samples,), default=None
            A weight of k counts as k copies of the row.
        progress : callable, default=None
            Called as ``progress(stage, step, steps, residual)`` while the fit goes on; an
            exception it raises ends the fit.

        Returns
        -------
        self : SobolevDetector
        """
        rows, names = read_rows(X)
        model = _core.Detector.fit(
            rows,
            read_weights(sample_weight, len(rows)),
            self._core_parameters(),
            feature_names=names,
            n_jobs=self._jobs(),
            progress=read_progress(progress),
        )
        return self._keep(model, names)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """The log pre-density log f²: higher is more normal.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        return -self._fitted().anomaly_score(self._new_rows(X), n_jobs=self._jobs())

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """`score_samples` less `offset_`: below zero for outliers.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> NDArray[np.int64]:
        """1 for usual rows, -1 for outliers.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        labels : array of shape (n_samples,)
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    def p_value(self, X: Any) -> NDArray[np.float64]:
        """How likely a score this low is for a row like those of the fit.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        p_values : array of shape (n_samples,)
            In (0, 1]; uniform for new rows of the kind the detector was fitted on.
        """
        return self._fitted().p_value(self._new_rows(X), n_jobs=self._jobs())

    def log_density(self, X: Any) -> NDArray[np.float64]:
        """The log of the normalised density, in the units of the columns.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        log_density : array of shape (n_samples,)
            Of the densest share of the rows, unless ``trim=0``.
        """
        return self._fitted().log_density(self._new_rows(X), n_jobs=self._jobs())

    def explain(self, X: Any, *, as_frame: bool = False) -> Any:
        """How much each column adds to the anomaly scores of rows.

        From the most similar typical row to the row in question, one column changes at a time, in
        several orders; each column is charged with the change of score it causes.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
        as_frame : bool, default=False
            Whether to return a tidy data frame, with the values beside the typical ones.

        Returns
        -------
        contributions : array of shape (n_samples, n_features), or data frame
            Positive where a column makes a row more unusual; a row's contributions add up to its
            anomaly score less that of the typical row. The frame, of polars where X is, has a
            line for each row and column, largest contribution of a row first: ``row``, its place in
            X, ``anomaly_score``, ``feature``, ``value``, ``typical_value``, ``contribution``.
        """
        library = _frame_library(X) if as_frame else None
        rows = self._new_rows(X)
        scores, contributions, typical, _ = self._fitted().explain(rows, n_jobs=self._jobs())
        if library is None:
            return contributions
        return library.DataFrame(self._tidy(rows, scores, contributions, typical))

    def _tidy(
        self, rows: Array, scores: Array, contributions: Array, typical: Array
    ) -> dict[str, Any]:
        """A line for each row and column, largest contribution of a row first."""
        count, width = contributions.shape
        order = np.argsort(-contributions, axis=1, kind="stable")
        sorted_by_blame = [
            np.take_along_axis(table, order, axis=1).ravel()
            for table in (rows.astype(np.float64), typical, contributions)
        ]
        names = self._feature_names or [f"column_{j + 1}" for j in range(width)]
        return {
            "row": np.repeat(np.arange(count), width),
            "anomaly_score": np.repeat(scores, width),
            "feature": [names[j] for j in order.ravel()],
            "value": sorted_by_blame[0],
            "typical_value": sorted_by_blame[1],
            "contribution": sorted_by_blame[2],
        }

    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray[np.float64]:
        """Draws rows like those of the fit, in the units of the columns.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState, Generator or None, default=None

        Returns
        -------
        rows : array of shape (n_samples, n_features)
        """
        count = read_count("n_samples", n_samples)
        return self._fitted().sample(count, read_seed(random_state), n_jobs=self._jobs())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file, which the command line reads too.

        The file appears complete or not at all.

        Parameters
        ----------
        path : str or path
        """
        self._fitted().save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a model that `save` or the command line has written; safe with files of strangers.

        A model of the command line takes data frames with the columns of its table, text among
        them, in any order.

        Parameters
        ----------
        path : str or path

        Returns
        -------
        SobolevDetector
            Fitted, with the parameters of the fit.
        """
        try:
            model = _core.Detector.from_bytes(Path(path).read_bytes())
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None
        detector = cls()
        fitted_with = json.loads(model.parameters)
        for name, _, _ in _core.parameters()[cls._core_model]:
            if name in fitted_with:
                setattr(detector, "random_state" if name == "seed" else name, fitted_with[name])
        return detector._keep(model, model.feature_names)

    def _new_rows(self, X: Any) -> Array:
        """Frames for a model whose table had text or other columns go through its own encoding."""
        model = self._fitted()
        if not is_frame(X) or not model.encodes:
            return super()._new_rows(X)
        rows, remarks = model.encode(arrow_table(X))
        for remark in remarks:
            warn(remark)
        return rows

    @property
    def offset_(self) -> float:
        """`decision_function` is `score_samples` less this."""
        return -self._fitted().threshold

    @property
    def bandwidth_(self) -> float:
        """The bandwidth."""
        return float(self.fit_report_["bandwidth"])


def _frame_library(X: Any) -> Any:
    """polars for its frames, pandas for everything else."""
    name = "polars" if type(X).__module__.startswith("polars") else "pandas"
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError('as_frame=True needs pandas: pip install "sosrep[pandas]"') from error
