"""The detector with the interface of PyOD: labels 0 and 1, `decision_scores_` after a fit."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ._detector import SobolevDetector

try:
    from pyod.models.base import BaseDetector  # type: ignore[import-untyped, unused-ignore]
    from sklearn.utils.validation import (  # type: ignore[import-untyped, unused-ignore]
        check_is_fitted,
    )
except ImportError as error:
    raise ImportError('sosrep.pyod needs PyOD: pip install "sosrep[pyod]"') from error

__all__ = ["SOSREP"]


class SOSREP(BaseDetector):  # type: ignore[misc, unused-ignore]
    r"""Anomaly detector based on a Sobolev-regularised density, with the interface of PyOD.

    .. math::

        f^* = \arg\min_f \|f\|_H^2 - \sum_i w_i \log f(x_i)^2,
        \qquad \mathrm{score}(x) = -\log f^*(x)^2

    The model is a `sosrep.SobolevDetector`; this class gives it PyOD's signs, labels and names:
    high scores are anomalous here, low ones in scikit-learn.

    Parameters
    ----------
    contamination : float above 0 and at most 0.5, or a thresholder, default=0.1
        The share of the training rows to flag; or an object with PyThresh's ``fit``, ``predict``,
        ``labels_`` and ``thresh_``, which decides from the scores.
    kernel, bandwidth, trim, repeats, scaling, clip, whitening, max_rows, max_support, grid, holdout, tolerance, \
max_iterations, memory, random_state, missing, categories, dates, columns, n_jobs
        As in `sosrep.SobolevDetector`, with the same defaults.

    Attributes
    ----------
    detector_ : SobolevDetector
        The fitted model, with `save`, `bandwidth_` and `fit_report_`.
    decision_scores_ : array of shape (n_samples,)
        Anomaly scores of the training rows, each without its own contribution to f.
    threshold_ : float
        Rows with a score above it are labelled 1.
    labels_ : array of shape (n_samples,)
        Labels of the training rows: 0 for normal rows, 1 for outliers.

    See Also
    --------
    sosrep.SobolevDetector : The same detector with the interface of scikit-learn.

    References
    ----------
    Kozdoba, Perets and Mannor, "Sobolev Space Regularised Pre Density Models".

    Zhao, Nasrullah and Li, "PyOD: A Python Toolbox for Scalable Outlier Detection", Journal of
    Machine Learning Research 20, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from sosrep.pyod import SOSREP
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> model = SOSREP(contamination=0.02).fit(X)
    >>> int(model.labels_.sum())
    10
    >>> model.predict(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 6.0]]))
    array([0, 1])
    """

    detector_: SobolevDetector
    decision_scores_: NDArray[np.float64]
    threshold_: float
    labels_: NDArray[np.int64]

    def __init__(
        self,
        contamination: Any = 0.1,
        kernel: str = "product",
        bandwidth: str | float = "auto",
        *,
        trim: float = 0.5,
        repeats: str = "auto",
        scaling: str = "standard",
        clip: float | None = 5.0,
        whitening: float = 0.5,
        max_rows: int | None = 10000,
        max_support: int | None = 1000,
        grid: Any = None,
        holdout: float = 0.3,
        tolerance: float = 1e-6,
        max_iterations: int = 1000,
        memory: int = 1073741824,
        random_state: Any = 0,
        missing: str = "auto",
        categories: str = "auto",
        dates: str = "auto",
        columns: dict[str, str] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(contamination=contamination)
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.trim = trim
        self.repeats = repeats
        self.scaling = scaling
        self.clip = clip
        self.whitening = whitening
        self.max_rows = max_rows
        self.max_support = max_support
        self.grid = grid
        self.holdout = holdout
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.memory = memory
        self.random_state = random_state
        self.missing = missing
        self.categories = categories
        self.dates = dates
        self.columns = columns
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the detector to rows, most of which are normal.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            As for `sosrep.SobolevDetector.fit`.
        y : ignored
            Not used, present for API consistency.

        Returns
        -------
        self : SOSREP
        """
        detector = SobolevDetector(**self._detector_parameters())
        self._set_n_classes(y)
        self.detector_ = detector.fit(X)
        self.decision_scores_ = -self.detector_.training_scores_
        self._process_decision_scores()
        return self

    def _detector_parameters(self) -> dict[str, Any]:
        """The parameters as `SobolevDetector` takes them."""
        given: dict[str, Any] = self.get_params(deep=False)
        # PyOD treats anything that is not a number as a thresholder.
        if isinstance(self.contamination, Real):
            return given
        if not hasattr(self.contamination, "fit"):
            raise TypeError(
                f"contamination is {self.contamination!r}; it must be a float above 0 and at most "
                "0.5, or a thresholder with fit and predict"
            )
        return given | {"contamination": "auto"}

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Compute the anomaly score −log f²: higher is more anomalous.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        return -self._fitted_detector().score_samples(X)

    def p_value(self, X: Any) -> NDArray[np.float64]:
        """Compute the share of the training rows that score at least as high.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        p_values : array of shape (n_samples,)
            As from `SobolevDetector.p_value`.
        """
        return self._fitted_detector().p_value(X)

    def explain(self, X: Any, *, as_frame: bool = False) -> Any:
        """Compute how much each column contributes to the scores of rows.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
        as_frame : bool, default=False
            Whether to return a tidy data frame that includes the values and the typical values.

        Returns
        -------
        contributions : array of shape (n_samples, n_features), or data frame
            As from `SobolevDetector.explain`.
        """
        return self._fitted_detector().explain(X, as_frame=as_frame)

    def _fitted_detector(self) -> SobolevDetector:
        check_is_fitted(self, "detector_")
        return self.detector_
