"""The guard: which faults it catches, and that it is not made unless faults are survived."""

from __future__ import annotations

import pytest
from satisfactory_layouts import reader_over
from writer.satisfactory import World, release_header, save_bytes

import streamsave
from streamsave import DamagedSave, LimitExceeded
from streamsave.errors import SaveError
from streamsave.formats.satisfactory import body_recovery, level_losses
from streamsave.formats.satisfactory.guard import Guard


def make_guard(*, resyncs: bool = True) -> Guard:
    reader = reader_over(b"bytes")
    reader.resyncs = resyncs
    return Guard(reader)


def test_a_fault_is_caught():
    guard = make_guard()
    fault = DamagedSave("here", 3)
    with guard:
        raise fault
    assert guard.fault is fault


def test_no_fault_of_before_is_left():
    guard = make_guard()
    with guard:
        raise DamagedSave("here", 3)
    with guard:
        pass
    assert guard.fault is None


def test_guards_nest():
    """The outer one does not report what the inner one has caught."""
    guard = make_guard()
    with guard:
        with guard:
            raise DamagedSave("inner", 3)
        assert guard.fault is not None
    assert guard.fault is None


@pytest.mark.parametrize("error", [ValueError("no fault of the save"), OSError("nor this"), GeneratorExit()])
def test_other_errors_pass(error):
    guard = make_guard()
    with pytest.raises(type(error)), guard:
        raise error
    assert guard.fault is None


def test_limits_of_the_whole_pass():
    """There is no going on after them."""
    error: SaveError = LimitExceeded("too much", 0, limit="inflate_ratio", value=2, allowed=1)
    with pytest.raises(LimitExceeded), make_guard():
        raise error


def test_faults_pass_where_none_are_survived():
    with pytest.raises(DamagedSave), make_guard(resyncs=False):
        raise DamagedSave("here", 3)


@pytest.mark.parametrize(("mode", "made"), [("raise", False), ("resync", True)])
def test_it_is_only_made_for_a_recovery(monkeypatch, mode, made):
    guards = []

    class Noted(Guard):
        def __init__(self, reader):
            super().__init__(reader)
            guards.append(self)

    for module in (body_recovery, level_losses):
        monkeypatch.setattr(module, "Guard", Noted)
    if vars(level_losses).get("Guard") is not Noted or level_losses.__file__.endswith((".so", ".pyd")):
        pytest.skip("compiled modules do not look their names up")
    with streamsave.open(save_bytes(World(release_header(52))), on_damage=mode) as events:
        assert len(list(events)) > 3
    assert bool(guards) == made
