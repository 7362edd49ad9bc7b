"""What a save says about itself."""

from __future__ import annotations

from typing import Any

from attrs import define

from streamsave.formats.gvas.header import GvasHeader

__all__ = ["LATER_LAYOUT", "VERIFIED_LAYOUT", "AstroneerHeader", "extend_header"]

#: The layout of 2020: saves of version 41 were read to their last byte.
VERIFIED_LAYOUT = "2020"
#: One more byte and one more number near the start: known from others, seen in no save here.
LATER_LAYOUT = "later (unverified)"


@define
class AstroneerHeader(GvasHeader):
    """The header of the save game, and what follows its empty property list.

    Attributes:
        astro_save_version (int | None): version of the game's own data. None if the save game has properties: then the version
            comes after them.
        level_name (str | None): the level; None if the save does not say before its properties.
        layout (str | None): `VERIFIED_LAYOUT` or `LATER_LAYOUT`; None if it is not known yet.
        container_save (str | None): Xbox only: the save that was picked; else None.
        container_saves (list[str] | None): Xbox only: all saves that the index names; else None.
    """

    astro_save_version: int | None = None
    level_name: str | None = None
    layout: str | None = None
    container_save: str | None = None
    container_saves: list[str] | None = None


def extend_header(header: GvasHeader) -> AstroneerHeader:
    """Make the header of an Astroneer save of that of any save game."""
    values: dict[str, Any] = {name: getattr(header, name) for name in GvasHeader.__match_args__}
    return AstroneerHeader(**values)
