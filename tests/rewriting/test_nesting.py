"""Sections of a nesting: what their fields say after edits."""

from __future__ import annotations

from streamsave import ObjectHeader
from streamsave.decode.length import Length
from streamsave.rewriting.ledger import FAR, Nesting, Section, Slot
from streamsave.rewriting.rows import Rows

SIZE = Length(2, 4, counts=False, end=50)
TOTAL = Length(6, 4, counts=False)
COUNT = Length(10, 4, counts=True)


def test_a_field_may_end_before_its_section():
    rows = Rows()
    section = Section(0, FAR, [SIZE, TOTAL, COUNT], rows)
    size, total, count = [Slot(rows, field, 0) for field in section.fields]
    section.grow(49, 3)
    section.grow(50, 10)
    section.grow(60, -1)
    section.count = -1
    assert [section.change(slot) for slot in (size, total, count)] == [3, 12, -1]


def test_without_such_a_field_all_counts():
    rows = Rows()
    section = Section(0, FAR, [TOTAL], rows)
    section.grow(1 << 40, 5)
    assert section.change(Slot(rows, TOTAL, 0)) == 5


def header(header_size, data_offset, prefix_size):
    return ObjectHeader(20, "object", "C", "c", "", "", None, 0, 1, header_size, prefix_size, data_offset, 8)


def test_where_an_object_starts():
    beside = Nesting(header(10, 30, 0), None, ())
    assert (beside.start, beside.has_header_apart) == (20, False)
    apart = Nesting(header(10, 104, 4), None, ())
    assert (apart.start, apart.has_header_apart) == (100, True)
