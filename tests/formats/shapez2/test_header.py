"""The small values of shapez 2 print as the game would write them."""

import pytest

from streamsave.formats.shapez2.header import Channel, Coordinate, Fluid, FluidOnTrack, FluidPackage, Shape, ShapeOnTrack, Signal


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
