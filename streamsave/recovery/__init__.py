"""Going on after damage: frames, chains, anchors. Imported only with `on_damage="resync"`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamsave.formats.format import load

if TYPE_CHECKING:
    from streamsave.decode.reader import Reader
    from streamsave.recovery.driver import Driver

__all__ = ["make_driver"]

#: Reader -> what its family knows of damage. Of any other reader, a fault costs the rest of the save.
FAMILIES: Final[dict[str, str]] = {
    "streamsave.formats.satisfactory.reader:BlueprintReader": "streamsave.recovery.satisfactory:SatisfactoryFamily",
    "streamsave.formats.satisfactory.reader:SatisfactoryReader": "streamsave.recovery.satisfactory:SatisfactoryFamily",
    "streamsave.formats.arx.reader:ArxReader": "streamsave.recovery.arx:ArxFamily",
    "streamsave.formats.astroneer.reader:AstroneerReader": "streamsave.recovery.astroneer:AstroneerFamily",
    "streamsave.formats.gvas.reader:GvasReader": "streamsave.recovery.unreal:UnrealFamily",
    "streamsave.formats.shapez2.code:CodeReader": "streamsave.recovery.shapez2:CodeFamily",
    "streamsave.formats.shapez2.reader:SaveReader": "streamsave.recovery.shapez2:ArchiveFamily",
}
#: Readers that go on after faults themselves.
THEMSELVES: Final = frozenset((
    "streamsave.formats.satisfactory.config:ConfigReader",
))  # fmt: skip
GENERAL: Final = "streamsave.recovery.driver:Family"


def make_driver(reader: Reader) -> Driver | None:
    """Return the driver of a reader; None: the reader goes on after faults itself."""
    name = f"{type(reader).__module__}:{type(reader).__name__}"
    if name in THEMSELVES:
        return None
    from streamsave.recovery.driver import Driver  # noqa: PLC0415 - not for others

    family = load(FAMILIES.get(name, GENERAL))
    return Driver(reader, family(reader))  # type: ignore[operator]  # it is a class
