"""`streamsave map`: the file that is written, and the exit code; also what `streamsave treemap` does alike.

The file is long because each thing that is drawn has its own cases.
"""

import math
from array import array
from collections import Counter

import orjson
import pytest
from cli_runs import SAMPLES, json_lines, lines, printed, refused, run
from pictures import drawn, png_size, svg_texts
from saves import VALID, deflate, file_with, head_and_body, headers_of

from streamsave import open as open_save
from streamsave.cli import map as places_module
from streamsave.cli.map import LONGEST_LINE, NEAR, Group, Place, Places, draw_map, groups_of, round_length
from streamsave.cli.options import keep_only
from streamsave.cli.output import Failed
from streamsave.cli.save import Save
from streamsave.cli.view import make_view
from streamsave.consume.parser import parse_selection
from streamsave.formats import METRES, TILES
from streamsave.formats.shapez2.game_reader import tile_of
from streamsave.report.categories import CLASS_COLOURS, LOGISTICS, NATURE, OTHER, classify_for
from streamsave.report.footprints import spot_of

ISLANDS = VALID / "shapez2" / "checkpoints.spz2"

SPAWNERS = 'class_name = "*CreatureSpawner*"'


# --- what `treemap` does, too ---


@drawn
@pytest.mark.parametrize(
    ("command", "size"),
    [
        ("map", (1600, 1200)),
        ("map", (400, 400)),
        ("map", (1001, 777)),
        ("map", (5000, 400)),
        pytest.param("treemap", (1600, 1200), marks=pytest.mark.slow),
        pytest.param("treemap", (401, 999), marks=pytest.mark.slow),
    ],
)
def test_png(tmp_path, command, size):
    path = tmp_path / "picture.png"
    assert printed(command, SAMPLES[2], "-o", path, "--size", f"{size[0]}x{size[1]}") == ""
    assert png_size(path) == size
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
@drawn
@pytest.mark.parametrize(("command", "save"), [("map", ISLANDS), ("treemap", VALID / "gvas" / "ue5-1018.sav")])
def test_pdf(tmp_path, command, save):
    path = tmp_path / "picture.pdf"
    assert run(command, save, "-o", path).exit_code == 0
    assert path.read_bytes().startswith(b"%PDF-")


@pytest.mark.slow
@drawn
@pytest.mark.parametrize("command", ["map", "treemap"])
def test_side_by_side(tmp_path, command):
    said = []
    for jobs in ("1", "2"):
        path = tmp_path / f"{jobs}.svg"
        result = run(command, *SAMPLES, tmp_path / "missing.sav", "-o", path, "-j", jobs, "--where", SPAWNERS)
        said.append((result.exit_code, result.output, path.read_bytes()))
    assert said[0] == said[1]
    assert said[0][0] == 2


# --- what only `map` does ---


@drawn
def test_svg_says_what_the_colours_are(tmp_path):
    path = tmp_path / "map.svg"
    assert run("map", SAMPLES[2], "-o", path, "--title", "$a_1$ <&>", "--nature").exit_code == 0
    texts = svg_texts(path)
    rows = [row for row in json_lines("ls", SAMPLES[2]) if row["position_metres"] is not None]
    classify = classify_for("satisfactory")
    counts = Counter(classify(row["kind"], row["class_name"]).name for row in rows)
    assert len(counts) > 3
    assert {f"{count}  {name}" for name, count in counts.items()} <= set(texts)
    assert "$a_1$ <&>" in texts
    assert "x in metres, to the east" in texts
    assert any(text.endswith(" m") for text in texts)


@pytest.mark.slow
@drawn
def test_the_picture_says_if_not_all_are_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr(places_module, "MOST_PLACES", 3)
    path = tmp_path / "map.svg"
    assert run("map", ISLANDS, "-o", path).exit_code == 0
    assert [text for text in svg_texts(path) if text.endswith(", of which the first 3 are drawn")]


@pytest.mark.slow
@drawn
def test_nature_is_left_out_if_there_is_anything_else(tmp_path):
    path = tmp_path / "map.svg"
    for arguments, is_there in (((), False), (("--nature",), True), (("--where", SPAWNERS), True)):
        assert run("map", SAMPLES[2], "-o", path, *arguments).exit_code == 0
        assert any(text.endswith("  nature") for text in svg_texts(path)) == is_there, arguments


@pytest.mark.slow
@drawn
def test_the_title_is_the_name_of_the_world(tmp_path):
    path = tmp_path / "map.svg"
    assert run("map", SAMPLES[2], "-o", path).exit_code == 0
    (info,) = json_lines("info", SAMPLES[2])
    assert info["header"]["session_name"] in svg_texts(path)
    assert run("map", SAMPLES[2], SAMPLES[0], "-o", path).exit_code == 0
    assert "sv58.sav, sv46.sav" in svg_texts(path)


@pytest.mark.slow
@drawn
def test_the_same_picture_has_the_same_bytes(tmp_path):
    for kind in ("png", "svg", "pdf"):
        one, other = tmp_path / f"one.{kind}", tmp_path / f"other.{kind}"
        for path in (one, other):
            assert run("map", SAMPLES[0], "-o", path).exit_code == 0
        assert one.read_bytes() == other.read_bytes()


@drawn
def test_several_saves_are_one_picture(tmp_path):
    path = tmp_path / "map.svg"
    bad = file_with(tmp_path / "bad.sav", b"no save, but longer than a header is")
    cut = file_with(tmp_path / "cut.sav", deflate(*head_and_body(SAMPLES[0].read_bytes()), 4096)[:-200])
    empty = VALID / "gvas" / "empty.sav"
    errors = refused("map", SAMPLES[0], bad, cut, SAMPLES[1], empty, "-o", path, "--where", SPAWNERS)
    assert [line.split(": ")[1] for line in errors.splitlines()] == [str(bad), str(cut), str(empty)]
    # 5 in the first, and in the one that is cut after them; 7 in the other.
    assert "17 objects of 1 class" in svg_texts(path)
    assert "sv46.sav, bad.sav, cut.sav, …" in svg_texts(path)


@pytest.mark.slow
@drawn
def test_a_background(tmp_path):
    image, plain, with_image = tmp_path / "image.png", tmp_path / "plain.png", tmp_path / "with.png"
    assert run("map", SAMPLES[2], "-o", plain, "--size", "400x400").exit_code == 0
    image.write_bytes(plain.read_bytes())
    result = run(
        "map", SAMPLES[2], "-o", with_image, "--size", "400x400", "--background", image, "--bounds=-9000,-9000,9000,9000"
    )
    assert (result.exit_code, result.output) == (0, "")
    assert with_image.read_bytes() != plain.read_bytes()
    assert png_size(with_image) == (400, 400)


@drawn
@pytest.mark.parametrize("content", [None, b"", b"no picture", b"\x89PNG\r\n\x1a\n"])
def test_a_background_that_is_no_picture(tmp_path, content):
    image, path = tmp_path / "image.png", tmp_path / "map.png"
    if content is not None:
        image.write_bytes(content)
    assert "image.png" in refused("map", SAMPLES[2], "-o", path, "--background", image, "--bounds", "0,0,1,1")
    assert not path.exists()


# --- which places `streamsave map` draws ---


def places_of(path, where=None) -> Places:
    places = Places()
    with open_save(path) as events:
        for place in places_module.places_of(None if where is None else parse_selection(where), Save(str(path), None, events)):
            places.add(place)
    return places


def drawn_points(places) -> Counter[tuple[str, float, float]]:
    """Class and place of each dot."""
    return Counter((name, x, y) for name, (xs, ys, _) in places.held.items() for x, y in zip(xs, ys, strict=True))


def in_single(number: float) -> float:
    """A number as it is held."""
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


def test_tiles_of_islands_and_buildings():
    island, building = headers_of(ISLANDS)[:2]
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
    with pytest.raises(Failed, match="metres and others in tiles"):
        places.add(Place(TILES, "a", 0.0, 0.0))


def test_nature_is_left_out():
    tree, belt = "BP_BerryBush_C", "Build_ConveyorBeltMk1_C"
    places = Places()
    places.add(Place(METRES, tree, 1, 2, category=NATURE))
    places.leave_out_nature()
    assert places.counts == {tree: 1}
    places.add(Place(METRES, belt, 1, 2, lines=((1.0, 2.0, 3.0, 4.0),), category=LOGISTICS))
    places.leave_out_nature()
    assert places.counts == {belt: 1}
    assert places.held.keys() == places.lines.keys() == {belt}


# --- places of a world of Satisfactory with the lines of belts, pipes and wires ---

REAL = ("u7-hv10-sv36-216k.sav", "v12-ported-sv58-250k.sav", "v11-hv14-sv52-mods-3m.sav")
WORLDS = [path for path in SAMPLES if "satisfactory" in path.parts]


def given(path, where=None):
    with open_save(path) as events:
        return list(places_module.places_of(where, Save(str(path), None, events)))


def seen(places):
    return Counter((place.class_name, place.x, place.y, place.kind) for place in places)


def in_headers(path, where=None):
    """Places by the headers of the objects that `ls` lists."""
    with open_save(path) as events:
        unit = events.format.place_unit
        keep_only(events, where)
        spots = [(header, spot_of(header, unit)) for header in make_view(events.format).objects(events)]
    return Counter((header.class_name, *spot[:2], header.kind) for header, spot in spots if spot is not None)


@pytest.mark.parametrize("where", [None, "kind = actor", 'class_name = "*_C" or size > 100', "not kind = actor"])
@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_places_are_those_of_the_headers(path, where):
    """Parts of other objects have no place; foundations have, though they are in another object."""
    selection = None if where is None else parse_selection(where)
    assert seen(given(path, selection)) == in_headers(path, selection)


def test_each_wire_of_a_power_line_is_a_line(tmp_path):
    """The lines between power towers have two wires."""
    document = json_lines("get", SAMPLES[2], "Build_PowerLine_C_2147000001")[0]
    wires = document["properties"]["mWireInstances"]
    (tmp_path / "line.json").write_bytes(orjson.dumps(document | {"properties": {"mWireInstances": [*wires, wires[0]]}}))
    run("from-json", tmp_path / "line.json", "--like", SAMPLES[2], "-o", tmp_path / "two.sav")
    one, two = (
        [place.lines for place in given(path) if "PowerLine" in place.class_name] for path in (SAMPLES[2], tmp_path / "two.sav")
    )
    assert two == [one[0] + one[0], *one[1:]]


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_real_worlds(real_save, name):
    path = real_save(f"satisfactory/{name}")
    places = given(path)
    assert seen(places) == in_headers(path)
    # The map of the game ends at about 4 km in each direction; a dam of one world is farther away.
    outside = [place.class_name.rpartition(".")[2] for place in places if max(abs(place.x), abs(place.y)) >= 4300]
    assert set(outside) <= {"BP_RP_WaterDamNode_C"}
    lines = [(place, corners) for place in places for corners in place.lines if corners]
    assert {place.category.name for place, _ in lines} >= {"logistics"}
    assert all(len(corners) >= 4 and len(corners) % 2 == 0 for _, corners in lines)
    # A belt starts or ends near its place.
    assert all(any(abs(x - place.x) < 250 for x in corners[::2]) for place, corners in lines)


# --- the picture of `streamsave map`: colours, scale, names ---


def some_places(classes: int) -> Places:
    """Places of so many classes, of which the first has most."""
    places = Places()
    for number in range(classes):
        for x in range(classes - number):
            places.add(Place(METRES, f"/Game/Class{number:02}.Class{number:02}_C", x, number))
    return places


@drawn
def test_the_commonest_classes_have_colours():
    colours = [category.light for category in CLASS_COLOURS]
    groups = groups_of(some_places(6))
    assert [group.colour for group in groups] == colours
    assert [group.label for group in groups[:2]] == ["6  Class 00", "5  Class 01"]
    groups = groups_of(some_places(9))
    assert [group.colour for group in groups] == [*colours, OTHER.light]
    assert groups[-1].label == "6  other (3 classes)"
    assert groups[-1].classes == tuple(f"/Game/Class{number:02}.Class{number:02}_C" for number in (6, 7, 8))
    assert groups_of(some_places(7))[-1].label == "1  other (1 class)"


@pytest.mark.parametrize("name", ["a" * 100, "Some Class With A Name Of Many Words " * 5])
def test_long_names_are_whole(name):
    label = Group(name, "#000000", 7, ()).label
    assert max(map(len, label.split("\n"))) <= LONGEST_LINE
    assert "".join(label.split()) == "7" + "".join(name.split())


def drawn_outlines(places, size=(800, 800)):
    """Corners of what is drawn as large as it is."""
    axes = draw_map(places, size, "", "").figure.axes[0]
    return [path.vertices[:-1].round(3).tolist() for each in axes.collections for path in each.get_paths()]


@drawn
def test_footprints_are_turned_with_their_objects():
    places = Places()
    places.add(Place(TILES, "CutterDefaultInternalVariant", 10, 20, "building", turn=64))
    places.add(Place(TILES, "Foundation_1x2", 9.5, 19.5, "island"))
    assert drawn_outlines(places) == [
        [[-0.5, 9.5], [39.5, 9.5], [39.5, 29.5], [-0.5, 29.5]],
        [[11.5, 19.5], [11.5, 20.5], [9.5, 20.5], [9.5, 19.5]],
    ]


@drawn
def test_what_is_smaller_than_a_dot_is_a_dot():
    foundation = Place(METRES, "Build_Foundation_8x1_01_C", 0, 0)
    places = Places()
    places.add(foundation)
    assert drawn_outlines(places) == [[[-4, -4], [4, -4], [4, 4], [-4, 4]]]
    places.add(foundation._replace(x=9000))
    assert drawn_outlines(places) == []


@drawn
def test_a_long_title_is_whole():
    axes = draw_map(some_places(3), (800, 600), "A long title " * 8, "").figure.axes[0]
    assert axes.get_title(loc="left")
    (title,) = [text for text in axes.get_children() if getattr(text, "get_text", str)() == "A long title " * 8]
    assert title.get_window_extent().x1 <= axes.get_window_extent().x1 + 1


@drawn
@pytest.mark.parametrize(
    ("most", "length"), [(1, 1), (1.9, 1), (2, 2), (4.99, 2), (7, 5), (999, 500), (1000, 1000), (0.03, 0.02)]
)
def test_the_scale_is_a_round_number(most, length):
    assert round_length(most) == pytest.approx(length)


@drawn
@pytest.mark.parametrize("size", [(1600, 1200), (401, 999)])
def test_axes_have_one_scale_and_y_grows_downward(size):
    axes = draw_map(some_places(12), size, "title", "subtitle").figure.axes[0]
    room = axes.get_window_extent()
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert (right - left) / room.width == pytest.approx((bottom - top) / room.height)
    assert left < 0
    assert top < 0
    assert min(right, bottom) > 11
    assert sum(len(line.get_xdata()) for line in axes.get_lines()) == 78


@drawn
@pytest.mark.parametrize(("category", "is_near"), [(OTHER, True), (None, False)])
def test_managers_at_the_origin_do_not_stretch_the_map(category, is_near):
    """They have no place of their own; in games without categories, nothing is known of an object at 0, 0."""
    places = Places()
    for class_name, at in (("BP_GameState_C", 0.0), ("BP_Thing_C", 5000.0), ("BP_Thing_C", 5010.0)):
        places.add(Place(METRES, class_name, at, at, "actor", category=category))
    axes = draw_map(places, (800, 600), "title", "").figure.axes[0]
    assert (min(axes.get_xlim()) > 4000) == is_near
    assert (min(axes.get_ylim()) > 4000) == is_near


@drawn
def test_a_place_is_marked():
    axes = draw_map(some_places(12), (800, 600), "title", "subtitle", marks=[(1000.0, -500.0), (1040.0, -500.0)]).figure.axes[0]
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert ((left + right) / 2, (bottom + top) / 2) == pytest.approx((1020.0, -500.0), abs=10)
    assert min(abs(right - left), abs(bottom - top)) == pytest.approx(2 * NEAR, rel=0.15)
    assert list(axes.get_lines()[-1].get_xdata()) == [1000.0, 1040.0]


@drawn
def test_a_place_as_other_commands_print_it(tmp_path):
    path, save = tmp_path / "map.png", SAMPLES[2]
    place = next(row[-1] for row in lines("ls", save) if row[-1] != "-")
    assert place.endswith(" m")
    assert run("map", save, "--at", place, "-o", path).exit_code == 0
    for wrong in ("", "1", "x 1 m", "inf 1"):
        result = run("map", save, "--at", wrong, "-o", path)
        assert (result.exit_code, "is no place" in result.stderr) == (2, True)


@pytest.mark.slow
@drawn
def test_half_a_million_dots_are_a_small_file(tmp_path):
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
    places = Places()
    places.add(Place(METRES, "_hidden \N{HIRAGANA LETTER A}", *place))
    draw_map(places, (400, 400), "", "").write(str(tmp_path / "map.png"))
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
