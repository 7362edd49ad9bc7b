"""How fast and how small: ratios to a bare inflate of the same file, measured side by side in one run.

    python tools/bench.py SAVE                 compiled and interpreted, from this checkout
    python tools/bench.py SAVE --npm           and the npm package satisfactory-file-parser, on a made world of SaveVersion 46
    python tools/bench.py SAVE --growth        and a made world of 392 MB against one of an eighth of that
    python tools/bench.py --palworld SAVE      a Palworld world against palworld-save-tools (`bench_palworld.py`)
    python tools/bench.py --commands SAVE      each command in a process of its own, as installed here (`bench_commands.py`)

Each measurement has a process of its own, so that its peak RSS is its own. Both builds are made from the checkout in a temporary
folder; compiling takes minutes, so `--compiled FOLDER` takes a checkout where that was done. `--commands` makes no build.
Nothing here fails for being slow.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

TOOLS = Path(__file__).resolve().parent
ROOT = TOOLS.parent

#: What `bench_worker.py` measures of each save.
CASES = ("every", "skip", "one", "count", "field")
#: The world that other programs are compared on, in MB of inflated body.
WORLD_MB = 40
#: The worlds whose sizes are compared: the larger one is as large as the largest that players have reported.
SMALL_MB = 49
GROWTH = 8

PARSE_JS = """
const { Parser } = require("@etothepii/satisfactory-file-parser");
const fs = require("fs");
const data = fs.readFileSync(process.argv[2]);
const buffer = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
const started = process.hrtime.bigint();
const save = Parser.ParseSave("world", buffer);
const seconds = Number(process.hrtime.bigint() - started) / 1e9;
const levels = Array.isArray(save.levels) ? save.levels : Object.values(save.levels);
const count = levels.reduce((sum, level) => sum + level.objects.length, 0);
console.log(JSON.stringify({ seconds, count }));
"""


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


def whole_process(command: list[str], environment: dict[str, str], repeats: int) -> tuple[float, float, dict[str, float]]:
    """Run a program from start to end some times: seconds of the fastest run, peak RSS in MB, and what it printed."""
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
        output, _ = process.communicate()
        seconds.append(time.perf_counter() - started)
        if process.returncode:
            raise click.ClickException(f"{command[0]} exited with {process.returncode}")
    return min(seconds), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, json.loads(output)


def compare_with_npm(builds: dict[str, Path], folder: Path, version: str, repeats: int, console: Console) -> None:
    """Print how long the npm package needs for a made world, and how long we do: whole processes."""
    world = make_world(folder, WORLD_MB)
    modules = folder / "npm"
    modules.mkdir()
    package = f"@etothepii/satisfactory-file-parser@{version}"
    npm = shutil.which("npm")
    if npm is None:
        raise click.ClickException("npm is not here")
    subprocess.run([npm, "install", "--silent", "--prefix", str(modules), package], check=True, stdout=subprocess.DEVNULL)
    script = modules / "parse.js"
    script.write_text(PARSE_JS)
    table = Table(title=f"{WORLD_MB} MB world of SaveVersion 46, whole processes")
    for column in ("program", "s", "ratio", "peak RSS MB", "count"):
        table.add_column(column, justify="left" if column == "program" else "right")
    # RUSAGE_CHILDREN keeps the largest child, so the small ones come first.
    rows = []
    for build in ("compiled", "pure"):
        command = [sys.executable, str(TOOLS / "bench_worker.py"), "every", str(world), "1"]
        seconds, _, row = whole_process(command, {**os.environ, "PYTHONPATH": str(builds[build])}, repeats)
        rows.append((f"streamsave, {build}", seconds, row["rss_mb"], f"{row['count']:,.0f} events"))
    seconds, rss_mb, row = whole_process([shutil.which("node") or "node", str(script), str(world)], dict(os.environ), repeats)
    rows.append((package, seconds, rss_mb, f"{row['count']:,.0f} objects"))
    for name, own_seconds, own_rss, count in rows:
        table.add_row(name, f"{own_seconds:.2f}", f"{seconds / own_seconds:.1f} x", f"{own_rss:.1f}", count)
    console.print(table)


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
@click.option("--npm", is_flag=True, help="Compare with the npm package on a made world (needs node and npm).")
@click.option("--npm-version", default="2.0.1", show_default=True, help="Version of the npm package.")
@click.option("--growth", "with_growth", is_flag=True, help="Compare a made world with one of 8 times its size.")
@click.option("--commands", is_flag=True, help="Measure each command on SAVES, with the package that this interpreter finds.")
@click.option("--python", "pythons", multiple=True, help="With --commands: an interpreter that has the package. Repeatable.")
@click.option("--palworld", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Compare on this Palworld save.")
@click.option("--compiled", type=click.Path(file_okay=False, path_type=Path), help="A compiled checkout: compiles no other.")
@click.option("--venv", type=click.Path(file_okay=False, path_type=Path), help="Where Palworld's peer is, or shall be kept.")
def main(
    saves: tuple[Path, ...],
    repeats: int,
    npm: bool,
    npm_version: str,
    with_growth: bool,
    commands: bool,
    pythons: tuple[str, ...],
    palworld: Path | None,
    compiled: Path | None,
    venv: Path | None,
) -> None:
    """Measure streamsave on SAVES, against a bare inflate of the same file in the same run."""
    if commands:
        words = [sys.executable, str(TOOLS / "bench_commands.py"), *map(str, saves), "--repeats", str(repeats)]
        subprocess.run([*words, *(word for python in pythons for word in ("--python", python))], check=True)
        return
    console = Console()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        builds = make_builds(folder, compiled)
        for save in saves:
            ratios(builds, save, repeats, console)
        if npm:
            compare_with_npm(builds, folder, npm_version, repeats, console)
        if with_growth:
            growth(builds, folder, repeats, console)
        if palworld is not None:
            command = [sys.executable, str(TOOLS / "bench_palworld.py"), str(palworld), "--repeat", str(repeats)]
            if venv is not None:
                command += ["--venv", str(venv)]
            subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(builds["compiled"])})


if __name__ == "__main__":
    main()
