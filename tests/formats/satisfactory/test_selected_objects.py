"""Selected objects: what is wanted comes as in a whole walk, what is not makes no event and is passed over."""

from __future__ import annotations

import pytest
from satisfactory_layouts import header_of
from saves import read, without_chunks
from strategies import data_of
from writer.primitives import Ref
from writer.satisfactory import Level, Object, VersionData, World, save_bytes
from writer.tags import INT, Prop

import streamsave
from streamsave import Event, ObjectEnd, ObjectHeader

VERSIONS = [25, 29, 36, 40, 41, 48, 49, 52, 53, 58]


def save_of(version: int) -> bytes:
    """Actors and other objects of two classes, some with version data."""
    objects = []
    for at in range(8):
        kind = "Wall" if at % 3 else "Belt"
        one = Object(
            f"/Game/{kind}.{kind}_C",
            f"{kind}_{at}",
            [Prop("m", INT, at)],
            outer="Owner" if at % 2 else None,
            owner=Ref("Level", "Owner"),
            flags=at,
            version_data=VersionData() if version >= 53 and at % 4 == 0 else None,
        )
        objects.append(one)
    levels = [Level("Cell", objects, version_data=data_of(version))] if version >= 29 else []
    return save_bytes(World(header_of(version), levels, objects, version_data=data_of(version)))


ONE = {
    'class = "*Wall*"': ["Wall_1", "Wall_2", "Wall_4", "Wall_5", "Wall_7"],
    'class = "*Belt*" and name = "*_3"': ["Belt_3"],
    'kind = "actor"': ["Belt_0", "Wall_2", "Wall_4", "Belt_6"],
    "size > 0": ["Belt_0", "Wall_1", "Wall_2", "Belt_3", "Wall_4", "Wall_5", "Belt_6", "Wall_7"],
    'name = "nothing"': [],
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("where", ONE)
def test_headers_are_as_in_a_whole_walk(version, where):
    save = save_of(version)
    headers = {event.offset: event for event in read(save) if isinstance(event, ObjectHeader)}
    found = list(streamsave.objects(save, where))
    assert [one.instance_name for one in found] == ONE[where] * (2 if version >= 29 else 1)
    for one in found:
        header = headers[one.offset]
        assert (one.kind, one.class_name, one.instance_name) == (header.kind, header.class_name, header.instance_name)
        assert (one.level, one.size, one.position is None) == (header.level, header.size, header.transform is None)


@pytest.mark.parametrize("version", VERSIONS)
def test_properties_of_selected_objects(version):
    rows = [one.fields["m"] for one in streamsave.objects(save_of(version), 'class = "*Belt*"', ["m"])]
    assert rows == [0, 3, 6] * (2 if version >= 29 else 1)


@pytest.mark.parametrize("version", VERSIONS)
def test_no_data_is_looked_at_where_no_test_needs_it(version):
    found = list(streamsave.objects(save_of(version), 'class = "*Belt*"', sizes=False))
    assert [one.size for one in found] == [-1] * len(found)
    assert [one.instance_name for one in found] == ["Belt_0", "Belt_3", "Belt_6"] * (2 if version >= 29 else 1)


@pytest.mark.parametrize("version", VERSIONS)
def test_events_of_selected_objects(version):
    """`only` leaves out objects, and nothing else."""
    save = save_of(version)
    with streamsave.open(save) as events:
        events.only('class = "*Wall*"')
        seen = without_chunks(list(events))
    kept: list[Event] = []
    inside = False
    for event in without_chunks(read(save)):
        if isinstance(event, ObjectHeader):
            inside = "Wall" not in event.class_name
        if not inside:
            kept.append(event)
        if isinstance(event, ObjectEnd):
            inside = False
    assert seen == kept
