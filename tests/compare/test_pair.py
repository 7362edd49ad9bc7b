"""What differs between two headers."""

from __future__ import annotations

import pytest

from streamsave.compare.pair import header_differences
from streamsave.events import ObjectHeader
from streamsave.frequent_values import Transform


def header(name="N", place=None, outer="", flags=0, version=1, kind="actor", stored=0):
    return ObjectHeader(0, kind, "C", name, "L", outer, place, flags, version, 0, 0, 0, 5, stored)


PLACE = Transform((0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 3.0), (1.0, 1.0, 1.0))
TURNED = Transform((0.0, 0.0, 1.0, 0.0), (1.0, 2.0, 3.0), (2.0, 1.0, 1.0))
HEADERS = [
    (header(), header("other"), []),
    (header(outer="a"), header(outer="b"), [("@outer", '"a"', '"b"')]),
    (header(flags=1), header(flags=2), [("@flags", "1", "2")]),
    (header(version=46), header(version=52), [("@save_version", "46", "52")]),
    (header(stored=24), header(stored=25), [("@need_transform", "false", "true")]),
    (header(stored=24), header(stored=26), [("@was_placed_in_level", "false", "true")]),
    (header(stored=24), header(stored=28), [("@migrate_references", "false", "true")]),
    (header(stored=8), header(stored=24), []),  # an old save stores no bool: that is false
    (header(kind="actor"), header(kind="object"), [("@kind", '"actor"', '"object"')]),
    (header(place=PLACE), header(), [("@position", "[1.0,2.0,3.0]", None)]),
    (
        header(place=PLACE),
        header(place=TURNED),
        [("@rotation[2]", "0.0", "1.0"), ("@rotation[3]", "1.0", "0.0"), ("@scale[0]", "1.0", "2.0")],
    ),
]


@pytest.mark.parametrize(("old", "new", "expected"), HEADERS)
def test_header_differences(old, new, expected):
    assert header_differences(old, new) == expected
    assert header_differences(new, old) == [(path, after, before) for path, before, after in expected]
