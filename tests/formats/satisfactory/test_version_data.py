"""Version data: the value, and the one number of it that changes layouts."""

from __future__ import annotations

import pytest
from cursors import cursor_over
from satisfactory_layouts import whole
from writer.primitives import bool32
from writer.satisfactory import VersionData

from streamsave import SaveError
from streamsave.formats.satisfactory.object_entry import (
    OPTIONAL_VERSION_DATA,
    VERSION_DATA,
    read_optional_ue5_version,
    read_ue5_version,
)
from streamsave.values import Guid

KEY = bytes(range(16))
DATA = VersionData(522, 1017, 3, (5, 6, 1), 481836, "++branch", [(KEY, 28), (KEY, -1)]).encode()
VALUE = {
    "data_version": 0,
    "ue4_version": 522,
    "ue5_version": 1017,
    "licensee_version": 3,
    "engine_major": 5,
    "engine_minor": 6,
    "engine_patch": 1,
    "changelist": 481836,
    "branch": "++branch",
    "custom_versions": [{"key": Guid(KEY), "version": 28}, {"key": Guid(KEY), "version": -1}],
}


def test_value():
    assert whole(VERSION_DATA, DATA) == VALUE


@pytest.mark.parametrize(("data", "value"), [(bool32(True) + DATA, VALUE), (bool32(False), None)])
def test_optional_value(data, value):
    assert whole(OPTIONAL_VERSION_DATA, data) == value


def test_the_ue5_version_is_read_in_passing():
    cursor = cursor_over(DATA + b"next")
    assert read_ue5_version(cursor) == 1017
    assert cursor.tell() == len(DATA)


@pytest.mark.parametrize(("data", "value"), [(bool32(True) + DATA, 1017), (bool32(False), None)])
def test_the_optional_ue5_version_is_read_in_passing(data, value):
    cursor = cursor_over(data + b"next")
    assert read_optional_ue5_version(cursor) == value
    assert cursor.tell() == len(data)


def test_it_may_end_anywhere():
    for size in range(len(DATA)):
        with pytest.raises(SaveError):
            read_ue5_version(cursor_over(DATA[:size] or b"\0", limit=size))
