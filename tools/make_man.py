"""Write the manual page of the command line from the texts of `--help`.

    python tools/make_man.py && man streamsave/cli/streamsave.1

The page is in the wheel: where it is installed, `man streamsave` finds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from streamsave.cli import main
from streamsave.cli.app import EXAMPLES

PAGE = Path(__file__).resolve().parent.parent / "streamsave" / "cli" / "streamsave.1"
#: A row of the table of exit codes in `streamsave.cli.app`.
TABLE_ROW = re.compile(r"^\| (\d+) \| (.*) \|$", re.MULTILINE)


def text_of(text: str) -> str:
    """Escape what troff would obey: backslashes, hyphens, and marks at the start of a line."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def paragraphs(help_text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text; one that is marked stays as it is, line by line."""
    # Python 3.13 takes the indentation out of docstrings; before, click takes out that of all but the last line.
    for paragraph in help_text.rstrip().split("\n\n"):
        lines = [line.strip() for line in paragraph.strip("\n").splitlines()]
        if lines and lines[0] == "\b":
            yield ".nf\n" + "\n".join(text_of(line) for line in lines[1:]) + "\n.fi"
        else:
            yield text_of(" ".join(lines))


def options_of(command: click.Command, ctx: click.Context) -> Iterator[str]:
    """Yield the options of a command, with what they do."""
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None and isinstance(parameter, click.Option):
            yield f".TP\n.B {text_of(record[0])}\n{text_of(record[1])}"


def page_of(command: click.Command, ctx: click.Context) -> Iterator[str]:
    """Yield the section of a command, and those of the commands in it."""
    usage = " ".join(command.collect_usage_pieces(ctx))
    yield f".SS {text_of(ctx.command_path)} {text_of(usage)}"
    yield from (f".PP\n{paragraph}" for paragraph in paragraphs(command.help or ""))
    yield from options_of(command, ctx)
    lines = EXAMPLES.get(" ".join(ctx.command_path.split()[1:]), ())
    if lines:
        yield ".PP\nExamples:\n.nf\n" + "\n".join(f"streamsave {text_of(line)}" for line in lines) + "\n.fi"
    if isinstance(command, click.Group):
        yield from commands_of(command, ctx)


def commands_of(group: click.Group, ctx: click.Context) -> Iterator[str]:
    """Yield the sections of all commands of a group."""
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is not None and not command.hidden:
            yield from page_of(command, click.Context(command, parent=ctx, info_name=name))


def exit_codes() -> Iterator[str]:
    """Yield what each exit code means."""
    from streamsave.cli import app

    for code, meaning in TABLE_ROW.findall(app.__doc__ or ""):
        yield f".TP\n.B {code}\n{text_of(meaning.replace('`', ''))}"


def manual_page() -> str:
    """Return the page as troff."""
    ctx = click.Context(main, info_name="streamsave", help_option_names=["-h", "--help"])
    help_text = main.help or ""
    parts = [
        '.TH STREAMSAVE 1 "" "streamsave" "User Commands"',
        f".SH NAME\nstreamsave \\- {text_of(help_text.splitlines()[0].rstrip('.').lower())}",
        f".SH SYNOPSIS\n.B streamsave\n{text_of(' '.join(main.collect_usage_pieces(ctx)))}",
        ".SH DESCRIPTION",
        *(f".PP\n{paragraph}" for paragraph in paragraphs(help_text)),
        ".SH OPTIONS",
        *options_of(main, ctx),
        ".SH COMMANDS",
        *commands_of(main, ctx),
        ".SH EXIT STATUS",
        *exit_codes(),
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(manual_page(), encoding="utf-8")
