"""Where an entry of an object may start among bytes that may be none."""

from contextlib import closing

import pytest
from cursors import cursor_over
from saves import SATISFACTORY
from writer.primitives import i32

from streamsave import DamagedSave, Limits
from streamsave.decode.cursor import NO_LIMIT
from streamsave.formats.satisfactory.reader import SatisfactoryReader
from streamsave.formats.satisfactory.versions import SAVE_VERSION_NEWEST
from streamsave.input.source import open_source
from streamsave.recovery.chains import Budget
from streamsave.recovery.satisfactory_records import LevelBytes, may_start


def answer(save: str, data: bytes) -> bool:
    """What the last level of a save says of some bytes."""
    with closing(open_source(SATISFACTORY / save)) as source:
        reader = SatisfactoryReader(source, Limits())
        reader.start()
        level = LevelBytes(reader, Budget(0), reader.save_version, 0, reader.layout.persistent_tail, 0, NO_LIMIT)
        cursor = cursor_over(data)
        found = may_start(level, cursor)
        assert not found or cursor.tell() == 0
    return found


@pytest.mark.parametrize(
    ("save", "version", "expected"),
    [
        ("sv46.sav", 0, False),
        ("sv46.sav", -1, False),
        ("sv46.sav", 1, True),
        ("sv46.sav", 58, True),  # an object may be newer than its save
        ("sv46.sav", SAVE_VERSION_NEWEST, True),
        ("sv46.sav", SAVE_VERSION_NEWEST + 1, False),
        ("sv46.sav", 1 << 30, False),
        ("sv36.sav", 1 << 30, True),  # it has no SaveVersion
    ],
)
def test_versions_that_games_write(save, version, expected):
    assert answer(save, i32(version) + i32(1) + i32(5) + b"data!") == expected


def test_a_bool_follows():
    with pytest.raises(DamagedSave, match="not a bool"):
        answer("sv46.sav", i32(46) + i32(2) + i32(5) + b"data!")
