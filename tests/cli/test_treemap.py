"""`streamsave treemap`: the file that is written, and the exit code."""

from collections import Counter

import pytest
from cli_runs import SAMPLES, json_lines, python, refused, run
from hypothesis import example, given
from hypothesis import strategies as st
from pictures import drawn, parts, svg_texts
from saves import VALID

from streamsave.cli.picture import COLOURS, GREY, Canvas, own_style
from streamsave.cli.text import short_class
from streamsave.cli.treemap import NO_MOD, TITLE, Box, colours_of, draw_treemap, gathered, squares
from streamsave.report.categories import STORAGE
from streamsave.report.names import readable
from streamsave.report.parts import REST, Part
from streamsave.report.tree import HEADERS, OUTSIDE


@pytest.mark.slow
@drawn
def test_svg_has_names_and_sizes(tmp_path):
    path = tmp_path / "sizes.svg"
    assert run("treemap", SAMPLES[2], "-o", path, "--title", "$a_1$ <&>").exit_code == 0
    texts = svg_texts(path)
    (stats,) = json_lines("ls", "--by-class", "--full", SAMPLES[2])
    assert {"$a_1$ <&>", "39.6 KiB before compression"} <= set(texts)
    assert stats["inflated_size"] / 1024 == pytest.approx(39.6, abs=0.05)
    largest = max(parts(SAMPLES[2]), key=lambda part: part.size * (part.name not in {HEADERS, OUTSIDE}))
    share = f"{largest.size / 1024:.1f} KiB · {largest.size / stats['inflated_size']:.1%}"
    assert f"{readable(largest.name)}   {share}" in texts
    assert run("treemap", SAMPLES[2], "-o", path, "--raw-names").exit_code == 0
    assert f"{largest.name}   {share}" in svg_texts(path)


@pytest.mark.slow
@drawn
def test_a_save_that_cannot_be_read_is_left_out(tmp_path):
    bad, path = tmp_path / "bad.sav", tmp_path / "sizes.svg"
    bad.write_bytes(SAMPLES[0].read_bytes()[:-200])
    assert refused("treemap", bad, SAMPLES[2], "-o", path).startswith(f"streamsave: {bad}: ")
    assert "39.6 KiB before compression" in svg_texts(path)
    path.write_text("mine")
    result = run("treemap", bad, "-o", path)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[1:] == [f"streamsave: {path}: not written"]
    assert path.read_text() == "mine"


# --- the parts that `streamsave treemap` draws ---


def sizes_of_classes(path) -> Counter[str]:
    """The bytes of each class that `ls` shows, without those of the objects inside its objects."""
    rows = json_lines("ls", path)
    sizes = Counter()
    for row in rows:
        sizes[short_class(row["class_name"])] += row["size"]
    classes = {row["instance_name"]: short_class(row["class_name"]) for row in rows}
    for row in rows:
        if row["kind"] == "lightweight":
            sizes[classes[row["outer"]]] -= row["size"]
    return +sizes


@pytest.mark.parametrize("name", [f"satisfactory/{name}.sav" for name in ("sv46", "sv52", "sv58", "v12-ported-sv58-250k")])
def test_parts_are_the_classes_that_ls_shows(any_save, name):
    path = any_save(name)
    found, sums = parts(path), Counter()
    for part in found:
        sums[part.name] += part.size
    assert sums.pop(HEADERS) > 0
    assert sums.pop(OUTSIDE) > 0
    assert sums == sizes_of_classes(path)
    (stats,) = json_lines("ls", "--by-class", "--full", path)
    assert sum(part.size for part in found) == stats["inflated_size"]
    assert [part.size for part in found] == sorted((part.size for part in found), reverse=True)


def test_properties_are_those_of_stats():
    (stats,) = json_lines("ls", "--by-class", "--full", "-n", 0, SAMPLES[2])
    found = Counter()
    for part in parts(SAMPLES[2], least_share=1 << 40):
        if part.name not in {HEADERS, OUTSIDE}:
            assert not part.parts or sum(each.size for each in part.parts) == part.size
            found.update({each.name: each.size for each in part.parts})
    del found[REST]
    assert found.pop("unknown trailing data of /Oracle/BP_Unknown.BP_Unknown_C") == 18
    assert found == +Counter({row["name"]: row["size"] for row in stats["properties"]})


def test_several_saves_add_up():
    one, other, both = (
        Counter({part.name: part.size for part in parts(*paths)}) for paths in (SAMPLES[:1], SAMPLES[1:2], SAMPLES[:2])
    )
    assert both == one + other


def test_parts_have_parts_of_all_formats():
    """Structs, containers, what Palworld keeps as bytes, trailers, members of archives."""
    deep = {
        "gvas/palworld-0.6.sav": ("SheepBall", "value", "RawData", "object", "SaveParameter"),
        "satisfactory/sv58.sav": ("BP_Museum_C", "mInventoryStacks", "Item"),
        "shapez2/checkpoints.spz2": (OUTSIDE,),
    }
    for name, path in deep.items():
        found = parts(VALID / name, least_share=1 << 40)
        for step in path:
            (part,) = [each for each in found if each.name == step][:1]
            found = part.parts
            assert not found or sum(each.size for each in found) == part.size


def test_hues_are_categories_or_mods():
    assert {"structures", "nature", "other"} <= {part.hue for part in parts(SAMPLES[2])}
    assert NO_MOD in {part.hue for part in parts(SAMPLES[2], by_mod=True)}
    assert {part.hue for part in parts(VALID / "gvas" / "ue5-1018.sav")} == {"", "other"}


# --- the picture of `streamsave treemap`: labels, and small parts ---


@drawn
def test_what_is_small_is_gathered():
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


def test_small_classes_are_gathered_by_category():
    hues = {"A": "power", "B": "power", "C": "nature", "D": "power", "E": "nature", "F": "storage", "G": "other"}
    sizes = dict(zip(hues, (60, 10, 9, 8, 7, 2, 1), strict=True))
    some = [Part(name, sizes[name], hue) for name, hue in hues.items()]
    found = [(part.name, part.size, part.hue) for part in gathered(some, 97, 97, 11, by_hue=True)]
    assert found == [("A", 60, "power"), ("power (2)", 18, "power"), ("nature (2)", 16, "nature"), ("other (2)", 3, "")]


@pytest.mark.slow
@drawn
@pytest.mark.parametrize("path", [*SAMPLES[2:], VALID / "shapez2" / "checkpoints.spz2", VALID / "arx" / "v2.1.sav"])
@pytest.mark.parametrize("size", [(1600, 1200), (500, 900)])
def test_labels_stay_in_their_rectangles(path, size):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

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
    some = [Part("a", 5, "MyMod"), Part("b", 9, "the game"), Part("c", 7, "storage"), Part("d", 6), Part("e", 3, "MyMod")]
    assert colours_of(some) == {"the game": GREY, "MyMod": COLOURS[0], "storage": STORAGE.light}


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
            assert min(across, min(one.y + one.height, other.y + other.height) - max(one.y, other.y)) <= 1e-6


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


@pytest.mark.parametrize("size", [0.0, 0.5, 2.0, 3.0])
def test_margins_leave_nothing_of_a_small_rectangle(size):
    """The least of parts are thinner than the gaps around them."""
    inside = Box(10, 20, size, 40).inside(1, 2, 1, 2)
    assert (inside.width, inside.height) == (max(size - 2, 0), 36)
    assert 10 <= inside.x <= inside.x + inside.width <= 10 + size


# --- the canvas of a picture, and what `map` and `treemap` share ---


@drawn
@pytest.mark.parametrize(
    ("size", "units"), [((1600, 1200), (1600, 1200)), ((3200, 2400), (3200, 2400)), ((800, 600), (1600, 1200))]
)
def test_a_small_picture_has_as_many_units_as_one_of_full_size(size, units):
    canvas = Canvas(size)
    assert (canvas.width, canvas.height) == units


@drawn
def test_text_is_as_wide_in_units_whatever_the_size():
    widths = []
    for size in (1600, 1200), (800, 600):
        with own_style():
            widths.append(Canvas(size).text_width("Build_Wall_C", 8.5))
    assert widths[0] == pytest.approx(widths[1], rel=0.15)
    with own_style():
        assert Canvas((1600, 1200)).text_width("", 8.5) == 0


@pytest.mark.parametrize("command", ["map", "treemap"])
def test_without_matplotlib(tmp_path, command):
    code = "import sys; sys.modules['matplotlib'] = None; from streamsave.cli import main; main()"
    path = tmp_path / "picture.png"
    done = python(code, command, SAMPLES[0], "-o", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f'streamsave: {path}: pictures need the extra `plot`: pip install "streamsave[plot]"\n'
    assert not path.exists()
