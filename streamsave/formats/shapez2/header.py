"""`SaveStart.header` of saves and codes, and the small values of the game, which print as the game writes them."""

from __future__ import annotations

from attrs import define, frozen

from streamsave.values import Header

__all__ = [
    "GAME_TERMS",
    "ROTATIONS",
    "BlueprintHeader",
    "Channel",
    "Coordinate",
    "Fluid",
    "FluidOnTrack",
    "FluidPackage",
    "LaneItem",
    "SaveHeader",
    "Shape",
    "ShapeOnTrack",
    "Signal",
]

#: The direction that a thing faces, by the stored number.
ROTATIONS = ("East", "South", "West", "North")


@define
class SaveHeader(Header):
    """Fields of `savegame.json`. Those that it does not have are None.

    Attributes:
        version (int): version of the save.
        binary_data_checkpoints (bool): whether there are checkpoints in the binary members.
        savegame_name (str | None): name of the save; None where the save has none.
        game_mode_id (str | None): the mode; None where the save has none.
        scenario_id (str | None): the scenario; None where the save has none.
        seed (int | None): seed of the world; None where the save has none.
        total_playtime (float | None): seconds that were played; None where the save has none.
        structure_count (int | None): how many structures there are; None where the save has none.
        research_progress (float | None): as stored; None where the save has none.
        last_saved (str | None): when it was saved, ISO 8601; None where the save has none.
        internal_uuid (str | None): as stored; None where the save has none.
        member_count (int): members of the archive.
    """

    version: int
    binary_data_checkpoints: bool
    savegame_name: str | None = None
    game_mode_id: str | None = None
    scenario_id: str | None = None
    seed: int | None = None
    total_playtime: float | None = None
    structure_count: int | None = None
    research_progress: float | None = None
    last_saved: str | None = None
    internal_uuid: str | None = None
    member_count: int = 0


@define
class BlueprintHeader(Header):
    """Fields of a blueprint code that come before its entries.

    Attributes:
        envelope (int): the number in `SHAPEZ2-<envelope>-`.
        version (int): version of the game's data.
        type (str): `"Building"` or `"Island"`; the oldest codes have no such key and hold buildings.
        binary_version (int | None): the version that the entries were written with; None if it comes after them.
        icons (tuple[str | None, ...]): up to four of `"icon:..."`, `"shape:..."` and None.
    """

    envelope: int
    version: int
    type: str
    binary_version: int | None = None
    icons: tuple[str | None, ...] = ()


@frozen(str=False)
class Coordinate:
    """A place: of an island in the world, of a tile in the world, or of a tile on its island."""

    x: int
    y: int
    z: int

    def __str__(self) -> str:
        return f"({self.x}, {self.y}, {self.z})"


@frozen(str=False)
class Shape:
    """A shape by its code, `CuRuSuWu`."""

    code: str | None

    def __str__(self) -> str:
        return self.code or "null"


@frozen(str=False)
class Fluid:
    """A colour as a fluid, `color-r`."""

    color: str

    def __str__(self) -> str:
        return f"color-{self.color}"


@frozen(str=False)
class FluidPackage:
    """Fluid as an item; 38,419,920,000 units are a litre."""

    fluid: Fluid | None
    amount: int

    def __str__(self) -> str:
        return f"{self.amount / 38_419_920_000:g} L {self.fluid}"


@frozen(str=False)
class FluidOnTrack:
    """A package of fluid on the rails."""

    amount: int
    fluid: Fluid | None

    def __str__(self) -> str:
        return f"{self.amount} x {self.fluid}"


@frozen(str=False)
class ShapeOnTrack:
    """A package of shapes on the rails."""

    amount: int
    shape: Shape | None

    def __str__(self) -> str:
        return f"{self.amount} x {self.shape}"


@frozen(str=False)
class Signal:
    """The value on a wire: `kind` is `"Null"`, `"Conflict"`, `"Integer"`, `"Item"` or `"Fluid"`."""

    kind: str
    value: object = None

    def __str__(self) -> str:
        return self.kind if self.value is None else str(self.value)


@frozen(str=False)
class Channel:
    """Where a wireless signal comes from: a kind, and which of that kind."""

    kind: int
    value: int

    def __str__(self) -> str:
        if self.kind == 4:  # the value of the channel of a fluid is its letter
            return f"Fluid {chr(self.value)}"
        if self.kind in {5, 6}:
            return f"Integer {self.value if self.kind == 5 else -self.value}"
        names = {2: "ROS", 3: "Shape"}
        return f"{names.get(self.kind, self.kind)} {self.value}"


@frozen
class LaneItem:
    """An item on a belt, and how far it has come; 2,305,195,200,000 steps are a tile."""

    item: object
    steps: int


#: Values that print as the game writes them.
GAME_TERMS = (Channel, Coordinate, Fluid, FluidOnTrack, FluidPackage, Shape, ShapeOnTrack, Signal)
