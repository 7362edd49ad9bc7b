"""Numbers and strings out of windows of any size, and what is refused.

The file is long because each number and string has its own cases.
"""

import struct

import pytest
from cursors import cursor_over
from saves import raises

from streamsave import DamagedSave, LimitExceeded, Limits, TruncatedSave
from streamsave.decode.cursor import INTERNED_STRINGS, NO_LIMIT
from streamsave.decode.known_bytes import SLOTS, BytesAround, RecentStrings, is_at, slot_of

#: Windows so small that every value crosses a border somewhere.
TINY = [1, 2, 3, 4, 5, 6, 7, 1000]


NUMBERS: list[tuple[str, str, object]] = [
    ("u8", "ff", 255),
    ("i8", "ff", -1),
    ("i8", "80", -128),
    ("i8", "7f", 127),
    ("i16", "0080", -32768),
    ("u16", "0080", 32768),
    ("u16", "ffff", 65535),
    ("i32", "00000080", -(1 << 31)),
    ("i32", "ffffff7f", (1 << 31) - 1),
    ("u32", "ffffffff", (1 << 32) - 1),
    ("i64", "0000000000000080", -(1 << 63)),
    ("i64", "ffffffffffffff7f", (1 << 63) - 1),
    ("u64", "ffffffffffffffff", (1 << 64) - 1),
    ("u64", "0100000000000000", 1),
    ("f32", "0000803f", 1.0),
    ("f32", "000080ff", float("-inf")),
    ("f32", "01000000", 2.0**-149),
    ("f32", "0000c07f", float("nan")),
    ("f64", "000000000000f03f", 1.0),
    ("f64", "0000000000000080", -0.0),
    ("bool32", "00000000", False),
    ("bool32", "01000000", True),
]


@pytest.mark.parametrize("window", TINY)
@pytest.mark.parametrize(("method", "data", "value"), NUMBERS)
def test_numbers(method, data, value, window):
    for before in range(3):
        cursor = cursor_over(b"\xaa" * before + bytes.fromhex(data) + b"\xbb", window)
        cursor.skip(before)
        assert repr(getattr(cursor, method)()) == repr(value)
        assert cursor.tell() == before + len(data) // 2
        assert cursor.u8() == 0xBB


@pytest.mark.parametrize(("method", "data"), [(method, data) for method, data, _ in NUMBERS])
def test_numbers_run_past_the_limit(method, data):
    size = len(data) // 2
    for window in (1, 1000):
        cursor = cursor_over(bytes(3) + bytes.fromhex(data), window, limit=3 + size - 1)
        cursor.skip(3)
        expected = f"0 to {size - 1} bytes"
        with raises(DamagedSave, match="runs past the enclosing length", offset=3, expected=expected, actual=size):
            getattr(cursor, method)()


@pytest.mark.parametrize(("method", "data"), [(method, data) for method, data, _ in NUMBERS])
def test_numbers_run_past_the_end(method, data):
    for window in (1, 1000):
        cursor = cursor_over(bytes(3) + bytes.fromhex(data)[:-1], window, limit=NO_LIMIT)
        cursor.skip(3)
        with raises(TruncatedSave, offset=3, actual=len(data) // 2 - 1):
            getattr(cursor, method)()


@pytest.mark.parametrize("data", ["02000000", "ffffffff", "00000001"])
def test_no_bool(data):
    cursor = cursor_over(b"\0" + bytes.fromhex(data))
    cursor.skip(1)
    with raises(DamagedSave, match="not a bool", offset=1, expected="0 or 1"):
        cursor.bool32()


@pytest.mark.parametrize("window", TINY)
def test_unpack(window):
    layout = struct.Struct("<IhqB")
    cursor = cursor_over(b"\xaa" + layout.pack(7, -2, 1 << 40, 9) + b"\xbb", window)
    cursor.skip(1)
    assert cursor.unpack(layout) == (7, -2, 1 << 40, 9)
    assert cursor.u8() == 0xBB
    with pytest.raises(DamagedSave):
        cursor.unpack(layout)


# --- counts ---


@pytest.mark.parametrize(
    ("count", "element", "allowed"),
    [(4, 2, 4), (0, 2, 4), (5, 2, 4), (-1, 2, 4), (-(1 << 31), 2, 4), ((1 << 31) - 1, 1, 8), (9, 1, 8), (8, 1, 8), (1, 9, 0)],
)
def test_counts_that_do_not_fit(count, element, allowed):
    """A lying count is refused before anything is made of it: eight bytes follow."""
    cursor = cursor_over(b"\xaa" + struct.pack("<i", count) + bytes(8))
    cursor.skip(1)
    if 0 <= count <= allowed:
        assert cursor.count(element) == count
        return
    with raises(DamagedSave, match=f"count {count} does not fit", offset=1, expected=f"0 to {allowed}"):
        cursor.count(element)


def test_count_of_nothing():
    """Elements without bytes are counted against a limit of their own."""
    limits = Limits(zero_size_count=10)
    assert cursor_over(struct.pack("<i", 10), limits=limits).count(0) == 10
    with raises(LimitExceeded, limit="zero_size_count", value=11, allowed=10):
        cursor_over(struct.pack("<i", 11), limits=limits).count(0)
    with pytest.raises(DamagedSave):
        cursor_over(struct.pack("<i", -1), limits=limits).count(0)


# --- strings ---


def narrow(raw: bytes) -> bytes:
    """The bytes of a string of one-byte characters."""
    return struct.pack("<i", len(raw)) + raw


def wide(text: str) -> bytes:
    """The bytes of a string of UTF-16 units."""
    raw = text.encode("utf-16-le", "surrogatepass")
    return struct.pack("<i", -(len(raw) // 2)) + raw


STRINGS: list[tuple[str, bytes, str]] = [
    ("nothing", narrow(b""), ""),
    ("only NUL", narrow(b"\0"), ""),
    ("ASCII", narrow(b"IntProperty\0"), "IntProperty"),
    ("Latin-1", narrow(b"Gr\xf6\xdfe\0"), "Größe"),
    ("NUL inside", narrow(b"a\0b\0"), "a\0b"),
    ("no terminator", narrow(b"abc"), "abc"),
    ("one character", narrow(b"a"), "a"),
    ("long", narrow(b"x" * 300 + b"\0"), "x" * 300),
    ("wide, only NUL", wide("\0"), ""),
    ("wide", wide("鉄 🏭\0"), "鉄 🏭"),
    ("wide, NUL inside", wide("ä\0b\0"), "ä\0b"),
    ("wide, no terminator", wide("äb"), "äb"),
    ("lone high surrogate", wide("a\ud800b\0"), "a\ud800b"),
    ("lone low surrogate", wide("\udfff\0"), "\udfff"),
    ("swapped surrogates", wide("\udf00\ud800\0"), "\udf00\ud800"),
    ("lone surrogate at the end", wide("\ud800"), "\ud800"),
]

readers = pytest.mark.parametrize("method", ["string", "name", "string_once"])


@readers
@pytest.mark.parametrize("window", TINY)
@pytest.mark.parametrize(("data", "text"), [row[1:] for row in STRINGS], ids=[row[0] for row in STRINGS])
def test_strings(method, data, text, window):
    cursor = cursor_over(b"\xaa" + data + data + b"\xbb", window)
    assert cursor.u8() == 0xAA
    assert getattr(cursor, method)() == text
    assert cursor.tell() == 1 + len(data)
    assert getattr(cursor, method)() == text
    assert cursor.u8() == 0xBB


@pytest.mark.parametrize("window", TINY)
def test_strings_are_passed_over(window):
    cursor = cursor_over(b"".join(data for _, data, _ in STRINGS) + b"\xbb", window)
    cursor.skip_strings(len(STRINGS))
    assert cursor.u8() == 0xBB
    cursor.skip_strings(0)
    assert cursor.remaining() == 0


@readers
@pytest.mark.parametrize("length", [-(1 << 31), (1 << 31) - 1, -((1 << 31) - 1), 6, -3, 100])
@pytest.mark.parametrize("window", [1, 1000])
def test_string_runs_past_the_limit(method, length, window):
    cursor = cursor_over(b"\xaa" + struct.pack("<i", length) + b"abcd\0", window)
    cursor.skip(1)
    message = f"string length {length} runs past the enclosing length"
    with raises(DamagedSave, match=message, offset=1, expected="at most 5 bytes", actual=length):
        getattr(cursor, method)()


@pytest.mark.parametrize("length", [-(1 << 31), (1 << 31) - 1, -((1 << 31) - 1), 6, -3, 100])
@pytest.mark.parametrize("window", [1, 1000])
def test_passing_over_a_string_obeys_the_limit_too(length, window):
    cursor = cursor_over(struct.pack("<i", length) + b"abcd\0", window)
    with pytest.raises(DamagedSave, match="runs past the enclosing length"):
        cursor.skip_strings(1)


@readers
@pytest.mark.parametrize("length", [1001, -501, 1500, -750])
def test_long_strings_are_refused(method, length):
    """Also where nothing bounds the read."""
    limits = Limits(string_size=1000)
    for window, limit in ((7, NO_LIMIT), (4000, NO_LIMIT)):
        cursor = cursor_over(struct.pack("<i", length) + b"a" * 1500, window, limits, limit)
        value = length if length > 0 else -2 * length
        with raises(LimitExceeded, limit="string_size", allowed=1000, value=value, offset=0):
            getattr(cursor, method)()


@readers
@pytest.mark.parametrize("length", [1501, -751, -(1 << 31), (1 << 31) - 1])
@pytest.mark.parametrize("window", [7, 4000])
def test_no_limit_helps_where_the_stream_ends(method, length, window):
    """It is damage: a higher limit would not make the string fit."""
    data = struct.pack("<i", length) + b"a" * 1500
    for limits in (Limits(string_size=1000), Limits(string_size=1 << 40)):
        cursor = cursor_over(data, window, limits, NO_LIMIT)
        with raises(DamagedSave if limits.string_size == 1000 else TruncatedSave, offset=0):
            getattr(cursor, method)()


@pytest.mark.parametrize(("size", "error"), [(1500, LimitExceeded), (1501, DamagedSave), (1 << 40, DamagedSave)])
def test_bytes_above_a_limit(size, error):
    with pytest.raises(error):
        cursor_over(b"a" * 1500, 4000, Limits(build_size=1000), NO_LIMIT).take(size)


@readers
def test_the_longest_strings_allowed(method):
    limits = Limits(string_size=1000)
    assert getattr(cursor_over(narrow(b"a" * 999 + b"\0"), 4000, limits), method)() == "a" * 999
    assert getattr(cursor_over(wide("ä" * 499 + "\0"), 4000, limits), method)() == "ä" * 499


@readers
@pytest.mark.parametrize(("data", "size"), [(narrow(b"a" * 1000 + b"\0"), 1001), (wide("ä" * 500 + "\0"), 1002)])
@pytest.mark.parametrize("window", [7, 4000])
def test_whole_strings_above_the_limit(method, data, size, window):
    """One above the longest; it is all there, and ends as it should."""
    cursor = cursor_over(b"\xaa" + data, window, Limits(string_size=size - 1))
    cursor.u8()  # now the window has it
    with raises(LimitExceeded, limit="string_size", value=size):
        getattr(cursor, method)()


@readers
def test_truncated_strings(method):
    data = narrow(b"IntProperty\0")
    for size in range(1, len(data)):
        with pytest.raises(TruncatedSave):
            getattr(cursor_over(data[:size], 5, limit=NO_LIMIT), method)()


def test_names_that_repeat_are_one_object():
    cursor = cursor_over(narrow(b"IntProperty\0") * 2)
    assert cursor.name() is cursor.name()


def test_names_that_never_repeat_cost_no_memory():
    cursor = cursor_over(b"".join(narrow(b"%07d\0" % number) for number in range(INTERNED_STRINGS + 10)), 100_000)
    assert [cursor.name() for _ in range(INTERNED_STRINGS + 10)] == [f"{number:07d}" for number in range(INTERNED_STRINGS + 10)]
    assert len(cursor._strings) == 10


def test_strings_that_come_once_are_not_kept():
    cursor = cursor_over(b"\0" + narrow(b"Build_Once_C_2147000000\0"))
    cursor.u8()
    assert cursor.string_once() == "Build_Once_C_2147000000"
    assert cursor._strings == {}


def test_forks_share_their_strings():
    cursor = cursor_over(narrow(b"mOwner") * 2)
    fork = cursor.fork()
    assert cursor.string() is fork.string()
    assert cursor._recent is fork._recent  # to make one takes as long as to read a hundred names


def test_fork_is_a_cursor_of_its_own():
    cursor = cursor_over(bytes(range(20)), 3, limit=10)
    cursor.skip(4)
    other = cursor.fork()
    assert (other.tell(), other.limit(), other.u8()) == (4, 10, 4)
    other.skip(2)
    assert (other.tell(), cursor.tell(), cursor.u8()) == (7, 4, 4)


SIZE_AND_INDEX = (3 << 32) | 5


@pytest.mark.parametrize(
    ("lead", "tail", "stored", "window", "limit", "value"),
    [
        (b"lead", b"tail", SIZE_AND_INDEX, 1000, 23, SIZE_AND_INDEX),
        (b"leaf", b"tail", SIZE_AND_INDEX, 1000, 23, -1),
        (b"lead", b"tall", SIZE_AND_INDEX, 1000, 23, -1),
        (b"lead", b"tail", SIZE_AND_INDEX, 1000, 22, -1),
        (b"lead", b"tail", SIZE_AND_INDEX, 1000, 17, -1),
        (b"lead", b"", SIZE_AND_INDEX, 13, NO_LIMIT, -1),  # the window ends in it
        (b"lead", b"", 0xFFFFFFFF, 1000, NO_LIMIT, -1),
        (b"lead", b"", 1 << 31, 1000, NO_LIMIT, -1),
    ],
)
def test_size_at(lead, tail, stored, window, limit, value):
    """5 bytes follow the 16 of the tag, as it says."""
    cursor = cursor_over(b"12" + b"lead" + struct.pack("<q", stored) + b"tail" + bytes(5), window, limit=limit)
    cursor.u8()
    assert cursor.size_at(2, BytesAround(lead, tail)) == value
    assert cursor.tell() == (1 if value < 0 else 18)


@pytest.mark.parametrize(
    ("at", "name", "limit", "found"),
    [
        (2, b"\5\0\0\0None\0", NO_LIMIT, True),
        (2, b"\5\0\0\0None\0", 11, True),
        (2, b"\5\0\0\0None\0", 10, False),  # it ends after the limit
        (3, b"\5\0\0\0None\0", NO_LIMIT, False),
        (2, b"\5\0\0\0Nonf\0", NO_LIMIT, False),
        (2, b"\5\0\0\0None\0abcd", NO_LIMIT, False),  # there are fewer bytes
    ],
)
def test_a_name_is_passed_if_it_is_there(at, name, limit, found):
    cursor = cursor_over(b"xx\5\0\0\0None\0abc", 1000)
    cursor.u8()
    cursor.set_limit(limit)
    assert cursor.passes(at, name) == found
    assert cursor.tell() == (11 if found else 1)


def test_a_name_behind_the_window_is_not_passed():
    """It is read as any other: reading loads what is missing."""
    cursor = cursor_over(b"\5\0\0\0None\0", 4)
    assert not cursor.passes(0, b"\5\0\0\0None\0")
    assert cursor.name() == "None"


@pytest.mark.parametrize(
    ("data", "window", "limit", "found"),
    [
        (b"Name", 100, 100, True),
        (b"Namf", 100, 100, False),
        (b"Name", 100, 5, True),
        (b"Name", 100, 4, False),  # the limit is in it
        (b"Name", 4, 100, False),  # the window ends in it
        (b"", 100, 1, True),
    ],
)
def test_what_comes_next(data, window, limit, found):
    cursor = cursor_over(b"xName and more", window, limit=limit)
    cursor.u8()
    assert cursor.has(data) is found
    assert cursor.tell() == 1


# --- bytes are recognised wherever they are in a buffer, and only if all of them are there ---

#: Around the sizes of words.
SIZES = [*range(18), 31, 32, 33, 255, 256]


def text_of(size: int) -> bytes:
    """Different bytes, as far as possible."""
    return bytes((7 * index + size) % 251 + 1 for index in range(size))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("start", [0, 1, 5])
def test_each_byte_counts(size, start):
    expected = text_of(size)
    buffer = b"\xfe" * start + expected + b"\xfd"
    assert is_at(buffer, start, expected)
    for index in range(size):
        other = bytearray(buffer)
        other[start + index] ^= 0x80
        assert not is_at(bytes(other), start, expected)


@pytest.mark.parametrize("size", [size for size in SIZES if size])
def test_a_string_is_found_by_its_bytes(size):
    strings = RecentStrings()
    raw = text_of(size)
    buffer = b"\xfe\xfe\xfe" + raw + b"\xfd"
    assert strings.find(buffer, 3, size) is None
    strings.keep(raw, "text")
    assert strings.find(buffer, 3, size) == "text"
    for index in range(size):
        other = bytearray(buffer)
        other[3 + index] ^= 0x80
        assert strings.find(bytes(other), 3, size) is None
    assert size == 1 or strings.find(buffer, 3, size - 1) is None


def test_the_last_one_of_a_slot_is_kept():
    """Strings that differ only where no slot looks share one."""
    one, other = (b"/Game/AB" + middle + b"/" + b"x" * 40 + b"/Build_C\0" for middle in (b"first_name", b"other_name"))
    assert slot_of(one, 0, len(one)) == slot_of(other, 0, len(other))
    strings = RecentStrings()
    strings.keep(one, "one")
    strings.keep(other, "other")
    assert strings.find(one, 0, len(one)) is None
    assert strings.find(other, 0, len(other)) == "other"


def test_names_spread_over_the_slots():
    names = [f"/Game/FactoryGame/Build_{number}.Build_{number}_C\0".encode() for number in range(1000)]
    slots = {slot_of(name, 0, len(name)) for name in names}
    assert all(0 <= slot < SLOTS for slot in slots)
    assert len(slots) > 700
