"""Why no object matches `--where`."""

from __future__ import annotations

import random

import pytest
from cli_runs import ROOT, SAMPLES, run
from saves import VALID

import streamsave
from streamsave.cli import nothing_found
from streamsave.cli.nothing_found import Watched, explain
from streamsave.consume.conditions import Facts
from streamsave.consume.parser import parse_selection
from streamsave.consume.values import Part, Walk, leaves
from streamsave.output.flat_text import path_text

SAMPLE = SAMPLES[-1]
PALWORLD = ROOT / "corpora" / "valid" / "gvas" / "palworld-1.0.sav"
REASONS = [
    ("class_name == BP_EnemySpawner", "no class_name is 'BP_EnemySpawner'; the nearest: BP_CreatureSpawner_C"),
    ("class_name = bp_creaturespawner_c", "no class_name is 'bp_creaturespawner_c'; there is BP_CreatureSpawner_C"),
    ("class_name = '*Zzzz*'", "no class_name is '*Zzzz*'"),
    ("kind = building", "no kind is 'building': here are actor, lightweight, object"),
    ("clas ~ x", "no object has 'clas'; the nearest: class_name, mSoftClass"),
    ("has(mSpawnDate)", "no object has 'mSpawnDate'; the nearest: mSpawnData, mSplineData, mSaveData"),
    ("level = Persistent", "no level is 'Persistent'; the nearest: Persistent_Level"),
    # Each of the tests could be passed, but not all at once.
    ("class_name = BP_CreatureSpawner_C and size = 1", ""),
    # What objects have to fail.
    ("not class_name = Zzzz and size < 0", ""),
    # The same twice.
    ("kind = x and (kind = x or size = 0)", "no kind is 'x': here are actor, lightweight, object"),
    (
        "kind = x and has(mX)",
        "no kind is 'x': here are actor, lightweight, object; no object has 'mX'; the nearest: mBox",
    ),
]


@pytest.mark.parametrize(("where", "reason"), REASONS)
def test_reason(where, reason):
    with streamsave.open(SAMPLE) as events:
        assert explain(events, parse_selection(where)) == reason


def test_no_reason_where_there_are_too_many_names(monkeypatch):
    monkeypatch.setattr(nothing_found, "MOST_NAMES", 2)
    for where in ("class_name = Zzzz", "has(zzzz)"):
        with streamsave.open(SAMPLE) as events:
            assert explain(events, parse_selection(where)) == ""


def test_no_reason_in_a_damaged_save():
    with streamsave.open(SAMPLE.read_bytes()[:-100]) as events:
        assert explain(events, parse_selection("class_name = Zzzz")) == ""


def test_members_of_elements():
    """The objects are elements of containers; their members are properties and structs."""
    with streamsave.open(PALWORLD) as events:
        assert "no object has 'valu'; the nearest: value" in explain(events, parse_selection("valu = 3"))


def test_a_watched_selection_remembers():
    watched = Watched(parse_selection("class_name = a and size = 3"))
    assert watched._verdict(Facts({"class_name": "a"})) is None
    assert not watched.has_matched
    assert len(list(watched._tests())) == 2
    watched = Watched(parse_selection("class_name = a"))
    assert watched._verdict(Facts({"class_name": "b"})) is False
    assert not watched.has_matched
    assert watched._verdict(Facts({"class_name": "a"})) is True
    assert watched._verdict(Facts({"class_name": "b"})) is False
    assert watched.has_matched


@pytest.mark.slow
def test_each_save_has_its_own_message():
    """Read one after the other or side by side, whichever has matched before."""
    others = SAMPLES[0].parent / "sv25.sav"
    for jobs in ("1", "2"):
        result = run("ls", SAMPLE, others, SAMPLE, "--where", "mSpawnData[*].NumTimesKilled > 5", "-j", jobs)
        assert [line.partition(": no")[0] for line in result.stderr.splitlines()] == [f"streamsave: {others}"]


def test_a_place_that_was_printed():
    row = run("ls", SAMPLE, "--where", "kind = lightweight").stdout.splitlines()[0].split("\t")
    place = row[-1]
    x, y, z, unit = place.split()
    low, high = (" ".join(f"{float(each) + add:.2f}" for each in (x, y, z)) for add in (-0.01, 0.01))
    found = run("ls", SAMPLE, "--where", f"kind = lightweight and position in ({low} {unit})..({high} {unit})").stdout
    assert row == found.splitlines()[0].split("\t")


def test_words_of_a_name():
    """As a player writes it."""
    with streamsave.open(ROOT / "corpora" / "valid" / "shapez2" / "small.spz2") as events:
        assert "BeltDefaultForwardInternalVariant" in explain(events, parse_selection('class_name = "Forward Belt"'))


SAVES = sorted(str(path.relative_to(VALID)) for path in VALID.rglob("*.s*") if path.is_file())
REAL = ["arx/v2.0-mixed.sav", "gvas/palworld-level-unicode.sav", "satisfactory/hv14-sv52-pep-modtest-1.sav"]
#: Names that are looked for in each save.
MANY = 20


def ends_of(path):
    """Names inside of members that are no member of an object -> the paths that end so, with `[*]` for the elements of lists."""
    members = set()
    found = {}
    with streamsave.open(path) as events:
        for step in Walk(events, loose=False):
            if isinstance(step, Part):
                for whole, _ in leaves(step):
                    steps = whole[step.base :]
                    members |= set(steps[:1])
                    for number, name in enumerate(steps[1:], 1):
                        if isinstance(name, str):
                            place = tuple(0 if isinstance(each, int) else each for each in steps[: number + 1])
                            found.setdefault(name, set()).add(path_text(place).replace("[0]", "[*]"))
    return {name: paths for name, paths in found.items() if name not in members}


def assert_listed(path):
    found = ends_of(path)
    names = sorted(found)
    pasted = []
    for name in random.Random(path.name).sample(names, min(MANY, len(names))):
        with streamsave.open(path) as events:
            reason = explain(events, parse_selection(f"has(.{path_text((name,))})"))
        assert reason.startswith(f"no object has '{name}'; ")
        listed = [each for each in found[name] if each in reason.partition(" so: ")[2]]
        assert len(listed) >= min(len(found[name]), nothing_found.SHOWN), (name, reason, found[name])
        pasted += listed
    with streamsave.open(path) as events:
        matched = {number for number, _ in events.select(*[f"has(.{each})" for each in pasted])}
    assert [each for number, each in enumerate(pasted) if number not in matched] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", SAVES)
def test_the_end_of_a_path_lists_whole_paths(name):
    """Those that the walk over all values finds; each of them, pasted, finds objects."""
    assert_listed(VALID / name)


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_the_end_of_a_path_in_real_saves(real_save, name):
    assert_listed(real_save(name))


def test_one_whole_path_and_several():
    where = "mSpawnData[*]/NumTimesKilled"
    with streamsave.open(SAMPLE) as events:
        reason = explain(events, parse_selection("NumTimesKilled > 5"))
    assert reason == f"no object has 'NumTimesKilled'; this ends so: {where}"
    with streamsave.open(SAMPLE) as events:
        reason = explain(events, parse_selection("x > 1e9"))
    assert reason.startswith("no object has 'x'; these end so: ")
    assert len(reason.split(", ")) == nothing_found.SHOWN
