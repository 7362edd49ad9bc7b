"""Entries of objects: what comes before the data and after them."""

from __future__ import annotations

import pytest
from cursors import Uncounted, cursor_over
from writer.primitives import i32

from streamsave.formats.satisfactory.object_entry import ObjectEntryCodec, entry_layout


def entry(version: int | None, data: bytes, after: bytes = b"", migrates: int = 0) -> bytes:
    """An entry, with a SaveVersion of its own or without."""
    return (b"" if version is None else i32(version) + i32(migrates)) + i32(len(data)) + data + after


def codec(level_version: int = 58, *, entry_versions: bool = True, version_data: bool = True) -> ObjectEntryCodec:
    return ObjectEntryCodec(level_version, entry_versions=entry_versions, version_data=version_data)


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
