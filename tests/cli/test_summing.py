"""Sums over the events of a save: each byte counts once."""

from __future__ import annotations

from collections import Counter

import pytest
from saves import VALID

from streamsave import ObjectHeader, PropertyTag
from streamsave import open as open_save
from streamsave.cli.summing import collect

SAVES = sorted(path for path in VALID.glob("*/*") if path.suffix != ".sbpcfg")


@pytest.mark.parametrize("path", SAVES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_byte_counts_twice(path):
    with open_save(path) as events:
        totals = collect(events)
    own = totals.class_bytes - totals.inner_bytes
    for class_name, members in totals.member_bytes.items():
        assert members.total() <= own[class_name]
        assert min(members.values(), default=0) >= 0
    assert own.total() + totals.header_bytes.total() <= totals.inflated_size


def test_objects_in_objects():
    path = VALID / "shapez2" / "checkpoints.spz2"
    with open_save(path) as events:
        totals = collect(events)
    with open_save(path) as events:
        headers = [event for event in events if isinstance(event, ObjectHeader)]
    assert totals.class_counts == Counter(header.class_name for header in headers)
    of_islands = sum(header.size for header in headers if header.kind == "island")
    of_buildings = sum(header.header_size + header.prefix_size + header.size for header in headers if header.kind == "building")
    assert totals.inner_bytes.total() == of_buildings
    assert 0 < of_buildings < of_islands
    # What no building takes of `data` is still that of the island.
    islands = {header.class_name for header in headers if header.kind == "island"}
    assert sum(totals.member_bytes[name]["data"] for name in islands) <= of_islands - of_buildings


def test_a_struct_that_is_a_property_counts_once():
    path = VALID / "satisfactory" / "sv58.sav"
    with open_save(path) as events:
        totals = collect(events)
    with open_save(path) as events:
        sizes = Counter()
        for event in events:
            if isinstance(event, PropertyTag) and event.name == "mSpawnData":
                sizes["mSpawnData"] += event.value_offset + event.size - event.offset
    assert totals.property_bytes["mSpawnData"] == sizes["mSpawnData"] > 0


def test_only_what_was_asked_for():
    """Islands come for the buildings in them, but do not count."""
    with open_save(VALID / "shapez2" / "checkpoints.spz2") as events:
        events.only('kind = "building"')
        totals = collect(events)
    with open_save(VALID / "shapez2" / "checkpoints.spz2") as events:
        headers = [event for event in events if isinstance(event, ObjectHeader) and event.kind == "building"]
    assert totals.class_counts == Counter(header.class_name for header in headers)
    assert totals.class_bytes.total() == sum(header.size for header in headers)
