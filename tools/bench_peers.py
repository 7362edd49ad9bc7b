"""Programs that others wrote against ours, on the same saves in one run: CPU time and peak RSS of whole processes.

    python tools/bench_peers.py SAVE [--folder build/peers] [--install]

All readers of a save run in turn, `--repeats` times, and the fastest run of each counts. They read the save whole, and they write
it as JSON, if they can. Some make a save of their JSON again; they hold it whole, and we compare it with the old save. Some write
the save again, as it is; we drop a class or set a value. Ratios are to ours. A missing
reader is named, with the command that installs it; `--install` runs that. The readers and their places are those of
`tools/differential.py`.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import attrs
from attack.peers import PEERS, Peer, format_of
from bench import DROP, EVERY, EVERY_OBJECT, SET, Cost, fastest, look_into

import streamsave
from streamsave import StructEnter

ROOT: Final = Path(__file__).resolve().parent.parent
TASKS: Final = ("read", "json", "from-json", "rewrite")
#: Reads and writes what the other one does not: Satisfactory saves before and from header 14.
WRITER: Final = "satisfactory-file-parser"
NEWER_WRITER: Final = "satisfactory-save"
#: What each is asked to do.
PLAIN_TASKS: Final = ("read", "json")
TASKS_OF: Final = {
    WRITER: ("read", "json", "rewrite"),
    NEWER_WRITER: ("read", "rewrite"),
    "uesave": ("read", "json", "from-json"),
    "palworld-save-tools": ("read", "json", "from-json"),
}
#: The fastest release of `uesave`: later ones look more into what they read.
FASTEST: Final = "uesave-0.6.2"
#: The steps of a path inside of an entry of a map.
ENTRY: Final = ("key", "value")


#: Runs a program in a process that is small, since no process has less peak RSS than the one that started it.
WATCH: Final = """
import os, sys
null = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=null)
_, status, usage = os.wait4(process, 0)
print(status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""


class Runner(NamedTuple):
    """A program that does a task with a save."""

    name: str
    task: str
    command: list[str]


def runners_of(save: Path, save_format: str, peers: list[Peer], folder: Path, output: Path) -> list[Runner]:
    """Return all that can read a save, ours first; new saves are written to `output`."""
    python = [sys.executable, "-P"]
    ours = [*python, "-m", "streamsave"]
    back = ["from-json", document_of("streamsave", output), "--like", str(save), "-o", str(output)]
    found = [
        Runner("streamsave, every event", "read", [*python, "-c", EVERY, str(save)]),
        Runner("streamsave, build()", "read", [*python, "-c", EVERY_OBJECT % "build", str(save)]),
        Runner("streamsave", "json", [*ours, "json", str(save)]),
        Runner("streamsave", "from-json", [*ours, *back]),
    ]
    if any(peer.name in {WRITER, NEWER_WRITER} and save_format in peer.formats for peer in peers):
        class_name = look_into(sys.executable, str(save), str(output)).class_name
        for how in ("zlib", "fast"):
            words = [*python, "-c", DROP, str(save), str(output), class_name, how]
            found.append(Runner(f"streamsave, drop, {how}", "rewrite", words))
        found.append(Runner("streamsave, 1 value", "rewrite", [*python, "-c", SET, str(save), str(output)]))
    keys = keys_of_maps(save) if any(peer.name.startswith("uesave") for peer in peers) else []
    for peer in peers:
        if save_format in peer.formats:
            words = [part.format(folder=folder) for part in peer.command]
            hints = keys if peer.name.startswith("uesave") else []
            for task in TASKS_OF.get(peer.name, PLAIN_TASKS):
                source = document_of(peer.name, output) if task == "from-json" else str(save)
                found.append(Runner(peer.name, task, [*words, task, source, *hints]))
    return found


def document_of(name: str, output: Path) -> str:
    """Return the path of the JSON that a program makes of the save."""
    return str(output.with_name(f"{name}.json"))


def write_documents(runners: list[Runner], output: Path) -> None:
    """Let those write JSON that will read it."""
    names = {runner.name for runner in runners if runner.task == "from-json"}
    for runner in runners:
        if runner.task == "json" and runner.name in names:
            with open(document_of(runner.name, output), "wb") as file:  # noqa: PTH123 - a name, as others get it
                subprocess.run(runner.command, stdout=file, stderr=subprocess.DEVNULL, check=False)


def keys_of_maps(save: Path) -> list[str]:
    """Return the paths of the maps whose keys are property lists, which uesave has to be told."""
    found: dict[str, None] = {}
    with streamsave.open(save) as events:
        for event in events:
            if isinstance(event, StructEnter) and event.name == "key" and len(events.path) > 2:
                path = events.path[:-1]
                names = [
                    str(step)
                    for number, step in enumerate(path)
                    if not isinstance(step, int) and not (step in ENTRY and isinstance(path[number - 1], int))
                ]
                found[".".join(names)] = None
    return list(found)


def cost_of(command: list[str]) -> Cost | None:
    """Run a program to its end; None if it fails."""
    watch = [sys.executable, "-I", "-S", "-c", WATCH, *command]
    status, seconds, kilobytes = subprocess.run(watch, check=True, capture_output=True, text=True).stdout.split()
    return None if status != "0" else Cost(float(seconds), int(kilobytes) / 1024)


def report(runners: list[Runner], best: dict[tuple[str, str], Cost | None]) -> None:
    """Print a line for each program and task, with its ratios to the first one of the task."""
    print(f"{'':28}{'task':10}{'s of CPU':>10}{'x ours':>8}{'RSS MB':>10}{'x ours':>8}")
    for task in TASKS:
        mine = next((cost for name, what in best if what == task and (cost := best[name, what]) is not None), None)
        if mine is None:
            continue
        for runner in runners:
            cost = best[runner.name, runner.task]
            if runner.task != task:
                continue
            if cost is None:
                print(f"{runner.name:28}{task:10}{'cannot':>10}")
                continue
            ratios = cost.seconds / mine.seconds, cost.rss_mb / mine.rss_mb
            print(f"{runner.name:28}{task:10}{cost.seconds:>10.2f}{ratios[0]:>8.1f}{cost.rss_mb:>10.0f}{ratios[1]:>8.1f}")


def all_peers() -> list[Peer]:
    """Return the readers of `tools/differential.py`, and the fastest release of uesave."""
    crate = next(peer for peer in PEERS if peer.name == "uesave")
    return [*PEERS, attrs.evolve(crate, name=FASTEST, command=(*crate.command[:-1], FASTEST))]


def main() -> None:
    """Measure the readers on each save."""
    parser = argparse.ArgumentParser(description="Measure readers that others wrote, and ours, on saves.")
    parser.add_argument("saves", nargs="+", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "peers", help="where the readers are")
    parser.add_argument("--install", action="store_true", help="install those that are missing")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    peers = all_peers()
    for peer in peers:
        command = peer.install.format(folder=folder)
        if arguments.install and not peer.is_there(folder):
            subprocess.run(command, shell=True, check=False, stdout=subprocess.DEVNULL)  # noqa: S602 - our own words
        if not peer.is_there(folder):
            print(f"{peer.name} is missing. To install it: {command}")
    there = [peer for peer in peers if peer.is_there(folder)]
    with tempfile.TemporaryDirectory() as place:
        for save in arguments.saves:
            output = Path(place) / "new.sav"
            runners = runners_of(save, format_of(save), there, folder, output)
            write_documents(runners, output)
            print(f"\n{shlex.quote(str(save))}", flush=True)
            cases = {(runner.name, runner.task): partial(cost_of, runner.command) for runner in runners}
            report(runners, fastest(cases, arguments.repeats))


if __name__ == "__main__":
    main()
