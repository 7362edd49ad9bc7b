"""Members of a layout that only some versions have."""

from __future__ import annotations

import pytest

from streamsave.decode.codecs import F32, I32, U8
from streamsave.formats.satisfactory.gates import Member, members

ROWS = [Member("always", U8), Member("old", F32, before=7), Member("new", I32, 7), Member("between", I32, 3, 9)]


@pytest.mark.parametrize(
    ("version", "names"),
    [
        (-(1 << 31), ["always", "old"]),
        (2, ["always", "old"]),
        (3, ["always", "old", "between"]),
        (6, ["always", "old", "between"]),
        (7, ["always", "new", "between"]),
        (8, ["always", "new", "between"]),
        (9, ["always", "new"]),
        ((1 << 31) - 1, ["always", "new"]),
    ],
)
def test_versions(version, names):
    assert list(members(version, ROWS)) == names


def test_a_member_may_change_its_type():
    rows = [Member("index", U8, before=57), Member("index", I32, 57)]
    assert [members(version, rows)["index"] for version in (56, 57)] == [U8, I32]
