"""The format of the page on plug-ins, with the code that the page has; and saves of it."""

import re
import struct
import zlib
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "streamsave" / "formats" / "PLUGINS.md"
(CODE,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
exec(compile(CODE, PAGE.name, "exec"), globals())  # noqa: S102 - our own words


def string(text: str) -> bytes:
    """A string; an empty one has no NUL."""
    return struct.pack("<i", len(text) + 1) + text.encode() + b"\0" if text else bytes(4)


def tag(name: str, kind: int, value: bytes) -> bytes:
    return string(name) + struct.pack("<BI", kind, len(value)) + value


def boxes(*inside: bytes) -> bytes:
    return struct.pack("<i", len(inside)) + b"".join(inside)


def box(name: str, weight: int, *inside: bytes) -> bytes:
    """A box with a property of each type, and other boxes."""
    data = tag("weight", 1, struct.pack("<i", weight)) + tag("price", 2, struct.pack("<f", weight / 2))
    data += tag("label", 3, string(f"a {name}")) + tag("marks", 4, struct.pack("<3i", 2, 1, weight)) + string("")
    data += boxes(*inside)
    return string(name) + struct.pack("<I", len(data)) + data


def box_save(weight: int = 7, *, stream: bytes | None = None) -> bytes:
    """A save of five boxes, of which one has that weight; or of any stream."""
    if stream is None:
        stream = boxes(box("crate_1", 3, box("tin_1", 1), box("crate_2", 2, box("tin_2", weight))), box("crate_3", 4))
    return struct.pack("<3sBI", b"BOX", 1, len(stream)) + zlib.compress(stream)
