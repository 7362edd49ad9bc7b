"""The canvas of a picture: its size, and text on it."""

from __future__ import annotations

import io

import pytest
from pictures import png_size

canvas_module = pytest.importorskip("streamsave.cli.canvas")
Canvas, own_style = canvas_module.Canvas, canvas_module.own_style


@pytest.mark.parametrize("size", [(1600, 1200), (400, 400), (1001, 777), (5000, 400)])
def test_a_picture_has_its_pixels(tmp_path, size):
    path = tmp_path / "picture.png"
    with path.open("wb") as file:
        Canvas(size).save(file, "png")
    assert png_size(path) == size


@pytest.mark.parametrize(
    ("size", "units"),
    [((1600, 1200), (1600, 1200)), ((3200, 2400), (3200, 2400)), ((800, 600), (1600, 1200))],
)
def test_a_small_picture_has_as_many_units_as_one_of_full_size(size, units):
    canvas = Canvas(size)
    assert (canvas.width, canvas.height) == units


def test_text_is_as_wide_in_units_whatever_the_size():
    widths = []
    for size in (1600, 1200), (800, 600):
        with own_style():
            widths.append(Canvas(size).text_width("Build_Wall_C", 8.5))
    assert widths[0] == pytest.approx(widths[1], rel=0.15)
    with own_style():
        assert Canvas((1600, 1200)).text_width("", 8.5) == 0


TEXTS = [
    "",
    "Build_Wall_C",
    "mInventoryStacks…",
    "Y.Y.Y.Y.Y.",
    "-J-J-J-J",
    "12.5 MiB · 3.1%",
    "Größe 壁",
    "iiiiiiiiii",
    "TeToTa" * 9,
]


@pytest.mark.parametrize("size", [(1600, 1200), (400, 400), (5000, 700)])
@pytest.mark.parametrize("points", [8.5, 6.0])
def test_text_fits_where_it_is_not_wider(size, points):
    """Whether it is measured or not; and the most different widths need no measuring."""
    with own_style():
        canvas = Canvas(size)
        widths = [canvas.text_width(text, points) for text in TEXTS]
        for text, width in zip(TEXTS, widths, strict=True):
            for part in (0.2, 0.5, 0.8, 0.9, 0.97, 1.0, 1.03, 1.1, 1.3, 2.0, 5.0):
                assert canvas.fits(text, points, width * part) == (width <= width * part), (text, part)
        assert not Canvas(size).fits("x" * 100_000, points, 50.0)
        measured = Canvas(size)
        for text in TEXTS[1:6]:
            measured.fits(text, points, 5.0)
            measured.fits(text, points, 5_000.0)
        assert not {text for text, _ in measured._widths} & set(TEXTS)


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_picture_has_the_same_bytes(kind):
    first, second = io.BytesIO(), io.BytesIO()
    for file in first, second:
        Canvas((400, 400)).save(file, kind)
    assert first.getvalue() == second.getvalue()
