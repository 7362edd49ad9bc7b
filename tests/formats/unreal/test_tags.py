"""What looks like the start of a property list, type trees, and extensions."""

import pytest
from cursors import cursor_over
from tag_bytes import tree
from writer.primitives import fstring, i32

from streamsave import DamagedSave, LimitExceeded, Limits, TruncatedSave
from streamsave.decode.cursor import NO_LIMIT
from streamsave.decode.known_bytes import BytesAround
from streamsave.formats.unreal.tags import (
    KEPT_SIZE,
    KEPT_TAGS,
    PEEK_SIZE,
    Tag,
    TagCache,
    TypeName,
    looks_like_list,
    read_type_name,
    skip_extensions,
    starts_list,
    struct_guid,
)

INT = fstring("IntProperty")
WIDE = i32(-3) + "ä1\0".encode("utf-16-le")

LOOKS = [
    (fstring("None"), True),
    (fstring("None") + b"rest", True),
    (fstring("m") + INT, True),
    (WIDE + INT, True),
    (fstring("m") + fstring("Property"), True),
    (fstring("m") + fstring("IntPropertz"), False),
    (fstring("m") + fstring("Int"), False),
    (i32(0) + INT, False),
    (i32(3) + b"m\0\0" + INT, False),  # a NUL inside of the name
    (i32(3) + b"mmm" + INT, False),  # no NUL at its end
    (fstring("Nona") + bytes(20), False),
    (bytes(16), False),
    (b"\xff" * 16, False),
    (bytes(range(16)), False),
    (b"", False),
    (fstring("m"), False),
    # Around the end of the short look.
    *((fstring("m" * size) + kind, found) for size in range(60, 100) for kind, found in [(INT, True), (fstring("Int"), False)]),
    (fstring("m" * 80) + fstring("x" * 100 + "Property"), True),
    (fstring("m") + fstring("x" * 100 + "Propertz"), False),
]


@pytest.mark.parametrize(("data", "found"), LOOKS)
def test_looks(data, found):
    cursor = cursor_over(data + bytes(2000))
    assert looks_like_list(cursor) is found
    assert cursor.tell() == 0


@pytest.mark.parametrize(("data", "found"), LOOKS)
@pytest.mark.parametrize("lead", [None, b"", fstring("m") + INT, fstring("k") + INT])
def test_a_start_that_is_known_changes_nothing(data, found, lead):
    start = Tag("", "")
    if lead is not None:
        start.next = Tag("m", "IntProperty")
        start.next.stored = BytesAround(lead or fstring("l") + INT, b"")
    cursor = cursor_over(data + bytes(2000))
    assert starts_list(cursor, start) is found
    assert starts_list(cursor, None) is found
    assert cursor.tell() == 0


@pytest.mark.parametrize("size", [PEEK_SIZE - 4 - 4 - len(INT), PEEK_SIZE])
def test_the_look_has_an_end(size):
    """A name and a type that are longer than the look are taken for binary."""
    name = i32(size) + b"n" * (size - 1) + b"\0"
    assert looks_like_list(cursor_over(name + INT + bytes(10), 5000)) is (size < PEEK_SIZE)


@pytest.mark.parametrize("data", [fstring("m") + INT[:-1], fstring("None")[:-1], i32(500)])
def test_a_cut_stream_is_no_guess(data):
    """Lengths around it say that more bytes belong here: the fault is that they are missing."""
    with pytest.raises(TruncatedSave):
        looks_like_list(cursor_over(data, limit=len(data) + 600))


def test_the_end_of_what_is_around_it_is_no_fault():
    data = (fstring("m") + INT)[:-1]
    assert looks_like_list(cursor_over(data, limit=len(data))) is False
    cursor = cursor_over(data)
    cursor.set_limit(NO_LIMIT)
    assert looks_like_list(cursor) is False


def test_type_trees():
    data = tree("MapProperty", tree("NameProperty"), tree("StructProperty", tree("S", tree("/Script/X"))))
    read = read_type_name(cursor_over(data))
    assert (read.name, read.parameter(0).name, read.parameter(1).parameter(0).parameter(0).name) == (
        "MapProperty",
        "NameProperty",
        "/Script/X",
    )
    assert read.parameter(2).name == read.parameter(2).parameter(0).name == ""


@pytest.mark.parametrize(("depth", "is_allowed"), [(3, True), (2, False)])
def test_depth_of_type_trees(depth, is_allowed):
    cursor = cursor_over(tree("a", tree("b", tree("c", tree("d")))), limits=Limits(depth=depth))
    if is_allowed:
        assert read_type_name(cursor).name == "a"
    else:
        with pytest.raises(LimitExceeded, match="depth"):
            read_type_name(cursor)


@pytest.mark.parametrize("count", [-1, 3, 1 << 30])
def test_counts_of_parameters(count):
    with pytest.raises(DamagedSave):
        read_type_name(cursor_over(fstring("a") + i32(count) + bytes(16)))


@pytest.mark.parametrize(("data", "size"), [(b"\0", 1), (b"\1", 1), (b"\2", 6), (b"\3", 6)])
def test_extensions(data, size):
    cursor = cursor_over(data + bytes(10))
    skip_extensions(cursor)
    assert cursor.tell() == size


RAW = b"lead" + b"sizindex" + b"tail"


def test_equal_bytes_are_one_tag():
    cache = TagCache()
    first = cache.keep(Tag("m", "IntProperty"), RAW, 4)
    assert (first.stored.lead, first.stored.tail, first.size) == (b"lead", b"tail", len(RAW))
    assert cache.keep(Tag("m", "IntProperty"), RAW.replace(b"sizindex", b"othersiz"), 4) is first
    assert cache.keep(Tag("m", "IntProperty"), RAW + b"x", 4) is not first


def test_what_is_long_or_not_at_hand_is_not_kept():
    cache = TagCache()
    longest = bytes(KEPT_SIZE)
    assert cache.keep(Tag("m", "T"), longest, 4).size == KEPT_SIZE
    for raw in (longest + b"x", b""):
        tag = Tag("m", "T")
        assert cache.keep(tag, raw, 4) is tag
        assert tag.size == 0


def test_it_does_not_grow_without_end():
    cache = TagCache()
    first = cache.keep(Tag("0", "T"), b"%8d" % 0 + bytes(8), 8)
    for index in range(1, KEPT_TAGS):
        cache.keep(Tag(str(index), "T"), b"%8d" % index + bytes(8), 8)
    assert cache.keep(Tag("0", "T"), b"%8d" % 0 + bytes(8), 8) is first
    cache.keep(Tag("x", "T"), b"       x" + bytes(8), 8)
    assert cache.keep(Tag("0", "T"), b"%8d" % 0 + bytes(8), 8) is not first


def test_starts():
    cache = TagCache()
    first = cache.start("0")
    assert cache.start("0") is first
    assert cache.start("1") is not first
    for index in range(2, KEPT_TAGS):
        cache.start(str(index))
    assert cache.start("0") is first
    cache.start("x")
    assert cache.start("0") is not first


def test_a_start_of_a_long_name_is_not_kept():
    """4,096 names of a MiB each are in a small hostile save."""
    cache = TagCache()
    longest = "x" * KEPT_SIZE
    assert cache.start(longest) is cache.start(longest)
    assert cache.start(longest + "x") is not cache.start(longest + "x")


GUID_TEXT = "00010203-0405-0607-0809-0A0B0C0D0E0F"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (GUID_TEXT, b"\3\2\1\0\7\6\5\4\x0b\x0a\x09\x08\x0f\x0e\x0d\x0c"),
        (f"{{{GUID_TEXT.lower()}}}", b"\3\2\1\0\7\6\5\4\x0b\x0a\x09\x08\x0f\x0e\x0d\x0c"),
        (GUID_TEXT[:-1], None),
        (GUID_TEXT + "0", None),
        (GUID_TEXT + "00", None),
        (GUID_TEXT[:-1] + "g", None),
        ("", None),
    ],
)
def test_the_guid_of_a_struct_is_four_numbers_in_hex(text, found):
    assert struct_guid(TypeName("StructProperty", [TypeName("Thing", []), TypeName(text, [])])) == found
