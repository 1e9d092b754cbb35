"""Functions of this package for processes that may not have it.

Engines send functions of a package by name. A process without the package cannot read such a message: an executor of
Spark fails with a traceback, and a worker of Dask is lost and started again without end. What is made here goes by
value, and says in one sentence what is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core


def found_there(module: str, name: str, python: str) -> Callable[..., Any]:
    """A function of a module, looked for where it is called; `python` is what messages call the Python there."""
    version = _core.__version__

    # What it refers to outside itself goes with it, so that must not be of this package.
    def call(*arguments: Any) -> Any:
        import sys
        from importlib import import_module

        def lacking(what: str) -> RuntimeError:
            return RuntimeError(f"{python}, {sys.executable}, {what}; install sosrep {version} there")

        try:
            found = import_module("sosrep").__version__
            if found != version:
                raise lacking(f"has sosrep {found}, which may score differently from {version} here")
            function = getattr(import_module(module), name)
        except ImportError as error:
            raise lacking(f"cannot import sosrep ({error})") from None
        return function(*arguments)

    return call
