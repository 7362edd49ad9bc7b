"""`--objects PATH` of the commands that read objects: containers whose elements are objects."""

from __future__ import annotations

from typing import Final

import click

from streamsave.errors import SelectError

__all__ = ["current_objects", "keep_whole", "objects_option"]

#: Where the context of a command keeps its paths.
KEY: Final = "streamsave.objects"


def _keep(ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> None:
    if not texts:
        return
    from streamsave.formats.unreal.object_rows import ObjectProfile

    try:
        ObjectProfile(texts)
    except SelectError as error:
        raise click.BadParameter(f"{error}") from None
    ctx.meta[KEY] = list(texts)


#: Lets a command take `--objects`; what it reads with is `current_objects()`.
objects_option: Final = click.option(
    "--objects",
    metavar="PATH",
    multiple=True,
    expose_value=False,
    callback=_keep,
    help="Take the elements of this container for objects: 'World.Things[*]'. Only for Unreal save games. Repeatable; see the "
    "manual. `ls --containers` lists the containers.",
)


def current_objects() -> list[str] | None:
    """Return what `streamsave.open` takes for `objects_at` in the running command."""
    ctx = click.get_current_context(silent=True)
    texts = None if ctx is None else ctx.meta.get(KEY)
    return texts if isinstance(texts, list) else None


def keep_whole() -> None:
    """Let the running command read an Unreal save game as one object, unless the user says which elements are objects."""
    click.get_current_context().meta.setdefault(KEY, [])
