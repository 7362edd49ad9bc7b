"""`--type-hint PATH=STRUCT`: what structs in maps and sets of Unreal save games are, where nothing in the save tells."""

from __future__ import annotations

from typing import Final

import click

__all__ = ["hints_option"]


def _parse(_ctx: click.Context, _: click.Parameter, hints: tuple[str, ...]) -> dict[str, str]:
    parsed = {}
    for hint in hints:
        path, _equals, struct = hint.rpartition("=")
        if not path.strip(".") or not struct:
            raise click.UsageError(f"{hint!r} is no type hint; it would look like 'worldSaveData.SomeMap.Key=Vector'.")
        parsed[path] = struct
    return parsed


#: Lets a command take `--type-hint`, as what `streamsave.open` takes for `type_hints`.
hints_option: Final = click.option(
    "--type-hint",
    "hints",
    metavar="PATH=STRUCT",
    multiple=True,
    callback=_parse,
    help="What structs in a map or set of an Unreal save game are, where nothing tells. May be given more than once.",
)
