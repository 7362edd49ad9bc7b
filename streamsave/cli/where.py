"""`--where`: only some of the objects, as `streamsave.query.parser` says."""

from __future__ import annotations

from typing import Final

import click

from streamsave.errors import SelectError
from streamsave.query.parser import parse_selection
from streamsave.query.tests import Selection
from streamsave.stream.stream import EventStream

__all__ = ["keep_only", "where_option"]


def _parse(_ctx: click.Context, _: click.Parameter, text: str | None) -> Selection | None:
    if text is None:
        return None
    try:
        return parse_selection(text)
    except SelectError as error:
        raise click.UsageError(f"--where: {error}") from None


#: Lets a command take `--where`.
where_option: Final = click.option(
    "--where",
    metavar="EXPR",
    callback=_parse,
    help="Only objects that EXPR wants: 'class = \"*Wall*\" and size > 300 and mOwner ~ Player'; see the README.",
)


def keep_only(events: EventStream, where: Selection | None) -> None:
    """Let only those objects come that `--where` wants."""
    if where is not None:
        events.only(where)
