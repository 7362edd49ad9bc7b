"""Entries of objects: what comes before the data and after them."""

import pytest
from cursors import Uncounted, cursor_over
from writer.primitives import bool32, i32

from streamsave import DamagedSave
from streamsave.formats.satisfactory.object_entry import ObjectEntryCodec, entry_layout


def entry(version: int | None, data: bytes, after: bytes = b"", migrates: int = 0) -> bytes:
    """An entry, with a SaveVersion of its own or without."""
    return (b"" if version is None else i32(version) + i32(migrates)) + i32(len(data)) + data + after


def codec(level_version: int = 58, *, entry_versions: bool = True, version_data: bool = True) -> ObjectEntryCodec:
    return ObjectEntryCodec(level_version, entry_versions=entry_versions, version_data=version_data)


@pytest.mark.parametrize(("migrates", "stored_flags"), [(0, 16), (1, 16 | 4), (1 << 24, 16 | 4)])
def test_migration_of_references(migrates, stored_flags):
    entries = codec(46)
    entries.decode(cursor_over(entry(46, b"data!", b"", migrates)))
    assert entries.stored_flags == stored_flags
    entries = codec(36, entry_versions=False)
    entries.decode(cursor_over(entry(None, b"data!")))
    assert entries.stored_flags == 0


@pytest.mark.parametrize("size", [-1, -(1 << 31), 6, (1 << 31) - 1])
def test_sizes_that_do_not_fit(size):
    data = i32(58) + bool32(False) + i32(size) + b"data!"
    with pytest.raises(DamagedSave, match="size of Tree does not fit") as error:
        codec().decode(cursor_over(data), "Tree")
    assert (error.value.offset, error.value.actual, error.value.expected) == (8, size, "0 to 5 bytes")
    assert not codec().read(cursor_over(data))


@pytest.mark.parametrize(("version", "names"), [(None, ["size"]), (52, ["save_version", "migrate_references", "size"])])
def test_the_rows_of_the_layout(version, names):
    """The code that is fast and the rows say the same of each field."""
    data = entry(version, b"data!", migrates=1)
    entries = codec(entry_versions=version is not None)
    entries.decode(cursor_over(data))
    layout = entry_layout(int(entries.prefix_size))
    row = dict(
        zip(
            layout.names,
            (member.decode(cursor, Uncounted()) for cursor in [cursor_over(data)] for member in layout.members),
            strict=True,
        )
    )
    assert (list(row), layout.size, row["size"]) == (names, entries.prefix_size, entries.size)
    assert row.get("save_version", 58) == entries.save_version
    assert row.get("migrate_references") == (True if version else None)
