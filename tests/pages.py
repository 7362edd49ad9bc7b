"""What is in a page of `streamsave report`: its tags, and its data as the script unpacks them."""

import gzip
import json
import struct
from base64 import b64decode
from html.parser import HTMLParser
from types import SimpleNamespace

#: Kind of block -> types of its columns.
COLUMNS = ("ffHB", "IH", "f", "", "")


class Tags(HTMLParser):
    """All tags with their attributes, and all text between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags = []
        self.texts = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append((self.tags[-1][0] if self.tags else "", data))


def blocks_of(data: bytes):
    """Yield kind, columns and text of each block."""
    at = 0
    while at < len(data):
        kind, count, size = struct.unpack_from("<3I", data, at)
        at += 12
        columns = []
        for letter in COLUMNS[kind]:
            columns.append(list(struct.unpack_from(f"<{count}{letter}", data, at)))
            at += (struct.calcsize(letter) * count + 3) & ~3
        text = data[at : at + size]
        assert len(text) == size
        at += (size + 3) & ~3
        yield kind, columns, text


def unpack(data: bytes) -> SimpleNamespace:
    """The data of a page, as `unpack` and `nameOf` of its script have them."""
    points, names, owners, lengths, corners, details, rest = [[] for _ in range(4)], [], [], [], [], [], None
    for kind, columns, text in blocks_of(data):
        if kind == 0:
            for all_of, column in zip(points, columns, strict=True):
                all_of += column
            names += json.loads(text)
        elif kind == 1:
            owners += columns[0]
            lengths += columns[1]
        elif kind == 2:
            corners += columns[0]
        elif kind == 3:
            rest = json.loads(text)
        else:
            details += json.loads(text)
    x, y, classes, turns = points
    lines = {"owners": owners, "lengths": lengths, "corners": corners}
    return SimpleNamespace(x=x, y=y, classes=classes, turns=turns, names=names, details=details, rest=rest, **lines)


def data_of(text: str) -> bytes:
    """The inflated data of a page."""
    tags = Tags(text)
    assert next(attrs for tag, attrs in tags.tags if tag == "script" and attrs) == {"type": "application/octet-stream"}
    packed = [data for tag, data in tags.texts if tag == "script" and data.strip() and not data.startswith('"use strict"')]
    assert all(len(part) <= 48 * 1024 for part in packed)
    return gzip.decompress(b"".join(map(b64decode, packed)))


def read_page(path) -> SimpleNamespace:
    """The data of a page in a file."""
    return unpack(data_of(path.read_text(encoding="utf-8")))
