"""The picture of `streamsave map`: colours, scale, names."""

from __future__ import annotations

import pytest
from pictures import drawn

from streamsave.cli.map import Places
from streamsave.cli.view import Place
from streamsave.formats import METRES


def some_places(classes: int) -> Places:
    """Places of so many classes, of which the first has most."""
    places = Places()
    for number in range(classes):
        for x in range(classes - number):
            places.add(Place(METRES, f"/Game/Class{number:02}.Class{number:02}_C", x, number))
    return places


@drawn
def test_the_commonest_classes_have_colours():
    from streamsave.cli.draw_map import groups_of
    from streamsave.cli.picture import COLOURS, GREY

    groups = groups_of(some_places(9))
    assert [group.colour for group in groups] == list(COLOURS)
    assert [group.label for group in groups[:2]] == ["9  Class00_C", "8  Class01_C"]
    groups = groups_of(some_places(12))
    assert [group.colour for group in groups] == [*COLOURS, GREY]
    assert groups[-1].label == "6  other (3 classes)"
    assert groups[-1].classes == tuple(f"/Game/Class{number:02}.Class{number:02}_C" for number in (9, 10, 11))
    assert groups_of(some_places(10))[-1].label == "1  other (1 class)"


@drawn
def test_long_names_keep_both_ends():
    from streamsave.cli.draw_map import LONGEST_NAME, shorten

    assert shorten("a" * LONGEST_NAME) == "a" * LONGEST_NAME
    short = shorten("Begin" + "x" * 100 + "End")
    assert len(short) == LONGEST_NAME
    assert (short[:5], short[-3:]) == ("Begin", "End")


@drawn
@pytest.mark.parametrize(
    ("most", "length"), [(1, 1), (1.9, 1), (2, 2), (4.99, 2), (7, 5), (999, 500), (1000, 1000), (0.03, 0.02)]
)
def test_the_scale_is_a_round_number(most, length):
    from streamsave.cli.draw_map import round_length

    assert round_length(most) == pytest.approx(length)


@drawn
@pytest.mark.parametrize("size", [(1600, 1200), (401, 999)])
def test_axes_have_one_scale_and_y_grows_downward(size):
    from streamsave.cli.draw_map import draw_map

    axes = draw_map(some_places(12), size, "title", "subtitle").figure.axes[0]
    room = axes.get_window_extent()
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert (right - left) / room.width == pytest.approx((bottom - top) / room.height)
    assert left < 0
    assert top < 0
    assert min(right, bottom) > 11
    assert sum(len(line.get_xdata()) for line in axes.get_lines()) == 78


@pytest.mark.slow
@drawn
def test_half_a_million_dots_are_a_small_file(tmp_path):
    from streamsave.cli.draw_map import draw_map

    places = Places()
    for number in range(500_000):
        places.add(Place(METRES, f"C{number % 20}", (number * 7919) % 100_003 / 10, (number * 104_729) % 100_019 / 10))
    canvas = draw_map(places, (800, 600), "title", "subtitle")
    path = tmp_path / "map.svg"
    canvas.write(str(path))
    assert path.stat().st_size < 2_000_000


@drawn
@pytest.mark.parametrize("place", [(0.0, 0.0), (3e38, -3e38), (1e-40, 0.0)])
def test_odd_places(tmp_path, place):
    """One place alone, or at the end of what numbers can say, is drawn, too."""
    from streamsave.cli.draw_map import draw_map

    places = Places()
    places.add(Place(METRES, "_hidden \N{HIRAGANA LETTER A}", *place))
    draw_map(places, (400, 400), "", "").write(str(tmp_path / "map.png"))
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
