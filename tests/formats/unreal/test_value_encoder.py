"""Values of tags, encoded in place of others."""

from __future__ import annotations

import pytest
from saves import VALID

import streamsave
from streamsave import PropertyTag
from streamsave.errors import EditError
from streamsave.values import ContainerDelta, Text


def replaced(sample: str, name: str, value: object) -> bytes:
    """The bytes of a value in place of that of the first property of a name."""
    with streamsave.open(VALID / sample) as events:
        for event in events:
            if isinstance(event, PropertyTag) and event.name == name:
                events.build()
                return events._reader.encode(event, value)
    raise AssertionError(name)


NAMES = "0000000002000000" + "020000004100" + "020000004200"


@pytest.mark.parametrize(
    ("name", "value", "raw"),
    [
        ("mInt", -2, "feffffff"),
        ("mYes", False, ""),
        ("mByte", 255, "ff"),
        ("mSetNames", ["A", "B"], NAMES),
        ("mSetNames", ContainerDelta(["A"], ["B"]), "01000000" + "020000004100" + "01000000" + "020000004200"),
    ],
)
@pytest.mark.parametrize("sample", ["satisfactory/sv46.sav", "satisfactory/sv60.sav"])
def test_other_values(sample, name, value, raw):
    assert replaced(sample, name, value).hex() == raw


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("mInt", 1 << 31, "out of range"),
        ("mYes", 1, "not a bool"),
        ("mByte", -1, "out of range"),
        ("mSetNames", {"A"}, "not a list"),
        ("mTextBase", Text(0, "number", "1", {}), "can only be replaced as bytes"),
        ("mTextBase", Text(0, "base", "1", {"key": "1"}), "fields of a text"),
        ("mTextBase", "text", "not a Text"),
    ],
)
def test_values_that_do_not_fit(name, value, message):
    with pytest.raises(EditError, match=message):
        replaced("satisfactory/sv60.sav", name, value)
