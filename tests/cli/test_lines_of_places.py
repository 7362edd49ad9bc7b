"""Places of a world of Satisfactory with the lines of belts, pipes and wires."""

from __future__ import annotations

from collections import Counter

import pytest
from cli_runs import SAMPLES

from streamsave import open as open_save
from streamsave.cli.map_places import places_with_lines
from streamsave.cli.view import make_view
from streamsave.consume.parser import parse_selection
from streamsave.report.categories import classify_for

REAL = ("u7-hv10-sv36-216k.sav", "v12-ported-sv58-250k.sav")
WORLDS = [path for path in SAMPLES if "satisfactory" in path.parts]


def given(path, where=None):
    """Places with lines."""
    with open_save(path) as events:
        next(events)
        return list(places_with_lines(events, where, classify_for(events.format.name)))


def seen(places):
    """What is where."""
    return Counter((place.class_name, place.x, place.y, place.kind) for place in places)


def in_view(path, where=None):
    """The places that the view of the format finds."""
    with open_save(path) as events:
        return seen(make_view(events.format).places(events, where))


@pytest.mark.parametrize("where", [None, "kind = actor", 'class = "*_C" or size > 100', "not kind = actor"])
@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_places_are_those_of_the_view(path, where):
    """Parts of other objects have no place; foundations have, though they are in another object."""
    selection = None if where is None else parse_selection(where)
    assert seen(given(path, selection)) == in_view(path, selection)


@pytest.mark.parametrize("name", REAL)
def test_real_worlds(corpus, name):
    path = corpus / "satisfactory" / name
    places = given(path)
    assert seen(places) == in_view(path)
    lines = [place for place in places if place.corners]
    assert {place.category.name for place in lines} >= {"logistics"}
    assert all(len(place.corners) >= 4 and len(place.corners) % 2 == 0 for place in lines)
    # A belt starts or ends near its place.
    assert all(any(abs(x - place.x) < 250 for x in place.corners[::2]) for place in lines)
