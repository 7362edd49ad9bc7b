"""Satisfactory blueprints: the header, one level without versions of its own; the configuration beside it; what `info` says."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from expected_values import property_values
from saves import SATISFACTORY, head_and_body, inflate, read, read_to_error, start_of
from tiling import assert_tiled
from writer.blueprint import Blueprint, BlueprintConfig
from writer.dialect import Dialect
from writer.primitives import Ref, i32
from writer.samples import BLUEPRINTS, blueprint
from writer.satisfactory import Object

import streamsave
from streamsave import DamagedSave, LimitExceeded, Limits, ObjectHeader, PropertyTag

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


# --- configurations ---


@pytest.mark.parametrize("description", ["", "x", "xy", "xyz", "abcd", "ä", "0123456789"])
@pytest.mark.parametrize("version", [0, 2, 3, 4, 6])
def test_short_descriptions(version, description):
    """With one letter, version and length of a configuration look like those of a save."""
    for icon_id in (0, 1, 782, 70_000):
        start = start_of(BlueprintConfig(version, description, icon_id).encode())
        assert start.format == "satisfactory-blueprint-config"
        assert start.header.description == description


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
