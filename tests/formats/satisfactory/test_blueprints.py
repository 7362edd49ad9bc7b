"""Satisfactory blueprints: the header, one level without versions of its own; the configuration beside it; what `info` says."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from cli_runs import json_lines, lines, process, run
from expected_values import property_values
from saves import SATISFACTORY, head_and_body, inflate, read, read_to_error, start_of
from tiling import assert_tiled
from writer.blueprint import Blueprint, BlueprintConfig
from writer.dialect import Dialect
from writer.primitives import Ref, i32
from writer.samples import BLUEPRINTS, CONFIGS, blueprint
from writer.satisfactory import Object, VersionData
from writer.tags import INT, Prop

import streamsave
from streamsave import DamagedSave, LimitExceeded, Limits, ObjectHeader, PropertyTag, TruncatedSave

# --- blueprints ---


@pytest.mark.parametrize("name", BLUEPRINTS)
def test_objects_are_as_written(name):
    data = (SATISFACTORY / f"{name}.sbp").read_bytes()
    written = blueprint(name)
    new = written.save_version >= 53
    dialect = Dialect(written.save_version, 1017 if new else 1000)
    seen = []
    with streamsave.open(data) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                built = events.build()
                assert isinstance(built, dict)
                seen.append(built)
    objects = [one for one in written.objects if isinstance(one, Object)]
    for one, built in zip(objects, seen, strict=True):
        assert built["instance_name"] == one.instance_name
        assert built["save_version"] == written.save_version
        assert built["properties"] == property_values(one.properties, dialect)
    assert_tiled(read(data), len(inflate(data)))


def test_tables_of_the_header_are_limited():
    """They are held, so their rows are counted."""
    many = Blueprint(46, cost=[(Ref("", "I"), 1)] * 20).encode()
    assert len(start_of(many).header.cost) == 20
    _, error = read_to_error(many, Limits(table_entries=19))
    assert isinstance(error, LimitExceeded)
    assert (error.limit, error.value) == ("table_entries", 20)


def test_counts_of_the_header_that_lie():
    whole = Blueprint(46, cost=[(Ref("", "Iron"), 1)]).encode()
    at = 24
    assert whole[at : at + 4] == i32(1)
    for count in (-1, -(1 << 31)):
        _, error = read_to_error(whole[:at] + i32(count) + whole[at + 4 :])
        assert isinstance(error, DamagedSave)
        assert error.offset == at
    _, error = read_to_error(whole[:at] + i32((1 << 31) - 1) + whole[at + 4 :])
    assert isinstance(error, LimitExceeded)


def test_blueprints_may_end_anywhere():
    one = Object("/Script/Oracle.One", "One", [Prop("m", INT, 1)], outer="Owner")
    whole = Blueprint(58, [one], cost=[(Ref("", "Iron"), 1)], recipes=[Ref("", "R")], version_data=VersionData()).encode()
    full = read(whole)
    for cut in range(24, len(whole)):
        seen, error = read_to_error(whole[:cut])
        assert type(error) is TruncatedSave, cut
        assert seen == full[: len(seen)], cut


# --- configurations ---


@pytest.mark.parametrize("description", ["", "x", "xy", "xyz", "abcd", "ä", "0123456789"])
@pytest.mark.parametrize("version", [0, 2, 3, 4, 6])
def test_short_descriptions(version, description):
    """With one letter, version and length of a configuration look like those of a save."""
    for icon_id in (0, 1, 782, 70_000):
        start = start_of(BlueprintConfig(version, description, icon_id).encode())
        assert start.format == "satisfactory-blueprint-config"
        assert start.header.description == description


# --- what a file is ---


BLUEPRINT_FILES = sorted(SATISFACTORY.glob("*.sbp"))


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
