"""What an object is to a player: production, logistics, power and so on, by its kind and class. Each category has a colour.

The classes are data: for each game, a category and the patterns of the class names that it has, first match first. Colours
are near those of Okabe and Ito: a search moved them until colour-blind eyes, too, keep each apart from all others and from the
ground, at the size of a dot.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from streamsave.events import SaveStart
from streamsave.formats.palworld.game import GAME_CLASSES

__all__ = ["ALL", "CLASS_COLOURS", "GAMES", "NATURE", "OTHER", "Category", "Classify", "Row", "classify_for", "game_of"]


class Category(NamedTuple):
    """What objects are to a player."""

    #: What people read.
    name: str
    #: Colours on a light and on a dark ground.
    light: str
    dark: str


PRODUCTION: Final = Category("production", "#891F00", "#CF5530")
LOGISTICS: Final = Category("logistics", "#EE8133", "#FCC514")
POWER: Final = Category("power", "#925B8A", "#A6519B")
STORAGE: Final = Category("storage", "#26744F", "#21FE96")
VEHICLES: Final = Category("vehicles", "#122D6F", "#3463E0")
STRUCTURES: Final = Category("structures", "#B5A2A8", "#918F80")
NATURE: Final = Category("nature", "#049FFF", "#A5C4FF")
OTHER: Final = Category("other", "#00070A", "#FFFAF8")
#: Of games without vehicles, belts or power.
CREATURES: Final = VEHICLES._replace(name="players and pals")
BASES: Final = LOGISTICS._replace(name="bases")
SIGNALS: Final = POWER._replace(name="wires and logic")

#: In the order of a legend.
ALL: Final = (PRODUCTION, LOGISTICS, BASES, POWER, SIGNALS, STORAGE, VEHICLES, CREATURES, STRUCTURES, NATURE, OTHER)


#: For games without categories: the most frequent classes have colours of their own.
CLASS_COLOURS: Final = (PRODUCTION, LOGISTICS, POWER, STORAGE, VEHICLES, NATURE)


class Row(NamedTuple):
    """Which objects are of a category: those of these kinds whose short class names start like one of these patterns."""

    category: Category
    #: Separated by spaces; "" is every kind.
    kinds: str
    #: Separated by white space; "" is every class.
    starts: str


Rows = tuple[Row, ...]

SATISFACTORY: Final[Rows] = (
    Row(
        NATURE,
        "",
        r"""BP_(Berry|Nut)Bush BP_Shroom TallMushroom BP_SporeFlower BP_PoisonPlant BP_Crystal BP_Mercer BP_Sommersloop
        BP_Resource(Deposit|Node) BP_Fracking(Core|Satellite) BP_WAT[12] BP_DropPod BP_Destructible BP_Debris BP_CrashSite
        BP_VolumeGas BP_GasPillar BP_Ship_ BP_ItemPickup BP_Beacon BP_MonsterNest BP_\w*(Parts_C|Rock|Node_C) Char_(?!Player)
        \w*Spawner FGFoliage FGItemPickup""",
    ),
    Row(
        VEHICLES,
        "",
        r"""BP_(Train|Locomotive|FreightWagon|Tractor|Truck|Explorer|Golfcart|DroneTransport|Wheeled|Vehicle)
        Build_(Train|Truck|Drone|Railroad|Monorail) FG(Railroad|Train|Vehicle|Wheeled|Drone|Driveable|SavedWheel)""",
    ),
    Row(
        STORAGE,
        "",
        r"""Build_(Storage|Industrial(Tank|Storage)|PipeStorageTank|CentralStorage|Locker) Build_\w*Container(?!Screen) BP_Crate
        BP_CentralStorage FG(Inventory|CentralStorage)""",
    ),
    Row(
        POWER,
        "",
        r"Build_(Power|Generator|Battery|PriorityPowerSwitch) Build_\w*Power(Storage|Line) FGPower",
    ),
    Row(
        LOGISTICS,
        "",
        r"""Build_(Conveyor|Pipe|Hyper|Valve|Lift|FluidBuffer|JumpPad|Portal) Build_\w*(Splitter|Merger|Conveyor|Pipe|Belt)
        FG(Conveyor|Pipe|FactoryConnection|Hypertube|Fluid)""",
    ),
    Row(
        PRODUCTION,
        "",
        r"""Build_(Constructor|Assembler|Manufacturer|Smelter|Foundry|OilRefinery|Packager|Blender|Miner|OilPump|WaterPump|Fracking)
        Build_(HadronCollider|Converter|QuantumEncoder|ResourceSink|SpaceElevator|TradingPost|HubTerminal|WorkBench|Workshop|Mam)
        Build_(AlienPower|TreeGift|RadarTower|Blueprint)""",
    ),
    Row(STRUCTURES, "lightweight", ""),
    Row(STRUCTURES, "", "Build_ BUILD_ FGBuildable FGFactoryLegs"),
)
PALWORLD: Final[Rows] = (
    Row(CREATURES, "player pal pal-container", ""),
    Row(NATURE, "foliage", ""),
    Row(NATURE, "map-object", r"PickupItem_ TreasureBox Damagable CommonDropItem Pal[Ee]gg DeathPenalty \w*Rock"),
    Row(STORAGE, "container item", ""),
    Row(STORAGE, "map-object", r"Container Box\d Silo CoolerBox PalFoodBox Refrigerator \w*Chest"),
    Row(POWER, "map-object", r"Electric Heater Cooler \w*(Generator|Lamp|Light|Torch)"),
    Row(
        PRODUCTION,
        "map-object",
        r"""Work[Bb]ench Crusher FlourMill Campfire Cooking Stonepit Medicine Repair Spa Station MiningTool Stump PalBox Hatching
        \w*(Factory|Furnace|Farm|Pit|Stove|Facility)""",
    ),
    Row(PRODUCTION, "work", ""),
    Row(BASES, "base", ""),
    Row(STRUCTURES, "map-object", ""),
)
SHAPEZ2: Final[Rows] = (
    Row(SIGNALS, "", r"Wire Logic Virtual Display Button ComparatorGate Label BeltReader \w*Signal"),
    Row(STORAGE, "", r"Storage \w*Tank"),
    Row(VEHICLES, "", r"Layout_Train \w*(Locomotive|Wagon)"),
    Row(LOGISTICS, "", "Belt Merger Splitter Lift Pipe FluidPort Space(Belt|Pipe) Rail Train Trash Hub"),
    Row(PRODUCTION, "", r"Cutter Rotator Painter Stacker Mixer Crystal Halves Pin Sandbox \w*(Extractor|Miner)"),
    Row(STRUCTURES, "island", ""),
)
#: The rows of each game (`game_of`): the first that matches counts.
GAMES: Final[dict[str, Rows]] = {"satisfactory": SATISFACTORY, "palworld": PALWORLD, "shapez2": SHAPEZ2}
#: Classes whose category is kept; a heavily modded save has a few thousand.
KEPT: Final = 4096


class Classify:
    """Finds the category of an object.

    Args:
        rows: of the game; none for a game without.
    """

    def __init__(self, rows: Rows) -> None:
        self._patterns = [(row.category, _pattern(row)) for row in rows]
        self._kept = lru_cache(KEPT)(self._find)

    def __bool__(self) -> bool:
        """Return whether the game has categories."""
        return bool(self._patterns)

    def __call__(self, kind: str, class_name: str) -> Category:
        """Return the category of an object of this kind and class; the class may be the full path."""
        return self._kept(kind, class_name[class_name.rfind(".") + 1 :])

    def _find(self, kind: str, name: str) -> Category:
        text = f"{kind} {name}"
        return next((category for category, pattern in self._patterns if pattern.match(text)), OTHER)


def _pattern(row: Row) -> re.Pattern[str]:
    """Return what matches the objects of a row: a kind, a space, and the start of a class name."""
    kinds = "|".join(map(re.escape, row.kinds.split())) or r"\S*"
    return re.compile(f"({kinds}) ({'|'.join(row.starts.split())})")


def classify_for(game: str) -> Classify:
    """Return what finds the categories of the saves of a game (`game_of`)."""
    return Classify(GAMES.get(game, ()))


def game_of(start: SaveStart) -> str:
    """Return the game of a save: `"satisfactory"`, `"palworld"` or `"shapez2"`; "" of any other."""
    for game in ("satisfactory", "shapez2"):
        if start.format.startswith(game):
            return game
    return "palworld" if str(getattr(start.header, "save_game_class", "")).startswith(GAME_CLASSES) else ""
