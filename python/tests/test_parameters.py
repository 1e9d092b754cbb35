"""Names, defaults and domains of the parameters are those of the core."""

from __future__ import annotations

import ast
import inspect
import json
import re
from typing import Any, NamedTuple

import numpy as np
import pytest

from sosrep import KDE, SobolevDensity, SobolevDetector, _core

from .common import normal_rows

ROWS = normal_rows(30, 2)
CLASSES = {
    "Density": SobolevDensity,
    "Detector": SobolevDetector,
    "Kde": KDE,
    "Encoding": SobolevDetector,
}


class Parameter(NamedTuple):
    """A parameter as the core describes it, under the name it has in Python."""

    owner: Any
    name: str
    default: Any
    domain: str


def described() -> list[Parameter]:
    return [
        Parameter(CLASSES[model], python_name(name), json.loads(default), domain)
        for model, parameters in _core.parameters().items()
        for name, default, domain in parameters
    ]


def python_name(name: str) -> str:
    """scikit-learn's name for a seed is another."""
    return "random_state" if name == "seed" else name


def label(parameter: Any) -> str | None:
    if isinstance(parameter, Parameter):
        return f"{parameter.owner.__name__}-{parameter.name}"
    return None


every_parameter = pytest.mark.parametrize("parameter", described(), ids=label)


def documented(owner: Any) -> dict[str, str]:
    """What the docstring says after the name of each parameter, on the same line."""
    section = inspect.getdoc(owner).split("Parameters\n----------\n")[1].split("\n\n")[0]
    return dict(re.findall(r"^(\w+) : (.*)$", section, flags=re.MULTILINE))


# Descriptions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["Density", "Detector", "Kde"])
def test_the_parameters_are_those_of_the_core_in_its_order(model: str) -> None:
    described = _core.parameters()[model]
    if model == "Detector":
        described += _core.parameters()["Encoding"]
    core = [python_name(name) for name, _, _ in described]
    assert list(inspect.signature(CLASSES[model]).parameters) == [*core, "n_jobs"]
    assert list(documented(CLASSES[model])) == [*core, "n_jobs"]


@every_parameter
def test_a_default_is_that_of_the_core(parameter: Parameter) -> None:
    default = inspect.signature(parameter.owner).parameters[parameter.name].default
    assert default == parameter.default and type(default) is type(parameter.default)


@every_parameter
def test_the_docstring_has_the_domain_and_the_default_of_the_core(parameter: Parameter) -> None:
    words, default = documented(parameter.owner)[parameter.name].split(", default=")
    assert ast.literal_eval(default) == parameter.default
    assert words.startswith(parameter.domain)
    # A seed may be more in Python than in the core.
    assert words == parameter.domain or parameter.name == "random_state"


# Domains ----------------------------------------------------------------------------------------

TINY = 5e-324
BEYOND_HALF, BELOW_ONE = np.nextafter(0.5, 1), np.nextafter(1, 0)
BANDWIDTHS = [1e-50, 0.2, 1e50]
NOT_BANDWIDTHS = [
    np.nextafter(1e-50, 0),
    np.nextafter(1e50, np.inf),
    0.0,
    -0.2,
    float("nan"),
    float("inf"),
]

#: Values at the ends of each domain, and values beyond them.
ENDS: dict[str, tuple[list[Any], list[Any]]] = {
    "bandwidth": (BANDWIDTHS, NOT_BANDWIDTHS),
    "contamination": ([TINY, 0.5], [0.0, BEYOND_HALF, -0.1, float("nan")]),
    "trim": ([0.0, BELOW_ONE], [-TINY, 1.0, float("nan")]),
    "clip": ([None, *BANDWIDTHS], NOT_BANDWIDTHS),
    "whitening": ([0.0, 0.5], [-TINY, BEYOND_HALF, float("nan")]),
    "max_rows": ([None, 1], [0, -1]),
    "max_support": ([None, 1], [0, -1]),
    "holdout": ([TINY, BELOW_ONE], [0.0, 1.0, -0.3, float("nan")]),
    "tolerance": ([0.0, TINY, 1.0], [-TINY, float("nan")]),
    "max_iterations": ([0, 2**63], [-1]),
    "memory": ([0, 2**63], [-1]),
    "random_state": ([0, 2**64 - 1], [-1, 2**64]),
}

#: Words that a parameter does not take; those it takes are in its domain.
WORDS: dict[str, list[str]] = {
    "kernel": ["", "Product", "sobolev"],
    "scaling": ["", "Standard", "minmax"],
    "repeats": ["", "Auto", "twice"],
    "bandwidth": ["", "Auto", "0.2 ", "1e60"],
    "contamination": ["", "Auto", "0.1 "],
    "missing": ["", "Auto", "fill"],
    "categories": ["", "Auto", "text"],
    "dates": ["", "Auto", "days"],
}

#: A list of bandwidths is neither a number nor a word.
GRIDS = ([[0.1], [0.1, 1.0], np.array([0.1, 1.0]), BANDWIDTHS], [[], [1.0, 1.0], [2.0, 1.0], [0.0]])

#: What a seed may be in Python besides.
RANDOM_STATES = {"random_state": ", a RandomState, a Generator, or None"}


def fitted_with(parameter: Parameter, value: Any) -> Any:
    """An estimator fitted with one parameter changed, and one to which the parameter matters."""
    given = {parameter.name: value}
    if parameter.name in ("grid", "holdout"):
        given["bandwidth"] = "likelihood"
    return parameter.owner(**given).fit(ROWS)


def assert_refused(parameter: Parameter, value: Any) -> str:
    """The value is refused in the core's words; returned is how they call the value."""
    with pytest.raises(ValueError) as raised:
        fitted_with(parameter, value)
    sentence = f"{parameter.name} is (.+); it must be {re.escape(parameter.domain)}"
    match = re.fullmatch(sentence + RANDOM_STATES.get(parameter.name, ""), str(raised.value))
    assert match, raised.value
    return match[1]


def parameters_in(table: Any) -> Any:
    chosen = [parameter for parameter in described() if parameter.name in table]
    return pytest.mark.parametrize("parameter", chosen, ids=label)


def test_every_parameter_has_its_domain_tested() -> None:
    assert {parameter.name for parameter in described()} == {*ENDS, *WORDS, "grid", "columns"}


@parameters_in(ENDS)
def test_the_ends_of_a_domain_are_inside(parameter: Parameter) -> None:
    for value in ENDS[parameter.name][0]:
        scores = fitted_with(parameter, value).score_samples(ROWS)
        assert np.isfinite(scores).all()


@parameters_in(ENDS)
def test_what_is_beyond_the_ends_is_refused_in_the_words_of_the_core(parameter: Parameter) -> None:
    for value in ENDS[parameter.name][1]:
        shown = float(assert_refused(parameter, value))
        assert shown == value or (np.isnan(shown) and np.isnan(value))


def words_of(domain: str) -> list[str]:
    """The words in a domain such as "auto, fisher, or a number"."""
    listed = re.sub(r"^one of |, or .*$", "", domain).split(", ")
    return [word for word in listed if re.fullmatch("[a-z-]+", word)]


@parameters_in(WORDS)
def test_the_words_of_a_domain_are_those_that_are_taken(parameter: Parameter) -> None:
    words = words_of(parameter.domain)
    for word in words:
        # Fisher divergence, which some of the words ask for, needs a smooth kernel.
        smooth = {"kernel": "sdo"} if word.startswith(("fisher", "paper")) else {}
        parameter.owner(**{parameter.name: word} | smooth).fit(ROWS)
    for word in WORDS[parameter.name] if words else []:
        shown = assert_refused(parameter, word)
        assert shown != word and shown[1:-1] == word, "the word is quoted"


@parameters_in({"grid"})
def test_a_grid_is_bandwidths_that_increase(parameter: Parameter) -> None:
    for grid in GRIDS[0]:
        assert fitted_with(parameter, grid).bandwidth_ in grid
    for grid in GRIDS[1]:
        assert_refused(parameter, grid)


@pytest.mark.parametrize(
    "parameter", [each for each in described() if isinstance(each.default, (int, float))], ids=label
)
def test_numbers_of_numpy_are_numbers(parameter: Parameter) -> None:
    plain = fitted_with(parameter, parameter.default).score_samples(ROWS)
    whole = isinstance(parameter.default, int)
    for kind in (np.int64, np.uint64) if whole else (np.float64, np.array):
        scores = fitted_with(parameter, kind(parameter.default)).score_samples(ROWS)
        np.testing.assert_array_equal(scores, plain)
