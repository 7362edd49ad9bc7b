"""Items that other processes read of saves."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from pathlib import Path

import click
import pytest
from attrs import frozen
from cli_runs import SAMPLES
from click.testing import CliRunner

from streamsave.cli.inputs import Saves, jobs_option, saves_argument
from streamsave.cli.run import gather
from streamsave.cli.worker_items import SIZE, Items


@pytest.mark.parametrize("step", [1, 2, 7, 8, 9, 1000])
def test_items_come_as_soon_as_they_are_complete(step):
    items = ["a", None, list(range(30)), b"x" * 100]
    pickles = [pickle.dumps(item) for item in items]
    data = b"".join(SIZE.pack(len(each)) + each for each in pickles)
    taken = []
    receiver = Items(taken.append)
    for start in range(0, len(data), step):
        receiver.feed(data[start : start + step])
        complete = sum(sum(SIZE.size + len(each) for each in pickles[: number + 1]) <= start + step for number in range(4))
        assert len(taken) == complete
    assert taken == items


@frozen
class Reading:
    """Gives what names of saves say. Workers import it from here."""

    def __call__(self, save):
        what = Path(save.label).stem
        yield what, os.getpid()
        if what.startswith("dies"):
            os.kill(os.getpid(), signal.SIGKILL)
        if what.startswith("raises"):
            raise ZeroDivisionError(what)
        yield what, None


@pytest.fixture
def gathered(tmp_path, monkeypatch):
    """Runs a command that gathers items of saves of some names."""
    monkeypatch.setattr(Reading, "__module__", "test_worker_items")
    monkeypatch.setitem(sys.modules, "test_worker_items", sys.modules[__name__])
    monkeypatch.syspath_prepend(str(Path(__file__).parent))

    def run_for(*names, take=None):
        taken = []

        @click.command()
        @saves_argument
        @jobs_option
        def command(saves: Saves) -> int:
            return gather(saves, Reading(), take or taken.append)

        for name in names:
            (tmp_path / name).write_bytes(SAMPLES[0].read_bytes())
        result = CliRunner().invoke(command, [*(str(tmp_path / name) for name in names), "-j2"], standalone_mode=False)
        if result.exception is not None:
            raise result.exception
        return result.return_value, taken, result.stderr

    return run_for


@pytest.mark.slow
def test_items_come_in_the_order_of_the_saves(gathered):
    names = [f"{number}.sav" for number in range(9)]
    code, taken, errors = gathered(*names)
    assert (code, errors) == (0, "")
    assert [what for what, _ in taken] == [str(number) for number in range(9) for _ in range(2)]
    assert len({pid for _, pid in taken} - {None, os.getpid()}) == 2


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_one_that_dies_is_reported_and_the_next_is_read(gathered):
    code, taken, errors = gathered("a.sav", "dies.sav", "b.sav")
    assert code == 2
    # What it had not written yet is lost with it.
    assert [what for what, _ in taken if what != "dies"] == ["a", "a", "b", "b"]
    assert errors.endswith("dies.sav: the process that was reading it died\n")
    assert errors.count("\n") == 1


@pytest.mark.slow
def test_a_bug_is_raised(gathered):
    with pytest.raises(ZeroDivisionError, match="raises"):
        gathered("a.sav", "raises.sav", "b.sav")


@pytest.mark.slow
def test_what_takes_items_may_end_it(gathered):
    def enough(_):
        raise click.exceptions.Exit(7)

    code, _, errors = gathered("a.sav", "b.sav", take=enough)
    assert (code, errors) == (7, "")
