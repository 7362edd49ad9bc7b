"""Satisfactory blueprints: the header, one level without versions of its own; the configuration beside it; what `info` says."""

import json
from collections import Counter

import pytest
from expected_values import property_values
from saves import SATISFACTORY, head_and_body, inflate, read, read_to_error
from tiling import assert_tiled
from writer.blueprint import Blueprint
from writer.dialect import Dialect
from writer.primitives import Ref, i32
from writer.samples import BLUEPRINTS, blueprint
from writer.satisfactory import Object

import streamsave
from streamsave import DamagedSave, LimitExceeded, ObjectHeader, PropertyTag


@pytest.mark.parametrize("name", BLUEPRINTS)
def test_objects_are_as_written(name):
    data = (SATISFACTORY / f"{name}.sbp").read_bytes()
    written = blueprint(name)
    dialect = Dialect(written.save_version, 1017 if (written.save_version >= 53) else 1000)
    with streamsave.open(data) as events:
        seen = [events.build() for event in events if isinstance(event, ObjectHeader)]
    for one, built in zip([one for one in written.objects if isinstance(one, Object)], seen, strict=True):
        assert built["instance_name"] == one.instance_name
        assert built["save_version"] == written.save_version
        assert built["properties"] == property_values(one.properties, dialect)
    assert_tiled(read(data), len(inflate(data)))


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
