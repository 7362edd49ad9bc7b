"""Opening and ending a body: its size, what follows it, and what the file ends with."""

import struct

import pytest
from saves import chunk

from streamsave import BlobSkip, DamagedSave, Event, Limits, SaveEnd, SaveError, TruncatedSave
from streamsave.decode.codecs import I32, I64
from streamsave.decode.cursor import NO_LIMIT
from streamsave.formats.satisfactory.reader import BodyReader
from streamsave.input.source import BytesSource

HEAD = b"head"


def opened(body: bytes, *, plain: bool = False) -> BodyReader:
    """A reader at the start of a body, which is stored in one chunk, or as it is."""
    if plain:
        reader = BodyReader(BytesSource(HEAD + body), Limits())
        reader.open_plain(len(HEAD))
    else:
        reader = BodyReader(BytesSource(HEAD + chunk(body)), Limits())
        reader.open_chunks(len(HEAD))
    return reader


def finished(reader: BodyReader, at: int) -> tuple[list[Event], SaveError | None]:
    """The events of the end, if the walk ended at this offset."""
    reader.cursor.seek(at)
    events: list[Event] = []
    try:
        events.extend(reader.finish())
    except SaveError as error:
        return events, error
    return events, None


@pytest.mark.parametrize(("codec", "width"), [(I32, 4), (I64, 8)])
def test_the_size_bounds_the_body(codec, width):
    reader = opened((5).to_bytes(width, "little") + b"12345")
    reader.size_codec = codec
    assert reader.body_size() == 0
    assert (reader.cursor.tell(), reader.cursor.limit(), reader.stream_end) == (width, width + 5, width + 5)
    with pytest.raises(DamagedSave, match="value runs past the enclosing length"):
        reader.cursor.take(6)


def test_the_largest_size_of_a_body():
    """It is only a bound: the read that reaches the end of the stream finds the fault."""
    reader = opened(struct.pack("<q", NO_LIMIT) + b"12345")
    reader.size_codec = I64
    assert reader.body_size() == 0


@pytest.mark.parametrize(("at", "blobs"), [(9, []), (8, [BlobSkip(8, 1, "bytes after the save")])])
def test_the_end_of_a_body_in_chunks(at, blobs):
    reader = opened((5).to_bytes(4, "little") + b"12345")
    reader.body_size()
    assert finished(reader, at) == ([*blobs, SaveEnd(9)], None)


@pytest.mark.parametrize(
    ("size", "kind", "message"), [(6, TruncatedSave, "the stream ends at 0x"), (4, DamagedSave, "chunks after the body")]
)
def test_a_size_that_the_chunks_do_not_have(size, kind, message):
    reader = opened(size.to_bytes(4, "little") + b"12345")
    reader.body_size()
    events, error = finished(reader, 4 + size)
    assert (events, type(error)) == ([], kind)
    assert error.message.startswith(message)
