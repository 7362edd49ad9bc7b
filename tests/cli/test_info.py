"""`streamsave info`."""

import re
from collections import Counter

import pytest
from attrs import evolve
from cli_runs import SAMPLES, json_lines, lines, on_terminal, run
from saves import VALID, file_with, slow
from writer.satisfactory import World, release_header, save_bytes


def header_size(path) -> int:
    (line,) = json_lines("info", path)
    return line["header"]["size"]


def info(path) -> dict[str, str]:
    return dict(lines("info", path))


@pytest.mark.parametrize("metadata", ["{", "[]", '{"Mods": 3}', "null"])
def test_mod_metadata_that_is_something_else(tmp_path, metadata):
    path = file_with(tmp_path / "odd.sav", save_bytes(World(evolve(release_header(52), mod_metadata=metadata))))
    assert info(path)["mods"] == "(none)"


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_nothing_is_inflated(path, tmp_path):
    """Where the chunks were there is garbage: who looks at it fails."""
    broken = file_with(tmp_path / "broken.sav", path.read_bytes()[: header_size(path)] + b"no chunk at all" * 10)
    assert info(broken)["session name"] == "oracle"
    assert run("ls", broken).exit_code == 2


def test_real_mods(real_save):
    path = real_save("satisfactory/v11-hv14-sv52-mods-3m.sav")
    (line,) = json_lines("info", path)
    assert info(path)["mods"] == str(len(line["header"]["mod_metadata"]["Mods"]))
    assert int(info(path)["mods"]) > 0


PALWORLD = "gvas/palworld-level-plz-280k.sav"


def test_a_map_of_palworld_says_no_play_time(real_save):
    """`Local_PlayTime` is no time in seconds: 3,448 here, in a world that ran for 483; in others, some are below 0."""
    assert "facts" not in json_lines("info", real_save("gvas/palworld-localdata.sav"))[0]


@pytest.mark.slow
def test_facts_of_a_palworld_world(real_save, tmp_path):
    """They are those that the commands list; the name comes from the file beside the world, which says the same day."""
    world = tmp_path / "Level.sav"
    world.symlink_to(real_save(PALWORLD))
    (tmp_path / "LevelMeta.sav").symlink_to(real_save("gvas/palworld-levelmeta.sav"))
    (line,) = json_lines("info", world)
    facts = line["facts"]
    about = json_lines("info", tmp_path / "LevelMeta.sav")[0]["facts"]
    assert {name: facts[name] for name in ("world", "day", "saved")} == {name: about[name] for name in ("world", "day", "saved")}
    for name in ("players", "guilds", "bases", "pals"):
        assert facts[name] == len(lines("palworld", name, world)) > 0
    rows = lines("info", world)
    assert [row[0] for row in rows[:4]] == ["kind", "file size", "world", "day"]
    assert ["players", "1: Deathsnacks (3)"] in rows
    assert ["pals", "2: 1 Chikipi, 1 Lamball"] in rows


def test_a_damaged_world_still_has_its_header(real_save, tmp_path):
    cut = file_with(tmp_path / "Level.sav", real_save(PALWORLD).read_bytes()[:100_000])
    result = run("info", cut)
    assert (result.exit_code, "engine version\t5.1.1" in result.stdout) == (2, True)
    assert result.stderr.startswith(f"streamsave: {cut}: ")


def summary(path) -> dict[str, str]:
    """What a terminal shows of a save."""
    text = on_terminal(path, NO_COLOR="1", COLUMNS="300")
    return {row[1].strip(): row[2].strip() for row in (line.split("│") for line in text.splitlines()) if len(row) == 4}


REAL = [
    ("satisfactory/hv13-sv42-freshstartu8001-vehicles-2.sav", {"play time": "0:25:40", "players": "1"}),
    ("astroneer/xbox-2020-162k.savegame", {"players": "1", "level name": "/Game/Maps/Staging_T2"}),
    ("arx/v2.0-mixed.sav", {"play time": "0:02:03", "level": "1"}),
    ("gvas/drg-ue422.sav", {}),
    ("shapez2/synthetic-checkpoints.spz2", {"play time": "0:00:12"}),
    ("shapez2/blueprints/1x3.spz2bp-bfc7da56.spz2bp", {"islands": "1", "buildings": "788"}),
]


@pytest.mark.parametrize(("name", "facts"), [("satisfactory/sv58.sav", {}), *slow(REAL)])
def test_a_terminal_counts_objects(any_save, name, facts):
    """It has the numbers of other commands: of all objects, of players, of classes but for parts of others."""
    path = any_save(name)
    said = summary(path)
    every, things = (
        Counter(row["class_name"].rpartition(".")[2] for row in json_lines("grep", "", path, *where))
        for where in ((), ("--where", "not kind = object and not kind = native"))
    )
    assert int(said["objects"].replace(",", "")) == every.total() > 1
    assert int(said.get("players", 0)) == every["Char_Player_C"] + every["DesignAstro_C"]
    counts = [int(count.replace(",", "")) for count in re.findall(r"(?:^|, )([\d,]+) ", said["most"])]
    assert counts == [count for _, count in things.most_common(5)]
    assert {key: said[key] for key in facts} == facts


@pytest.mark.parametrize("path", sorted(VALID.glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_value_is_shown_as_a_program_writes_it(path):
    for _, text in lines("info", path):
        assert not re.search(r"\w\(\w+=|^[\[{]|None", text), text
