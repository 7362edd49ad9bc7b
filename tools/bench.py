"""How fast and how small: ratios to a bare inflate of the same file, measured side by side in one run.

    python tools/bench.py SAVE                 compiled and interpreted, from this checkout
    python tools/bench.py SAVE --growth        and a made world of 392 MB against one of an eighth of that
    python tools/bench.py --commands SAVE      each command in a process of its own, as installed here (`bench_commands.py`)
    python tools/bench.py --peers SAVE         readers that others wrote, and ours as installed here (`bench_peers.py`)

Each measurement has a process of its own, so that its peak RSS is its own. Both builds are made from the checkout in a temporary
folder; compiling takes minutes, so `--compiled FOLDER` takes a checkout where that was done. `--commands` and `--peers` make
no build.
Nothing here fails for being slow.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

TOOLS = Path(__file__).resolve().parent
ROOT = TOOLS.parent

#: What `bench_worker.py` measures of each save.
CASES = ("every", "skip", "one", "count", "field")
#: The worlds whose sizes are compared: the larger one is as large as the largest that players have reported.
SMALL_MB = 49
GROWTH = 8


def make_builds(folder: Path, ready: Path | None) -> dict[str, Path]:
    """Copy the package twice, and compile one of the copies; or once, where a compiled checkout is at hand."""
    builds = {} if ready is None else {"compiled": ready}
    for name in ("compiled", "pure") if ready is None else ("pure",):
        target = folder / name
        shutil.copytree(ROOT / "streamsave", target / "streamsave", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        builds[name] = target
    if ready is not None:
        if not list((ready / "streamsave").glob("cursor*.so")):
            raise click.ClickException(f"{ready} is not compiled: run tools/compile.py --inplace there")
        return builds
    compiled = builds["compiled"]
    shutil.copytree(TOOLS, compiled / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", compiled)
    command = [sys.executable, str(compiled / "tools" / "compile.py"), "--inplace"]
    subprocess.run(command, check=True, cwd=compiled, stdout=subprocess.DEVNULL)
    return builds


def measure(build: Path, case: str, save: Path, repeats: int) -> dict[str, float]:
    """Run one case on one build."""
    command = [sys.executable, str(TOOLS / "bench_worker.py"), case, str(save), str(repeats)]
    environment = {**os.environ, "PYTHONPATH": str(build)}
    result = subprocess.run(command, check=True, capture_output=True, env=environment, text=True)
    row: dict[str, float] = json.loads(result.stdout)
    return row


def ratios(builds: dict[str, Path], save: Path, repeats: int, console: Console) -> None:
    """Print the ratios of one save."""
    reference = measure(builds["pure"], "inflate", save, repeats)
    seconds = reference["seconds"]
    size_mb = reference["count"] / 1e6
    table = Table(title=f"{save.name}: {size_mb:.1f} MB inflated, bare stdlib inflate {seconds * 1e3:.1f} ms")
    for column in ("build", "case", "count", "ms", "x inflate", "MB/s", "peak RSS MB"):
        table.add_column(column, justify="left" if column in {"build", "case"} else "right")
    for build, folder in builds.items():
        for case in CASES:
            row = measure(folder, case, save, repeats)
            table.add_row(
                build,
                case,
                f"{row['count']:,}",
                f"{row['seconds'] * 1e3:.1f}",
                f"{row['seconds'] / seconds:.2f}",
                f"{size_mb / row['seconds']:.0f}",
                f"{row['rss_mb']:.1f}",
            )
    console.print(table)


def make_world(folder: Path, megabytes: int) -> Path:
    """Make a world of so many inflated megabytes."""
    world = folder / f"world-{megabytes}.sav"
    command = [
        sys.executable,
        str(TOOLS / "make_save.py"),
        "--megabytes",
        str(megabytes),
        "--save-version",
        "46",
        "-o",
        str(world),
    ]
    subprocess.run(command, check=True, cwd=TOOLS, stdout=subprocess.DEVNULL)
    return world


def growth(builds: dict[str, Path], folder: Path, repeats: int, console: Console) -> None:
    """Print how time and memory grow with the size of the world, compiled."""
    table = Table(title=f"a world of {SMALL_MB} MB, and one of {GROWTH} times its size, compiled")
    for column in ("case", "inflated MB", "count", "s", "x inflate", "x smaller", "peak RSS MB", "MB more"):
        table.add_column(column, justify="left" if column == "case" else "right")
    worlds = [make_world(folder, megabytes) for megabytes in (SMALL_MB, SMALL_MB * GROWTH)]
    references = [measure(builds["compiled"], "inflate", world, repeats) for world in worlds]
    for case in CASES:
        first: dict[str, float] = {}
        for world, reference in zip(worlds, references, strict=True):
            row = measure(builds["compiled"], case, world, repeats)
            first = first or row
            table.add_row(
                case,
                f"{reference['count'] / 1e6:.0f}",
                f"{row['count']:,}",
                f"{row['seconds']:.2f}",
                f"{row['seconds'] / reference['seconds']:.2f}",
                f"{row['seconds'] / first['seconds']:.2f}",
                f"{row['rss_mb']:.1f}",
                f"{row['rss_mb'] - first['rss_mb']:.1f}",
            )
    console.print(table)


@click.command()
@click.argument("saves", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--repeats", default=5, show_default=True, help="Runs of each case; the fastest counts.")
@click.option("--growth", "with_growth", is_flag=True, help="Compare a made world with one of 8 times its size.")
@click.option("--commands", is_flag=True, help="Measure each command on SAVES, with the package that this interpreter finds.")
@click.option("--python", "pythons", multiple=True, help="With --commands: an interpreter that has the package. Repeatable.")
@click.option("--compiled", type=click.Path(file_okay=False, path_type=Path), help="A compiled checkout: compiles no other.")
@click.option("--peers", is_flag=True, help="Compare with readers that others wrote on SAVES; says how to install those missing.")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="With --peers: where these readers are.")
@click.option("--install", is_flag=True, help="With --peers: install those that are missing.")
def main(
    saves: tuple[Path, ...],
    repeats: int,
    with_growth: bool,
    commands: bool,
    pythons: tuple[str, ...],
    compiled: Path | None,
    peers: bool,
    folder: Path | None,
    install: bool,
) -> None:
    """Measure streamsave on SAVES, against a bare inflate of the same file in the same run."""
    if commands:
        words = [sys.executable, str(TOOLS / "bench_commands.py"), *map(str, saves), "--repeats", str(repeats)]
        subprocess.run([*words, *(word for python in pythons for word in ("--python", python))], check=True)
        return
    if peers:
        words = [sys.executable, str(TOOLS / "bench_peers.py"), *map(str, saves), "--repeats", str(repeats)]
        words += ["--install"] * install + ([] if folder is None else ["--folder", str(folder)])
        subprocess.run(words, check=True)
        return
    console = Console()
    with tempfile.TemporaryDirectory() as name:
        made = Path(name)
        builds = make_builds(made, compiled)
        for save in saves:
            ratios(builds, save, repeats, console)
        if with_growth:
            growth(builds, made, repeats, console)


if __name__ == "__main__":
    main()
