"""One walk over a save: what its events claim, and the names of its objects."""

from __future__ import annotations

import pytest
from saves import SATISFACTORY

import streamsave
from streamsave import ObjectHeader, SaveEnd, SaveStart
from streamsave.check import FINDING, Finding, check
from streamsave.check.checker import names_of
from streamsave.decode.codecs import I32
from streamsave.formats import Cursor, FileWindows, Reader
from streamsave.headers import Header


def wrong_claims(second: int, end: int) -> type[Reader]:
    """A reader of two numbers, which says that the second is at `second` and the stream ends at `end`."""

    class Wrong(Reader):
        def __init__(self, source, limits):
            super().__init__(Cursor(FileWindows(source), limits), limits)

        def events(self):
            yield SaveStart(0, "made", 1, Header())
            yield self.field("a", I32)
            self.cursor.seek(second)
            yield self.field("b", I32)
            yield SaveEnd(end)

    return Wrong


@pytest.mark.parametrize(
    ("second", "end", "faults"),
    [
        (4, 8, []),
        (5, 9, [(4, "1 bytes that no event claims")]),
        (3, 7, [(3, "1 bytes that two events claim")]),
        (4, 9, [(8, "events claim 8 bytes of 9")]),
    ],
)
def test_bytes_are_claimed_once(second, end, faults):
    assert list(check(bytes(end), reader=wrong_claims(second, end))) == [
        Finding(FINDING, "tiling", message, offset) for offset, message in faults
    ]


def test_names_of_all_objects():
    path = SATISFACTORY / "sv58.sav"
    with streamsave.open(path) as events:
        names = names_of(events)
    with streamsave.open(path) as events:
        # What has no name in the save, nothing refers to.
        headers = [event for event in events if isinstance(event, ObjectHeader) and event.kind != "lightweight"]
    assert all(header.instance_name in names for header in headers)
    assert "Persistent_Level:PersistentLevel.Nothing_C_1" not in names
