"""What the estimators share: their state, and the rows they are given."""

from __future__ import annotations

import sys
import warnings
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


def warn(remark: str) -> None:
    """A warning that points at the line outside this package that caused it."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(remark, UserWarning, stacklevel=level + 1)


class Estimator(BaseEstimator, Generic[Model]):
    """A fitted estimator is its parameters, a compiled model and the names of its columns.

    Whatever else it shows is read from the model, so that a pickle holds these and nothing more.
    """

    #: What the core calls the model.
    _core_model: str
    random_state: Any
    _model: Model
    _feature_names: Names

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in vars(self)

    def _fitted(self) -> Model:
        """The model, or an error that says what to do."""
        model = vars(self).get("_model")
        if model is None:
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet; call fit first.")
        return cast(Model, model)

    def _core_parameters(self) -> dict[str, Any]:
        """The parameters as the core knows them: whatever a subclass adds is its own business."""
        names = (name for name, _, _ in _core.parameters()[self._core_model])
        return {
            name: read_seed(self.random_state) if name == "seed" else getattr(self, name)
            for name in names
        }

    def _keep(self, model: Model, names: Names) -> Self:
        """Becomes this model, at once: others may be asking it meanwhile."""
        vars(self).update(_model=model, _feature_names=names)
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
        """Rows to put to the fitted model, their columns checked against those of the fit."""
        self._fitted()
        rows, names = read_rows(X)
        self._check_columns(rows, names)
        return rows

    def _check_columns(self, rows: Array, names: Names) -> None:
        owner = type(self).__name__
        remark = check_names(names, self._feature_names, owner)
        if remark is not None:
            warn(remark)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {rows.shape[1]} features, but {owner} is expecting "
                f"{self.n_features_in_} features as input"
            )


class SolvedEstimator(Estimator[SolvedModel]):
    """An estimator whose coefficients were solved for, perhaps at a bandwidth that was chosen."""

    @property
    def bandwidth_curve_(self) -> dict[str, NDArray[np.float64]] | None:
        """The curve the bandwidth was read from, if it was."""
        return self._fitted().curve

    @property
    def n_iter_(self) -> int:
        """Steps of the last solve."""
        return int(self.fit_report_["iterations"])

    @property
    def residual_(self) -> float:
        """Residual of the last solve."""
        return float(self.fit_report_["residual"])

    @property
    def fit_report_(self) -> dict[str, Any]:
        """How the fit went."""
        return self._fitted().report
