"""The interface of a codec: what a subclass need not write itself."""

from __future__ import annotations

import pytest
from cursors import cursor_over

from streamsave import DamagedSave
from streamsave._build import is_compiled
from streamsave.decode.codec import BuildContext, Codec
from streamsave.decode.cursor import Cursor
from streamsave.values import ObjectReference


class Pair(Codec):
    """Two bytes, as a reference."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return ObjectReference("Level", f"{cursor.u8()}.{cursor.u8()}")


@pytest.mark.skipif(is_compiled(), reason="the classes of the tests cannot be subclasses of compiled ones")
@pytest.mark.parametrize("size", [2, -1])
def test_a_codec_that_only_decodes(size):
    """It is passed over by its size; without one, by decoding it."""
    pair = Pair("pair", size, 2)
    cursor = cursor_over(bytes(range(20)), 3)
    context = BuildContext()
    pair.measure(cursor, context)
    assert cursor.tell() == 2
    pair.measure_many(cursor, context, 3)
    assert cursor.tell() == 8
    assert (pair.decode(cursor, context), cursor.tell()) == (ObjectReference("Level", "8.9"), 10)
    with pytest.raises(DamagedSave):
        pair.measure_many(cursor, context, 6)


def test_what_a_reader_has_to_provide():
    context = BuildContext()
    cursor = cursor_over(b"")
    for ask in (context.properties, context.skip_properties, context.starts_property_list):
        with pytest.raises(NotImplementedError):
            ask(cursor)
    with pytest.raises(NotImplementedError):
        context.spend(1, 1)
    with pytest.raises(NotImplementedError):
        Codec("nothing", 1, 1).decode(cursor, context)
