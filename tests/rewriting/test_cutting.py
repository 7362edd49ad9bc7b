"""What was taken: see `test_cut_stream.py` and `test_insertion.py`."""

from __future__ import annotations

from streamsave import ObjectHeader
from streamsave.rewriting import Cutting


def test_it_has_names():
    header = ObjectHeader(0, "actor", "C", "N", "L", "", None, 0, 1, 8, 10, 20, 10)
    cutting = Cutting(header, b"h", b"d", (("format", "x"),), is_of_map=True)
    assert cutting.event is header
    assert cutting._fields == ("event", "header", "data", "facts", "is_of_map")
