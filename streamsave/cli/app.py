"""The group of commands, and the exit codes.

| exit code | when |
|---|---|
| 0 | all went well; `grep`, `get`: found |
| 1 | `grep`, `get`: not found, or not the only one; `check`: findings; `salvage`: something was lost |
| 1 | `diff`: the saves differ |
| 1 | `map`, `treemap`: nothing to draw; `edit`: nothing matches |
| 4 | `check`: a save cannot be decoded |
| 2 | a file cannot be read, an option is not for its format, or the command line is wrong |
| 130 | interrupted (Ctrl-C) |
| 141 | the reader of standard output has closed it (`streamsave ls x.sav | head -1`); there is no message |
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from contextlib import ExitStack
from importlib import import_module
from typing import Any, Final

import click
from click.exceptions import Exit

from streamsave._log import each_once
from streamsave.cli.output import Failed, OutputFailed, flush, paged, prepare, report
from streamsave.cli.progress import progress_bar

__all__ = ["EXAMPLES", "App", "collect_rarely", "main"]

#: In the order of `--help`.
COMMANDS: Final = (
    "info",
    "ls",
    "cat",
    "grep",
    "get",
    "json",
    "from-json",
    "export",
    "sql",
    "map",
    "treemap",
    "report",
    "edit",
    "salvage",
    "check",
    "explain",
    "diff",
    "arx",
    "palworld",
    "satisfactory",
    "completion",
)

#: The words of a command -> command lines without `streamsave`. With double quotes, each line is the same for a shell and for
#: cmd of Windows.
EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "info": ("info world.sav", "info --json saves", "info world.sav Level.sav arx.sav"),
    "ls": (
        "ls world.sav --by-class --top 5",
        'ls world.sav --where "class_name ~ Spawner and not kind = object"',
        'ls Level.sav --where "kind = map-object"',
    ),
    "cat": ("cat world.sav --depth 2", "cat world.sav --object BP_Museum_C_1", "cat arx.sav --flat"),
    "grep": ("grep Spawner saves", "grep Spawner world.sav --property mSpawnData", "grep --value Iron world.sav"),
    "get": (
        "get world.sav BP_Museum_C_1",
        "get world.sav BP_Museum_C_1 --property mInventoryStacks",
        "get arx.sav player --flat",
    ),
    "json": ("json world.sav", "json world.sav -o world.json", 'json world.sav --ndjson --where "class_name = *Museum_C"'),
    "from-json": (
        "from-json world.json --like world.sav --dry-run",
        "from-json world.json --like world.sav -o new.sav -v",
        "from-json world.json --like world.sav --in-place",
    ),
    "export": (
        "export world.sav -o objects.csv",
        'export saves --where "class_name = *CreatureSpawner*" --field mSpawnData[0].NumTimesKilled --format csv -o -',
        "export saves --newest 2 --with-header --format ndjson -o objects.ndjson",
    ),
    "sql": (
        'sql "select class_name, count(*) from objects group by 1 order by 2 desc" world.sav',
        "sql \"select file, sum(size) from objects where class_name like '%Spawner%' group by 1\" saves",
        'sql "select name, x, y from objects limit 5" world.sav --json',
    ),
    "map": (
        "map world.sav -o map.png --nature",
        'map world.sav -o spawners.svg --where "class_name = *Spawner*" --title Spawners',
        "map Level.sav -o palworld.png --size 800x600",
    ),
    "treemap": ("treemap world.sav -o sizes.png", "treemap world.sav -o mods.svg --by-mod", "treemap Level.sav -o palworld.pdf"),
    "report": (
        "report world.sav -o world.html",
        'report world.sav -o machines.html --where "class_name = *Museum*" --title Museum',
        "report Level.sav -o palworld.html",
    ),
    "arx": ("arx extract arx.sav -o everything", "arx extract arx.sav player -o one", "arx pack entries -o again.sav"),
    "arx extract": (
        "arx extract arx.sav -o all",
        "arx extract arx.sav player -o entries --force",
        "arx extract arx.sav -o unpacked --json",
    ),
    "arx pack": (
        "arx pack entries -o packed.sav",
        "arx pack entries -o old.sav --container-version 1.0",
        "arx pack entries -o same.sav --like arx.sav",
    ),
    "edit": (
        'edit world.sav -o less.sav --drop "class_name = *CreatureSpawner*"',
        'edit world.sav -o renamed.sav --session-name "Our factory"',
        'edit Level.sav --dry-run --where "class_name = SheepBall" --set "value.RawData.object.SaveParameter.Level = 9"',
    ),
    "salvage": (
        "salvage damaged.sav -o sound.ndjson",
        "salvage damaged.sav --save sound.sav",
        "salvage world.sav -o all.ndjson --json",
    ),
    "explain": (
        "explain world.sav 0x3e8",
        "explain world.sav BP_Museum_C_1/mInventoryStacks",
        "explain world.sav 4000 --file-offset",
    ),
    "check": ("check world.sav", "check saves --summary", "check saves --quiet --newest 2"),
    "diff": ("diff world.sav later.sav", "diff world.sav later.sav --summary", "diff world.sav later.sav --ignore mSpawnData"),
    "palworld": ("palworld players Level.sav", "palworld pals Level.sav", "palworld items Level.sav --guild-chests"),
    "palworld bases": (
        "palworld bases Level.sav",
        "palworld bases Level.sav --json",
        'palworld bases Level.sav --where "workers = 0"',
    ),
    "palworld guilds": (
        "palworld guilds Level.sav",
        "palworld guilds Level.sav --json",
        "palworld guilds Level.sav --limit depth=200",
    ),
    "palworld items": (
        "palworld items Level.sav",
        "palworld items Level.sav --guild-chests",
        'palworld items Level.sav --where "kind = container"',
    ),
    "palworld pals": (
        "palworld pals Level.sav",
        "palworld pals Level.sav --player Anna",
        'palworld pals Level.sav --where "class_name = Sheep*"',
    ),
    "palworld players": (
        "palworld players Level.sav",
        "palworld players Level.sav --json",
        'palworld players Level.sav --where "name ~ Anna"',
    ),
    "satisfactory": (
        "satisfactory inventory world.sav",
        "satisfactory find iron world.sav",
        "satisfactory machines world.sav --idle",
    ),
    "satisfactory find": (
        "satisfactory find iron world.sav",
        'satisfactory find "iron plate" saves --json',
        'satisfactory find wire world.sav --where "store = *Storage*"',
    ),
    "satisfactory inventory": (
        "satisfactory inventory world.sav",
        "satisfactory inventory saves --json",
        'satisfactory inventory world.sav --where "outer ~ StorageContainer"',
    ),
    "satisfactory machines": (
        "satisfactory machines world.sav",
        "satisfactory machines world.sav --idle",
        'satisfactory machines world.sav --where "class_name = *Constructor*"',
    ),
    "satisfactory mods": ("satisfactory mods world.sav", "satisfactory mods saves", "satisfactory mods world.sav --json"),
    "satisfactory power": (
        "satisfactory power world.sav",
        "satisfactory power world.sav --unconnected",
        "satisfactory power saves --json",
    ),
    "satisfactory trains": ("satisfactory trains world.sav", "satisfactory trains saves", "satisfactory trains world.sav --json"),
    "completion": ("completion bash", "completion zsh", "completion fish"),
}

#: Commands whose output a pager shows in a terminal: those that only show.
PAGED: Final = frozenset(("info", "ls", "cat", "grep", "get", "json", "sql", "explain", "diff", "palworld", "satisfactory"))

INTERRUPTED: Final = 130

#: Calls in one another, in plain Python. A value of 256 levels has four times as many in JSON, and each takes up to three calls;
#: since Python 3.11, these take no room on the stack of C.
MOST_FRAMES: Final = 5000
#: How many more objects have to be made than freed before the collector looks for cycles. Python's own number is 700.
OBJECTS: Final = 50_000


class App(click.Group):
    """Imports a command when it is called, and turns its result into the exit code."""

    def main(self, *args: Any, **extra: Any) -> Any:  # noqa: ANN401 - as that of click
        """Run a command line. An error where commands do not see it: what click writes by itself, such as `--help`.

        On Windows, click would expand wildcards and variables in expressions and names of objects, too.
        """
        prepare()
        try:
            return super().main(*args, windows_expand_args=False, **extra)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            failed = OutputFailed(error)
            report(failed.subject, failed.message)
            sys.exit(failed.exit_code)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; None if there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"streamsave.cli.{cmd_name.replace('-', '_')}").command
        for each in (command, *(command.commands.values() if isinstance(command, click.Group) else ())):
            vars(each)["format_epilog"] = write_examples  # `--help` ends with them
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of a command line: `info` for a save alone. An error for another name says the nearest command."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            from streamsave.cli.save_names import is_many, label_of

            if label_of(args[0]) != args[0] or is_many(args[0]) or os.path.exists(args[0]):  # noqa: PTH110 - a name of a file is handed on as it is
                return self.resolve_command(ctx, ["info", *args])
            words = {line.rpartition(" ")[2]: line for line in (*EXAMPLES, *COMMANDS)}
            near = get_close_matches(args[0], words, 1)
            ctx.fail(f"There is no command or file {args[0]!r}." + (f" Did you mean {words[near[0]]!r}?" if near else ""))
        found = super().resolve_command(ctx, args)
        if found[0] in PAGED and isinstance(ctx.obj, ExitStack) and not ctx.params["no_pager"]:
            ctx.obj.enter_context(paged())
        return found

    def invoke(self, ctx: click.Context) -> object:
        """Run a command. Its result is the exit code; None is 0."""
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, MOST_FRAMES))
        try:
            with each_once(), progress_bar(), ExitStack() as ctx.obj:
                code = self._code_of(ctx)
        finally:
            sys.setrecursionlimit(limit)  # of the program that runs the command
        ctx.exit(code)

    def _code_of(self, ctx: click.Context) -> int:
        """Run a command, say what went wrong, and return the exit code."""
        try:
            returned = super().invoke(ctx)
            flush()
        except Exit as ended:  # after --help
            return ended.exit_code
        except Failed as failed:
            if failed.message:
                report(failed.subject, failed.message)
            return failed.exit_code
        except KeyboardInterrupt:
            return INTERRUPTED
        return returned if isinstance(returned, int) else 0


def write_examples(ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the examples of a command below its options."""
    words = ctx.command_path.split()[1:]
    with formatter.section("Examples"):
        for line in EXAMPLES.get(" ".join(words), ()):
            formatter.write_text(f"streamsave {line}")


def show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the version, and which build it is."""
    if not wanted or ctx.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version

    from streamsave.decode.known_bytes import COMPILED

    try:
        number = version("streamsave")
    except PackageNotFoundError:
        number = "(not installed)"
    click.echo(f"streamsave {number} ({'compiled' if COMPILED else 'pure Python'})")
    ctx.exit()


@click.group(cls=App, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=show_version, help="Show the version and the build."
)
@click.option("--no-pager", is_flag=True, help="Write long output to the terminal as it is, not through $PAGER or less.")
def main(no_pager: bool) -> None:
    """Read game saves as streams: any size, in constant memory.

    SAVE is a file, - for standard input, a folder, a name with wildcards, or a URL; without a command, `info` shows it. Output to
    a terminal is for people; output to a pipe is lines with tabs between the columns. --json writes one JSON value for each line.
    If a file cannot be read, a message goes to standard error, the other files are still read, and the exit code is 2.
    """


def collect_rarely() -> None:
    """Let the collector look for cycles rarely: values of saves are trees, so each is freed as soon as it is used.

    Looking every 700 objects took a twelfth of the time of `json` and `check`, and a tenth of the time to import matplotlib.
    """
    gc.set_threshold(OBJECTS, *gc.get_threshold()[1:])
