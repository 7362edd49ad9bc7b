"""Which places `streamsave map` draws."""

from __future__ import annotations

import math
from collections import Counter

import orjson
import pytest
from cli_runs import SAMPLES, run
from saves import VALID

from streamsave import ObjectHeader
from streamsave import open as open_save
from streamsave.cli import map_places as places_module
from streamsave.cli.map_places import MixedUnits, Places, PlacesOf
from streamsave.cli.save import Save
from streamsave.cli.view import Place
from streamsave.consume.parser import parse_selection
from streamsave.formats import METRES, TILES
from streamsave.formats.shapez2.places import tile_of
from streamsave.report.categories import LOGISTICS, NATURE

ISLANDS = VALID / "shapez2" / "checkpoints.spz2"

SPAWNERS = 'class = "*CreatureSpawner*"'


def places_of(path, where=None) -> Places:
    """What the command collects."""
    places = Places()
    with open_save(path) as events:
        for place in PlacesOf(None if where is None else parse_selection(where))(Save(str(path), None, events)):
            places.add(place)
    return places


def drawn_points(places) -> Counter[tuple[str, float, float]]:
    """Class and place of each dot."""
    return Counter((name, x, y) for name, (xs, ys) in places.held.items() for x, y in zip(xs, ys, strict=True))


def in_single(number: float) -> float:
    """A number as it is held."""
    from array import array

    return array("f", [number])[0]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_places_are_those_that_ls_shows(path):
    places = places_of(path)
    listed = [orjson.loads(line) for line in run("ls", "--json", path).stdout.splitlines()]
    shown = [(each["class_name"], each["position_metres"]) for each in listed if each["position_metres"] is not None]
    assert drawn_points(places) == Counter((name, in_single(at[0]), in_single(at[1])) for name, at in shown)
    assert places.counts == Counter(name for name, _ in shown)
    assert len(shown) > 10
    assert places.unit == METRES


def test_only_what_was_asked_for():
    found = [line.split("\t") for line in run("ls", SAMPLES[0], "--where", SPAWNERS).stdout.splitlines()]
    places = places_of(SAMPLES[0], SPAWNERS)
    assert places.counts.total() == len(found) == 5


def test_tiles_of_islands_and_buildings():
    with open_save(ISLANDS) as events:
        headers = [event for event in events if isinstance(event, ObjectHeader)]
    island, building = headers[:2]
    assert (island.instance_name, building.instance_name) == ("(-50, 50, 1)", "(-50, 50, 1):(-20, -20, 0)")
    assert tile_of(island) == (-50 * 20 + 9.5, 50 * 20 + 9.5)
    assert tile_of(building) == (-50 * 20 - 20, 50 * 20 - 20)


def test_places_in_tiles():
    places = places_of(ISLANDS)
    listed = run("ls", ISLANDS).stdout.splitlines()
    assert places.unit == TILES
    states = sum(" state:" in line for line in listed)  # of what is on the map already
    assert places.counts == Counter(line.split("\t")[0] for line in listed if " state:" not in line)
    alone = places_of(ISLANDS, 'kind = "building"')
    assert 0 < alone.counts.total() < len(listed) - states
    assert drawn_points(alone) <= drawn_points(places)


@pytest.mark.slow
def test_no_two_buildings_of_players_are_on_one_tile(corpus):
    """If islands were counted in other squares, buildings of neighbours would be."""
    path = next((corpus / "shapez2" / "blueprints").glob("mam.*"))
    with open_save(path) as events:
        headers = [event for event in events if isinstance(event, ObjectHeader) and event.kind == "building"]
    tiles = Counter((tile_of(header), header.transform.translation[2]) for header in headers)
    assert len(tiles) == len(headers) > 100_000


@pytest.mark.slow
def test_real_world(corpus):
    path = corpus / "satisfactory" / "v11-hv14-sv52-mods-3m.sav"
    places = places_of(path)
    listed = run("ls", "--long", path, "--where", 'not kind = "object"').stdout.splitlines()
    assert places.counts == Counter(line.split("\t")[0] for line in listed)
    # The map of the game ends at about 4 km in each direction.
    assert all(abs(number) < 4300 for pair in places.held.values() for numbers in pair for number in numbers)


def test_what_is_held_is_bounded(monkeypatch):
    monkeypatch.setattr(places_module, "MOST_PLACES", 3)
    places = Places()
    for number in range(5):
        places.add(Place(METRES, "a", number, 0.0))
    places.add(Place(METRES, "b", 0.0, 0.0))
    assert places.counts == {"a": 5, "b": 1}
    assert drawn_points(places) == Counter(("a", float(number), 0.0) for number in range(3))
    assert places.held_count == 3


def test_what_is_no_number_is_no_place():
    places = Places()
    for x, y in ((math.nan, 0.0), (0.0, math.inf), (-math.inf, 0.0)):
        places.add(Place(METRES, "a", x, y))
    assert not places.counts


def test_one_unit():
    places = Places()
    places.add(Place(METRES, "a", 0.0, 0.0))
    with pytest.raises(MixedUnits):
        places.add(Place(TILES, "a", 0.0, 0.0))


def test_belts_pipes_and_wires_are_lines(corpus):
    places = places_of(corpus / "satisfactory" / "u7-hv10-sv36-216k.sav")
    names = {name.rpartition(".")[2] for name in places.lines}
    assert any("ConveyorBelt" in name for name in names)
    assert all(len(line) >= 4 and len(line) % 2 == 0 for lines in places.lines.values() for line in lines)


def test_nature_is_left_out():
    tree, belt = "BP_BerryBush_C", "Build_ConveyorBeltMk1_C"
    places = Places()
    places.add(Place(METRES, tree, 1, 2, category=NATURE))
    places.leave_out_nature()
    assert places.counts == {tree: 1}
    places.add(Place(METRES, belt, 1, 2, corners=(1.0, 2.0, 3.0, 4.0), category=LOGISTICS))
    places.leave_out_nature()
    assert places.counts == {belt: 1}
    assert places.held.keys() == places.lines.keys() == {belt}
