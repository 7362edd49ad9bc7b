"""`--limit NAME=VALUE` of every command: limits other than the defaults."""

from __future__ import annotations

import re
from typing import Final

import click

from streamsave._fields import names_of_fields
from streamsave.errors import LimitExceeded
from streamsave.limits import MOST_DEPTH, Limits

__all__ = ["current_limits", "limit_hint", "limit_option", "parse_limit"]

UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
VALUE: Final = re.compile("([0-9]{1,15})([KMG]?)", re.IGNORECASE)
#: The largest number that the option takes.
LARGEST: Final = 10**15 - 1
#: Where the context of a command keeps its limits.
KEY: Final = "streamsave.limits"


def parse_limit(text: str) -> tuple[str, int]:
    """Parse `NAME=VALUE`; K, M and G after the value are 2**10, 2**20 and 2**30.

    Raises:
        click.BadParameter: it is not of this form, or there is no such limit.
    """
    name, equals, number = text.partition("=")
    known = names_of_fields(Limits) or ()
    if name not in known:
        raise click.BadParameter(f"there is no limit {name!r}; there are {', '.join(known)}")
    value = VALUE.fullmatch(number)
    if not equals or value is None:
        raise click.BadParameter(f"{name} needs a number, with or without K, M or G after it: {name}=64M")
    return name, int(value[1]) * UNITS[value[2].upper()]


def _keep(ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> None:
    try:
        ctx.meta[KEY] = Limits(**dict(map(parse_limit, texts)))
    except ValueError as error:
        raise click.BadParameter(f"{error}") from None


#: Lets a command take `--limit`; what it reads with is `current_limits()`.
limit_option: Final = click.option(
    "--limit",
    metavar="NAME=VALUE",
    multiple=True,
    expose_value=False,
    callback=_keep,
    help="Change a limit: a field of streamsave.Limits and a number, with or without K, M or G. May be given more than once.",
)


def limit_hint(error: Exception) -> str:
    """Return the option that allows more, to end the text of an error; "" if the error is not above a limit that can be raised.

    It allows twice what was asked for so far: what follows asks for more, as a rule.
    """
    if not isinstance(error, LimitExceeded):
        return ""
    most = MOST_DEPTH if error.limit == "depth" else LARGEST
    more = min(2 * error.value, most)
    return f"; --limit {error.limit}={more} allows more" if error.value <= most and more > error.allowed else ""


def current_limits() -> Limits:
    """Return the limits of the running command."""
    ctx = click.get_current_context(silent=True)
    limits = None if ctx is None else ctx.meta.get(KEY)
    return limits if isinstance(limits, Limits) else Limits()
