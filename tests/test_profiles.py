"""What a run for coverage takes of tests with many parameters."""

from __future__ import annotations

from itertools import pairwise

import pytest
from profiles import FEW_PARAMETERS, few


def parameters(test: str, count: int) -> list[str]:
    """The names of a test with so many parameters."""
    return [f"{test}[{number}]" for number in range(count)]


@pytest.mark.parametrize(("many", "kept_of_many"), FEW_PARAMETERS.values())
def test_a_test_with_many_parameters_is_run_with_a_few_from_the_first_to_the_last(many, kept_of_many):
    names = parameters("tests/test_one.py::test_all", many + 1)
    kept = [int(name.partition("[")[2].rstrip("]")) for name in names if name in few(names, many, kept_of_many)]
    assert len(kept) == kept_of_many
    assert (kept[0], kept[-1]) == (0, many)
    steps = [after - before for before, after in pairwise(kept)]
    assert max(steps) - min(steps) <= 1


def test_other_tests_are_run_with_all():
    """Tests of the same name in two files are two tests; a parameter may look like another name."""
    names = [
        *parameters("tests/test_one.py::test_all", 8),
        *parameters("tests/test_two.py::test_all", 8),
        "tests/test_one.py::test_alone",
        "tests/test_one.py::test_text[a::b[c]]",
    ]
    assert few(names, 8, 4) == set(names)
