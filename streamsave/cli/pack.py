"""`streamsave arx pack`: files as an Arx save, the twin of `arx extract`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamsave.cli.options import SavePath, current_limits, json_option, limit_hint, limit_option
from streamsave.cli.output import Failed, OutputFile, report, write_json, write_line
from streamsave.cli.progress import Work, follow
from streamsave.cli.save_names import source_of
from streamsave.cli.text import clean
from streamsave.decode.json_values import Json
from streamsave.errors import EditError, SaveError

if TYPE_CHECKING:
    from streamsave.rewriting.arx import PackedFile

__all__ = ["command"]

#: What Arx Libertatis writes, and all releases of it read.
NEWEST = "2.1"


def following(files: Sequence[PackedFile], label: str) -> Iterator[PackedFile]:
    """Yield files, and let the progress bar show how many bytes of them are packed."""
    sizes = [file.path.stat().st_size for file in files]
    done = 0
    follow(Work(clean(label), sum(sizes), lambda: (done, done)))
    for file, size in zip(files, sizes, strict=True):
        yield file
        done += size


@click.command("pack", short_help="Files as an Arx save.")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("-o", "--output", metavar="FILE", required=True, type=OutputFile(is_save=True), help="The new save.")
@click.option(
    "--like", metavar="SAVE", type=SavePath(), help="Take version, order, spelling of names and kind of packing from this save."
)
@click.option(
    "--container-version",
    "version",
    type=click.Choice(["1.0", "1.1", "2.0", NEWEST]),
    help=f"1.0 or 1.1: Arx Fatalis; 2.0 or {NEWEST}: Arx Libertatis. Without it: that of --like, else {NEWEST}.",
)
@json_option
@limit_option
def command(folder: Path, output: str, like: str | None, version: str | None, as_json: bool) -> int:
    """Pack the files in DIR, as extract writes them, into an Arx save.

    streamsave arx extract quick.sav -o entries && streamsave arx pack entries --like quick.sav -o new.sav

    Each file is an entry of its name; NAME#2 is the second one of NAME. Without --like, entries come in the order of their names.
    What else is in DIR, such as a folder, is left out and reported. The new save appears when it is complete and was checked.

    Exit code: 0, 2 error.
    """
    from streamsave.check.finding import FINDING
    from streamsave.formats.arx.container import read_container
    from streamsave.input.source import open_source
    from streamsave.rewriting.arx import VERSIONS, LeftOut, files_of, pack

    limits = current_limits()
    left_out: list[LeftOut] = []
    try:
        container = None
        if like is not None:
            with closing(open_source(source_of(like), limits)) as source:
                container = read_container(source, limits)
        number = VERSIONS[version or NEWEST] if version or container is None else container.version
        files = files_of(folder, number, container, target=Path(output), left_out=left_out)
        findings = pack(following(files, folder.name), number, output, limits)
    except (EditError, SaveError) as error:
        raise Failed(str(folder), f"{error}{limit_hint(error)}") from None
    except OSError as error:
        raise Failed(str(error.filename or folder), error.strerror or str(error)) from None
    for path, reason in left_out:
        report(str(path), f"left out: {reason}")
    for finding in findings:
        if finding.severity == FINDING:
            report(output, finding.message)
    if as_json:
        rows: list[Json] = [{"path": str(path), "reason": reason} for path, reason in left_out]
        write_json({"path": output, "version": f"{number:#x}", "entries": len(files), "left_out": rows})
    else:
        write_line(f"{clean(output)}: {len(files):,} entries, version {number:#x}")
    return 0
