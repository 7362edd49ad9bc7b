"""Satisfactory blueprints: .sbp and .sbpcfg.

.sbp:

+--------------------------------------------------------------------+
| i32 HeaderVersion (2), SaveVersion, BuildVersion; i32 dimension[3] |
| i32 n; n * (ref item; i32 amount)                                  |
| i32 n; n * ref recipe                                              |
| >= 53: version data                                                |
| chunks (v1 below 41): i32 size; i32 size, TOC; i32 size, DATA      |
| TOC: i32 n; n * header    DATA: i32 n; n * (i32 size; bytes)       |
+--------------------------------------------------------------------+

.sbpcfg:

+--------------------------------------------------------------------+
| i32 ConfigVersion; FString description; i32 icon id; LinearColor   |
| >= 3: FString package, asset of the icon library                   |
| == 4: i32 n; n * (FString account, name, platform)                 |
| >= 6: PlayerInfoHandle                                             |
+--------------------------------------------------------------------+
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import define, frozen

from writer.chunks import chunks
from writer.dialect import SAVE_VERSION_64_BIT, Dialect
from writer.primitives import Ref, counted, floats, fstring, i32, ref, refs
from writer.satisfactory import RELEASES, SAVE_VERSION_VERSION_DATA, Anything, VersionData, blobs, dialect_of
from writer.structs import PlayerHandle

HEADER_VERSION = 2
CONFIG_ICON_LIBRARY = 3
CONFIG_EDITORS = 4
CONFIG_PLAYER = 6


@define
class Blueprint:
    """A blueprint; below SaveVersion 53 ``version_data`` is not written."""

    save_version: int
    objects: Iterable[Anything] = ()
    dimensions: tuple[int, int, int] = (4, 4, 4)
    cost: Sequence[tuple[Ref, int]] = ()
    recipes: Sequence[Ref] = ()
    build_version: int | None = None
    version_data: VersionData | None = None

    def header(self) -> bytes:
        """Everything before the chunks."""
        build = RELEASES[self.save_version][1] if self.build_version is None else self.build_version
        start = b"".join(map(i32, (HEADER_VERSION, self.save_version, build, *self.dimensions)))
        cost = counted(self.cost, lambda pair: ref(pair[0]) + i32(pair[1]))
        return start + cost + refs(self.recipes) + (self._data.encode() if self._has_data else b"")

    def encode(self, *, level: int = 6) -> bytes:
        """The whole file."""
        dialect = dialect_of(self.save_version, self._data if self._has_data else None)
        body = blobs(self.objects, dialect, self.save_version, per_object=False)
        return self.header() + chunks(body, size_width=4, level=level, v2=self.save_version >= SAVE_VERSION_64_BIT)

    @property
    def _has_data(self) -> bool:
        return self.save_version >= SAVE_VERSION_VERSION_DATA

    @property
    def _data(self) -> VersionData:
        return VersionData() if self.version_data is None else self.version_data


@frozen
class BlueprintConfig:
    """What the game shows of a blueprint. The file does not say its SaveVersion, which gives the player's layout."""

    config_version: int
    description: str = ""
    icon_id: int = 782
    color: tuple[float, float, float, float] = (0.28, 0.29, 0.3, 1.0)
    library: tuple[str, str] = ("/Game/FactoryGame/-Shared/Blueprint/IconLibrary", "IconLibrary")
    editors: Sequence[tuple[str, str, str]] = ()
    player: PlayerHandle = PlayerHandle(1)  # noqa: RUF009 - immutable
    save_version: int = 58

    def encode(self) -> bytes:
        """The whole file."""
        version = self.config_version
        parts = [i32(version), fstring(self.description), i32(self.icon_id), floats(self.color)]
        if version >= CONFIG_ICON_LIBRARY:
            parts += map(fstring, self.library)
        if version == CONFIG_EDITORS:
            parts.append(counted(self.editors, lambda editor: b"".join(map(fstring, editor))))
        if version >= CONFIG_PLAYER:
            parts.append(self.player.encode(Dialect(self.save_version)))
        return b"".join(parts)
