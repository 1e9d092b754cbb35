"""The density."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._base import DensityMixin, SolvedEstimator
from ._input import Progress, read_count, read_progress, read_rows, read_seed, read_weights


class SobolevDensity(DensityMixin, SolvedEstimator[_core.Density]):
    r"""A density p ∝ f² whose smoothness is measured by a Sobolev norm.

    .. math::

        f^* = \arg\min_f \|f\|_H^2 - \sum_i w_i \log f(x_i)^2,
        \qquad f = \sum_i \alpha_i k(x_i, \cdot), \qquad p = f^2 / \int f^2

    Rows are taken as they are: put columns of different units on one scale first, for example by a
    pipeline with ``StandardScaler``.

    Parameters
    ----------
    kernel : one of product, sdo, sdo-sampled, laplacian, gaussian, default="product"
        The kernel of the space H: ``"sdo"`` is the paper's, exact, and ``"sdo-sampled"`` the same
        from 10 000 random frequencies, which has no normaliser.
    bandwidth : fisher, likelihood, paper, influence, or a number between 1e-50 and 1e50, default=0.2
        A distance per column, or how to choose it from `grid`: by the Fisher divergence or the
        likelihood of held-out rows, by the paper's rule, or by the influence of rows on their own
        density. ``"product"`` has no Fisher divergence, and with one column neither have ``"sdo"``
        and ``"laplacian"``: their kernels have a kink.
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
    bandwidth_ : float
        The bandwidth.
    bandwidth_curve_ : dict of arrays, or None
        Where the bandwidth was chosen: ``bandwidth``, ``value`` (lower is better), ``iterations``
        and ``residual`` of every one tried.
    alpha_ : array
        α, one for each row of positive weight; for ``"sdo-sampled"`` one for each frequency.
    n_iter_ : int
        Steps of the solver.
    residual_ : float
        How far its optimality conditions αᵢ f(xᵢ) = wᵢ are from being met, relatively.
    fit_report_ : dict
        How the solver stopped, its objective, the norm of f.
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
    >>> from sosrep import SobolevDensity
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 1))
    >>> density = SobolevDensity(kernel="sdo", bandwidth="likelihood").fit(X)
    >>> grid = np.linspace(-12, 12, 2401).reshape(-1, 1)
    >>> integral = np.exp(density.score_samples(grid)).sum() * 0.01
    >>> bool(abs(integral - 1) < 0.01)
    True
    >>> density.score_function([[2.0]])[0, 0] < 0  # the density falls there
    np.True_
    """

    _core_model = "Density"

    def __init__(
        self,
        kernel: str = "product",
        bandwidth: str | float = 0.2,
        *,
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
        self.grid = grid
        self.holdout = holdout
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, progress: Progress | None = None
    ) -> Self:
        """Fits the density to rows.

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
        self : SobolevDensity
        """
        rows, names = read_rows(X)
        model = _core.Density.fit(
            rows,
            read_weights(sample_weight, len(rows)),
            self._core_parameters(),
            n_jobs=self._jobs(),
            progress=read_progress(progress),
        )
        return self._keep(model, names)

    def score_samples(self, X: Any, *, normalized: bool | None = None) -> NDArray[np.float64]:
        """The log-density of rows: higher is more usual.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
        normalized : bool, default=None
            Whether the density integrates to one; if not, log f². None for yes wherever the kernel
            allows it, which is all but ``"sdo-sampled"``.

        Returns
        -------
        log_density : array of shape (n_samples,)
        """
        model = self._fitted()
        if normalized is None:
            normalized = model.has_normalizer
        rows = self._new_rows(X)
        return model.log_density(rows, normalized=bool(normalized), n_jobs=self._jobs())

    def score(self, X: Any, y: Any = None) -> float:
        """The total log-likelihood of rows.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
        y : ignored
            Present by convention.

        Returns
        -------
        log_likelihood : float
        """
        return float(np.sum(self.score_samples(X)))

    def score_function(self, X: Any) -> NDArray[np.float64]:
        """The gradient ∇log p at rows.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        gradient : array of shape (n_samples, n_features)
        """
        return self._fitted().score_function(self._new_rows(X), n_jobs=self._jobs())

    def fisher_divergence(self, X: Any) -> float:
        """The Fisher divergence of the density from the one the rows come from.

        .. math:: \\mathrm{mean}_y \\; 2 \\Delta f(y) / f(y)

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            Rows that were not in the fit.

        Returns
        -------
        divergence : float
            Up to a constant that is the same for all densities: lower is better.
        """
        return self._fitted().fisher_divergence(self._new_rows(X), n_jobs=self._jobs())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray[np.float64]:
        """Draws rows by Langevin dynamics.

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

    @property
    def bandwidth_(self) -> float:
        """The bandwidth."""
        return self._fitted().bandwidth

    @property
    def alpha_(self) -> NDArray[np.float64]:
        """Coefficients of f."""
        return self._fitted().coefficients
