"""Whole property lists in saves: sizes that do not fit, and the end."""

import pytest
from one_object import NEW, NONE, OLD, encoded, list_fault, property_save, rows_of
from tag_bytes import tag
from writer.primitives import fstring, i32
from writer.tags import INT, Prop

from streamsave import DamagedSave, PropertyTag

AFTER = 4 + 5 + 4  # the terminator and `has_guid` after the properties


@pytest.mark.parametrize("version", [OLD, NEW])
@pytest.mark.parametrize("size", [-1, -(1 << 31), (1 << 31) - 1, 4 + AFTER + 1])
def test_sizes_of_values_that_do_not_fit(version, size):
    """What claims more than encloses it is damaged, and the error says where the tag starts."""
    sound = encoded(Prop("a", INT, 1), version=version)
    lying = encoded(Prop("b", INT, 2), version=version)
    lying = lying.replace(i32(4), i32(size), 1)
    error, events, base = list_fault(sound + lying, version)
    assert type(error) is DamagedSave
    assert error.message == "size of IntProperty b does not fit"
    assert error.offset == base + len(sound)
    assert error.actual in (size, size & 0xFFFFFFFF)
    assert error.expected == f"0 to {4 + AFTER} bytes"
    assert [event.name for event in events if isinstance(event, PropertyTag)] == ["a"]
    assert error.path == ("Persistent_Level", "Hand")


def test_bytes_after_the_end_of_a_struct_are_passed_over():
    body = encoded(Prop("b", INT, 2)) + NONE + b"stray"
    data = tag("m", "StructProperty", body, extras=fstring("F") + bytes(16)) + encoded(Prop("z", INT, 1))
    rows = rows_of(property_save(data))
    assert rows[3] == ("blob", 9 + 5, "bytes after the end of a property list")
    assert rows[4] == ("exit", "m", 0)
    assert rows[5][:2] == ("tag", "z")
