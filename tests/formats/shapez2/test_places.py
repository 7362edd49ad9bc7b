"""Where objects of shapez 2 face, and where they are."""

from __future__ import annotations

import pytest
from scenes import header

import streamsave
from streamsave import ObjectHeader
from streamsave.formats.shapez2.places import make_transform, tile_of


@pytest.mark.parametrize(("rotation", "direction"), [(0, (1, 0)), (1, (0, 1)), (2, (-1, 0)), (3, (0, -1))])
def test_objects_turn_from_east_to_south(rotation, direction):
    """As y counts to the south: what points east, turned by the quaternion of a transform."""
    x, y, z, w = make_transform(0, 0, 0, rotation).rotation
    assert (1 - 2 * (y * y + z * z), 2 * (x * y + z * w)) == pytest.approx(direction)


def test_buildings_are_where_their_island_is_turned_to(corpus):
    """A foundation of two squares, turned south, has its second one south of the first: the direction of y."""
    places: dict[int, set[float]] = {}
    blueprints = corpus / "shapez2" / "blueprints"
    for path in (*blueprints.glob("2-layer-straight-stacker.*"), *blueprints.glob("*destroy-top-right.*")):
        with streamsave.open(path) as events:
            islands: dict[str, int] = {}
            for event in events:
                if not isinstance(event, ObjectHeader) or event.transform is None:
                    continue
                if event.kind == "island" and event.class_name in {"Foundation_1x2", "Foundation_1x2_Flipped"}:
                    islands[event.instance_name] = event.flags
                elif event.outer in islands:
                    places.setdefault(islands[event.outer], set()).add(event.transform.translation[1])
    assert min(places[1]) >= 0
    assert max(places[1]) > 20
    assert min(places[3]) < 0
    assert max(places[3]) < 20


# --- Tiles of islands and buildings ---


@pytest.mark.parametrize(
    ("kind", "outer", "place", "tile"),
    [
        ("island", "", (-50.0, 2.0, 1.0), (-50 * 20 + 9.5, 2 * 20 + 9.5)),
        ("building", "(3, -4, 0)", (5.0, 6.0, 0.0), (65.0, -74.0)),
        ("building", "", (5.0, 6.0, 0.0), (5.0, 6.0)),
        ("building", "elsewhere", (5.0, 6.0, 0.0), None),
        ("building", "(3, -4, 0)", None, None),
    ],
)
def test_tiles(kind, outer, place, tile):
    assert tile_of(header(kind=kind, outer=outer, place=place)) == tile
