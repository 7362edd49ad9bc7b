"""The pictures of report pages in README and the manual: made-up saves of each game, and a photo of their pages in Chromium.

    pip install playwright && python tools/make_picture.py

It needs Playwright's Python package and Debian's `chromium`; it writes `tools/manual/report.png` and `report-GAME.png`.
"""

from __future__ import annotations

import math
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import attrs
from writer.satisfactory import Object, World, release_header, save_bytes
from writer.shapez2 import Building, Island
from writer.shapez2_codes import Blueprint
from writer.structs import VECTOR
from writer.tags import INT, Array, Prop
from writer.vocabulary import SPLINE, STACK, WIRE, AnyProp

PICTURES = Path(__file__).resolve().parent / "manual"
#: Samples of the games whose saves are not made here.
SAMPLES = {"palworld": "gvas/palworld-1.0.sav", "astroneer": "astroneer/full.savegame", "arx": "arx/v2.1.sav"}
VALID = Path(__file__).resolve().parents[1] / "corpora" / "valid"
FACTORY = "/Game/FactoryGame/Buildable"
SAVE_VERSION = 46
WIDTH, HEIGHT = 1280, 800
#: Centimetres of a metre, and metres of a foundation.
METRE = 100.0
TILE = 8
#: Quaternions of quarters of a turn.
TURNS = (
    (0.0, 0.0, 0.0, 1.0),
    (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)),
    (0.0, 0.0, 1.0, 0.0),
    (0.0, 0.0, -math.sqrt(0.5), math.sqrt(0.5)),
)
#: Rows of machines: class, how many metres each one takes, and how many there are.
ROWS = (("Smelter", 12, 28), ("Constructor", 14, 24), ("Constructor", 14, 24), ("Assembler", 20, 16), ("Manufacturer", 24, 12))


class Factory:
    """Makes objects, each with a name of its own."""

    def __init__(self) -> None:
        self._number = 2_147_000_000

    def made(self, folder: str, name: str, x: float, y: float, *properties: AnyProp, turn: int = 0) -> Object:
        """Make a building at a place in metres."""
        self._number += 1
        place = (*TURNS[turn], x * METRE, y * METRE, 0.0, 1.0, 1.0, 1.0)
        path = f"Persistent_Level:PersistentLevel.{name}_C_{self._number}"
        return Object(f"{FACTORY}/{folder}/{name}.{name}_C", path, list(properties), transform=place)

    def belt(self, points: list[tuple[float, float]]) -> Object:
        """Make a belt through places in metres."""
        (x0, y0), *_ = points
        spline: list[list[AnyProp]] = []
        for number, (x, y) in enumerate(points):
            before, after = points[max(number - 1, 0)], points[min(number + 1, len(points) - 1)]
            tangent = ((after[0] - before[0]) / 2 * METRE, (after[1] - before[1]) / 2 * METRE, 0.0)
            place = ((x - x0) * METRE, (y - y0) * METRE, 0.0)
            spline.append(
                [Prop("Location", VECTOR, place), Prop("ArriveTangent", VECTOR, tangent), Prop("LeaveTangent", VECTOR, tangent)]
            )
        return self.made("Factory/ConveyorBeltMk3", "Build_ConveyorBeltMk3", x0, y0, Prop("mSplineData", Array(SPLINE), spline))

    def wire(self, one: tuple[float, float], other: tuple[float, float]) -> Object:
        """Make a power line between places in metres."""
        ends = [(x * METRE, y * METRE, 900.0) for x, y in (one, other)]
        wire: list[AnyProp] = [Prop("Locations", VECTOR, ends[0]), Prop("Locations", VECTOR, ends[1], index=1)]
        return self.made("Factory/PowerLine", "Build_PowerLine", *one, Prop("mWireInstances", Array(WIRE), [wire]))


def objects(chance: random.Random) -> Iterator[Object]:
    """Yield a factory hall with its machines, belts, power, stores, a railway around it, and the land."""
    factory = Factory()
    width, depth = 52, 24
    for column in range(width):
        for row in range(depth):
            yield factory.made("Building/Foundation", "Build_Foundation_8x1_01", column * TILE, row * TILE)
    for number, (kind, step, count) in enumerate(ROWS):
        y = 16.0 + 38 * number
        bus = y + 16
        yield factory.belt([(-30, bus), (40, bus), (200, bus), (380, bus), (420, bus + (19 if number < len(ROWS) - 1 else 0))])
        for each in range(count):
            x = 12.0 + step * each
            yield factory.made(f"Factory/{kind}Mk1", f"Build_{kind}Mk1", x, y)
            yield factory.belt([(x, y + 7), (x, bus)])
        for x in map(float, range(20, 400, 40)):
            yield factory.made("Factory/PowerPoleMk1", "Build_PowerPoleMk1", x, y - 8)
            yield factory.wire((x, y - 8), (x + 40, y - 8))
    for number in range(10):
        stack: list[AnyProp] = [Prop("NumItems", INT, 500 + 100 * number)]
        stores = Prop("mInventoryStacks", Array(STACK), [stack] * 4)
        yield factory.made("Factory/StorageContainerMk1", "Build_StorageContainerMk1", 434, 12 + 18 * number, stores)
        yield factory.belt([(420, 12 + 18 * number), (432, 12 + 18 * number)])
    for number in range(8):
        yield factory.made("Factory/GeneratorCoal", "Build_GeneratorCoal", -60 - 16 * (number % 4), 30 + 40 * (number // 4))
        yield factory.wire((-60 - 16 * (number % 4), 30 + 40 * (number // 4)), (20, 8))
    ring = [(200 + 420 * math.cos(at), 95 + 230 * math.sin(at)) for at in [number * math.tau / 40 for number in range(41)]]
    for start in range(0, 40, 2):
        x, y = ring[start]
        track = attrs.evolve(
            factory.belt(ring[start : start + 3]), instance_name=f"Persistent_Level:PersistentLevel.Track_{start}"
        )
        yield attrs.evolve(track, class_name=f"{FACTORY}/Factory/Train/Track/Build_RailroadTrack.Build_RailroadTrack_C")
        if start % 10 == 0:
            yield factory.made("Factory/Train/Station", "Build_TrainStation", x, y, turn=1)
    for _ in range(900):
        at, far = chance.uniform(0, math.tau), chance.uniform(0.75, 1.9)
        x, y = 200 + 420 * far * math.cos(at), 95 + 230 * far * math.sin(at)
        yield factory.made("World/BerryBush", "BP_BerryBush", x, y)


def platforms() -> Iterator[Island]:
    """Yield platforms of shapez 2: lanes with cutters, painters and mixers, and belts to a platform of another shape."""
    buildings = []
    for lane in range(8):
        y = 3 + 4 * lane + 2 * (lane // 4)
        turns = {
            6: "RotatorOneQuadInternalVariant",
            14: "CutterDefaultInternalVariantMirrored",
            30: "PainterDefaultInternalVariant",
        }
        buildings += [Building(turns.get(x, "BeltDefaultForwardInternalVariant"), (x, y, 0)) for x in range(-18, 58)]
        buildings += [Building("PipeForwardInternalVariant", (x, y + 1, 0)) for x in range(31, 50)]
    buildings += [Building("MixerDefaultInternalVariant", (x, 19, 0)) for x in range(-16, 50, 6)]
    buildings.append(Building("LabelDefaultInternalVariant", (20, 37, 0)))
    yield Island("Foundation_2x4", (0, 0, 0), buildings=buildings)
    for x in range(3, 6):
        yield from (Island("SpaceBelt_Forward", (x, y, 0)) for y in range(2))
    for place, rotation, kind in (
        ((6, 0, 0), 0, "Foundation_L3"),
        ((8, 2, 0), 2, "Foundation_L3"),
        ((10, 1, 0), 0, "Foundation_C5"),
    ):
        yield Island(kind, place, rotation, buildings=[Building("TrashDefaultInternalVariant", (x, 10, 0)) for x in range(4, 16)])


def main() -> None:
    """Write the pictures."""
    sync_playwright = import_module("playwright.sync_api").sync_playwright

    header = attrs.evolve(release_header(SAVE_VERSION), session_name="A made factory", play_duration=223_200)
    with tempfile.TemporaryDirectory() as folder:
        factory, lanes, page = Path(folder, "factory.sav"), Path(folder, "lanes.spz2bp"), Path(folder, "page.html")
        factory.write_bytes(save_bytes(World(header, (), list(objects(random.Random(7))))))
        lanes.write_text(Blueprint(list(platforms())).code(), encoding="ascii")
        saves = {"report": factory, "report-shapez2": lanes}
        saves |= {f"report-{game}": VALID / sample for game, sample in SAMPLES.items()}
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            for name, save in saves.items():
                subprocess.run([sys.executable, "-m", "streamsave", "report", str(save), "-o", str(page)], check=True)
                shown = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
                shown.goto(page.as_uri())
                shown.locator("html[data-ready]").wait_for()
                picture = PICTURES / f"{name}.png"
                shown.screenshot(path=picture)
                print(f"{picture}: {picture.stat().st_size:,} bytes")
            browser.close()


if __name__ == "__main__":
    main()
