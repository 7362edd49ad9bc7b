"""The container of Arx saves: its table, and what is refused before anything is made of it."""

import pytest
from writer.arx import DEFLATE, DEFLATED, IMPLODE, LEGACY, NO_EXTENSION, RELEASE, STORED, Container, Entry, Row, assemble

from streamsave import DamagedSave, LimitExceeded
from streamsave.formats.arx.container import classify, read_container
from streamsave.input.source import open_source
from streamsave.limits import Limits


def container(data, **limits):
    return read_container(open_source(data), Limits(**limits))


def names(found):
    return [entry.name for entry in found.entries]


def test_rows():
    made = Container(
        NO_EXTENSION,
        [Entry(b"pld", bytes(396), STORED, chunks=2), Entry(b"x", b"abc", DEFLATED), Entry(b"bread_0001", b"", STORED)],
        gap=b"gap",
        stale=b"old",
    )
    found = container(made.encode())
    assert (found.version, found.dummy, found.stale_size, found.duplicates) == (NO_EXTENSION, None, 3, [])
    pld, x, bread = found.entries
    assert (pld.index, pld.kind, pld.class_name, pld.codec, pld.size, pld.stored_size) == (0, "pld", "pld", "stored", 396, 396)
    # The second piece comes first in the file, each after a gap.
    assert pld.chunks == [(4 + 3 + 197 + 3, 199), (4 + 3, 197)]
    assert (x.kind, x.codec, x.size) == ("blob", "deflate", 3)
    assert (bread.kind, bread.class_name, bread.name) == ("entity", "bread", "bread_0001")
    assert (bread.size, bread.chunks) == (0, [])
    # The entry without bytes has its gap, too.
    assert found.gaps == [(4, 3), (204, 3), (406, 3), (found.table_offset - 3, 3)]
    assert found.table_offset == 4 + 396 + 12 + x.stored_size
    assert found.table_offset + found.table_size + 3 == len(made.encode())


NAMES = [
    # in the file; before version 0x00020001, from then on
    (b"PLD.SAV", "pld", "PLD.SAV"),
    (b"pld.sav.sav", "pld.sav", "pld.sav.sav"),
    (b".sav", ".sav", ".sav"),
    (b"a.sav", "a", "a.sav"),
    (b"pld", "pld", "pld"),
    (b"\xc4PFEL.Sav", "\xc4pfel", "\xc4PFEL.Sav"),
    (b"\xff\x80.sav", "\xff\x80", "\xff\x80.sav"),
    (b"", "", ""),
]


@pytest.mark.parametrize(("raw", "old", "new"), NAMES)
def test_names(raw, old, new):
    for version in (LEGACY, RELEASE, DEFLATE):
        assert names(container(Container(version, [Entry(raw, b"x")]).encode())) == [old]
    found = container(Container(NO_EXTENSION, [Entry(raw, b"x")]).encode())
    assert (names(found), found.entries[0].raw_name) == ([new], raw)


def test_the_first_entry_of_the_oldest_version_is_none():
    found = container(Container(LEGACY, [Entry(b"pld.sav", b"x"), Entry(b"a.sav", b"y")], dummy_name=b"Save Block").encode())
    assert (found.dummy, names(found)) == ("save block", ["pld", "a"])
    nothing = container(assemble(b"", LEGACY, [Row(b"dummy", 9, 9, [(77, 77)], chunk_count=0)]))
    assert (nothing.dummy, nothing.entries) == ("dummy", [])
    assert container(assemble(b"", LEGACY, [])).dummy is None


def test_sizes():
    for version in (LEGACY, RELEASE):
        assert container(Container(version, [Entry(b"a", b"xyz", claimed_size=3)]).encode()).entries[0].size == -1
    for codec, size in ((STORED, 3), (IMPLODE, -1), (DEFLATED, -1)):
        made = Container(DEFLATE, [Entry(b"a", b"xyz", codec, unknown_size=True)])
        assert container(made.encode()).entries[0].size == size


def test_chunks_of_an_empty_entry_mean_nothing():
    """The game leaves them, and may have put others there."""
    made = assemble(b"abc", NO_EXTENSION, [Row(b"empty", 0, STORED, [(2, 0)]), Row(b"a", 3, STORED, [(3, 0)])])
    assert [entry.stored_size for entry in container(made).entries] == [0, 3]
    at_the_end = assemble(b"abc", NO_EXTENSION, [Row(b"a", 3, STORED, [(3, 0), (0, 3)])])
    assert container(at_the_end).entries[0].chunks == [(4, 3), (7, 0)]


KINDS = {
    "pld": ("pld", "pld"),
    "player": ("player", "player"),
    "globals": ("globals", "globals"),
    "lvl000": ("level", "level"),
    "lvl24": ("blob", "blob"),
    "lvl0\u00b2\u00b2": ("blob", "blob"),
    "goblin_base_0007": ("entity", "goblin_base"),
    "player_-001": ("entity", "player"),
    "torch_12345": ("entity", "torch"),
    "torch_12": ("blob", "blob"),
    "torch_": ("blob", "blob"),
    "_0001": ("blob", "blob"),
    "": ("blob", "blob"),
}


@pytest.mark.parametrize("name", KINDS)
def test_classify(name):
    assert classify(name) == KINDS[name]


def test_a_version_that_is_not_known_is_read_like_the_nearest(caplog):
    assert names(container(assemble(b"abc", 0x00020002, [Row(b"A.SAV", 3, STORED, [(3, 0)])]))) == ["A.SAV"]
    assert "not known" in caplog.text


def test_a_name_without_an_end():
    for name, fault in ((b"a" * 255, None), (b"a" * 256, DamagedSave)):
        made = assemble(b"", NO_EXTENSION, [Row(name, 0, STORED, [])])
        if fault is None:
            assert names(container(made)) == [name.decode()]
        else:
            with pytest.raises(fault, match="name of an entry has no end"):
                container(made)


def test_limits():
    made = Container(NO_EXTENSION, [Entry(b"a", b"xyz", STORED, chunks=3), Entry(b"b", b"xyz", STORED)]).encode()
    assert len(container(made, table_entries=6, total_inflated_size=6).entries) == 2
    for limit, value in (("table_entries", 5), ("total_inflated_size", 5)):
        with pytest.raises(LimitExceeded) as caught:
            container(made, **{limit: value})
        assert (caught.value.limit, caught.value.allowed, caught.value.value) == (limit, value, value + 1)
