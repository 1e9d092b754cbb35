"""Density estimation and anomaly detection for tables, in any number of columns.

SOSREP fits a function f that balances a Sobolev norm against the likelihood of f²,

    f* = argmin ‖f‖² − Σᵢ wᵢ log f(xᵢ)²,        p = f² / ∫f²,

and provides

=====================  ==================================================================
`SobolevDetector`      anomaly detection: scores, p-values, labels, explanations
`SobolevDensity`       density estimation: log-density, gradient, sampling
`KDE`                  kernel density estimation with the same kernels
`sosrep.pyod.SOSREP`   the detector with the interface of PyOD (needs ``pyod``)
`sosrep.plots`         figures of fitted estimators (needs ``matplotlib``)
=====================  ==================================================================

The estimators follow the conventions of scikit-learn and, where it is installed, derive from its
base classes.

>>> import numpy as np
>>> from sosrep import SobolevDetector
>>> angle = np.arange(300.0)
>>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
>>> detector = SobolevDetector().fit(circle)
>>> detector.predict([[0.6, 0.8], [0.0, 2.5]])  # on the circle, and above it
array([ 1, -1])
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._core import __version__

if TYPE_CHECKING:
    from ._density import SobolevDensity
    from ._detector import SobolevDetector
    from ._kde import KDE

__all__ = ["KDE", "SobolevDensity", "SobolevDetector", "__version__"]

# Imported on first use, because the estimators import scikit-learn, which is slow.
_MODULE_OF = {"KDE": "_kde", "SobolevDensity": "_density", "SobolevDetector": "_detector"}
_MODULES = ("plots", "pyod")


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    if name in _MODULES:
        try:
            return import_module(f"{__name__}.{name}")
        except ImportError as error:
            raise AttributeError(str(error)) from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULE_OF, *_MODULES])
