"""How thorough the property tests are: profiles of Hypothesis, and what loops over bytes take their steps from.

    HYPOTHESIS_PROFILE=thorough pytest tests/test_contract.py tests/stream tests/recovery/test_satisfactory_chunks.py

`dev` draws other examples each time; `ci` the same ones, so that a failure is of the change and not of chance; `plain` takes a
twentieth of those, and a few parameters of each test, for the wheel of plain Python, with which they take five times as long as
with the compiled one, which runs all (and three times as long again where lines are measured); `thorough` takes twenty times as
many, and looks at every byte where the others look at some.
"""

import os
from collections.abc import Iterable

from hypothesis import HealthCheck, settings

#: How many times the examples of a usual run.
SCALES = {"dev": 1.0, "ci": 1.0, "plain": 0.05, "thorough": 20.0}

#: With how many of its parameters `plain` runs a quick test, from the first to the last; a slow one with the first.
FEW_PARAMETERS = 3
#: With how many of those lines are measured: the first and the last.
FEW_MEASURED = 2
#: Files whose tests take long to measure, and reach next to no lines that others do not reach: `plain` does not measure them.
REACHED_BY_OTHERS = {
    "tests/cli/test_arx.py",
    "tests/cli/test_diff.py",
    "tests/cli/test_ls.py",
    "tests/cli/test_text.py",
    "tests/compare/test_growth.py",
    "tests/consume/test_search.py",
    "tests/consume/test_values.py",
    "tests/formats/arx/test_reader.py",
    "tests/formats/astroneer/test_reader.py",
    "tests/formats/gvas/test_reader.py",
    "tests/formats/satisfactory/test_truth.py",
    "tests/output/test_json_document.py",
    "tests/recovery/test_arx.py",
    "tests/rewriting/test_arx.py",
    "tests/test_contract.py",
    "tests/test_equations.py",
    "tests/test_inside.py",
    "tests/test_limits.py",
    "tests/test_selected.py",
    "tests/test_surgery.py",
}
#: The size of the largest real save with which `plain` runs a slow test; those that read many are left to the compiled wheel.
LARGEST_OF_SLOW = 100_000

PROFILE = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
SCALE = SCALES[PROFILE]


def load() -> None:
    """Register the profiles, and take the one that the environment names."""
    # No deadline anywhere: plain Python on a busy machine is slow, and that is no bug.
    slow = [HealthCheck.too_slow]
    settings.register_profile("dev", deadline=None)
    for name in ("ci", "plain"):
        settings.register_profile(name, deadline=None, derandomize=True, print_blob=True, suppress_health_check=slow)
    settings.register_profile("thorough", deadline=None, print_blob=True, suppress_health_check=slow)
    settings.load_profile(PROFILE)


def scaled(count: int) -> int:
    """What a usual run does so many times."""
    return max(round(count * SCALE), 1)


def examples(count: int) -> settings:
    """So many examples in a usual run."""
    return settings(max_examples=scaled(count))


def some(start: int, end: int, count: int) -> range:
    """About `count` numbers of `[start, end)`, spread evenly; many more, or all, in a thorough run, and fewer in a plain one."""
    return range(start, end, max((end - start) // scaled(count), 1))


def few(names: Iterable[str], count: int) -> set[str]:
    """Of the names of tests, `file::test[parameter]`, at most so many of each test, spread evenly from the first to the last."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name.partition("[")[0], []).append(name)
    kept: set[str] = set()
    for group in groups.values():
        last = len(group) - 1
        kept.update([group[last * step // max(count - 1, 1)] for step in range(count)] if last >= count else group)
    return kept
