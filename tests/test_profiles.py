"""What a run for coverage takes of tests with many parameters."""

from __future__ import annotations

from itertools import pairwise

from profiles import FEW_PARAMETERS, MANY_PARAMETERS, few


def parameters(test: str, count: int) -> list[str]:
    """The names of a test with so many parameters."""
    return [f"{test}[{number}]" for number in range(count)]


def test_a_test_with_many_parameters_is_run_with_a_few_from_the_first_to_the_last():
    many = parameters("tests/test_one.py::test_all", MANY_PARAMETERS + 1)
    kept = [int(name.partition("[")[2].rstrip("]")) for name in many if name in few(many)]
    assert len(kept) == FEW_PARAMETERS
    assert (kept[0], kept[-1]) == (0, MANY_PARAMETERS)
    steps = [after - before for before, after in pairwise(kept)]
    assert max(steps) - min(steps) <= 1


def test_other_tests_are_run_with_all():
    """Tests of the same name in two files are two tests; a parameter may look like another name."""
    names = [
        *parameters("tests/test_one.py::test_all", MANY_PARAMETERS),
        *parameters("tests/test_two.py::test_all", MANY_PARAMETERS),
        "tests/test_one.py::test_alone",
        "tests/test_one.py::test_text[a::b[c]]",
    ]
    assert few(names) == set(names)
