"""`streamsave get`."""

import re
from collections import Counter

import orjson
import pytest
from cli_runs import LEVEL, SAMPLES, printed, run
from saves import VALID

from streamsave.cli.get import is_short_for


def get(*args):
    text = printed("get", *args)
    assert text.count("\n") == 1
    return orjson.loads(text)


@pytest.mark.parametrize(
    ("name", "instance_name", "expected"),
    [
        ("B", "A.B", True),
        ("B", "A:B", True),
        ("B", "AB", False),
        ("A.B", "A.B", False),
        ("B", "A.BB", False),
        ("A", "A.B", False),
    ],
)
def test_ends_of_names(name, instance_name, expected):
    assert is_short_for(name, instance_name) == expected


@pytest.mark.parametrize(
    ("sample", "name"),
    [("satisfactory/sv60.sav", "BP_Unknown_C_1"), ("arx/v2.1.sav", "readme"), ("astroneer/full.savegame", "Terran_1")],
)
def test_each_member_by_its_name(sample, name):
    """Also bytes without a layout, whose name is the reason."""
    whole = get(VALID / sample, name)
    members = whole.get("properties", {}) | {
        key: value for key, value in whole.items() if isinstance(value, dict) and "base64" in value
    }
    assert members
    for key, value in members.items():
        assert get(VALID / sample, name, "--property", key) == value


@pytest.mark.slow
def test_flat_property_is_not_one_that_starts_alike():
    """The lines of a property are those of the object whose path has its name, whole."""
    save, name = SAMPLES[0].parent / "sv58.sav", "BP_Museum_C_1"
    every = run("get", save, name, "--flat").stdout.splitlines()
    names = [each for each in get(save, name)["properties"] if each.isalnum()]
    assert {"mVector", "mVector2D"} <= set(names)
    for property_name in names:
        found = run("get", save, name, "--flat", "--property", property_name).stdout.splitlines()
        start = f"{LEVEL}{name}/{property_name}"
        paths = [line.partition(" = ")[0].partition("/")[2] for line in every]
        assert found == [
            line for line, path in zip(every, paths, strict=True) if re.fullmatch(f"{re.escape(start)}([/[].*)?", path)
        ]
        assert found


@pytest.mark.parametrize("sample", ["gvas/palworld-0.3.sav", "gvas/class-header-abiotic.sav", "shapez2/checkpoints.spz2"])
def test_flat_lines_are_those_of_cat(sample):
    """A path of `get` can be pasted like one of `cat`."""
    every = set(run("cat", "--flat", VALID / sample).stdout.splitlines())
    names = Counter(line.split("\t")[1] for line in run("ls", VALID / sample).stdout.splitlines())
    for name in [name for name, count in names.items() if name and count == 1][:12]:
        found = run("get", VALID / sample, name, "--flat").stdout.splitlines()
        assert found
        assert every.issuperset(found)
