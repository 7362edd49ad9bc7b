"""Versions of a `RawData`: the ages, the gates on both sides."""

import struct

import pytest
from palworld_blobs import CHAINED, OLD

from streamsave.decode.codecs import I32, U8
from streamsave.formats.palworld.codecs import END
from streamsave.formats.palworld.versions import (
    AGE_FAULTY,
    AGE_LATE_PLAIN,
    AGE_PLAIN,
    AGE_VERSIONS,
    CHAIN,
    CHAIN_KEY,
    GUILD_KEY,
    GUILD_NAME_MODIFIER,
    GUILD_ROLES,
    MODEL_1_0,
    MODEL_KEY,
    NEWEST,
    SINCE_FAULTY,
    SINCE_LATE_PLAIN,
    SINCE_VERSIONS,
    Member,
    Versions,
    layout,
    read_versions,
)

ENTRY = CHAIN_KEY + struct.pack("<i", 1)
ONE = struct.pack("<I", 1)


@pytest.mark.parametrize(
    ("data", "ages", "numbers"),
    [
        (None, [AGE_PLAIN, AGE_LATE_PLAIN], {}),
        (b"", [AGE_PLAIN, AGE_LATE_PLAIN, AGE_VERSIONS, AGE_FAULTY], {}),
        (struct.pack("<I", 0), [AGE_VERSIONS, AGE_FAULTY], {}),
        (ONE + ENTRY, [AGE_VERSIONS, AGE_FAULTY], {CHAIN_KEY: 1}),
        (b"\2\0\0\0" + ENTRY + GUILD_KEY + struct.pack("<i", 4), [AGE_VERSIONS, AGE_FAULTY], {CHAIN_KEY: 1, GUILD_KEY: 4}),
        (b"\0\0\0", [AGE_FAULTY], {}),
        (bytes(5), [AGE_FAULTY], {}),
        (ONE + ENTRY[:-1], [AGE_FAULTY], {}),
        (ONE + ENTRY + b"\0", [AGE_FAULTY], {}),
        (b"\xff\xff\xff\xff", [AGE_FAULTY], {}),
    ],
)
def test_read_versions(data, ages, numbers):
    found = read_versions(data)
    assert [versions.age for versions in found] == ages
    assert all(versions.numbers == numbers for versions in found)


@pytest.mark.parametrize(
    ("gate", "without", "with_it"),
    [
        (SINCE_LATE_PLAIN, Versions(AGE_PLAIN, {}), Versions(AGE_LATE_PLAIN, {})),
        (SINCE_FAULTY, Versions(AGE_LATE_PLAIN, {}), Versions(AGE_FAULTY, {})),
        (SINCE_VERSIONS, Versions(AGE_FAULTY, {}), Versions(AGE_VERSIONS, {})),
        (CHAIN, Versions(AGE_VERSIONS, {CHAIN_KEY: 0}), Versions(AGE_VERSIONS, {CHAIN_KEY: 1})),
        (GUILD_NAME_MODIFIER, Versions(AGE_VERSIONS, {}), Versions(AGE_VERSIONS, {GUILD_KEY: 1})),
        (GUILD_ROLES, Versions(AGE_VERSIONS, {GUILD_KEY: 3}), Versions(AGE_VERSIONS, {GUILD_KEY: 4})),
        (MODEL_1_0, Versions(AGE_VERSIONS, {MODEL_KEY: 2}), Versions(AGE_VERSIONS, {MODEL_KEY: 3})),
    ],
)
def test_gates(gate, without, with_it):
    assert not gate.holds(without)
    assert gate.holds(with_it)
    assert layout(without, ("A", [Member("a", U8, gate), Member("b", I32)])).names == ["b"]
    assert layout(with_it, ("A", [Member("a", U8, gate), Member("b", I32)])).names == ["a", "b"]


@pytest.mark.parametrize("key", NEWEST)
def test_newer_versions(key):
    assert Versions(AGE_VERSIONS, {key: NEWEST[key]}).newer() is None
    assert Versions(AGE_VERSIONS, {key: NEWEST[key] + 1}).newer() == key
    assert Versions(AGE_VERSIONS, {b"unknown": 99}).newer() is None


def test_layout_has_the_ends_of_classes_only_where_versions_say_so():
    rows = [END, END, END]  # an egg has three
    assert layout(Versions(0, {}), ("A", rows)).names == []
    made = layout(Versions(2, {CHAIN_KEY: 1}), ("A", rows))
    assert (made.name, made.names) == ("A", ["class_end", "class_end_2", "class_end_3"])
    assert (OLD.end, CHAINED.end) == (b"", bytes(4))  # as the writer has them
