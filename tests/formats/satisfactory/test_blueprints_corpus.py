"""Blueprints and their configurations: every version, real ones, and what `streamsave info` says of a pair."""

from __future__ import annotations

import json
import shutil
import struct
from collections import Counter
from pathlib import Path

import pytest
from cli_runs import json_lines, lines, process, run
from saves import SATISFACTORY, VALID, head_and_body, read
from tiling import assert_tiled
from writer.blueprint import Blueprint
from writer.samples import BLUEPRINTS, CONFIGS, blueprint

import streamsave
from streamsave import Event, ObjectHeader, PropertyTag, SaveEnd, SaveStart, UnsupportedSave

FORMATS = {".sav": "satisfactory", ".sbp": "satisfactory-blueprint", ".sbpcfg": "satisfactory-blueprint-config"}
SAMPLES = sorted(path for path in SATISFACTORY.iterdir() if path.suffix in FORMATS)
OTHERS = sorted(path for path in VALID.glob("*/*") if path.is_file() and path.parent != SATISFACTORY)
BLUEPRINT_FILES = sorted(SATISFACTORY.glob("*.sbp"))
CONFIG_FILES = sorted(SATISFACTORY.glob("*.sbpcfg"))


def start_of(events: list[Event]) -> SaveStart:
    start = events[0]
    assert isinstance(start, SaveStart)
    return start


# --- what a file is ---


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_kind_of_sample(path):
    assert start_of(read(path)).format == FORMATS[path.suffix]


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_sample_of_another_game_is_taken_for_one(path):
    with streamsave.open(path) as events:
        assert next(events).format not in FORMATS.values()


def test_kind_of_real_files(corpus):
    paths = [path for path in sorted((corpus / "satisfactory").rglob("*")) if path.suffix in FORMATS]
    assert {path.suffix for path in paths} == set(FORMATS)
    for path in paths:
        with streamsave.open(path) as events:
            assert next(events).format == FORMATS[path.suffix], path.name


# --- headers ---


@pytest.mark.parametrize("name", BLUEPRINTS)
def test_header_is_what_was_written(name):
    written = blueprint(name)
    header = start_of(read(SATISFACTORY / f"{name}.sbp")).header
    assert (header.header_version, header.save_version, header.dimensions) == (2, written.save_version, written.dimensions)
    assert [(item.path_name, amount) for item, amount in header.cost] == [(item.path, amount) for item, amount in written.cost]
    assert [recipe.path_name for recipe in header.recipes] == [recipe.path for recipe in written.recipes]
    assert header.ue5_version == (1017 if written.save_version >= 53 else 0)


def with_header_version(version: int, save_version: int) -> bytes:
    """A blueprint of an older header: the costs came with 1, the recipes with 2."""
    bare = Blueprint(save_version, (), (1, 2, 3))
    whole = bare.encode()
    head, _body = head_and_body(whole)
    fixed = struct.pack("<i", version) + head[4:24]
    tables = 4 * version
    return fixed + head[24 : 24 + tables] + head[24 + 8 :] + whole[len(head) :]


@pytest.mark.parametrize("save_version", [36, 46, 58])
@pytest.mark.parametrize(("version", "cost", "recipes"), [(0, None, None), (1, [], None), (2, [], [])])
def test_header_versions_by_hand(version, cost, recipes, save_version):
    data = with_header_version(version, save_version)
    events = read(data)
    header = start_of(events).header
    assert (header.header_version, header.dimensions, header.cost, header.recipes) == (version, (1, 2, 3), cost, recipes)
    assert header.size == len(head_and_body(data)[0])
    assert events[-1] == SaveEnd(len(head_and_body(data)[1]))


@pytest.mark.parametrize("path", BLUEPRINT_FILES, ids=lambda path: path.name)
def test_sample_is_tiled(path):
    assert_tiled(read(path), len(head_and_body(path.read_bytes())[1]))


# --- configurations ---


@pytest.mark.parametrize("name", CONFIGS)
def test_configuration_is_what_was_written(name):
    written = CONFIGS[name]
    data = written.encode()
    events = read(data)
    header = start_of(events).header
    assert events[-1] == SaveEnd(len(data))
    assert (header.config_version, header.description, header.icon_id) == (
        written.config_version,
        written.description,
        written.icon_id,
    )
    color = header.color
    assert (color.r, color.g, color.b, color.a) == pytest.approx(written.color)
    has_library = written.config_version >= 3
    assert (header.icon_package, header.icon_asset) == (written.library if has_library else (None, None))
    editors = None if header.editors is None else [tuple(editor.values()) for editor in header.editors]
    assert editors == (list(written.editors) if written.config_version == 4 else None)
    assert (header.last_edited_by is not None) == (written.config_version >= 6)
    assert_tiled(events, len(data))


@pytest.mark.parametrize("path", CONFIG_FILES, ids=lambda path: path.name)
def test_configuration_with_a_byte_more_or_less_is_none(path):
    data = path.read_bytes()
    for changed in (data + b"\0", data[:-1]):
        with pytest.raises(streamsave.SaveError):
            read(changed)


def test_configuration_of_a_newer_version_is_not_guessed():
    with pytest.raises(UnsupportedSave):
        read(struct.pack("<i", 7) + CONFIGS["v6"].encode()[4:])


# --- real ones ---


def test_real_blueprints_agree_with_the_independent_checker(corpus):
    folder = corpus / "satisfactory"
    paths = sorted((folder / "blueprints").glob("*.sbp"))
    assert paths
    for path in paths:
        told = json.loads((folder / "expected" / f"{path.name}.json").read_text(encoding="utf-8"))["checker"]
        events = read(path)
        classes = Counter(event.class_name for event in events if isinstance(event, ObjectHeader))
        tags = Counter(event.type for event in events if isinstance(event, PropertyTag))
        assert classes == told["classes"], path.name
        assert tags == told["property_tags_by_type"], path.name
        assert_tiled(events, len(head_and_body(path.read_bytes())[1]))


def test_real_configurations_decode_to_their_last_byte(corpus):
    paths = sorted((corpus / "satisfactory" / "blueprints").glob("*.sbpcfg"))
    assert paths
    for path in paths:
        events = read(path)
        assert events[-1] == SaveEnd(path.stat().st_size), path.name
        assert_tiled(events, path.stat().st_size)


# --- info ---


@pytest.fixture(params=BLUEPRINT_FILES, ids=lambda path: path.name)
def alone(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A blueprint without a configuration."""
    return Path(shutil.copy(request.param, tmp_path / "thing.sbp"))


def add_config(path: Path, name: str) -> Path:
    return Path(shutil.copy(SATISFACTORY / f"{name}.sbpcfg", path.with_suffix(".sbpcfg")))


@pytest.mark.parametrize("name", CONFIGS)
def test_info_shows_both_of_a_pair(alone, name):
    config = add_config(alone, name)
    rows = dict(lines("info", alone))
    assert (rows["format"], rows["header version"]) == ("satisfactory-blueprint", "2")
    assert (rows["config"], rows["config version"]) == (str(config), str(CONFIGS[name].config_version))
    assert rows["config description"] == CONFIGS[name].description
    (line,) = json_lines("info", alone)
    assert line["config"]["file"] == str(config)
    assert line["config"]["header"]["description"] == CONFIGS[name].description
    (own,) = json_lines("info", config)
    assert line["config"]["header"] == own["header"]


def test_info_of_a_blueprint_alone(alone):
    assert not any(label.startswith("config") for label in dict(lines("info", alone)))
    (line,) = json_lines("info", alone)
    assert line["config"] is None


def test_info_of_a_pipe_looks_for_nothing(alone):
    add_config(alone, "v6")
    result = process("info", "-", "--json", stdin=alone.read_bytes())
    assert json.loads(result.stdout)["config"] is None


def test_info_of_a_blueprint_beside_something_else(alone):
    shutil.copy(SATISFACTORY / "sv58.sav", alone.with_suffix(".sbpcfg"))
    assert json_lines("info", alone)[0]["config"] is None


def test_info_of_a_damaged_configuration(alone):
    config = alone.with_suffix(".sbpcfg")
    config.write_bytes(b"no configuration")
    result = run("info", alone)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"streamsave: {config}: ")
    assert "header version\t2" in result.stdout


@pytest.mark.parametrize("path", CONFIG_FILES, ids=lambda path: path.name)
def test_info_of_a_configuration(path):
    rows = dict(lines("info", path))
    assert rows["format"] == "satisfactory-blueprint-config"
    (line,) = json_lines("info", path)
    assert line["version"] == CONFIGS[path.stem].config_version
    assert "config" not in line
