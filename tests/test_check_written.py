"""Readers that others wrote read what we write: whom they agree with, and what is counted."""

import sys

import check_written
import pytest
from attack.peers import Peer
from check_written import EDITS, Readings, edited_saves, salvaged_saves
from saves import VALID
from test_peers import BLIND

GVAS = VALID / "gvas" / "ue5-1018.sav"


@pytest.fixture
def readings(tmp_path):
    """Of a reader that finds what we find, but never a property `Secret`."""
    code = (BLIND % sys.path).replace("{", "{{").replace("}", "}}")
    made = Readings(Peer("reader", ("gvas",), ".", (sys.executable, "-c", code), ""), tmp_path, tmp_path / "kept")
    yield made
    made.close()


@pytest.mark.slow
def test_what_is_equal_and_what_is_not(tmp_path, readings):
    kinds = []
    target = tmp_path / "new.sav"
    for kind, name in edited_saves([GVAS], target):
        kinds.append(kind)
        readings.judge(target, kind, name)
    assert kinds[-3:] == list(EDITS[1:])
    assert set(readings.counts) == {f"{kind}: equal" for kind in kinds}
    assert not readings.fails
    target.write_bytes(b"no save")
    readings.judge(target, EDITS[0], "")
    assert readings.counts[f"{EDITS[0]}: refused"] == 1
    assert readings.fails
    assert [path.read_bytes() for path in (tmp_path / "kept").iterdir()] == [b"no save"]


@pytest.mark.slow
def test_salvaged_saves_may_be_refused(tmp_path, readings, monkeypatch):
    monkeypatch.setattr(check_written, "MOST_DAMAGED", GVAS.stat().st_size)
    target = tmp_path / "new.sav"
    assert list(salvaged_saves([GVAS], target, 12))
    assert {kind for kind, _ in salvaged_saves([GVAS], target, 12)} == {"salvaged"}
    target.write_bytes(b"no save")
    readings.judge(target, "salvaged", "")
    assert not readings.fails
