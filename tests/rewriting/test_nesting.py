"""Open nestings: where they start, and what their fields say after edits."""

from __future__ import annotations

import pytest

from streamsave import ObjectHeader
from streamsave.decode.length import Length
from streamsave.errors import EditError
from streamsave.rewriting.ledger import FAR, Counter, Nesting, as_bytes


def test_a_field_may_end_before_its_nesting():
    fields = [Length(2, 4, counts=False, end=50), Length(6, 4, counts=False), Length(10, 4, counts=True)]
    nesting = Nesting(header(10, 30, 0), None, ())
    nesting.counters = [Counter(field, 0, FAR, 0) for field in fields]
    nesting.grow(49, 3, 0)
    nesting.grow(50, 10, 0)
    nesting.grow(1 << 40, -1, -1)
    assert [counter.change for counter in nesting.counters] == [3, 12, -1]
    assert nesting.growth == 12


@pytest.mark.parametrize("number", [-1, 1 << 15])
def test_a_number_that_does_not_fit(number):
    assert as_bytes((1 << 15) - 1, 2) == b"\xff\x7f"
    with pytest.raises(EditError, match="expected 0 to 32767"):
        as_bytes(number, 2)


def header(header_size, data_offset, prefix_size):
    return ObjectHeader(20, "object", "C", "c", "", "", None, 0, 1, header_size, prefix_size, data_offset, 8)


def test_where_an_object_starts():
    beside = Nesting(header(10, 30, 0), None, ())
    assert (beside.start, beside.has_header_apart) == (20, False)
    apart = Nesting(header(10, 104, 4), None, ())
    assert (apart.start, apart.has_header_apart) == (100, True)
