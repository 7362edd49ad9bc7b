"""Two saves: what was added, removed and changed, whatever their order."""

import random

import pytest
from cli_runs import ROOT, thing, write
from compared import differences, of_objects
from feeding import BrokenSeekable
from saves import raises
from writer.satisfactory import Level
from writer.tags import INT, STR, Array, Prop

import streamsave
from streamsave import ObjectHeader, UnsupportedSave
from streamsave.compare import records
from streamsave.compare.compare import Unreadable, common_size
from streamsave.events import Field, PropertyTag

VALID = ROOT / "corpora" / "valid"
SAVES = sorted(path for path in VALID.rglob("*") if path.is_file() and path.suffix not in {".txt", ".md", ".meta"})


@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.name)
def test_a_save_is_like_itself(path):
    assert differences(path, path) == []


@pytest.mark.parametrize(
    ("one", "other", "size"), [(b"", b"a", 0), (b"ab", b"abc", 2), (b"abcd", b"abXd", 2), (b"a" * 9, b"a" * 9, 9)]
)
def test_the_common_start_of_two_objects(one, other, size):
    assert common_size(one, other) == common_size(other, one) == size


def chests(folder, name, counts):
    return write(folder, name, *(thing(f"Chest_{key}", Prop("mCount", INT, count)) for key, count in counts.items()))


def edited(path, target, names):
    """Write a save in which these numbers are one more; return how many."""
    count = 0
    with streamsave.rewrite(path, target) as save:
        for event in save:
            if isinstance(event, (PropertyTag, Field)) and (event.name in names or getattr(event, "type", "") in names):
                value = save.build()
                if value + 1 - value == 1:
                    save.replace(value + 1)
                    count += 1
    return count


NUMBERS = ["FloatProperty", "IntProperty", "mana", "interval"]


@pytest.mark.parametrize(
    "name", ["gvas/ue5-1012.sav", "gvas/palworld-1.0.sav", "satisfactory/sv58.sav", "arx/v2.1.sav", "shapez2/checkpoints.spz2"]
)
def test_each_value_that_was_edited_is_found(tmp_path, name):
    target = tmp_path / "edited"
    count = edited(VALID / name, target, NUMBERS)
    assert count
    rows = [row for row in differences(VALID / name, target) if not row[2].startswith("@header")]
    assert len(rows) == count
    assert all(float(row[4]) == float(row[3]) + 1 for row in rows)
    assert len(differences(target, VALID / name)) >= count


def test_two_formats():
    with pytest.raises(UnsupportedSave, match="only saves of one format"):
        differences(VALID / "satisfactory/sv58.sav", VALID / "gvas/ue5-1012.sav")


@pytest.mark.parametrize("side", [0, 1])
def test_which_of_them_is_damaged(small, side):
    saves = [small.read_bytes(), small.read_bytes()]
    saves[side] = saves[side][:-100]
    with raises(Unreadable, side=side):
        differences(*saves)
    with raises(Unreadable, side=side):
        differences(*[b"nothing that is a save"[: 22 if at == side else 0] or small for at in range(2)])


@pytest.mark.parametrize("side", [0, 1])
def test_a_disk_that_breaks_is_an_error_of_its_save(tmp_path, side):
    path = chests(tmp_path, "a.sav", dict.fromkeys(range(3000), 1))
    saves = [path, path]
    saves[side] = BrokenSeekable(path.read_bytes(), 5, OSError(5, "the disk is broken"), path.stat().st_size // 10)
    with pytest.raises(Unreadable) as caught:
        differences(*saves)
    assert caught.value.side == side
    assert isinstance(caught.value.error, OSError)


def test_a_database_that_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "TABLES", records.TABLES + "PRAGMA max_page_count = 4")
    with pytest.raises(OSError, match="disk is full"):
        differences(chests(tmp_path, "a.sav", dict.fromkeys(range(400), 1)), chests(tmp_path, "b.sav", {}))


def test_memory_of_what_is_missing_is_bounded(tmp_path, monkeypatch):
    held = []
    add = records.Waiting.add

    def watched(self, *row):
        add(self, *row)
        held.append(self._count)

    monkeypatch.setattr(records.Waiting.__init__, "__defaults__", (5,))
    monkeypatch.setattr(records.Waiting, "add", watched)
    old, new = chests(tmp_path, "old.sav", dict.fromkeys(range(30), 1)), chests(tmp_path, "new.sav", {})
    assert len(of_objects(differences(old, new))) == 30
    assert max(held) == 5


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
def test_what_waits_in_memory_and_in_a_file_gives_the_same(tmp_path, monkeypatch, seed):
    old, new = mixed(tmp_path, "old.sav", seed), mixed(tmp_path, "new.sav", seed + 100)
    found = []
    for most in (8192, 3):
        monkeypatch.setattr(records.Waiting.__init__, "__defaults__", (most,))
        found.append(sorted(differences(old, new), key=repr))
    assert found[0] == found[1]
    assert {row[0] for row in found[0]} == {"+", "-", "~"}


def test_objects_without_a_place_or_name():
    """Elements that a profile gives only numbers: equal ones belong together."""
    path = VALID / "gvas/ue5-1012.sav"
    with streamsave.open(path) as events:
        (best, *_) = sorted(events.containers(), key=lambda each: -each.elements)
    with streamsave.open(path, objects_at=[best.path]) as events:
        assert any(isinstance(event, ObjectHeader) for event in events)
    assert differences(path, path, objects_at=[best.path]) == []


MANY = 66_000


@pytest.mark.parametrize(
    ("first", "more", "expected"),
    [
        (50_000, 0, [("mMany[49152..65999]", '"16848 elements"', '"16848 other elements"')]),
        (MANY, 100, [("mMany[65536..66099]", '"464 elements"', '"564 other elements"')]),
        (
            MANY,
            3_634,
            [("mMany[65536..69631]", '"464 elements"', '"4096 other elements"'), ("mMany[69632..69633]", None, "[69633,69634]")],
        ),
        (MANY, 64, [(f"mMany[{at}]", None, str(at + 1)) for at in range(MANY, MANY + 64)]),
    ],
)
def test_differences_of_an_array_that_comes_in_slices(tmp_path, first, more, expected):
    """More than 64 in a slice of 4,096 elements are told as one."""
    numbers = [[*range(MANY)], [*range(first), *range(first + 1, MANY + more + 1)]]
    old, new = (write(tmp_path, f"{len(each)}-{each[-1]}.sav", thing("A", Prop("mMany", Array(INT), each))) for each in numbers)
    assert [row[2:] for row in differences(old, new) if "mMany" in row[2]] == expected
