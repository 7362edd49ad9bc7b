"""The picture of `streamsave treemap`: labels, and small parts."""

from __future__ import annotations

import pytest
from cli_runs import SAMPLES
from hypothesis import example, given
from hypothesis import strategies as st
from pictures import drawn, parts
from saves import VALID

from streamsave.cli.treemap import Part

draw_treemap = pytest.importorskip("streamsave.cli.draw_treemap", reason="matplotlib is not installed")
Box, squares = draw_treemap.Box, draw_treemap.squares


@drawn
def test_what_is_small_is_gathered():
    from streamsave.cli.draw_treemap import gathered

    sizes = [50, 20, 12, 6, 4, 3, 3, 2]
    some = [Part(str(size), size) for size in sizes]
    assert [(part.name, part.size) for part in gathered(some, 100, 1000, 50)] == [
        ("50", 50),
        ("20", 20),
        ("12", 12),
        ("other (4)", 12),
        ("6", 6),
    ]
    assert gathered(some[:3], 100, 1000, 50) == some[:3]
    # One alone is no shorter for being called other.
    assert gathered(some[:5], 100, 1000, 50) == some[:5]


@pytest.mark.slow
@drawn
@pytest.mark.parametrize("path", [*SAMPLES[2:], VALID / "shapez2" / "checkpoints.spz2", VALID / "arx" / "v2.1.sav"])
@pytest.mark.parametrize("size", [(1600, 1200), (500, 900)])
def test_labels_stay_in_their_rectangles(path, size):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from streamsave.cli.draw_treemap import TITLE, draw_treemap
    from streamsave.cli.picture import own_style

    with own_style():
        figure = draw_treemap(parts(path), size, "title", "subtitle").figure
        renderer = FigureCanvasAgg(figure).get_renderer()
        (axes,) = figure.axes
        texts = [text.get_window_extent(renderer) for text in axes.texts]
        above = [text.get_position()[1] < TITLE for text in axes.texts]
        boxes = [patch.get_window_extent(renderer) for patch in axes.patches]
    assert len(texts) > 5
    for number, one in enumerate(texts):
        assert not any(one.overlaps(other) for other in texts[:number]), axes.texts[number]
        # Title and legend are above all of them.
        inside = [box for box in boxes if box.x0 <= one.x0 and one.x1 <= box.x1 and box.y0 <= one.y0 and one.y1 <= box.y1]
        assert inside or above[number], axes.texts[number]


@drawn
@pytest.mark.parametrize("path", [SAMPLES[2], VALID / "gvas" / "palworld-0.6.sav"], ids=lambda path: path.stem)
def test_no_part_has_larger_letters_than_a_larger_part(path):
    from streamsave.cli.draw_treemap import TITLE, draw_treemap
    from streamsave.cli.picture import own_style

    with own_style():
        (axes,) = draw_treemap(parts(path), (1600, 1200), "title", "subtitle").figure.axes
    boxes = [patch.get_bbox() for patch in axes.patches if patch.get_bbox().y0 >= TITLE]
    lettered = []
    for text in axes.texts:
        x, y = text.get_position()
        around = [box.width * box.height for box in boxes if box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1]
        if y >= TITLE:
            lettered.append((min(around), text.get_fontsize()))
    sizes = [size for _, size in sorted(lettered)]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) > 1


@drawn
def test_hues_of_categories_and_mods():
    from streamsave.cli.draw_treemap import colours_of
    from streamsave.cli.picture import COLOURS, GREY
    from streamsave.report.categories import STORAGE

    some = [Part("a", 5, "MyMod"), Part("b", 9, "the game"), Part("c", 7, "storage"), Part("d", 6), Part("e", 3, "MyMod")]
    assert colours_of(some) == {"the game": GREY, "MyMod": COLOURS[0], "storage": STORAGE.light}


# --- where they are ---


SIZES = st.lists(st.integers(1, 1 << 40), max_size=60).map(lambda sizes: sorted(sizes, reverse=True))


@given(SIZES, st.floats(1, 5000), st.floats(1, 5000))
@example([8589924346, 1], 25.0, 7.0)
@example([8589924345, 1], 3.0, 11.0)
def test_areas_fill_the_rectangle(sizes, width, height):
    box = Box(10, 20, width, height)
    places = squares(sizes, box)
    assert len(places) == len(sizes)
    area = width * height
    for size, place in zip(sizes, places, strict=True):
        assert place.width * place.height == pytest.approx(area * size / sum(sizes), rel=1e-6, abs=1e-6 * area)
        assert place.x >= box.x - 1e-6
        assert place.y >= box.y - 1e-6
        assert place.x + place.width <= box.x + width + 1e-6 * width
        assert place.y + place.height <= box.y + height + 1e-6 * height


@given(SIZES)
def test_areas_do_not_overlap(sizes):
    places = squares(sizes, Box(0, 0, 100, 80))
    for number, one in enumerate(places):
        for other in places[:number]:
            across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
            down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
            assert min(across, down) <= 1e-6


def test_the_example_of_the_paper():
    """Figure 3: 6, 6, 4, 3, 2, 2, 1 in a rectangle of 6 by 4."""
    places = squares([6, 6, 4, 3, 2, 2, 1], Box(0, 0, 6, 4))
    expected = [
        (0, 0, 3, 2),
        (0, 2, 3, 2),
        (3, 0, 12 / 7, 7 / 3),
        (3 + 12 / 7, 0, 9 / 7, 7 / 3),
        (3, 7 / 3, 6 / 5, 5 / 3),
        (3 + 6 / 5, 7 / 3, 6 / 5, 5 / 3),
        (3 + 12 / 5, 7 / 3, 3 / 5, 5 / 3),
    ]
    for place, each in zip(places, expected, strict=True):
        assert (place.x, place.y, place.width, place.height) == pytest.approx(each)


def test_equal_areas_are_squares():
    assert {(place.width, place.height) for place in squares([1] * 4, Box(0, 0, 2, 2))} == {(1, 1)}


@pytest.mark.parametrize("size", [0.0, 0.5, 2.0, 3.0])
def test_margins_leave_nothing_of_a_small_rectangle(size):
    """The least of parts are thinner than the gaps around them."""
    inside = Box(10, 20, size, 40).inside(1, 2, 1, 2)
    assert (inside.width, inside.height) == (max(size - 2, 0), 36)
    assert 10 <= inside.x <= inside.x + inside.width <= 10 + size
