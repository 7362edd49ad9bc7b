"""The instances of the lightweight subsystem: each is an object among the events, and a value in what `build()` returns."""

import pytest
from lightweight_worlds import OWNER, RECIPE, SUBSYSTEM, VERSIONS, headers, world
from saves import deflate, expected, head_and_body, read, without_chunks

import streamsave
from streamsave import ObjectEnd, ObjectHeader, StructEnter
from streamsave.decode.build import header_members
from streamsave.formats.satisfactory.trailers import lightweight_instance


def built(data: bytes) -> dict[str, object]:
    """The subsystem as `build()` gives it."""
    with streamsave.open(data) as events:
        return next(events.build() for event in events if isinstance(event, ObjectHeader) and event.class_name == SUBSYSTEM)


def values(data: bytes) -> list[dict[str, object]]:
    return [one for row in built(data)["trailer"]["buildables"] for one in row["instances"]]


@pytest.mark.parametrize("version", VERSIONS)
def test_build_gives_values(version):
    """What the subsystem is built to has no headers; an instance has its own, and the same values."""
    data = world(version)
    whole = built(data)
    rows = whole["trailer"]["buildables"]
    assert [row["buildable_class"].path_name.rpartition(".")[2] for row in rows] == [
        "Build_Foundation_8x1_01_C",
        "Build_Wall_C",
        "Build_Beam_C",
    ]
    assert [len(row["instances"]) for row in rows] == [4, 0, 3]
    assert whole["properties"] == {"mBefore": 1}
    of_whole = values(data)
    assert [list(one) for one in of_whole] == [lightweight_instance(version, VERSIONS[version]).names] * 7
    with streamsave.open(data) as events:
        alone = [(event, events.build()) for event in events if isinstance(event, ObjectHeader) and event.kind == "lightweight"]
    assert [one for _, one in alone] == [
        {**header_members(header), "properties": {}, **one} for (header, _), one in zip(alone, of_whole, strict=True)
    ]
    # From any nesting on, the rest of it is values.
    for name in ("trailer", "buildables", "instances"):
        with streamsave.open(data) as events:
            part = next(events.build() for event in events if isinstance(event, StructEnter) and event.name == name)
        assert part == {"trailer": whole["trailer"], "buildables": rows, "instances": rows[0]["instances"]}[name]


def test_who_skips_the_subsystem_pays_nothing():
    """No event, and no byte: what is in it may be anything."""
    data = world(58)
    (owner,) = [event for event in read(data) if isinstance(event, ObjectHeader) and event.class_name == SUBSYSTEM]
    head, stream = head_and_body(data)
    bad = deflate(head, stream[: owner.data_offset] + b"\xff" * owner.size + stream[owner.data_offset + owner.size :])
    seen = []
    with streamsave.open(bad) as events:
        for event in events:
            seen.append(event)
            if isinstance(event, ObjectHeader):
                events.skip()
    at = next(at for at, event in enumerate(seen) if isinstance(event, ObjectHeader) and event.class_name == SUBSYSTEM)
    assert isinstance(seen[at + 1], ObjectEnd)


@pytest.mark.parametrize("skipped", range(13))
def test_a_part_is_skipped(skipped):
    """Each nesting in the trailer, and an instance: its exit comes next, and what follows is as it was."""
    data = world(58)
    whole = without_chunks(read(data))
    openers = (StructEnter, ObjectHeader)
    start = next(at for at, event in enumerate(whole) if isinstance(event, StructEnter) and event.name == "trailer")
    at = [at for at, event in enumerate(whole) if at >= start and isinstance(event, openers)][skipped]
    depth, end = 1, at
    while depth:
        end += 1
        depth += isinstance(whole[end], openers) - type(whole[end]).__name__.endswith(("Exit", "End"))
    made = []
    with streamsave.open(data) as events:
        for event in events:
            if not isinstance(event, streamsave.ChunkStart):
                made.append(event)
                if event == whole[at]:
                    # No event is made of what is in it.
                    before = events._allowance.left
                    events.skip()
                    assert events._allowance.left == before
    assert made == whole[: at + 1] + whole[end:]


WANTED = {
    'class_name = "*Beam*"': [4, 5, 6],
    'class_name = "*Foundation_8x1*" and instance_name = "*_2"': [2],
    'instance_name = "*Beam_C_1"': [5],
    "kind = lightweight": range(7),
    f'outer = "{OWNER}"': range(7),
    "position in (700, -500)..(1700, 0)": [1, 2],
    'swatch = "/Game/Swatch_1"': [1, 5],
    f'built_with_recipe ~ "{RECIPE}" and class_name ~ Beam': [4, 5, 6],
    "scale.z > 5": [5, 6],
    "type_specific_data.value.BeamLength = 200": [6],
    'kind = lightweight and not class_name ~ "Foundation"': [4, 5, 6],
    "kind = lightweight and mBefore = 1": [],
}


@pytest.mark.parametrize("sizes", [True, False])
@pytest.mark.parametrize("where", WANTED)
def test_selections(where, sizes):
    data = world(58)
    found = list(streamsave.objects(data, where, fields=["swatch"], sizes=sizes))
    whole = headers(data)
    assert [one.offset for one in found] == [whole[at].offset for at in WANTED[where]]
    for one in found:
        assert one.size == next(header.size for header in whole if header.offset == one.offset)
        assert one.fields["swatch"].path_name.startswith("/Game/Swatch_")


@pytest.mark.parametrize("name", ["hv14-sv51-unlock-1.1", "v10-hv13-sv46-mods-657k", "v12-ported-sv58-250k"])
def test_as_many_as_others_count(name, corpus):
    path = corpus / "satisfactory" / f"{name}.sav"
    told = expected(path.parent, path.name)["peer"]["lightweight"]
    found = list(streamsave.objects(path, "kind = lightweight", sizes=False))
    assert len(found) == told["instances"]
    assert len({one.instance_name for one in found}) == len(found)
    assert all(one.position is not None and max(map(abs, one.position)) < 500_000 for one in found)
