"""The anomaly detector."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, NamedTuple, Self

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


class Assessment(NamedTuple):
    """Result of `SobolevDetector.assess`: arrays with one entry for each row."""

    #: −log f(x)²: higher is more anomalous.
    anomaly_score: NDArray[np.float64]
    #: Share of the training rows with an anomaly score at least as high.
    p_value: NDArray[np.float64]
    #: Whether the anomaly score is above the threshold.
    is_anomaly: NDArray[np.bool_]


class SobolevDetector(OutlierMixin, SolvedEstimator[_core.Detector]):
    r"""Anomaly detector based on a Sobolev-regularised density.

    Columns are standardised, a density p ∝ f² is fitted by

    .. math:: f^* = \arg\min_f \|f\|_H^2 - \sum_i w_i \log f(x_i)^2,

    and fitted again to the densest share of the rows, the core, so that anomalies in the training
    data have little influence. The anomaly score of a row is :math:`-\log f(x)^2`; `score_samples`
    is its negative: higher is more normal.

    Parameters
    ----------
    kernel : one of product, sdo, sdo-sampled, laplacian, gaussian, default="product"
        The kernel of the space H: ``"product"`` detects anomalies best, ``"sdo"`` is the paper's
        kernel, exact, and ``"sdo-sampled"`` approximates it by 10 000 random frequencies.
    bandwidth : auto, fisher, likelihood, paper, influence, or a number between 1e-50 and 1e50, default="auto"
        Length scale, as a distance per standardised column. ``"auto"`` is a rule that depends on
        the number of rows; the others select a value from `grid` by the Fisher divergence or the
        likelihood of held-out rows, by the paper's rule, or by the influence of rows on their own
        density.
    contamination : auto, or above 0 and at most 0.5, default="auto"
        The share of the training rows to flag; ``"auto"`` flags scores that are more than 1.5
        interquartile ranges above the upper quartile.
    trim : at least 0 and below 1, default=0.5
        The share of the rows, least dense first, that the final fit leaves out.
    repeats : one of auto, keep, once, default="auto"
        How equal rows count. ``"auto"`` counts every occurrence of a row if other rows differ from
        it in one column only, as in tables of categories; otherwise repeated rows are duplicates
        and count once. Integer weights count as occurrences; other weights are kept.
    scaling : one of none, standard, robust, default="standard"
        Mean and standard deviation, or median and quartiles, or columns as they are.
    clip : none, or between 1e-50 and 1e50, default=5.0
        Larger scaled values are compressed logarithmically, so that one value does not dominate
        the others of its row.
    whitening : between 0 and 0.5, default=0.0
        Power of the eigenvalues of the covariance to divide by; 0.5 is full whitening.
    max_rows : none, or at least 1, default=None
        Maximum number of distinct rows to fit; a larger table is sampled. None for what `memory`
        allows.
    grid : none, or bandwidths between 1e-50 and 1e50, strictly increasing, default=None
        Candidate bandwidths; None for 15 values from 0.01 to 100.
    holdout : above 0 and below 1, default=0.3
        Share of the rows held out to select a bandwidth.
    tolerance : zero or positive, default=1e-6
        The solver stops when the relative residual of its optimality conditions is below it.
    max_iterations : a whole number, zero or more, default=1000
        Maximum number of iterations of the solver; about ten are typical.
    memory : a whole number of bytes, zero or more, default=1073741824
        Memory for the kernel matrix.
    random_state : a whole number from 0 to 2^64 - 1, RandomState, Generator or None, default=0
        Seed. An integer, like the default, gives reproducible results.
    n_jobs : int or None, default=None
        Number of threads; None and -1 for all cores. Results do not depend on it.

    Attributes
    ----------
    training_scores_ : array of shape (n_samples,)
        `score_samples` of the training rows, each without its own contribution to f. A detector
        read from a file by `load` has none.
    training_p_values_ : array of shape (n_samples,)
        p-values of `training_scores_`.
    offset_ : float
        ``decision_function(X) = score_samples(X) - offset_``; rows below zero are outliers.
    bandwidth_ : float
        The bandwidth.
    bandwidth_curve_ : dict of arrays, or None
        If the bandwidth was selected: ``bandwidth``, ``value`` of the criterion (lower is better),
        ``iterations`` and ``residual`` for every candidate.
    n_iter_ : int
        Iterations of the last solve.
    residual_ : float
        Relative residual of its optimality conditions.
    fit_report_ : dict
        Number of rows, distinct rows and core rows, constant columns, and the solver's report.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if X was a data frame.

    See Also
    --------
    SobolevDensity : The density alone, normalised.
    sosrep.pyod.SOSREP : The same detector with the interface of PyOD.
    sklearn.ensemble.IsolationForest : Anomaly detection by random trees.

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
    >>> int((detector.training_scores_ < detector.offset_).sum())
    10
    >>> anomaly = [[0.0, 0.0, 6.0]]
    >>> detector.predict(anomaly)
    array([-1])
    >>> bool(detector.p_value(anomaly)[0] < 0.01)
    True
    >>> int(detector.explain(anomaly)[0].argmax())  # the largest contribution: the third column
    2
    """

    _core_model = "Detector"
    #: `None` where the model came from a file.
    _training_scores: NDArray[np.float64] | None = None
    _training_p_values: NDArray[np.float64] | None = None

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
        """Create a detector with the configuration of the paper.

        The sampled SDO kernel, the paper's rule for the bandwidth, and no trimming.

        Parameters
        ----------
        **parameters
            Parameters that replace those of the paper.

        Returns
        -------
        detector : SobolevDetector
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
        """Fit the detector to rows, most of which are normal.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            Finite numbers.
        y : ignored
            Not used, present for API consistency.
        sample_weight : array of shape (n_samples,), default=None
            A weight of k counts as k copies of the row.
        progress : callable, default=None
            Called as ``progress(stage, step, steps, residual)`` during the fit; an exception that
            it raises cancels the fit.

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
        scores, p_values, _ = model.training or (None, None, None)
        return self._keep(
            model,
            names,
            _training_scores=None if scores is None else -scores,
            _training_p_values=p_values,
        )

    def fit_predict(self, X: Any, y: Any = None, **fit_options: Any) -> NDArray[np.int64]:
        """Fit the detector and label the training rows, each without its own contribution.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            Finite numbers.
        y : ignored
            Not used, present for API consistency.
        **fit_options
            Further arguments of `fit`: ``sample_weight``, ``progress``.

        Returns
        -------
        labels : array of shape (n_samples,)
            1 for normal rows, -1 for outliers.

        See Also
        --------
        predict : Labels of new rows.

        Examples
        --------
        >>> import numpy as np
        >>> from sosrep import SobolevDetector
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> labels = SobolevDetector(contamination=0.05).fit_predict(X)
        >>> int((labels == -1).sum())
        10
        """
        self.fit(X, y, **fit_options)
        return np.where(self.training_scores_ < self.offset_, -1, 1)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Compute log f², the logarithm of the unnormalised density: higher is more normal.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        return -self._fitted().anomaly_score(self._new_rows(X), n_jobs=self._jobs())

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Compute `score_samples` minus `offset_`: negative for outliers.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Label rows: 1 for normal rows, -1 for outliers.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        labels : array of shape (n_samples,)

        See Also
        --------
        assess : Scores, p-values and labels at once.
        fit_predict : Labels of the training rows, each without its own contribution.
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    def p_value(self, X: Any) -> NDArray[np.float64]:
        """Compute the share of the training rows that score at least as low.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        p_values : array of shape (n_samples,)
            In (0, 1]; uniform for new rows from the distribution of the training rows.

        See Also
        --------
        assess : Scores, p-values and labels at once.
        """
        return self._fitted().p_value(self._new_rows(X), n_jobs=self._jobs())

    def assess(self, X: Any) -> Assessment:
        """Compute anomaly scores, p-values and labels from one evaluation of the density.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        assessment : named tuple of arrays of shape (n_samples,)
            ``anomaly_score``, which is ``-score_samples(X)``; ``p_value``; and ``is_anomaly``, true
            where `predict` is -1.

        Examples
        --------
        >>> import numpy as np
        >>> from sosrep import SobolevDetector
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> assessment = SobolevDetector().fit(X).assess([[0.0, 0.0], [7.0, 0.0]])
        >>> assessment.is_anomaly
        array([False,  True])
        """
        return Assessment(*self._fitted().assess(self._new_rows(X), n_jobs=self._jobs()))

    def log_density(self, X: Any) -> NDArray[np.float64]:
        """Compute the logarithm of the normalised density, in the units of the columns.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        log_density : array of shape (n_samples,)
            The density is that of the core rows; of all rows with ``trim=0``.
        """
        return self._fitted().log_density(self._new_rows(X), n_jobs=self._jobs())

    def explain(self, X: Any, *, as_frame: bool = False) -> Any:
        """Compute how much each column contributes to the anomaly scores of rows.

        The columns of the most similar typical row are replaced by those of the explained row, one
        at a time and in several orders; the contribution of a column is the mean change of the
        score that its replacement causes.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
        as_frame : bool, default=False
            Whether to return a tidy data frame that includes the values and the typical values.

        Returns
        -------
        contributions : array of shape (n_samples, n_features), or data frame
            Positive where a column makes a row more anomalous. The contributions to a row sum to
            its anomaly score minus that of the typical row. The data frame, of polars if X is one,
            has a line for each row and column, largest contribution of a row first: ``row``, the
            position in X, ``anomaly_score``, ``feature``, ``value``, ``typical_value``,
            ``contribution``.

        See Also
        --------
        sosrep.plots.reasons : The contributions to one row as bars.
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
        by_contribution = [
            np.take_along_axis(table, order, axis=1).ravel()
            for table in (rows.astype(np.float64), typical, contributions)
        ]
        names = self._feature_names or [f"column_{j + 1}" for j in range(width)]
        return {
            "row": np.repeat(np.arange(count), width),
            "anomaly_score": np.repeat(scores, width),
            "feature": [names[j] for j in order.ravel()],
            "value": by_contribution[0],
            "typical_value": by_contribution[1],
            "contribution": by_contribution[2],
        }

    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray[np.float64]:
        """Draw rows from the density by Langevin dynamics, in the units of the columns.

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

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model file written by `save` or by the command line.

        Reading runs no code from the file, so that files from untrusted sources are safe.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        detector : SobolevDetector
            Fitted, with the parameters of the fit; without `training_scores_` and
            `training_p_values_`, which the file does not hold. A model of the command line takes
            data frames with the columns of its table, text among them, in any order.

        See Also
        --------
        save : Write the file.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from sosrep import SobolevDetector
        >>> X = [[0.0], [0.1], [0.2], [5.0]]
        >>> detector = SobolevDetector().fit(X)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     detector.save(Path(folder) / "model.sosrep")
        ...     loaded = SobolevDetector.load(Path(folder) / "model.sosrep")
        >>> bool((loaded.score_samples(X) == detector.score_samples(X)).all())
        True
        """
        return super().load(path)

    def _new_rows(self, X: Any) -> Array:
        """Rows for the model; data frames are encoded if the model file holds an encoding."""
        model = self._fitted()
        if not is_frame(X) or not model.encodes:
            return super()._new_rows(X)
        rows, unseen = model.encode(arrow_table(X))
        for message in unseen:
            warn(message)
        return rows

    @property
    def training_scores_(self) -> NDArray[np.float64]:
        """`score_samples` of the training rows, each without its own contribution."""
        return self._of_training(self._training_scores)

    @property
    def training_p_values_(self) -> NDArray[np.float64]:
        """p-values of the training rows, each without its own contribution."""
        return self._of_training(self._training_p_values)

    def _of_training(self, values: NDArray[np.float64] | None) -> NDArray[np.float64]:
        self._fitted()
        if values is None:
            raise AttributeError(
                "a model file does not hold the scores of the training rows; fit the detector, or "
                "store it with pickle, joblib or skops"
            )
        return values

    @property
    def offset_(self) -> float:
        """`decision_function` is `score_samples` minus this."""
        return -self._fitted().threshold

    @property
    def bandwidth_(self) -> float:
        """The bandwidth."""
        return float(self.fit_report_["bandwidth"])


def _frame_library(X: Any) -> Any:
    """polars for its own data frames, otherwise pandas."""
    name = "polars" if type(X).__module__.startswith("polars") else "pandas"
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError('as_frame=True needs pandas: pip install "sosrep[pandas]"') from error
