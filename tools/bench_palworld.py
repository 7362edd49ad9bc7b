"""Every event of a Palworld world, against `palworld-save-tools` from PyPI, which converts it to JSON: in one run.

    python tools/bench_palworld.py SAVE [--repeat 3]

The peer is installed into a virtual environment of its own, in a temporary folder, or in `--venv`. Each run is a process of its
own, reported at its end; seconds are of the whole process, from start to end, and the best of all runs counts. Where others load
the machine, go by the seconds of CPU.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

PEER = "palworld-save-tools==0.24.0"

EVERY_EVENT = """
import sys
import streamsave
with streamsave.open(sys.argv[1]) as events:
    count = sum(1 for _ in events)
print(count, file=sys.stderr)
"""


def measure(command: list[str], environment: dict[str, str] | None = None) -> tuple[float, float, float]:
    """Run a command; seconds on the clock, seconds of the processor, peak RSS in MB."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - started
    if process.returncode:
        raise click.ClickException(f"exit code {process.returncode}: {' '.join(command)}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def best(runs: list[tuple[float, float, float]]) -> tuple[float, float, float]:
    """The fastest run by each clock; the highest peak."""
    return min(run[0] for run in runs), min(run[1] for run in runs), max(run[2] for run in runs)


def install(folder: Path) -> Path:
    """Make a virtual environment with the peer in it, or go on with one that was left half made; its interpreter."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    if subprocess.run([str(python), "-c", "import palworld_save_tools"], check=False, stderr=subprocess.DEVNULL).returncode:
        click.echo(f"installing {PEER}", err=True)
        command = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", PEER]
        if subprocess.run(command, check=False).returncode:
            raise click.ClickException(f"{PEER} cannot be installed; put it into a virtual environment and name that with --venv")
    return python


@click.command()
@click.argument("save", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--repeat", default=3, show_default=True, help="Runs of each, in turn.")
@click.option("--venv", type=click.Path(file_okay=False, path_type=Path), help="Where the peer is, or shall be kept.")
def main(*, save: Path, repeat: int, venv: Path | None) -> None:
    """Measure both on SAVE."""
    with tempfile.TemporaryDirectory() as folder:
        python = install(venv or Path(folder) / "venv")
        output = Path(folder) / "out.json"
        peer = [
            str(python),
            "-m",
            "palworld_save_tools.commands.convert",
            "--to-json",
            "--force",
            "--output",
            str(output),
            str(save),
        ]
        commands = {
            "every event": [sys.executable, "-P", "-c", EVERY_EVENT, str(save)],
            "json": [sys.executable, "-P", "-m", "streamsave", "json", str(save), "-o", str(output)],
            PEER: peer,
        }
        runs: dict[str, list[tuple[float, float, float]]] = {name: [] for name in commands}
        for _ in range(repeat):
            for name, command in commands.items():
                runs[name].append(measure(command))
                seconds, cpu, _peak = runs[name][-1]
                click.echo(f"{name}: {seconds:.2f} s, {cpu:.2f} s of CPU", err=True)
    results = {name: best(measured) for name, measured in runs.items()}
    reference = results[PEER]
    for name, (seconds, cpu, peak) in results.items():
        click.echo(
            f"{name:28} {seconds:7.2f} s ({reference[0] / seconds:5.1f} x)  {cpu:7.2f} s of CPU ({reference[1] / cpu:5.1f} x)"
            f"  peak {peak:6.1f} MB"
        )


if __name__ == "__main__":
    main()
