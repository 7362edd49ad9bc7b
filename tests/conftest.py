"""Profiles of Hypothesis, and the folder of real saves."""

import gc
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import profiles
import pytest
from saves import CORPUS, VALID, needs_oodle

profiles.load()
# Many thousand tests are found, and none is freed before the end: the garbage collector need not look at them.
gc.disable()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switches of `test_golden.py`, `test_printed.py`, `test_howto.py`, `test_invalid.py` and `test_public_api.py`."""
    parser.addoption("--update-golden", action="store_true", help="write anew what commands print, and the events of samples")
    parser.addoption("--update-api", action="store_true", help="write the list of public names and signatures anew")
    parser.addoption("--update-howto", action="store_true", help="write what the recipes print into streamsave/HOWTO.md")
    parser.addoption("--update-manifest", action="store_true", help="write anew what the files of corpora/invalid raise")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With the profile `plain`, leave out most parameters of each test; measure lines where it pays."""
    if profiles.PROFILE != "plain":
        return
    slow = {item: item.nodeid for item in items if item.get_closest_marker("slow")}
    few = profiles.few((item.nodeid for item in items if item not in slow), profiles.FEW_PARAMETERS)
    few |= profiles.few(slow.values(), 1)
    # Quick tests with `skipif` are run whole: some are skipped with the compiled wheel.
    whole = {
        item for item in items if item.get_closest_marker("varied") or (item.get_closest_marker("skipif") and item not in slow)
    }
    # Those that read many real saves, one after another; `real_save` gives one that is small.
    large = {item for item in slow if "corpus" in item.fixturenames and "real_save" not in item.fixturenames}
    kept = [item for item in items if (item in whole or item.nodeid in few) and item not in large]
    config.hook.pytest_deselected(items=list({*items} - {*kept}))
    items[:] = kept
    first_and_last = profiles.few((item.nodeid for item in kept), profiles.FEW_MEASURED)
    measured = {item for item in kept if item in whole or item.nodeid in first_and_last} - {*slow}
    measured -= {item for item in kept if item.nodeid.partition("::")[0] in profiles.REACHED_BY_OTHERS}
    # Not with real saves: most checkouts have none, and have to reach as many lines.
    measured -= {item for item in kept if "corpus" in item.fixturenames}
    for item in {*kept} - measured:
        item.add_marker("no_cover")


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Run what is not measured at full speed.

    In a process of xdist, pytest-cov has begun to measure twice: where it pauses, the first one goes on, for nothing.
    """
    tracing = sys.gettrace()
    if item.get_closest_marker("no_cover"):
        sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(tracing)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small world to be read."""
    from cli_runs import small_world

    return small_world(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Real saves: the test is skipped where there are none."""
    if not CORPUS.is_dir():
        pytest.skip(f"real saves are not here: {CORPUS} is no folder")
    return CORPUS


@pytest.fixture
def real_save(corpus: Path, request: pytest.FixtureRequest) -> Callable[[str], Path]:
    """A function that gives a real save by its name; it skips the test where the save is not there or its extra is not.

    With the profile `plain`, it skips slow tests of large saves, too.
    """
    is_thinned = profiles.PROFILE == "plain" and request.node.get_closest_marker("slow")

    def found(name: str) -> Path:
        path = corpus / name
        if not path.is_file():
            pytest.skip(f"{name} is not among these real saves")
        if is_thinned and path.stat().st_size > profiles.LARGEST_OF_SLOW:
            pytest.skip(f"{name} takes long in plain Python")
        if needs_oodle(path):
            pytest.importorskip("ooz", reason="the extra `oodle` is not installed")
        return path

    return found


@pytest.fixture
def any_save(request: pytest.FixtureRequest) -> Callable[[str], Path]:
    """A function that gives a sample by its name, or else a real save, as `real_save` does."""
    return lambda name: VALID / name if (VALID / name).is_file() else request.getfixturevalue("real_save")(name)


@pytest.fixture
def memory() -> Iterator[Any]:
    """The files in fsspec's memory, emptied afterwards."""
    files = pytest.importorskip("fsspec", reason="needs the extra `remote`").filesystem("memory")
    yield files
    files.rm("/", recursive=True)


@pytest.fixture(autouse=True)
def unconfigured_log() -> Iterator[None]:
    """Leave no configuration of structlog to the tests that follow: tools, and `capture_logs`, make one."""
    yield
    if "structlog" in sys.modules:
        sys.modules["structlog"].reset_defaults()


def pytest_collection_finish() -> None:
    """Let the garbage collector look at what comes from here on."""
    gc.freeze()
    gc.enable()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Keep long byte strings out of the names of tests: some hold the time of day, and all processes must find the same names."""
    return argname if isinstance(val, bytes) and len(val) > 20 else None
