"""What the documents say is run: doctests, the guide, the README, the examples."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import sosrep

from .common import REPOSITORY, run_python

EXAMPLES = sorted((REPOSITORY / "examples").glob("*.py"))
#: No window is opened, and nothing is asked for.
QUIET = {**os.environ, "MPLBACKEND": "Agg"}
#: Engines that are not installed everywhere have modules of their names.
ENGINES = {"spark": "pyspark", "_spark_frames": "pyspark", "dask": "dask"}
FOUND = [module.name for module in pkgutil.iter_modules(sosrep.__path__)]
MODULES = ["sosrep", *(f"sosrep.{name}" for name in FOUND if find_spec(ENGINES.get(name, "sosrep")))]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_docstring_hold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


@pytest.mark.parametrize("name", ["SobolevDetector", "SobolevDensity", "KDE", "pyod.SOSREP"])
def test_every_estimator_has_an_example(name: str) -> None:
    value: Any = sosrep
    for part in name.split("."):
        value = getattr(value, part)
    assert ">>>" in value.__doc__


def script_of(document: Path) -> str:
    """The Python blocks of a document, each line in its place, so that errors name the line."""
    inside = False
    lines = []
    for line in document.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            inside = line == "```python"
            line = ""
        lines.append(line if inside else "")
    return "\n".join(lines)


@pytest.mark.parametrize("name", ["docs/python.md", "README.md"])
def test_the_blocks_of_a_document_run_from_top_to_bottom(name: str, tmp_path: Path) -> None:
    script = tmp_path / "blocks.py"
    script.write_text(script_of(REPOSITORY / name), encoding="utf-8")
    assert "import" in script.read_text(encoding="utf-8"), "there are blocks"
    finished = run_python("-W", "error::UserWarning", script.name, cwd=tmp_path, env=QUIET)
    assert finished.returncode == 0, finished.stderr


def test_links_of_the_guide_lead_somewhere() -> None:
    guide = REPOSITORY / "docs" / "python.md"
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", guide.read_text(encoding="utf-8"))
    assert targets
    assert [target for target in targets if not (guide.parent / target).exists()] == []


@pytest.mark.parametrize(("page", "block"), [("docs/speed.md", "targets"), ("README.md", "peers")])
def test_a_page_has_the_table_of_the_run_it_links_to(page: str, block: str) -> None:
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    run = re.search(r"bench/runs/[\w-]+-speed", text)
    assert run, "the run is named"
    table = (REPOSITORY / run.group() / f"{block}.md").read_text(encoding="utf-8")
    # `python bench/targets.py FOLDER --pages README.md docs/speed.md` brings it up to date.
    assert f"<!-- {block}: generated -->\n{table}<!-- end of {block} -->" in text


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs_and_saves_its_figures(example: Path, tmp_path: Path) -> None:
    figures, elsewhere = tmp_path / "figures", tmp_path / "elsewhere"
    figures.mkdir()
    elsewhere.mkdir()
    finished = run_python(str(example), str(figures), cwd=elsewhere, env=QUIET, timeout=60)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.strip(), "it says something"
    saved = list(figures.iterdir())
    assert saved and all(figure.stat().st_size > 1000 for figure in saved)
    named = set(re.findall(r"[\w-]+\.(?:png|svg)", example.read_text(encoding="utf-8")))
    assert {figure.name for figure in saved} == named
    assert list(elsewhere.iterdir()) == [], "nothing is written elsewhere"
