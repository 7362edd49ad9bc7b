"""`streamsave report`: the page that is written, and the exit code."""

import json
from collections import Counter
from math import inf, nan

import pytest
from cli_runs import LEVEL, SAMPLES, json_lines, printed, refused, run, thing, write
from pages import Tags, read_page
from saves import VALID, slow
from writer.tags import FLOAT, Prop

from streamsave.cli.report import LONGEST_FACT, MOST_ROWS
from streamsave.formats.satisfactory.game import CLOCK, PRODUCED, WATCHED

TILES = VALID / "shapez2" / "checkpoints.spz2"


def page_of(tmp_path, *arguments):
    path = tmp_path / "page.html"
    assert printed("report", *arguments, "-o", path) == ""
    return read_page(path)


@pytest.mark.parametrize("path", [*SAMPLES, TILES, VALID / "gvas" / "palworld-1.0.sav"], ids=lambda path: path.stem)
def test_points_are_the_objects_that_ls_lists(tmp_path, path):
    page = page_of(tmp_path, path)
    rows = json_lines("ls", path)
    unit = "position_tiles" if path == TILES else "position_metres"
    placed = [row for row in rows if row[unit] is not None and " state:" not in row["instance_name"]]
    assert Counter(page.names) == Counter(row["instance_name"] for row in placed)
    classes = [page.rest["classes"][number][1] for number in page.classes]
    assert Counter(classes) == Counter(row["class_name"] for row in placed)
    if path != TILES:
        found = sorted(zip(page.names, page.x, page.y, strict=True))
        for (name, *place), row in zip(found, sorted((row["instance_name"], *row[unit]) for row in placed), strict=True):
            assert name == row[0]
            assert place == pytest.approx(row[1:3], rel=1e-6, abs=1e-3)


@pytest.mark.parametrize("name", ["satisfactory/sv58.sav", *slow(["satisfactory/v11-hv14-sv52-mods-3m.sav"])])
def test_items_are_those_of_inventory(tmp_path, any_save, name):
    """Also in a real world with a Dimensional Depot."""
    save = any_save(name)
    rows = json_lines("satisfactory", "inventory", save)
    found = {row[1]: (row[2], row[3]) for row in page_of(tmp_path, save).rest["items"]}
    assert found == {row["item"]: (row["count"], row["stacks"]) for row in rows}


@pytest.mark.parametrize("path", ["arx/v2.1.sav", "astroneer/full.savegame", "gvas/ue5-1018.sav", "satisfactory/sv58.sbp"])
def test_saves_of_all_games(tmp_path, path):
    assert page_of(tmp_path, VALID / path).rest["tree"][1] > 0


def test_title_and_facts(tmp_path):
    page_of(tmp_path, SAMPLES[2], "--title", "<Mine>")
    tags = Tags((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert ("h1", "<Mine>") in tags.texts
    page = page_of(tmp_path, SAMPLES[2])
    (info,) = json_lines("info", SAMPLES[2])
    assert page.rest["title"] == info["header"]["session_name"]
    tags = Tags((tmp_path / "page.html").read_text(encoding="utf-8"))
    facts = [text for tag, text in tags.texts if tag in {"dt", "dd"}]
    assert "play time" in facts
    assert all(len(fact) <= LONGEST_FACT + 1 for fact in facts)
    assert page_of(tmp_path, VALID / "gvas" / "ue5-1018.sav").rest["title"] == "ue5-1018.sav"


def test_wanted_objects_alone(tmp_path):
    page = page_of(tmp_path, SAMPLES[2], "--where", 'class_name = "*CreatureSpawner*"')
    assert {row[1] for row in page.rest["table"]} == {"BP_CreatureSpawner_C"}
    assert len(page.x) == page.rest["table"][0][4]


def test_a_damaged_save_gives_what_comes_before(tmp_path):
    path, save = tmp_path / "page.html", tmp_path / "cut.sav"
    save.write_bytes((VALID / "gvas" / "palworld-1.0.sav").read_bytes()[:-100])
    assert "cut.sav" in refused("report", save, "-o", path)
    page = read_page(path)
    assert "damaged" in page.rest["note"]
    assert page.x


def test_a_browser_can_read_what_is_no_number(tmp_path):
    """Of a place, a clock, and a time: its JSON has no NaN."""
    nowhere = (0.0, 0.0, 0.0, 1.0, nan, inf, 0.0, 1.0, 1.0, 1.0)
    times = [Prop(name, FLOAT, inf) for name in (WATCHED[0], PRODUCED[0])]
    lost = thing("Lost", class_name="Build_SmelterMk1", transform=nowhere)
    odd = thing("Odd", Prop(CLOCK, FLOAT, nan), *times, class_name="Build_SmelterMk1")
    page = page_of(tmp_path, write(tmp_path, "new.sav", lost, odd), "--since", write(tmp_path, "old.sav", thing("Other")))
    json.dumps([page.rest, page.details], allow_nan=False)
    assert [row[-1] for section in page.rest["sections"] if section["id"] == "idle" for row in section["rows"]] == [
        None,
        [0, 0, 0],
    ]
    assert page.details == [[LEVEL + "Odd", -1, "NaN", 0, "NaN"]]


def test_the_same_save_makes_the_same_page(tmp_path):
    for name in ("one", "other"):
        assert run("report", SAMPLES[1], "-o", tmp_path / name).exit_code == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_real_world(corpus, tmp_path):
    """Belts, pipes and wires are lines, and the tree adds up."""
    page = page_of(tmp_path, corpus / "satisfactory" / "u7-hv10-sv36-216k.sav")
    assert len(page.owners) > 20
    assert sum(page.lengths) * 2 == len(page.corners)
    assert page.rest["tree"][1] == sum(part[1] for part in page.rest["tree"][3])
    assert sum(row[4] for row in page.rest["table"]) == len(json_lines("ls", corpus / "satisfactory" / "u7-hv10-sv36-216k.sav"))


def section_rows(page, name):
    """The rows of a section of a page as JSON of the command has them; places in centimetre steps."""
    (section,) = [each for each in page.rest["sections"] if each["id"] == name]
    found = []
    for row in section["rows"]:
        found.append({})
        for (column, kind), cell in zip(section["columns"], row, strict=True):
            found[-1][column] = cell[1] if kind == "class" else cell
            if kind == "class" and cell[1]:
                found[-1][f"{column}_label"] = cell[0]
    return found


def printed_rows(*arguments):
    """The rows that a command prints as JSON, in the same form."""
    found = []
    for row in json_lines(*arguments):
        shown = {column: value for column, value in row.items() if column != "file" and (value or not column.endswith("_label"))}
        for column in ("position_metres", "base_metres"):
            if column in shown:
                place = shown.pop(column)
                shown[PLACES[column]] = None if place is None else [round(number, 2) for number in place]
        found.append(shown)
    return found


PLACES = {"position_metres": "place", "base_metres": "base"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("save", "commands"),
    [
        (
            "satisfactory/u6-hv9-sv29-3.4m.sav",
            {
                "idle": ("machines", "--idle"),
                "power": ("power",),
                "unconnected": ("power", "--unconnected"),
                "trains": ("trains",),
            },
        ),
        ("gvas/palworld-level-plz-0.5.sav", {"players": ("players",), "guilds": ("guilds",), "bases": ("bases",)}),
    ],
)
def test_sections_are_what_commands_print(tmp_path, real_save, save, commands):
    path = real_save(save)
    game = "satisfactory" if save.startswith("satisfactory") else "palworld"
    page = page_of(tmp_path, path)
    assert [section["id"] for section in page.rest["sections"]] == [*commands]
    for section in page.rest["sections"]:
        command = commands[section["id"]]
        assert section["command"] == " ".join((game, *command))
        expected = printed_rows(game, *command, path)
        assert section_rows(page, section["id"]) == expected[:MOST_ROWS]
        assert section["total"] == len(expected) > 0


@pytest.mark.slow
def test_tooltips_are_what_commands_sum(tmp_path, real_save):
    """Machines with recipe, clock and state; contents of stores."""
    path = real_save("satisfactory/v11-hv14-sv52-mods-3m.sav")
    page = page_of(tmp_path, path)
    classes = {name: page.rest["classes"][number][1] for name, number in zip(page.names, page.classes, strict=True)}
    recipes = {label: "" for label in page.rest["recipes"] if not label}
    recipes |= {row["recipe_label"]: row["recipe"] for row in json_lines("satisfactory", "machines", path) if row["recipe"]}
    machines, stores = Counter(), Counter()
    for name, number, *more in page.details:
        if number < 0:
            clock, produces, _ = more
            machines[classes[name].rpartition(".")[2], recipes[page.rest["recipes"][-1 - number]], clock, produces] += 1
        else:
            stores.update({(name, item): count for item, count in zip(more[::2], more[1::2], strict=True)})
    expected = Counter()
    for row in json_lines("satisfactory", "machines", path):
        about = row["class"], row["recipe"], row["clock"]
        expected += Counter({(*about, 1): row["producing"], (*about, 0): row["count"] - row["producing"]})
    assert +machines == expected
    by_store = {(row["name"], row["item"]): row["count"] for row in json_lines("satisfactory", "inventory", "--by-store", path)}
    assert len(by_store) > 500
    assert {key: pytest.approx(count) for key, count in stores.items()} == {key: by_store[key] for key in by_store if key[0]}


@pytest.mark.slow
def test_since_is_what_diff_sums(tmp_path, real_save):
    old, new = real_save("pairs/sv53-a.sav"), real_save("pairs/sv53-b.sav")
    page = page_of(tmp_path, new, "--since", old)
    assert [section["id"] for section in page.rest["sections"]][:3] == ["changes", "came", "went"]
    summary, changes = (
        [json.loads(line) for line in run("diff", *more, "--json", old, new).stdout.splitlines()] for more in (["--summary"], [])
    )
    assert [[row[each] for each in ("came", "went", "changed", "bytes")] for row in section_rows(page, "changes")] == [
        [row[each] for each in ("added", "removed", "changed", "bytes")] for row in summary
    ]
    came = {row["instance_name"] for row in changes if row["change"] == "added"}
    names = [row["name"] for row in section_rows(page, "came")]
    assert set(names) <= came
    assert set(names) <= set(page.names)
    assert len(names) > 100


def test_since_compares_files(tmp_path):
    page = page_of(tmp_path, SAMPLES[0], "--since", SAMPLES[0])
    assert not {"changes", "came", "went"} & {section["id"] for section in page.rest["sections"]}


@pytest.mark.slow
def test_a_page_is_small(tmp_path, real_save):
    """A quarter of a file that is packed much better, with script and style."""
    save = real_save("satisfactory/v11-hv14-sv52-mods-3m.sav")
    page_of(tmp_path, save)
    assert (tmp_path / "page.html").stat().st_size < save.stat().st_size / 4
