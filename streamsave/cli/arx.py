"""`streamsave arx`: the entries of an Arx save as files, and back."""

from __future__ import annotations

import click

from streamsave.cli import extract, pack

__all__ = ["command"]


@click.group("arx", short_help="Entries of an Arx save as files, and back.")
def command() -> None:
    """Unpack the entries of an Arx save into files, and pack files into an Arx save."""


command.add_command(extract.command)
command.add_command(pack.command)
