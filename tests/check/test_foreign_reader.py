"""What `check` finds in the readers of other packages."""

import struct

import pytest
from toy_format import READER, toy_save

from streamsave import Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter, StructExit
from streamsave.check.check import check
from streamsave.check.foreign_reader import is_foreign
from streamsave.decode.codecs import I32
from streamsave.decode.known_bytes import COMPILED
from streamsave.events import ChunkStart
from streamsave.formats import FORMATS, Format, as_format
from streamsave.formats.arx.reader import ArxReader
from streamsave.input.windows import FileWindows


def reader_of(text: str = READER):
    names: dict[str, object] = {"__name__": "toy_reader"}
    exec(text, names)  # noqa: S102 - it is ours
    return names["ToyReader"]


def found(reader, data: bytes) -> list[tuple[str, str]]:
    return [(finding.kind, finding.message) for finding in check(data, reader=reader)]


def test_which_readers_are_foreign():
    assert is_foreign(as_format(reader_of()))
    assert is_foreign(Format("Toy save", lambda *_: True, "toy_reader:ToyReader"))
    assert not any(map(is_foreign, FORMATS))
    assert not is_foreign(as_format(ArxReader))


EARLY = [("tiling", "events claim 60 bytes of 52"), ("end", "SaveEnd is at 52, but 8 bytes of the stream follow")]
LATE = [("tiling", "events claim 60 bytes of 68"), ("end", "SaveEnd is at 68, after the end of the stream")]
#: The events tile all up to `SaveEnd`, and the file goes on.
MORE = [("end", "SaveEnd is at 60, but 4 bytes of the stream follow")]


@pytest.mark.parametrize(
    ("change", "after", "expected"), [("", b"", []), (" - 8", b"", EARLY), (" + 8", b"", LATE), ("", b"more", MORE)]
)
def test_where_the_save_ends(change, after, expected):
    old = "yield SaveEnd(cursor.tell())"
    assert old in READER
    assert found(reader_of(READER.replace(old, f"{old[:-1]}{change})")), toy_save() + after) == expected


def test_a_nesting_whose_content_comes_after_a_skip():
    """The toy reader compares no cursor after the struct around its objects, so `skip()` of a struct with a size fails."""
    text = READER.replace("cursor.tell(), -1, -1, count)", "cursor.tell(), len(OBJECTS), -1, count)").replace(
        "class ToyReader", 'OBJECTS = "x" * 54\n\nclass ToyReader'
    )
    (finding,) = [each for each in check(toy_save(), reader=reader_of(text)) if each.kind == "skip"]
    assert "skip() of the nesting objects goes elsewhere than to its end" in finding.message


def tagged(*values: int) -> bytes:
    """A save of one object whose properties are numbers."""
    return b"TAGS" + b"".join(struct.pack("<Bi", number, value) for number, value in enumerate(values))


class TagReader(reader_of().__base__):  # streamsave.formats.Reader
    """Gives each number as a property: one byte of name, four of value."""

    #: Whether values have events inside: a struct with a field.
    nests = False

    def __init__(self, source, limits):
        from streamsave.formats import Cursor

        super().__init__(Cursor(FileWindows(source), limits))

    def events(self):
        from streamsave import SaveEnd, SaveStart

        cursor = self.cursor
        cursor.skip(4)
        yield SaveStart(0, "tags", 1, None)
        yield ObjectHeader(0, "thing", "C", "N", "", "", None, 0, 1, 4, 0, 4, -1)
        while cursor.peek(1):
            start = cursor.tell()
            name = f"p{cursor.u8()}"
            value = cursor.tell()
            yield PropertyTag(start, name, "Number", 4, 0, value, "", "", "", False, None, None)
            if cursor.tell() == value:
                if self.nests:
                    yield StructEnter(value, name, "", 0, 4, -1, -1)
                    if cursor.tell() == value:
                        yield self.field("value", I32)
                        cursor.seek(value + 4)
                    yield StructExit(cursor.tell(), name, 0)
                else:
                    cursor.seek(value + 4)
        end = cursor.tell()
        yield ObjectEnd(end, "N", 0)
        yield SaveEnd(end)


class SkippingReader(TagReader):
    def skip(self, event):
        if isinstance(event, PropertyTag):
            self.cursor.seek(event.value_offset + event.size)
            return True
        return super().skip(event)


@pytest.mark.parametrize("nests", [False, True])
def test_the_default_skip_of_a_property(nests):
    data = tagged(1, 2, 3)
    assert found(type("Sound", (SkippingReader,), {"nests": nests}), data) == []
    ((kind, message),) = found(type("Lacking", (TagReader,), {"nests": nests}), data)
    assert kind == "skip"
    assert message.startswith("skip() of the property p0 goes elsewhere than to its end: ")
    assert message.endswith("; the reader has to override skip(), or to go on from where the cursor is")


def test_a_wrong_skip():
    class Wrong(SkippingReader):
        def skip(self, event):
            done = super().skip(event)
            if isinstance(event, PropertyTag):
                self.cursor.skip(3)
            return done

    for values, follows in ((1, 2, 3), "PropertyTag at 12"), ((1,), "ObjectEnd at 12"):
        ((kind, message),) = found(Wrong, tagged(*values))
        assert kind == "skip"
        assert f"skip() of the property p0 goes elsewhere than to its end: {follows}" in message


@pytest.mark.skipif(COMPILED, reason="compiled windows have no subclasses in plain Python")
def test_a_read_before_the_start():
    class Early(SkippingReader):
        def __init__(self, source, limits):
            super().__init__(source, limits)
            # As windows do when the first byte of a chunk is read.
            self.windows.entered.append(ChunkStart(0, 0, 12, 0, 12, "stored"))

    message = "the first event is ChunkStart, not SaveStart: the reader reads the stream before it gives SaveStart"
    assert found(Early, tagged(1, 2)) == [("start", message)]


class Nested(SkippingReader):
    """One object in another."""

    def events(self):
        from streamsave import SaveEnd, SaveStart

        cursor = self.cursor
        yield SaveStart(0, "nested", 1, None)
        yield ObjectHeader(0, "box", "Box", "outer", "", "", None, 0, 1, 4, 0, 4, 4)
        if cursor.tell() in (0, 4):
            yield ObjectHeader(4, "ball", "Ball", "inner", "", "outer", None, 0, 1, 0, 0, 4, 4)
            cursor.seek(4)
            yield self.field("value", I32)
            cursor.seek(8)
            yield ObjectEnd(8, "inner", 0)
        yield ObjectEnd(8, "outer", 0)
        yield SaveEnd(8)


class Holding(Nested):
    def holds_objects(self, header):
        return header.kind == "box"


def test_an_object_whose_reader_says_that_it_holds_none():
    assert found(Holding, b"NESTabcd") == []
    assert found(Nested, b"NESTabcd") == [
        ("objects-inside", "holds_objects() says that no object is in the object outer, but the object inner is")
    ]


def test_objects_in_objects_of_another_package_are_selected():
    import streamsave

    data = b"NESTabcd"
    for fields in ([], ["value"]):
        names = [each.instance_name for each in streamsave.objects(data, fields=fields, reader=Holding)]
        assert sorted(names) == ["inner", "outer"]
    with streamsave.open(data, reader=Holding) as events:
        events.only("kind = ball")
        kinds = [type(event) for event in events]
    assert kinds[1:-1] == [ObjectHeader, Field, ObjectEnd]
