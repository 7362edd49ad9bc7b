"""Sums of several saves."""

from __future__ import annotations

from saves import VALID

from streamsave import open as open_save
from streamsave.cli.summing import collect
from streamsave.cli.totals import Totals


def test_sums_of_several():
    each = []
    for name in ("sv46", "sv58"):
        with open_save(VALID / "satisfactory" / f"{name}.sav") as events:
            each.append(collect(events))
    both = Totals()
    for totals in each:
        both.add(totals)
    for name in ("events", "class_bytes", "class_counts", "inner_bytes", "header_bytes", "member_counts", "property_bytes"):
        assert getattr(both, name) == getattr(each[0], name) + getattr(each[1], name), name
    for name in ("chunks", "compressed_size", "inflated_size", "seconds"):
        assert getattr(both, name) == getattr(each[0], name) + getattr(each[1], name), name
