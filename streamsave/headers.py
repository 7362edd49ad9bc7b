"""The classes of `SaveStart.header`: what a save says of itself before its content.

| class | of |
|---|---|
| `Header` | all formats: the base class |
| `ArxContainer` | Arx saves |
| `AstroneerHeader` | Astroneer saves; a `GvasHeader` |
| `GvasHeader` | Unreal save games, Palworld's too |
| `SatisfactoryBlueprintConfig` | Satisfactory's `.sbpcfg` |
| `SatisfactoryBlueprintHeader` | Satisfactory's `.sbp` |
| `SatisfactorySaveHeader` | Satisfactory's `.sav` |
| `Shapez2BlueprintHeader` | shapez 2 blueprint codes and files |
| `Shapez2SaveHeader` | shapez 2 saves |

Test for one with `isinstance` or `match`; type checkers then know its fields:

    for event in events:
        match event:
            case SaveStart(header=SatisfactorySaveHeader() as header):
                print(header.session_name)

All but `Header` are imported when they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamsave.values import Header

if TYPE_CHECKING:
    from streamsave.formats.arx.header import ArxContainer
    from streamsave.formats.astroneer.header import AstroneerHeader
    from streamsave.formats.gvas.header import GvasHeader
    from streamsave.formats.satisfactory.header import BlueprintConfig as SatisfactoryBlueprintConfig
    from streamsave.formats.satisfactory.header import BlueprintHeader as SatisfactoryBlueprintHeader
    from streamsave.formats.satisfactory.header import SaveHeader as SatisfactorySaveHeader
    from streamsave.formats.shapez2.header import BlueprintHeader as Shapez2BlueprintHeader
    from streamsave.formats.shapez2.header import SaveHeader as Shapez2SaveHeader

__all__ = [
    "ArxContainer",
    "AstroneerHeader",
    "GvasHeader",
    "Header",
    "SatisfactoryBlueprintConfig",
    "SatisfactoryBlueprintHeader",
    "SatisfactorySaveHeader",
    "Shapez2BlueprintHeader",
    "Shapez2SaveHeader",
]


#: Public name -> the family of formats, and the name of the class there.
_CLASSES = {
    "ArxContainer": ("arx", "ArxContainer"),
    "AstroneerHeader": ("astroneer", "AstroneerHeader"),
    "GvasHeader": ("gvas", "GvasHeader"),
    "SatisfactoryBlueprintConfig": ("satisfactory", "BlueprintConfig"),
    "SatisfactoryBlueprintHeader": ("satisfactory", "BlueprintHeader"),
    "SatisfactorySaveHeader": ("satisfactory", "SaveHeader"),
    "Shapez2BlueprintHeader": ("shapez2", "BlueprintHeader"),
    "Shapez2SaveHeader": ("shapez2", "SaveHeader"),
}


def __getattr__(name: str) -> object:
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - see above

    family, class_name = _CLASSES[name]
    value = getattr(import_module(f"streamsave.formats.{family}.header"), class_name)
    globals()[name] = value
    return value
