"""The option `--names`: display names of classes out of the game's own list; and `--raw-names`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, ParamSpec, cast

import click

from streamsave.report.names import Names, NamesFault, read_docs

__all__ = ["VARIABLE", "current_names", "for_people", "names_option", "shown_name", "shown_names_options"]

P = ParamSpec("P")

#: The environment variable that does the same.
VARIABLE: Final = "STREAMSAVE_NAMES"
#: Where the context of a command keeps the names.
KEY: Final = "streamsave.names"
RAW: Final = "streamsave.raw_names"


def _read(ctx: click.Context, _: click.Parameter, path: str | None) -> None:
    if not path or ctx.resilient_parsing:
        return
    try:
        ctx.meta[KEY] = Names(read_docs(path))
    except NamesFault as error:
        raise click.UsageError(f"--names {path}: {error}") from None
    except OSError as error:
        raise click.UsageError(f"--names {path}: {error.strerror or error}") from None


#: Lets a command take `--names`.
names_option: Final = click.option(
    "--names",
    metavar="FILE",
    envvar=VARIABLE,
    expose_value=False,
    callback=_read,
    type=click.Path(dir_okay=False),
    help=f"Take display names from a file of the game's folder CommunityResources/Docs, in any language; or set {VARIABLE}.",
)


def _keep_raw(ctx: click.Context, _: click.Parameter, is_raw: bool) -> None:
    ctx.meta[RAW] = is_raw


_RAW_NAMES: Final = click.option(
    "--raw-names",
    is_flag=True,
    expose_value=False,
    callback=_keep_raw,
    help="Show classes only as the save names them, also in a terminal or a picture.",
)


def shown_names_options(command: Callable[P, int]) -> Callable[P, int]:
    """Let a command take `--names` and `--raw-names`."""
    return names_option(_RAW_NAMES(command))


def current_names() -> Names:
    """Return the names that the running command uses."""
    ctx = click.get_current_context(silent=True)
    return cast("Names", ctx.meta.get(KEY) or Names()) if ctx is not None else Names()


def shown_name(class_name: str) -> str:
    """Return the name of a class in a picture: what people call it, or with `--raw-names` the end of what the save calls it."""
    ctx = click.get_current_context(silent=True)
    if ctx is not None and ctx.meta.get(RAW):
        return class_name[class_name.rfind(".") + 1 :]
    return current_names()(class_name)


def for_people(class_name: str) -> str:
    """Return the name of a class as a terminal shows it: what people call it, and in brackets what the save calls it."""
    ctx = click.get_current_context(silent=True)
    if ctx is not None and ctx.meta.get(RAW):
        return class_name
    name = current_names()(class_name)
    return class_name if name == class_name else f"{name} ({class_name})"
