"""Sobolev-regularised density estimation."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._base import DensityMixin, SolvedEstimator
from ._input import Progress, read_count, read_progress, read_rows, read_seed, read_weights


class SobolevDensity(DensityMixin, SolvedEstimator[_core.Density]):
    r"""Density estimate p ∝ f², regularised by a Sobolev norm of f.

    .. math::

        f^* = \arg\min_f \|f\|_H^2 - \sum_i w_i \log f(x_i)^2,
        \qquad f = \sum_i \alpha_i k(x_i, \cdot), \qquad p = f^2 / \int f^2

    Columns are not scaled: if their units differ, scale them first, for example with
    ``StandardScaler`` in a pipeline.

    Parameters
    ----------
    kernel : one of product, sdo, sdo-sampled, laplacian, gaussian, default="product"
        The kernel of the space H: ``"sdo"`` is the paper's kernel, exact, and ``"sdo-sampled"``
        approximates it by 10 000 random frequencies; its density cannot be normalised.
    bandwidth : fisher, likelihood, paper, paper-text, paper-released, influence, or a number between 1e-50 and 1e50, default=0.2
        Length scale, as a distance per column, or the criterion that selects it from `grid`: the
        Fisher divergence or the likelihood of held-out rows, the Fisher divergence read by one of
        the paper's rules, or the influence of rows on their own density. The Fisher divergence does not exist for kernels that are not
        differentiable: ``"product"``, and with one column ``"sdo"`` and ``"laplacian"``.
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
    bandwidth_ : float
        The bandwidth.
    bandwidth_curve_ : dict of arrays, or None
        If the bandwidth was selected: ``bandwidth``, ``value`` of the criterion (lower is better),
        ``iterations`` and ``residual`` for every candidate.
    alpha_ : array
        Coefficients α, one for each row of positive weight; for ``"sdo-sampled"`` one for each
        frequency.
    n_iter_ : int
        Iterations of the solver.
    residual_ : float
        Relative residual of its optimality conditions αᵢ f(xᵢ) = wᵢ.
    fit_report_ : dict
        Report of the solver: why it stopped, its objective, the norm of f.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if X was a data frame.

    See Also
    --------
    SobolevDetector : Anomaly detection with this density; scales the columns.
    KDE : Kernel density estimate with the same kernels.
    sklearn.neighbors.KernelDensity : Kernel density estimate of scikit-learn.

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
    >>> bool(density.score_function([[2.0]])[0, 0] < 0)  # the density decreases at 2
    True
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
        """Fit the density to rows.

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
        """Compute the log-density of rows.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
        normalized : bool, default=None
            Whether to normalise the density, so that it integrates to one; if not, the result is
            log f². None normalises for all kernels but ``"sdo-sampled"``.

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
        """Compute the total log-likelihood of rows.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
        y : ignored
            Not used, present for API consistency.

        Returns
        -------
        log_likelihood : float
        """
        return float(np.sum(self.score_samples(X)))

    def score_function(self, X: Any) -> NDArray[np.float64]:
        """Compute the gradient ∇log p at rows.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        gradient : array of shape (n_samples, n_features)
        """
        return self._fitted().score_function(self._new_rows(X), n_jobs=self._jobs())

    def fisher_divergence(self, X: Any) -> float:
        """Estimate the Fisher divergence between the density and the distribution of rows.

        .. math:: \\mathrm{mean}_y \\; 2 \\Delta f(y) / f(y)

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            Rows that were not in the fit.

        Returns
        -------
        divergence : float
            Up to a constant that does not depend on the density: lower is better.
        """
        return self._fitted().fisher_divergence(self._new_rows(X), n_jobs=self._jobs())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray[np.float64]:
        """Draw rows from the density by Langevin dynamics.

        In many columns the density is much wider than the data; ``SobolevDetector.sample`` draws rows
        that look like them.

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
