"""Categories of objects, and whether eyes of all kinds keep their colours apart."""

from itertools import combinations
from pathlib import Path

import pytest

from streamsave.report.categories import ALL, OTHER, Category, classify_for

SATISFACTORY = classify_for("satisfactory")


#: Game, kind and name of a class, the category of its objects.
ROWS = [line.split("\t") for line in (Path(__file__).parent / "categories.tsv").read_text(encoding="utf-8").splitlines()[1:]]


@pytest.mark.parametrize(("game", "kind", "class_name", "category"), ROWS)
def test_categories(game, kind, class_name, category):
    assert classify_for(game)(kind, class_name).name == category


def test_saves_of_other_games_have_none():
    classify = classify_for("")
    assert not classify
    assert classify("actor", "Build_ConstructorMk1_C") == OTHER
    assert bool(SATISFACTORY)


#: What an eye without one kind of cone sees of linear red, green and blue (Machado, Oliveira and Fernandes, 2009).
EYES = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
GROUNDS = {"light": "#FFFFFF", "dark": "#14171C"}


def linear(text: str) -> list[float]:
    values = [int(text[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]


def lab(text: str, eye) -> tuple[float, float, float]:
    red, green, blue = (min(1, max(0, sum(a * b for a, b in zip(row, linear(text), strict=True)))) for row in eye)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("ground", GROUNDS)
def test_colours_are_kept_apart(ground, eye):
    """By 25 steps of the CIE's colour space, of which one is just visible side by side."""
    for one, other in combinations(sorted({getattr(category, ground) for category in ALL} | {GROUNDS[ground]}), 2):
        distance = sum((a - b) ** 2 for a, b in zip(lab(one, EYES[eye]), lab(other, EYES[eye]), strict=True)) ** 0.5
        assert distance > 25, (one, other)


def test_names_are_different():
    assert len({category.name for category in ALL}) == len(ALL)
    assert all(isinstance(category, Category) for category in ALL)
