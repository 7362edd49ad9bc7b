"""Blueprint codes of shapez 2, of every envelope: values -> JSON -> gzip -> base64 -> text."""

from __future__ import annotations

import base64
import json
from typing import Any

from attrs import define, field

from writer.primitives import gzipped
from writer.shapez2 import Building, Island
from writer.shapez2_values import Out, configuration_bytes

NEW_TYPES = "Game.Core.Blueprint.Serialization"
NEWEST = {1: 1095, 2: 1105, 3: 1122, 4: 1137, 5: 1138}


@define
class Blueprint:
    """A blueprint: of islands with their buildings, or of buildings."""

    entries: list[Any]
    envelope: int = 5
    version: int | None = None
    icons: list[str | None] = field(factory=lambda: ["icon:Platforms", None, None, "shape:RuRuRuRu"])
    #: Keys in another order; the game's own order depends on its version.
    backwards: bool = False
    indent: int | None = None

    @property
    def is_new(self) -> bool:
        """Whether it has the long type names and the trailer."""
        return self.envelope >= 5

    def text(self) -> str:
        """The JSON."""
        kind = "Island" if any(isinstance(entry, Island) for entry in self.entries) else "Building"
        version = NEWEST[min(self.envelope, 5)] if self.version is None else self.version
        top: dict[str, Any] = {"$type": f"{NEW_TYPES}.SerializableBlueprint, {NEW_TYPES}"} if self.is_new else {}
        top |= {"V": version, "BP": self._blueprint(kind, self.entries, version)}
        return json.dumps(top, indent=self.indent, separators=None if self.indent else (",", ":"))

    def code(self) -> str:
        """The code."""
        packed = base64.b64encode(gzipped(self.text().encode())).decode()
        return f"SHAPEZ2-{self.envelope}-{packed}{self._trailer()}$"

    def _trailer(self) -> str:
        if not self.is_new:
            return ""
        icon = {"Type": "BlueprintIcon, SPZGameAssembly", "Content": json.dumps({"Data": self.icons}, separators=(",", ":"))}
        icons = json.dumps([icon] if self.icons else [], separators=(",", ":"))
        return f"{icons}_{len(icons)}"

    def _blueprint(self, kind: str, entries: list[Any], version: int) -> dict[str, Any]:
        rows: Any = [self._entry(entry, version) for entry in entries]
        if self.is_new:
            return {
                "$type": kind,
                "Entries": {"$type": f"{NEW_TYPES}.Serializable{kind}Entry[], {NEW_TYPES}", "$values": rows},
            }
        return {"$type": kind, "Icon": {"Data": self.icons}, "Entries": rows, "BinaryVersion": version}

    def _entry(self, entry: Building | Island, version: int) -> dict[str, Any]:
        x, y, z = entry.place
        is_island = isinstance(entry, Island)
        keys: dict[str, Any] = {"X": x, "Y": y, "Z" if is_island else "L": z, "R": entry.rotation}
        if not self.is_new:
            keys = {key: value for key, value in keys.items() if value}
        keys["T"] = entry.id
        configuration = self._configuration(entry)
        if configuration or self.is_new:
            keys["S" if is_island else "C"] = configuration
        if isinstance(entry, Island) and (entry.buildings or self.is_new):
            keys["B"] = self._blueprint("Building", list(entry.buildings), version) if entry.buildings else None
        if self.is_new:
            keys = {"$type": f"{NEW_TYPES}.Serializable{'Island' if is_island else 'Building'}Entry, {NEW_TYPES}", **keys}
        return dict(reversed(keys.items())) if self.backwards else keys

    def _configuration(self, entry: Building | Island) -> dict[str, str] | str | None:
        if entry.configuration is None:
            return None
        out = configuration_bytes(Out(checkpoints=False), *entry.configuration)
        text = base64.b64encode(bytes(out.data)).decode()
        return {"$type": "System.Byte[], mscorlib", "$value": text} if self.is_new else text
