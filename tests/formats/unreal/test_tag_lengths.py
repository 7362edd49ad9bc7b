"""The size in the inner tag of an array of structs."""

from __future__ import annotations

import pytest
from saves import VALID

import streamsave
from streamsave import PropertyTag
from streamsave.formats.unreal.tag_lengths import inner_size_offset
from streamsave.values import LinearColor

RED = LinearColor(1.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(("sample", "has_inner"), [("sv46.sav", True), ("sv60.sav", False)])
def test_an_array_of_structs_with_fewer_elements(sample, has_inner):
    with streamsave.open(VALID / "satisfactory" / sample) as events:
        for event in events:
            if isinstance(event, PropertyTag) and event.name == "mColors":
                stored = events.raw()
                encoded = events._reader.encode(event, [RED])
                start = event.value_offset
                content = start + len(encoded) - 16
                size_at = inner_size_offset(start, content, events._reader.cursor.fork())
                break
    assert stored[:4] > encoded[:4] == b"\1\0\0\0"
    assert encoded[-16:].hex() == "0000803f00000000000000000000803f"
    if has_inner:
        assert stored[4 : size_at - start] == encoded[4 : size_at - start]
        assert encoded[size_at - start : size_at - start + 4] == (16).to_bytes(4, "little")
        assert stored[size_at - start + 4 : content - start] == encoded[size_at - start + 4 : content - start]
    else:
        assert size_at == -1
        assert len(encoded) == 20
