"""A row of the registry: what it names, what it takes, and its defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from streamsave.errors import UnsupportedOption
from streamsave.formats.format import METRES, OPTIONS, Format, check_options, load


def sniff(head, _source) -> bool:
    return head.startswith(b"ROW")


ROW = Format("Row save", sniff, "package.module:Name")


def test_a_row_needs_three_things():
    assert (ROW.extensions, ROW.options, dict(ROW.labels), ROW.text_marks, ROW.view) == ((), frozenset(), {}, ("", ""), "")
    assert ROW.place_unit is METRES
    assert 250.0 / METRES.scale == 2.5


def test_what_a_path_names():
    assert load("streamsave.formats.format:Format") is Format
    assert load("pathlib:Path") is Path


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("streamsave.formats.nothing:Format", ImportError),
        ("streamsave.formats.format:Nothing", AttributeError),
        ("streamsave.formats.format", AttributeError),
    ],
)
def test_a_path_of_nothing(path, error):
    with pytest.raises(error):
        load(path)


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("value", [True, {"a": "b"}, 1])
def test_an_option_is_taken_or_refused(option, value):
    check_options(ROW._replace(options=frozenset({option})), {option: value})
    others = frozenset(OPTIONS) - {option}
    with pytest.raises(UnsupportedOption) as caught:
        check_options(ROW._replace(options=others), {option: value})
    assert option in str(caught.value)
    assert "Row save" in str(caught.value)


@pytest.mark.parametrize("value", [False, None, {}, ""])
def test_an_empty_value_is_no_option(value):
    check_options(ROW, dict.fromkeys(OPTIONS, value))
