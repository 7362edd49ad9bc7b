"""The page: a template, a style and a script that are files of this package, and the data of one save.

The page loads nothing and sends nothing: its policy allows our script and our style by their hashes. Texts of the save are
escaped, or are in the packed data, which the script shows as text only.

`Blocks` are its data: columns of numbers, one gzip stream, base64 in script tags, written as they come.

| block | what is in it |
|---|---|
| head | kind, count, bytes of text: 3 x u32 |
| points (0) | x f32, y f32, class u16, turn u8, one column after the other; then a JSON array of names |
| lines (1) | the point that each one belongs to u32, how many corners u16 |
| corners (2) | x and y of the corners of the lines f32: the count is that of the numbers |
| the rest (3) | JSON |
| details (4) | a JSON array of what is in machines and stores: see `Scene` |

Each column begins at a multiple of four. A tag never holds more than `TAG_SIZE` characters.
"""

from __future__ import annotations

import json
import struct
from array import array
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

from streamsave.input.stages import fast_zlib

__all__ = ["CORNERS_BLOCK", "DETAILS_BLOCK", "JSON_BLOCK", "LINES_BLOCK", "POINTS_BLOCK", "TAG_SIZE", "Blocks", "Page"]

POINTS_BLOCK: Final = 0
LINES_BLOCK: Final = 1
CORNERS_BLOCK: Final = 2
JSON_BLOCK: Final = 3
DETAILS_BLOCK: Final = 4
TAG_SIZE: Final = 48 * 1024
#: So many bytes are that many characters of base64.
RAW_SIZE: Final = TAG_SIZE // 4 * 3
HEAD: Final = struct.Struct("<3I")
#: The only method of zlib; its window, and 16 more for gzip; its level.
DEFLATED: Final = 8
WINDOW: Final = 15 + 16
LEVEL: Final = 4
TAG: Final = '<script type="application/octet-stream">{}</script>\n'


class Blocks:
    """Writes blocks into a page.

    Args:
        write: takes text of the page.
    """

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._deflate: Any = fast_zlib.compressobj(LEVEL, DEFLATED, WINDOW)
        self._packed = bytearray()

    def add(self, kind: int, count: int, columns: Sequence[array[float] | array[int]], text: bytes = b"") -> None:
        """Write a block."""
        self._put(HEAD.pack(kind, count, len(text)))
        for column in columns:
            # The arrays have the order of bytes of the machine; all that run Python wheels of ours are little-endian.
            data = column.tobytes()
            self._put(data + bytes(-len(data) % 4))
        self._put(text + bytes(-len(text) % 4))

    def end(self) -> None:
        """Write what is left."""
        self._packed += self._deflate.flush()
        self._write_tags(1)

    def _put(self, data: bytes) -> None:
        self._packed += self._deflate.compress(data)
        self._write_tags(RAW_SIZE)

    def _write_tags(self, least: int) -> None:
        """Write tags while there are so many packed bytes."""
        while len(self._packed) >= least:
            part = bytes(self._packed[:RAW_SIZE])
            del self._packed[:RAW_SIZE]
            self._write(TAG.format(b64encode(part).decode("ascii")))


#: Where the template is cut: before the data, and after them.
DATA: Final = "<!--data-->"


@cache
def part(name: str) -> str:
    """Return the text of a file of this package."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def small(script: str) -> str:
    """Return a script without indentation and lines that are comments: its texts of several lines need neither."""
    lines = (line.strip() for line in script.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def digest(text: str) -> str:
    """Return a hash as a policy writes it."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"


class Page:
    """Writes a page: its head at once, the data in between, its end with `end`.

    Args:
        write: takes text.
        title: of the page.
        facts: what the save says about itself: label and text.
    """

    def __init__(self, write: Callable[[str], object], title: str, facts: Iterable[tuple[str, str]]) -> None:
        self._write = write
        script, style = small(part("page.js")), part("page.css")
        policy = (
            f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; base-uri 'none'; form-action 'none'"
        )
        values = {
            "policy": policy,
            "title": shown(title),
            "style": style,
            "facts": "".join(f"<div><dt>{shown(label)}</dt><dd>{shown(text)}</dd></div>" for label, text in facts),
            "script": script,
        }
        head, self._tail = (Template(text).substitute(values) for text in part("page.html").split(DATA))
        write(head)
        #: Where points and lines go.
        self.blocks = Blocks(write)

    def end(self, summary: dict[str, object]) -> None:
        """Write the summary, the script, and the end of the page."""
        self.blocks.add(JSON_BLOCK, 1, (), json.dumps(summary, separators=(",", ":")).encode("ascii"))
        self.blocks.end()
        self._write(self._tail)


def shown(text: str) -> str:
    """Return a text that cannot be markup; what UTF-8 does not have becomes a question mark."""
    return escape(text.encode("utf-8", "replace").decode("utf-8"), quote=True)
