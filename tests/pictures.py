"""What is in files of pictures, and what they draw; and a mark for tests that draw."""

import re
import struct
from html import unescape
from importlib.util import find_spec
from pathlib import Path

import pytest

from streamsave import open as open_save
from streamsave.cli.save import Save
from streamsave.cli.text import short_class
from streamsave.cli.treemap import LEAST_SHARE, parts_of_saves, sums_of
from streamsave.consume.parser import parse_selection
from streamsave.report.parts import Part
from streamsave.report.tree import Tree

drawn = pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")


def png_size(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR")
    assert data.endswith(b"IEND\xaeB`\x82")
    width, height = struct.unpack_from(">II", data, 16)
    return width, height


def svg_texts(path: Path) -> list[str]:
    return [unescape(text) for text in re.findall(r"<(?:text|tspan)[^>]*>([^<]+)<", path.read_text(encoding="utf-8"))]


def parts(*paths, where=None, by_mod=False, least_share=LEAST_SHARE) -> tuple[Part, ...]:
    """The parts that `streamsave treemap` draws of saves."""
    tree, categories = Tree(), {}
    for path in paths:
        with open_save(path) as events:
            for sums, found in sums_of(None if where is None else parse_selection(where), Save(str(path), None, events)):
                tree.add(sums)
                categories.update(found)
    return parts_of_saves(tree, categories, whole=where is None, named=short_class, by_mod=by_mod, least_share=least_share)
