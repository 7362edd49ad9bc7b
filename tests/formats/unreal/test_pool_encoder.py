"""Names as indexes into a pool."""

from __future__ import annotations

import pytest

from streamsave.errors import EditError
from streamsave.formats.unreal.pool_encoder import PoolEncoder, PoolIndexes


def encoded(names, value):
    encoder = PoolEncoder(PoolIndexes(names))
    encoder.name(value)
    return bytes(encoder.data)


@pytest.mark.parametrize(
    ("names", "value", "data"),
    [
        (["None", "a", "b"], "b", b"\2\0\0\0"),
        (["None"], "None", bytes(4)),
        (["None", "a", "None"], "None", b"\2\0\0\0"),
        ([], "b", b"\2\0\0\0b\0"),
    ],
    ids=["an index", "index 0", "the None that is stored", "no pool yet"],
)
def test_names(names, value, data):
    assert encoded(names, value) == data


@pytest.mark.parametrize(("value", "message"), [("c", "no such name in the pool"), (1, "not text")])
def test_refused(value, message):
    with pytest.raises(EditError, match=message):
        encoded(["None", "a"], value)
