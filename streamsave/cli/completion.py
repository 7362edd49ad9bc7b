"""`streamsave completion`: what a shell needs to complete the command line."""

from __future__ import annotations

from typing import Final

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from streamsave.cli.output import write_line

__all__ = ["command"]

SHELLS: Final = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
#: click looks at this variable, to see that a shell asks.
VARIABLE: Final = "_STREAMSAVE_COMPLETE"


@click.command("completion", short_help="A script with which a shell completes commands and saves.")
@click.argument("shell", type=click.Choice([*SHELLS]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print a script with which SHELL completes commands, options, their values, and the names of saves; a script, so no JSON.

    \b
    bash, in ~/.bashrc:   eval "$(streamsave completion bash)"
    zsh, in ~/.zshrc:     eval "$(streamsave completion zsh)"
    fish, in config.fish: streamsave completion fish | source
    """  # noqa: D301 - the mark is click's: it keeps these lines as they are
    script = SHELLS[shell](ctx.find_root().command, {}, "streamsave", VARIABLE).source().rstrip("\n")
    # The description of a command may have commas: click's script for fish ends it at the first one.
    write_line(script.replace('(string split "," $completion)', '(string split --max 1 "," $completion)'))
