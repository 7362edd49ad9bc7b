"""The small values of shapez 2 print as the game would write them."""

from __future__ import annotations

import pytest

import streamsave
from streamsave import ObjectHeader
from streamsave.formats.shapez2.header import (
    Channel,
    Coordinate,
    Fluid,
    FluidOnTrack,
    FluidPackage,
    Shape,
    ShapeOnTrack,
    Signal,
)
from streamsave.formats.shapez2.places import make_transform


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Coordinate(-1, 2, 0), "(-1, 2, 0)"),
        (Shape("CuRuSuWu"), "CuRuSuWu"),
        (Shape(None), "null"),
        (Fluid("r"), "color-r"),
        (FluidPackage(Fluid("g"), 38_419_920_000 // 2), "0.5 L color-g"),
        (FluidOnTrack(3, Fluid("b")), "3 x color-b"),
        (ShapeOnTrack(12, Shape("CuCuCuCu")), "12 x CuCuCuCu"),
        (ShapeOnTrack(0, None), "0 x None"),
        (Signal("Null"), "Null"),
        (Signal("Conflict"), "Conflict"),
        (Signal("Integer", 0), "0"),
        (Signal("Item", Shape("CuRuSuWu")), "CuRuSuWu"),
        (Signal("Fluid", Fluid("r")), "color-r"),
        (Channel(2, 4), "ROS 4"),
        (Channel(3, 77), "Shape 77"),
        (Channel(4, ord("r")), "Fluid r"),
        (Channel(5, 12), "Integer 12"),
        (Channel(6, 12), "Integer -12"),
        (Channel(0, 1), "0 1"),
    ],
)
def test_values_print_in_the_games_terms(value, text):
    assert str(value) == text


@pytest.mark.parametrize(("rotation", "direction"), [(0, (1, 0)), (1, (0, 1)), (2, (-1, 0)), (3, (0, -1))])
def test_objects_turn_from_east_to_south(rotation, direction):
    """As y counts to the south: what points east, turned by the quaternion of a transform."""
    x, y, z, w = make_transform(0, 0, 0, rotation).rotation
    assert (1 - 2 * (y * y + z * z), 2 * (x * y + z * w)) == pytest.approx(direction)


def test_buildings_stand_where_their_island_is_turned_to(corpus):
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
