"""The parts of scikit-learn's base classes that the estimators need where it is not installed."""

from __future__ import annotations

from inspect import signature
from typing import Any, Self


class NotFittedError(ValueError, AttributeError):
    """An estimator was used before it was fitted."""


class BaseEstimator:
    """Parameters are the arguments of ``__init__``, stored as attributes of the same names."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(name for name in signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters by name."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name."""
        known = self._get_param_names()
        for name, value in params.items():
            if name not in known:
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known)}"
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {
            name: parameter.default
            for name, parameter in signature(type(self).__init__).parameters.items()
        }
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name])
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


class DensityMixin:
    """Marks a density estimator."""


class OutlierMixin:
    """Marks an outlier detector."""
