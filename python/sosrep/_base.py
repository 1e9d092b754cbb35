"""Base classes of the estimators: parameters, model files, pickles, checks of new rows."""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._input import Array, Names, check_names, read_jobs, read_rows, read_seed

if TYPE_CHECKING:
    from ._standalone import BaseEstimator, DensityMixin, NotFittedError, OutlierMixin
else:
    try:
        from sklearn.base import BaseEstimator, DensityMixin, OutlierMixin
        from sklearn.exceptions import NotFittedError
    except ImportError:
        from ._standalone import BaseEstimator, DensityMixin, NotFittedError, OutlierMixin

__all__ = ["DensityMixin", "Estimator", "NotFittedError", "OutlierMixin", "SolvedEstimator", "warn"]

Model = TypeVar("Model", _core.Density, _core.Detector, _core.Kde)
SolvedModel = TypeVar("SolvedModel", _core.Density, _core.Detector)


def warn(message: str) -> None:
    """Warns with the position of the caller outside this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level + 1)


class Estimator(BaseEstimator, Generic[Model]):
    """An estimator whose fit is a compiled model and the names of its columns.

    Pickles, and files of joblib, skops and MLflow, hold the bytes of the model file in place of the
    compiled model, which those libraries cannot read, and otherwise plain Python and numpy values.
    """

    #: Name of the class of the model in `_core`.
    _core_model: str
    random_state: Any
    _model: Model
    _feature_names: Names

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in vars(self)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(vars(self))
        if "_model" in state:
            state["_model"] = state["_model"].state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "_model" in state:
            state["_model"] = getattr(_core, self._core_model)(*state["_model"])
        vars(self).update(state)

    def __copy__(self) -> Self:
        """Shares the model, which is immutable."""
        copied = type(self).__new__(type(self))
        vars(copied).update(vars(self))
        return copied

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file.

        The file is written under a temporary name and renamed, so that it is never incomplete.

        Parameters
        ----------
        path : str or path-like

        See Also
        --------
        load : Read the file.
        """
        self._fitted().save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model file.

        Reading runs no code from the file, so that files from untrusted sources are safe.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        estimator
            Fitted, with the parameters of the fit as far as the file holds them, and defaults for
            the others.

        See Also
        --------
        save : Write the file.

        Notes
        -----
        The file of a density or kernel density estimate holds its kernel and bandwidth and no names
        of columns; with the kernel ``"sdo-sampled"`` it does not hold the bandwidth either.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from sosrep import KDE
        >>> X = [[0.0], [0.1], [0.2], [5.0]]
        >>> kde = KDE(kernel="gaussian", bandwidth=0.3).fit(X)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     kde.save(Path(folder) / "model.sosrep")
        ...     loaded = KDE.load(Path(folder) / "model.sosrep")
        >>> loaded
        KDE(bandwidth=0.3, kernel='gaussian')
        """
        try:
            model = getattr(_core, cls._core_model)(Path(path).read_bytes())
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None
        return cls._of_model(model)

    @classmethod
    def _of_model(cls, model: Any) -> Self:
        """The estimator of a model, with the parameters of its fit as far as it holds them."""
        estimator = cls()
        fitted_with = json.loads(model.parameters)
        for name, _, _ in _core.parameters()[cls._core_model]:
            if name in fitted_with:
                setattr(estimator, "random_state" if name == "seed" else name, fitted_with[name])
        return estimator._keep(model, cls._names_in(model))

    @staticmethod
    def _names_in(model: Any) -> Names:
        """Names of columns that a model file holds."""
        return None

    def _fitted(self) -> Model:
        """The model; NotFittedError if there is none."""
        model = vars(self).get("_model")
        if model is None:
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet; call fit first.")
        return cast(Model, model)

    def _core_parameters(self) -> dict[str, Any]:
        """The parameters of the compiled model; a subclass may have others beside them."""
        names = (name for name, _, _ in _core.parameters()[self._core_model])
        return {
            name: read_seed(self.random_state) if name == "seed" else getattr(self, name)
            for name in names
        }

    def _keep(self, model: Model, names: Names, **attributes: Any) -> Self:
        """Sets everything fitted in one step, as other threads may be using the estimator."""
        vars(self).update(_model=model, _feature_names=names, **attributes)
        return self

    def _jobs(self) -> int | None:
        return read_jobs(getattr(self, "n_jobs", None))

    @property
    def n_features_in_(self) -> int:
        """Number of columns seen in the fit."""
        return self._fitted().columns

    @property
    def feature_names_in_(self) -> Array:
        """Names of the columns seen in the fit, if they were text."""
        self._fitted()
        if self._feature_names is None:
            raise AttributeError(f"{type(self).__name__} was fitted without feature names")
        return np.array(self._feature_names, dtype=object)

    def _new_rows(self, X: Any) -> Array:
        """Rows for the fitted model, their columns checked against those of the fit."""
        self._fitted()
        rows, names = read_rows(X)
        self._check_columns(rows, names)
        return rows

    def _check_columns(self, rows: Array, names: Names) -> None:
        owner = type(self).__name__
        warning = check_names(names, self._feature_names, owner)
        if warning is not None:
            warn(warning)
        self._check_width(rows.shape[1])

    def _check_width(self, width: int) -> None:
        if width != self.n_features_in_:
            raise ValueError(
                f"X has {width} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )


class SolvedEstimator(Estimator[SolvedModel]):
    """An estimator whose coefficients come from the solver, perhaps at a selected bandwidth."""

    @property
    def bandwidth_curve_(self) -> dict[str, NDArray[np.float64]] | None:
        """The criterion at every bandwidth of the grid; None if the bandwidth was not selected."""
        return self._fitted().curve

    @property
    def n_iter_(self) -> int:
        """Iterations of the last solve."""
        return int(self.fit_report_["iterations"])

    @property
    def residual_(self) -> float:
        """Residual of the last solve."""
        return float(self.fit_report_["residual"])

    @property
    def fit_report_(self) -> dict[str, Any]:
        """Report of the fit."""
        return self._fitted().report
