"""The `RawData` of a Palworld world: which layout each one has."""

from __future__ import annotations

from typing import Final

from streamsave.decode.codecs import Struct
from streamsave.formats.palworld.layouts import PLACES, Place
from streamsave.formats.palworld.versions import Versions, read_versions
from streamsave.formats.unreal.dialect import BlobLayouts

__all__ = ["PalworldBlobs", "place_of"]

NAME: Final = "RawData"
VERSIONS_NAME: Final = "CustomVersionData"
NOTED_NAMES: Final = frozenset(("MapObjectId", "GroupType", "WorkableType"))
#: Names of nestings that are not those of a property.
PARTS: Final = frozenset(("", "key", "value", "removed", "added"))
#: Layouts are made anew when there are so many: names in the save are part of what they are kept by.
KEPT_LAYOUTS: Final = 4096
#: Longer versions are not kept.
KEPT_VERSIONS: Final = 512


def place_of(names: list[str]) -> str:
    """Return the last two names of the path to a blob in these nestings: `"MapObjectSaveData.Model"`."""
    inner = ""
    for name in names[::-1]:
        if name in PARTS or name == inner:
            continue
        if inner:
            return f"{name}.{inner}"
        inner = name
    return inner


def without_enum(noted: str) -> str:
    """Return what was noted around a blob without the name of its enum: `"ItemContainer"`."""
    return noted[noted.rfind(":") + 1 :]


class PalworldBlobs(BlobLayouts):
    """The layouts of one world; they are made when they are first met."""

    def __init__(self) -> None:
        super().__init__(NAME, VERSIONS_NAME, NOTED_NAMES)
        self._layouts: dict[tuple[str, str, bytes | None], list[Struct]] = {}
        self._has_warned = False

    def kind(self, names: list[str], noted: str) -> str:
        place = place_of(names)
        known = PLACES.get(place)
        if known is None:
            return place
        return f"{known.kind} of {without_enum(noted)}" if known.named else known.kind

    def layouts(self, names: list[str], noted: str, versions: bytes | None) -> list[Struct]:
        place = PLACES.get(place_of(names))
        if place is None:
            return []
        noted = without_enum(noted) if place.named else ""
        if versions is not None and len(versions) > KEPT_VERSIONS:
            return self._make(place, noted, versions)
        key = (place.kind, noted, versions)
        found = self._layouts.get(key)
        if found is None:
            found = self._make(place, noted, versions)
            if len(self._layouts) >= KEPT_LAYOUTS:
                self._layouts.clear()
            self._layouts[key] = found
        return found

    def _make(self, place: Place, noted: str, data: bytes | None) -> list[Struct]:
        """Make the layouts of one kind, one or more for each age that it may be of."""
        ages = read_versions(data)
        self._warn_of(ages[0])
        return [found for versions in ages for found in place.layouts(versions, noted)]

    def _warn_of(self, versions: Versions) -> None:
        """Warn once of versions that are newer than known."""
        key = versions.newer()
        if key is not None and not self._has_warned:
            self._has_warned = True
            self.warn("RawData is newer than known, read like the newest", key=key.hex(), version=versions.numbers[key])
