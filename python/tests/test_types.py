"""The type hints hold, and the stub of the compiled module is true."""

from __future__ import annotations

import pytest

from .common import REPOSITORY, run_python


def cache(config: pytest.Config) -> str:
    """Where mypy keeps what it knows, so that the next run is short."""
    assert config.cache is not None
    return f"--cache-dir={config.cache.mkdir('mypy')}"


def test_the_package_passes_mypy_strict(pytestconfig: pytest.Config) -> None:
    arguments = ["-m", "mypy", "--strict", cache(pytestconfig), "python/sosrep"]
    finished = run_python(*arguments, cwd=REPOSITORY, timeout=170)
    assert finished.returncode == 0, finished.stdout


def test_the_stub_describes_the_compiled_module() -> None:
    finished = run_python("-m", "mypy.stubtest", "sosrep._core", timeout=170)
    assert finished.returncode == 0, finished.stdout
