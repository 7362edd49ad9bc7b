"""Errors: what they say. `contract.assert_tells` looks at those of all saves, which survive `pickle`, too."""

import pytest

from streamsave import DamagedSave, LimitExceeded, SaveError, SelectError, StaleEvent, TruncatedSave, UnsupportedSave
from streamsave.errors import format_path

PLACE = "Persistent_Level/Build_StorageContainer_12/mInventoryStacks[3]"
PLACED = DamagedSave(
    "string length runs past the enclosing length",
    0x1A2B3C,
    chunk=17,
    chunk_offset=0x9C,
    compressed_offset=123456,
    path=("Persistent_Level", "Build_StorageContainer_12", "mInventoryStacks", 3),
    expected="at most 5 bytes",
    actual=-2147483648,
)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (SaveError("wrong"), "offset 0x0: wrong"),
        (SaveError("wrong", 255), "offset 0xff: wrong"),
        (SaveError("wrong", 255, chunk=0), "offset 0xff (chunk 0 + 0x0): wrong"),
        (SaveError("wrong", 255, chunk=2, chunk_offset=16), "offset 0xff (chunk 2 + 0x10): wrong"),
        (SaveError("wrong", 255, path=("a", 3, "b")), "offset 0xff, a[3]/b: wrong"),
        (SaveError("wrong", expected="x", actual=None), "offset 0x0: wrong (expected x, found None)"),
        (SaveError("wrong", actual="y"), "offset 0x0: wrong"),
        (PLACED, f"offset 0x1a2b3c (chunk 17 + 0x9c), {PLACE}: {PLACED.message} (expected at most 5 bytes, found -2147483648)"),
        (
            LimitExceeded("129 is above the limit depth = 128", 7, limit="depth", value=129, allowed=128),
            "offset 0x7: 129 is above the limit depth = 128",
        ),
    ],
)
def test_texts_start_with_where(error, text):
    assert str(error) == text


@pytest.mark.parametrize(
    ("path", "text"),
    [((), ""), (("a",), "a"), (("a", "b"), "a/b"), (("a", 0, "b", 12), "a[0]/b[12]"), ((3,), "[3]"), (("a", 1, 2), "a[1][2]")],
)
def test_paths_as_one_string(path, text):
    assert format_path(path) == text


def test_one_root():
    for kind in (TruncatedSave, DamagedSave, LimitExceeded, UnsupportedSave):
        assert issubclass(kind, SaveError)
    assert issubclass(SaveError, ValueError)
    assert not issubclass(StaleEvent, (SaveError, ValueError))


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (200, 200, "a" * 200 + "b" * 200),
        (201, 200, "..." + "a" * 200 + "b" * 200),
        (200, 201, "a" * 200 + "b" * 200 + "..."),
        (0, 0, ""),
    ],
)
def test_of_a_long_selection_what_is_around_the_place(before, after, shown):
    error = SelectError("wrong", "first\n" + "a" * before + "b" * after + "\nlast", 6 + before)
    assert str(error) == f"wrong\n  {shown}\n  {' ' * (203 if before > 200 else before)}^"
