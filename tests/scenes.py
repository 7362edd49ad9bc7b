"""Headers of objects made by hand, and the page data that a `Scene` writes."""

import gzip
from base64 import b64decode

from pages import Tags, unpack

from streamsave.events import ObjectHeader
from streamsave.formats import METRES, TILES
from streamsave.report.page import Blocks
from streamsave.report.scene import Scene
from streamsave.values import Transform

EAST = (0.0, 0.0, 0.0, 1.0)


def header(kind="actor", class_name="A", name="A_1", outer="", place=(0.0, 0.0, 0.0), rotation=EAST, flags=0, size=0):
    """A header; its place is in the unit of the save."""
    transform = None if place is None else Transform(rotation, place, (1.0, 1.0, 1.0))
    values = dict.fromkeys(ObjectHeader.__match_args__, 0) | {
        "kind": kind,
        "class_name": class_name,
        "instance_name": name,
        "level": "",
        "outer": outer,
        "transform": transform,
        "flags": flags,
        "size": size,
    }
    return ObjectHeader(**values)


class Written:
    """A scene, and what it writes."""

    def __init__(self, game: str = "") -> None:
        self.tags: list[str] = []
        self.blocks = Blocks(self.tags.append)
        self.scene = Scene(self.blocks, TILES if game == "shapez2" else METRES, game)

    def end(self):
        self.scene.end()
        self.blocks.end()
        texts = [text for tag, text in Tags("".join(self.tags)).texts if tag == "script" and text.strip()]
        return unpack(gzip.decompress(b"".join(map(b64decode, texts))))
