"""Going on after damage: frames, chains, anchors. Imported only with `on_damage="resync"`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamsave.formats.format import load
from streamsave.recovery.driver import Driver

if TYPE_CHECKING:
    from streamsave.decode.reader import Reader

__all__ = ["make_driver"]

#: Reader -> what its family knows of damage. Any other reader may yield a `Part` for what can be lost alone.
FAMILIES: Final[dict[str, str]] = {
    "streamsave.formats.satisfactory.reader:BlueprintReader": "streamsave.recovery.satisfactory:SatisfactoryFamily",
    "streamsave.formats.satisfactory.reader:SatisfactoryReader": "streamsave.recovery.satisfactory:SatisfactoryFamily",
    "streamsave.formats.arx.reader:ArxReader": "streamsave.recovery.arx:ArxFamily",
    "streamsave.formats.astroneer.reader:AstroneerReader": "streamsave.recovery.astroneer:AstroneerFamily",
    "streamsave.formats.gvas.reader:GvasReader": "streamsave.recovery.unreal:UnrealFamily",
    "streamsave.formats.shapez2.code:CodeReader": "streamsave.recovery.shapez2:CodeFamily",
    "streamsave.formats.shapez2.reader:SaveReader": "streamsave.recovery.shapez2:ArchiveFamily",
}
GENERAL: Final = "streamsave.recovery.driver:Family"


def make_driver(reader: Reader) -> Driver:
    """Return the driver of a reader."""
    name = f"{type(reader).__module__}:{type(reader).__name__}"
    family = load(FAMILIES.get(name, GENERAL))
    return Driver(reader, family(reader))  # type: ignore[operator]  # it is a class
