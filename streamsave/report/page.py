"""The page: a template, a style and a script that are files of this package, and the data of one save.

The page loads nothing and sends nothing: its policy allows our script and our style by their hashes. Texts of the save are
escaped, or are in the packed data, which the script shows as text only.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Final

from streamsave.decode.json_values import Json
from streamsave.report.blocks import JSON_BLOCK, Blocks

__all__ = ["Page"]

#: Where the template is cut: before the data, and after them.
DATA: Final = "<!--data-->"


@cache
def part(name: str) -> str:
    """Return the text of a file of this package."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


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
        script, style = part("page.js"), part("page.css")
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
        head, self._tail = (fill(text, values) for text in part("page.html").split(DATA))
        write(head)
        #: Where points and lines go.
        self.blocks = Blocks(write)

    def end(self, summary: Json) -> None:
        """Write the summary, the script, and the end of the page."""
        self.blocks.add(JSON_BLOCK, 1, (), json.dumps(summary, separators=(",", ":")).encode("ascii"))
        self.blocks.end()
        self._write(self._tail)


def shown(text: str) -> str:
    """Return a text that cannot be markup; what UTF-8 does not have becomes a question mark."""
    return escape(text.encode("utf-8", "replace").decode("utf-8"), quote=True)


def fill(template: str, values: dict[str, str]) -> str:
    """Put the values in their places, `{{name}}`; what a value contains is never a place."""
    first, *others = template.split("{{")
    pieces = [first]
    for other in others:
        name, _, rest = other.partition("}}")
        pieces += (values[name], rest)
    return "".join(pieces)
