"""What a run with plain Python takes of tests with many parameters."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from profiles import FEW_PARAMETERS, REACHED_BY_OTHERS, few


def parameters(test: str, count: int) -> list[str]:
    return [f"{test}[{number}]" for number in range(count)]


@pytest.mark.parametrize("count", [2, FEW_PARAMETERS])
@pytest.mark.parametrize("many", [4, 5, 8, 100])
def test_a_few_parameters_are_from_the_first_to_the_last(many, count):
    names = parameters("tests/test_one.py::test_all", many)
    kept = [int(name.partition("[")[2].rstrip("]")) for name in names if name in few(names, count)]
    assert len(kept) == count
    assert (kept[0], kept[-1]) == (0, many - 1)
    steps = [after - before for before, after in pairwise(kept)]
    assert max(steps) - min(steps) <= 1


def test_one_parameter_is_the_first():
    assert few(parameters("tests/test_one.py::test_all", 3), 1) == {"tests/test_one.py::test_all[0]"}


def test_other_tests_are_run_with_all():
    """Tests of the same name in two files are two tests; a parameter may look like another name."""
    names = [
        *parameters("tests/test_one.py::test_all", 3),
        *parameters("tests/test_two.py::test_all", 3),
        "tests/test_one.py::test_alone",
        "tests/test_one.py::test_text[a::b[c]]",
    ]
    assert few(names, 3) == set(names)


@pytest.mark.no_cover
def test_what_is_not_measured_runs_at_full_speed():
    assert sys.gettrace() is None


@pytest.mark.parametrize("name", sorted(REACHED_BY_OTHERS))
def test_what_is_not_measured_is_there(name):
    assert Path(__file__).resolve().parent.parent.joinpath(name).is_file()
