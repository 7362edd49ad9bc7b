"""Structs that several layouts of Palworld have: sizes, and what `layout` makes of rows."""

from __future__ import annotations

import pytest
from palworld_blobs import CHAINED, OLD

from streamsave.formats.palworld.codecs import CONNECTOR
from streamsave.formats.palworld.structs import END, INSTANCE_ID, ITEM_AND_COUNT, MARKER, TRANSFORM
from streamsave.formats.palworld.versions import CHAIN_KEY, Versions, layout


@pytest.mark.parametrize(
    ("struct", "size", "least"),
    [(TRANSFORM, 80, 80), (INSTANCE_ID, 32, 32), (MARKER, 60, 60), (ITEM_AND_COUNT, -1, 40), (CONNECTOR, -1, 5)],
)
def test_sizes(struct, size, least):
    assert (struct.size, struct.least) == (size, least)


def test_layout_has_the_ends_of_classes_only_where_versions_say_so():
    rows = [END, END]
    assert layout(Versions(0, {}), ("A", rows)).names == []
    made = layout(Versions(2, {CHAIN_KEY: 1}), ("A", rows))
    assert (made.name, made.names) == ("A", ["class_end", "class_end_2"])
    assert (OLD.end, CHAINED.end) == (b"", bytes(4))  # as the writer has them
