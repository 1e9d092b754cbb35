"""The anomaly detector."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._base import OutlierMixin, SolvedEstimator, warn
from ._frames import Template, frame_of, like, template_of
from ._input import (
    Array,
    Names,
    Progress,
    check_names,
    is_frame,
    read_count,
    read_progress,
    read_seed,
    read_weights,
)
from ._table import Table, numbered, of_array, read_table


class Assessment(NamedTuple):
    """Result of `SobolevDetector.assess`: arrays with one entry for each row."""

    #: −log f(x)²: higher is more anomalous.
    anomaly_score: NDArray[np.float64]
    #: Share of the training rows with an anomaly score at least as high.
    p_value: NDArray[np.float64]
    #: Whether the anomaly score is above the threshold.
    is_anomaly: NDArray[np.bool_]


class EncodedRows(NamedTuple):
    """Rows of X as the model takes them."""

    values: Array
    #: Number of rows of X.
    total: int
    #: Their places in X, if others cannot be scored.
    kept: Array | None = None
    #: Why the others cannot be.
    reason: str | None = None

    def single(self, row: int) -> EncodedRows:
        """One row of X alone; negative numbers count from the end."""
        if not -self.total <= row < self.total:
            raise ValueError(f"row is {row}, but X has {self.total} rows, counted from 0")
        place = row % self.total
        if self.kept is not None:
            if place not in self.kept:
                raise ValueError(f"row {row} cannot be scored; the first such row: {self.reason}")
            place = int(np.searchsorted(self.kept, place))
        return EncodedRows(self.values[[place]], 1)

    def in_place(self, results: Array) -> Array:
        """Results for all rows of X, NaN for those that cannot be scored."""
        return _in_place(results, self.kept, self.total)


def _in_place(results: Array, kept: Array | None, total: int) -> Array:
    if kept is None:
        return results
    placed = np.full((total, *results.shape[1:]), np.nan)
    placed[kept] = results
    return placed


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
    bandwidth : auto, fisher, likelihood, paper, paper-text, paper-released, influence, or a number between 1e-50 and 1e50, default="auto"
        Length scale, as a distance per standardised column. ``"auto"`` is a rule that depends on
        the number of rows; the others select a value from `grid`: by the minimum of the Fisher
        divergence of held-out rows, by the likelihood of held-out rows, or by the influence of rows
        on their own density. ``"paper"`` reads the Fisher divergence as the paper's program does
        while it computes it, ``"paper-text"`` as the paper's text says, ``"paper-released"`` as the
        program's ``fit_predict``.
    contamination : auto, or above 0 and at most 0.5, default="auto"
        The share of the training rows to flag; ``"auto"`` flags scores that stand apart
        from the others, or, where none do, the end of their tail: about one row in twenty.
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
    whitening : between 0 and 0.5, default=0.5
        Power of the covariance of the core that is divided out: at 0.5, columns that move together
        count once, and a break with that counts; at 0, every column is measured by itself.
    max_rows : none, or at least 1, default=10000
        Maximum number of distinct rows among which the core is found; a larger table is sampled. None
        for what `memory` allows, which is a limit in any case.
    max_support : none, or at least 1, default=1000
        Maximum number of rows of the core that the density is fitted to, a sample of them; None for
        all. The time that a score takes grows with it.
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
    missing : one of auto, error, drop, impute, default="auto"
        What is done about missing values, NaN and infinite numbers among them. ``"auto"``: that a
        number is missing is all that the row says of its column, and a missing category is a category
        of its own. ``"drop"`` leaves such rows out, ``"impute"`` fills in the median or the most
        frequent value.
    categories : one of auto, error, onehot, frequency, default="auto"
        What is done about columns of text and categories. ``"auto"``: a column counts as much as a
        column of numbers, however many values it has, and rare values are taken together.
        ``"onehot"`` keeps all values, ``"frequency"`` uses their shares of the rows.
    dates : one of auto, parts, ignore, error, default="auto"
        What is done about dates and times. ``"auto"`` uses them as numbers of days, ``"parts"`` the
        hour, the day of the week and the month as cycles.
    columns : none, or a dictionary of column names to category, number, date or ignore, default=None
        What columns are, where it is not what they look like: ``{"zip": "category"}`` for numbers
        that name something, ``{"id": "number"}`` for a column that would be taken for an identifier.
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
    used_columns_ : list of str
        Names of the columns that the model uses, ``column_1``, ... without names. `explain` gives a
        contribution for each.
    ids_ : list of str
        Names of columns that identify rows, such as row numbers, which the model does not use.
    notes_ : list of str
        What was found out about the table, in sentences: columns left out and why, values taken
        together. A detector read from a file by `load` has none.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of str
        Names of the columns of X, if it was a data frame.

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
    _notes: tuple[str, ...] = ()
    #: The data frame of the fit, without its rows; `None` for arrays.
    _template: Template | None = None
    #: Number of columns of X; `None` for those that the model uses.
    _width: int | None = None

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
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.contamination = contamination
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

    @classmethod
    def paper(cls, **parameters: Any) -> Self:
        """Create a detector with the configuration of the paper.

        The sampled SDO kernel, the bandwidth read from the Fisher divergence as the paper's program
        does, and no trimming.

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
            scaling="standard",
            clip=None,
            whitening=0.0,
            max_rows=None,
            max_support=None,
            tolerance=1e-3,
        )
        return cls(**(paper | parameters))

    @classmethod
    def paper_exact(cls, **parameters: Any) -> Self:
        """Create a detector with the configuration of the paper and the exact SDO kernel.

        Parameters
        ----------
        **parameters
            Parameters that replace those of the configuration.

        Returns
        -------
        detector : SobolevDetector
            Not fitted.

        Examples
        --------
        >>> from sosrep import SobolevDetector
        >>> SobolevDetector.paper_exact().kernel
        'sdo'
        """
        exact: dict[str, Any] = dict(kernel="sdo", tolerance=1e-6)
        return cls.paper(**(exact | parameters))

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        judge: Any = None,
        progress: Progress | None = None,
    ) -> Self:
        """Fit the detector to rows, most of which are normal.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Numbers, text, categories, booleans or dates, with or without missing values. A sparse
            matrix may take at most 2 GiB with its zeros.
        y : ignored
            Not used, present for API consistency.
        sample_weight : array of shape (n_samples,), default=None
            A weight of k counts as k copies of the row.
        judge : array, sparse matrix or data frame with the columns of X, default=None
            Rows that a `bandwidth` such as ``"fisher"`` or ``"paper"`` is judged by, and no row of
            X is held out; the paper takes the rows it scores.
        progress : callable, default=None
            Called as ``progress(stage, step, steps, residual)`` during the fit; an exception that
            it raises cancels the fit.

        Returns
        -------
        self : SobolevDetector
        """
        given = read_table(X)
        judging = None if judge is None else read_table(judge)
        rows = len(given) if isinstance(given, np.ndarray) else given.data.rows
        weights, parameters = read_weights(sample_weight, rows), self._core_parameters()
        options = self._encoding_options()
        work: dict[str, Any] = {"n_jobs": self._jobs(), "progress": read_progress(progress)}
        if isinstance(given, np.ndarray):
            if not self.columns and not isinstance(judging, Table):
                try:
                    model = _core.Detector.fit(given, weights, parameters, judge=judging, **work)
                    return self._keep_fit(model, None, given.shape)
                except _core.NotFinite:
                    pass
            given = of_array(given)
        if isinstance(judging, np.ndarray):
            judging = of_array(judging)
        # Columns of an array have no names to tell identifiers by.
        options["columns"] = dict.fromkeys(given.numbers, "number") | (self.columns or {})
        model, kept, notes = _core.Detector.fit_table(
            given.data,
            weights,
            parameters,
            options,
            judge=None if judging is None else judging.data,
            **work,
        )
        return self._keep_fit(
            model,
            given.names,
            (rows, given.width),
            kept=kept,
            _notes=tuple(notes),
            _template=template_of(X, given.data.names) if is_frame(X) else None,
        )

    def _encoding_options(self) -> dict[str, Any]:
        options = {name: getattr(self, name) for name, _, _ in _core.parameters()["Encoding"]}
        _core.check_encoding(options)
        return options

    def _keep_fit(
        self,
        model: _core.Detector,
        names: Names,
        shape: tuple[int, ...],
        *,
        kept: Array | None = None,
        **attributes: Any,
    ) -> Self:
        caution = model.report["caution"]
        if caution is not None:
            warn(caution)
        scores, p_values, _ = model.training or (None, None, None)
        fitted = {"_notes": (), "_template": None, "_width": shape[1]} | attributes
        return self._keep(
            model,
            names,
            _training_scores=None if scores is None else _in_place(-scores, kept, shape[0]),
            _training_p_values=None if p_values is None else _in_place(p_values, kept, shape[0]),
            **fitted,
        )

    def fit_predict(self, X: Any, y: Any = None, **fit_options: Any) -> NDArray[np.int64]:
        """Fit the detector and label the training rows, each without its own contribution.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
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
        scores = self.training_scores_
        if np.isnan(scores).any():
            raise ValueError(
                f"{int(np.isnan(scores).sum())} rows with missing values were left out, as "
                f"missing={self.missing!r} asks for, and have no label; use training_scores_, which is "
                "NaN for them"
            )
        return np.where(scores < self.offset_, -1, 1)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Compute log f², the logarithm of the unnormalised density: higher is more normal.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        return -self._anomaly_scores(self._encoded(X))

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
        rows = self._encoded(X, quiet=True)
        if rows.reason is not None:
            raise ValueError(
                f"a row cannot be labelled: {rows.reason}; leave such rows out or fill them in, or use "
                "score_samples, which gives NaN for them"
            )
        return np.where(-self._anomaly_scores(rows) < self.offset_, -1, 1)

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
        rows = self._encoded(X)
        return rows.in_place(self._fitted().p_value(rows.values, n_jobs=self._jobs()))

    def assess(self, X: Any, *, as_frame: bool = False, fdr: float | None = None) -> Any:
        """Compute anomaly scores, p-values and labels from one evaluation of the density.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
        as_frame : bool, default=False
            Whether to return a data frame, of polars if X is one, otherwise of pandas and with the
            index of X.
        fdr : between 0 and 1, optional
            Label rows so that at most this share of the anomalies is expected to be normal, by the
            procedure of Benjamini and Hochberg on the p-values of X, instead of by the threshold. It
            holds for new rows, if the training rows have no anomalies; if they do, fewer rows are
            labelled.

        Returns
        -------
        assessment : named tuple of arrays of shape (n_samples,), or data frame
            ``anomaly_score``, which is ``-score_samples(X)``; ``p_value``; and ``is_anomaly``, true
            where `predict` is -1. A row that cannot be scored has NaN for the first two, and is not
            an anomaly.

        Examples
        --------
        >>> import numpy as np
        >>> from sosrep import SobolevDetector
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> assessment = SobolevDetector().fit(X).assess([[0.0, 0.0], [7.0, 0.0]])
        >>> assessment.is_anomaly
        array([False,  True])
        """
        rows = self._encoded(X)
        scores, p_values, labels = self._fitted().assess(rows.values, n_jobs=self._jobs())
        scores, p_values = rows.in_place(scores), rows.in_place(p_values)
        is_anomaly = rows.in_place(labels) == 1
        if fdr is not None:
            # NaN, of a row without a score, is never below.
            is_anomaly = p_values <= _core.largest_discovery(p_values, fdr)
        assessment = Assessment(scores, p_values, is_anomaly)
        return frame_of(X, assessment._asdict()) if as_frame else assessment

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
        rows = self._encoded(X)
        return rows.in_place(self._fitted().log_density(rows.values, n_jobs=self._jobs()))

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
        contributions : array of shape (n_samples, n_columns), or data frame
            A column for each of `used_columns_`, positive where it makes a row more anomalous. The
            contributions to a row sum to its anomaly score minus that of the typical row. The data
            frame, of polars if X is one, otherwise of pandas and with the index of X, has a line for
            each row and column, largest contribution of a row first: ``row``, the position in X,
            ``anomaly_score``, ``feature``, ``value``, ``typical_value``, ``contribution``. The two
            values are numbers if all columns are, otherwise text.

        See Also
        --------
        sosrep.plots.reasons : The contributions to one row as bars.
        """
        if not as_frame:
            rows = self._encoded(X)
            return rows.in_place(self._fitted().explain(rows.values, n_jobs=self._jobs())[1])
        scores, contributions, values, typical = self._reasons(X)
        tidy = self._tidy(values, scores, contributions, typical)
        return frame_of(X, tidy, repeats=contributions.shape[1])

    def _reasons(self, X: Any, row: int | None = None) -> tuple[Array, Array, Array, Array]:
        """Scores, contributions, values and typical values, of all rows or of one."""
        self._fitted()
        given = read_table(X)
        rows = self._encoded_table(given, quiet=row is not None)
        values = self._values(given, rows)
        if row is not None:
            rows, values = rows.single(row), values[[row]]
        explained = self._fitted().explain(rows.values, n_jobs=self._jobs())
        scores, contributions, typical, _ = (rows.in_place(part) for part in explained)
        return scores, contributions, values, self._typical_values(rows, typical)

    def _values(self, given: Array | Table, rows: EncodedRows) -> Array:
        """The cells of each row: numbers if all columns are, otherwise text."""
        if self._fitted().is_plain:
            return rows.in_place(np.asarray(rows.values, dtype=np.float64))
        table = of_array(given) if isinstance(given, np.ndarray) else given
        texts = self._fitted().texts(self._matched(table, quiet=True))
        return np.array(texts, dtype=object).T

    def _typical_values(self, rows: EncodedRows, typical: Array) -> Array:
        if self._fitted().is_plain:
            return typical
        texts = np.full((rows.total, len(self.used_columns_)), "", dtype=object)
        kept = slice(None) if rows.kept is None else rows.kept
        texts[kept] = np.array(self._fitted().decoded_texts(typical[kept]), dtype=object).T
        return texts

    def _tidy(
        self, values: Array, scores: Array, contributions: Array, typical: Array
    ) -> dict[str, Any]:
        """A line for each row and column, largest contribution of a row first."""
        count, width = contributions.shape
        order = np.argsort(-contributions, axis=1, kind="stable")
        by_contribution = [
            np.take_along_axis(table, order, axis=1).ravel()
            for table in (values, typical, contributions)
        ]
        names = self.used_columns_
        return {
            "row": np.repeat(np.arange(count), width),
            "anomaly_score": np.repeat(scores, width),
            "feature": [names[j] for j in order.ravel()],
            "value": by_contribution[0],
            "typical_value": by_contribution[1],
            "contribution": by_contribution[2],
        }

    def sample(
        self, n_samples: int = 1, random_state: Any = None, *, as_frame: bool | None = None
    ) -> Any:
        """Draw rows like the usual ones of the fit, in the units of the columns.

        Each is mixed of two close rows of the table; none is an anomaly to the detector.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState, Generator or None, default=None
        as_frame : bool or None, default=None
            Whether to return a data frame of the columns and types of the fit; None for a data frame
            if the detector was fitted to one.

        Returns
        -------
        rows : array of shape (n_samples, n_columns), or data frame
            A column for each of `used_columns_`. Whole numbers stay whole in data frames.
        """
        count, model = read_count("n_samples", n_samples), self._fitted()
        rows = model.sample(count, read_seed(random_state), n_jobs=self._jobs())
        if not (self._template is not None if as_frame is None else as_frame):
            return rows if model.is_plain else _object_array(model.decode(rows))
        columns = model.decode(rows)
        if self._template is None:
            return frame_of(None, dict(columns))
        return like(self._template, columns)

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

    @staticmethod
    def _names_in(model: Any) -> Names:
        return None if model.feature_names is None else list(model.source_columns)

    def _new_rows(self, X: Any) -> Array:
        return self._encoded(X).values

    def _encoded(self, X: Any, *, quiet: bool = False) -> EncodedRows:
        """Rows for the model; a warning if some cannot be scored, unless `quiet`."""
        self._fitted()
        return self._encoded_table(read_table(X), quiet=quiet)

    def _encoded_table(self, given: Array | Table, *, quiet: bool = False) -> EncodedRows:
        model = self._fitted()
        if isinstance(given, np.ndarray):
            same_columns = model.is_plain and self.n_features_in_ == model.columns
            if same_columns and _core.all_finite(given):
                self._check_columns(given, None)
                return EncodedRows(given, len(given))
            given = of_array(given)
        values, kept, left_out, unseen = model.encode(self._matched(given))
        reason = " ".join(left_out) or None
        if len(values) == 0:
            raise ValueError(f"no row of X can be scored: {reason}")
        if reason is not None and not quiet:
            warn(f"a row cannot be scored and has NaN for a score: {reason}")
        if unseen:
            warn("; ".join(unseen))
        return EncodedRows(values, given.data.rows, kept, reason)

    def _matched(self, table: Table, *, quiet: bool = False) -> _core.Table:
        """The table under the names of the fit."""
        spare, fitted, found = self._fitted().spare_columns, self._feature_names, table.names
        if self._width is None and found is not None:
            # A model file: the columns may come in any order.
            return table.data
        wanted = None if fitted is None else [name for name in fitted if name not in spare]
        given = None if found is None else [name for name in found if name not in spare]
        warning = check_names(given, wanted, type(self).__name__)
        if warning is None and found is not None:
            return table.data
        if warning is not None and not quiet:
            warn(warning)
        self._check_width(table.width)
        return table.data.renamed(fitted or numbered(table.width))

    def _anomaly_scores(self, rows: EncodedRows) -> Array:
        return rows.in_place(self._fitted().anomaly_score(rows.values, n_jobs=self._jobs()))

    @property
    def n_features_in_(self) -> int:
        """Number of columns of X."""
        used = len(self._fitted().source_columns)
        return used if self._width is None else self._width

    @property
    def used_columns_(self) -> list[str]:
        """Names of the columns that the model uses."""
        return self._fitted().source_columns

    @property
    def ids_(self) -> list[str]:
        """Names of columns that identify rows."""
        return self._fitted().ids

    @property
    def notes_(self) -> list[str]:
        """What was found out about the table."""
        self._fitted()
        return list(self._notes)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

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


def _object_array(columns: list[tuple[str, Any]]) -> Array:
    """An array of columns, of floats if all of them are."""
    cells = [values for _, values in columns]
    numbers = all(isinstance(values, np.ndarray) for values in cells)
    return np.column_stack([np.array(v, dtype=float if numbers else object) for v in cells])
