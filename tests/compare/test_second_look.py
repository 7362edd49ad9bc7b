"""What waited is reported from memory or from a second look: the same comes out."""

from __future__ import annotations

import random

import pytest
from cli_runs import ROOT, thing, write
from compared import differences
from writer.satisfactory import Level
from writer.tags import INT, STR, Array, Prop

import streamsave
from streamsave.compare import unmatched
from streamsave.compare.second_look import Kept
from streamsave.compare.unmatched import Leftover

SHAPEZ2 = ROOT / "corpora" / "valid" / "shapez2"


def mixed(folder, name, seed):
    """Objects in several levels, in any order, some of them changed."""
    shuffled = random.Random(seed)

    def some(level):
        for at in shuffled.sample(range(12), 9):
            labels = ["a", "b", *["c"] * shuffled.randrange(2)]
            props = [Prop("mCount", INT, shuffled.randrange(2)), Prop("mLabels", Array(STR), labels)]
            place = (0.0, 0.0, 0.0, 1.0, float(shuffled.randrange(2)), 0.0, 0.0, 1.0, 1.0, 1.0)
            yield thing(f"{level}_{at}", *props[shuffled.randrange(2) :], level=level, transform=place)

    names = shuffled.sample(["ONE", "TWO", "SIX"], 2)
    return write(folder, name, *some("Persistent_Level"), levels=tuple(Level(each, list(some(each))) for each in names))


@pytest.mark.parametrize("seed", range(3))
def test_memory_and_second_look_say_the_same(tmp_path, monkeypatch, seed):
    old, new = mixed(tmp_path, "old.sav", seed), mixed(tmp_path, "new.sav", seed + 100)
    found = []
    for most in ((8192, 256), (8192, 0), (3, 0)):
        monkeypatch.setattr(unmatched.Unmatched.__init__, "__defaults__", most)
        found.append(sorted(differences(old, new), key=repr))
    assert found[0] == found[1] == found[2]
    assert {row[0] for row in found[0]} == {"+", "-", "~"}


@pytest.mark.parametrize("most", [(8192, 256), (8192, 0)])
def test_an_object_with_others_in_it(tmp_path, monkeypatch, most):
    """Its own values are not reported beside it; the objects in it are."""
    monkeypatch.setattr(unmatched.Unmatched.__init__, "__defaults__", most)
    path = SHAPEZ2 / "checkpoints.spz2"
    target = tmp_path / "fewer.spz2"
    with streamsave.rewrite(path, target) as save:
        for event in save:
            if isinstance(event, streamsave.ObjectHeader) and event.kind == "island" and event.instance_name == "(-50, 50, 1)":
                save.drop()
    rows = differences(path, target)
    gone = [row[1] for row in rows if row[0] == "-"]
    assert "(-50, 50, 1)" in gone
    assert any(name.startswith("(-50, 50, 1):") for name in gone)
    assert not [row for row in rows if row[2].startswith("maps/main/islands/0.bin/(-50, 50, 1)")]


def test_what_is_kept_comes_back():
    from array import array

    from streamsave.compare.object_values import Seen

    kept = Kept(Leftover(array("q"), array("q"), array("q", [4, 6]), array("q", [10, 8])))
    kept.add(Seen(8, None, {("a",): (1, "")}))
    kept.add(Seen(10, None, {("b",): (2, "")}))
    assert [kept.twin(place).values for place in (4, 6)] == [{("b",): (2, "")}, {("a",): (1, "")}]
    kept.close()
