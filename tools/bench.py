"""Each command, and the main uses of the API, on one save: CPU time and peak RSS of whole processes.

    python tools/bench.py SAVE                    the package that this interpreter finds
    python tools/bench.py SAVE --python OLD/bin/python --python NEW/bin/python

All cases run in turn, `--repeats` times, and the fastest run of each counts: a busy machine slows all alike. Ratios are to a bare
process that reads and inflates the same save with the standard library. `map` and `treemap` are without the start of matplotlib.
The class, the two fields and the property are the commonest of the save.

This script imports little: a process has at least the peak RSS of the one that started it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

#: Reads and inflates a save: the chunks of Satisfactory, the zlib stream of Palworld (there may be two around each other), the
#: members of a zip archive. The bytes of other saves are only read.
INFLATE = """
import sys, zlib
data = open(sys.argv[1], "rb").read()
tag = data.find(bytes.fromhex("c1832a9e"))
if data[8:11] == b"PlZ":
    for _ in range(data[11] - 0x30):
        data = zlib.decompress(data[12:] if data[8:11] == b"PlZ" else data)
elif data[:2] == b"PK":
    import zipfile
    with zipfile.ZipFile(sys.argv[1]) as archive:
        for name in archive.namelist():
            archive.read(name)
elif tag >= 0:
    while tag < len(data):
        start = tag + 48 + (data[tag + 4 : tag + 8] == bytes.fromhex("22222222"))
        size = int.from_bytes(data[start - 16 : start - 8], "little")
        zlib.decompress(data[start : start + size])
        tag = start + size
"""
MATPLOTLIB = """
from matplotlib import style
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from mpl_toolkits.axes_grid1.anchored_artists import AnchoredSizeBar
"""
EVERY = """
import sys, streamsave
with streamsave.open(sys.argv[1]) as events:
    for event in events:
        pass
"""
EVERY_OBJECT = """
import sys, streamsave
with streamsave.open(sys.argv[1]) as events:
    for event in events:
        if type(event) is streamsave.ObjectHeader:
            events.%s()
"""
COUNT = """
import sys, streamsave
print(sum(1 for _ in streamsave.objects(sys.argv[1], sys.argv[2], sizes=False)))
"""
#: One class is dropped; the new save is checked, and compressed as the last word says.
DROP = """
import sys, streamsave
with streamsave.rewrite(sys.argv[1], sys.argv[2], fast=sys.argv[4] == "fast") as save:
    save.only(lambda header: header.class_name.endswith(sys.argv[3]))
    for event in save:
        if type(event) is streamsave.ObjectHeader and save.takes(event):
            save.drop()
"""
#: One value is set, without another size: the first number of a property.
SET = """
import sys, streamsave
with streamsave.rewrite(sys.argv[1], sys.argv[2]) as save:
    for event in save:
        if type(event) is streamsave.PropertyTag and event.type == "IntProperty":
            save.replace(7)
            break
"""
#: Finds the commonest class and the two commonest properties.
COMMONEST = """
import json, sys, streamsave
from collections import Counter
classes, names = Counter(none=0), Counter(none=0, nothing=0)
with streamsave.open(sys.argv[1]) as events:
    for event in events:
        if type(event) is streamsave.ObjectHeader:
            classes[event.class_name.rpartition(".")[2]] += 1
        elif type(event) is streamsave.PropertyTag and event.name.isidentifier():
            names[event.name] += 1
print(json.dumps([classes.most_common(1)[0][0], *(name for name, _ in names.most_common(2))]))
"""
BARE = "bare inflate"
START = "matplotlib's start"
#: Cases without the start of matplotlib.
PICTURES = ("map", "treemap")

#: Case -> the words of its command, with the fields of `Known` in braces.
COMMANDS: dict[str, tuple[str, ...]] = {
    "version": ("--version",),
    "info": ("info", "{save}"),
    "check": ("check", "{save}"),
    "grep NAME": ("grep", "{class_name}", "{save}"),
    "grep --value Iron": ("grep", ".", "{save}", "--value", "Iron"),
    "grep --value 4.25": ("grep", ".", "{save}", "--value", "4[.]25"),
    "grep --property": ("grep", ".", "{save}", "--property", "{field}"),
    "cat": ("cat", "{save}"),
    "cat --flat": ("cat", "--flat", "{save}"),
    "diff": ("diff", "{save}", "{save}"),
    "ls --by-class --full": ("ls", "--by-class", "--full", "{save}"),
    "satisfactory inventory": ("satisfactory", "inventory", "{save}"),
    "satisfactory machines": ("satisfactory", "machines", "{save}"),
    "report": ("report", "{save}", "-o", "{output}.html"),
    "treemap": ("treemap", "{save}", "-o", "{output}.png"),
    "map": ("map", "{save}", "-o", "{output}.png"),
    "ls": ("ls", "{save}"),
    "ls --by-class": ("ls", "--by-class", "{save}"),
    "json": ("json", "{save}"),
    "json --ndjson": ("json", "--ndjson", "{save}"),
    "salvage": ("salvage", "{save}"),
    "export CSV": ("export", "{save}", "-o", "{output}.csv"),
    "edit --drop": ("edit", "{save}", "-o", "{output}.sav", "--drop", "class_name = *{class_name}"),
    "edit --drop --fast": ("edit", "{save}", "-o", "{output}.sav", "--fast", "--drop", "class_name = *{class_name}"),
    "sql": ("sql", "select class_name, count(*) from objects group by 1", "{save}"),
    "export 2 fields": ("export", "{save}", "--field", "{field}", "--field", "{other}", "-o", "{output}.parquet"),
}
#: Case -> the words after the name of the interpreter.
CASES: dict[str, tuple[str, ...]] = {
    BARE: ("-c", INFLATE, "{save}"),
    START: ("-c", MATPLOTLIB),
    **{name: ("-m", "streamsave", *words) for name, words in COMMANDS.items()},
    "every event": ("-c", EVERY, "{save}"),
    "all skipped": ("-c", EVERY_OBJECT % "skip", "{save}"),
    "one class counted": ("-c", COUNT, "{save}", "class_name = *{class_name}"),
    "rewrite, 1 value": ("-c", SET, "{save}", "{output}.sav"),
    "rewrite, drop": ("-c", DROP, "{save}", "{output}.sav", "{class_name}", "zlib"),
    "rewrite, drop, fast": ("-c", DROP, "{save}", "{output}.sav", "{class_name}", "fast"),
    "build()": ("-c", EVERY_OBJECT % "build", "{save}"),
}
#: What is measured is what users have: the package that the interpreter finds, modules compiled to bytecode, and standard output
#: with a buffer.
DROPPED = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in DROPPED}
#: Exit codes that say how the work ended, not that it could not be done: nothing found, findings, a save that is damaged.
DONE = (0, 1, 4)


class Known(NamedTuple):
    """What the words of `CASES` are filled with."""

    save: str
    #: A file to write to, without its ending.
    output: str
    class_name: str
    field: str
    other: str


class Cost(NamedTuple):
    """What a process took: seconds of CPU, in itself and in the processes that it waited for, and MB of peak RSS."""

    seconds: float
    rss_mb: float


def look_into(python: str, save: str, output: str) -> Known:
    """Find the commonest class of a save, and its commonest properties."""
    found = subprocess.run([python, "-P", "-c", COMMONEST, save], check=True, capture_output=True, text=True)
    return Known(save, output, *json.loads(found.stdout))


def measure(python: str, words: tuple[str, ...], known: Known) -> Cost | None:
    """Run one case; None if this build cannot do it."""
    command = [python, "-P", *(word.format(**known._asdict()) for word in words)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in DONE:
        return None
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def fastest(cases: Mapping[tuple[str, str], Callable[[], Cost | None]], repeats: int) -> dict[tuple[str, str], Cost | None]:
    """Measure all cases in turn: the fastest run of each, with the highest peak; None for what cannot be done."""
    best = {key: measured() for key, measured in cases.items()}
    for _ in range(repeats - 1):
        for key, measured in cases.items():
            before = best[key]
            cost = measured() if before is not None else None
            if cost is not None and before is not None:
                best[key] = Cost(min(cost.seconds, before.seconds), max(cost.rss_mb, before.rss_mb))
    return best


def report(pythons: list[str], wanted: list[str], best: dict[tuple[str, str], Cost | None]) -> None:
    """Print a line for each case, with three columns for each interpreter."""
    for number, python in enumerate(pythons, 1):
        print(f"build {number}: {python}")
    heads = (f"{f'build {number}: s':>12}{'x inflate':>11}{'RSS MB':>9}" for number in range(1, len(pythons) + 1))
    print(f"{'':24}{''.join(heads)}")
    bare = min(cost.seconds for python in pythons if (cost := best[BARE, python]) is not None)
    for case in wanted:
        cells = ""
        for python in pythons:
            cost, start = best[case, python], best.get((START, python))
            if cost is None:
                cells += f"{'cannot':>12}{'':20}"
                continue
            seconds = cost.seconds - start.seconds if case in PICTURES and start is not None else cost.seconds
            cells += f"{seconds:>12.3f}{seconds / bare:>11.1f}{cost.rss_mb:>9.0f}"
        print(f"{case:24}{cells}", flush=True)


def main() -> None:
    """Measure the commands on each save."""
    parser = argparse.ArgumentParser(description="Measure each command on saves.")
    parser.add_argument("saves", nargs="+")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--python", action="append", help="an interpreter that has the package; may be given more than once")
    parser.add_argument("--case", action="append", choices=tuple(CASES), help="measure only this; may be given more than once")
    arguments = parser.parse_args()
    pythons = arguments.python or [sys.executable]
    wanted = list(CASES) if not arguments.case else [name for name in CASES if name in {BARE, START, *arguments.case}]
    if wanted and not {*PICTURES} & {*wanted}:
        wanted.remove(START)
    with tempfile.TemporaryDirectory() as folder:
        for save in arguments.saves:
            known = look_into(pythons[0], save, os.path.join(folder, "out"))  # noqa: PTH118 - pathlib is one import more
            print(f"\n{save}: class {known.class_name}, properties {known.field} and {known.other}")
            cases = {(case, python): partial(measure, python, CASES[case], known) for case in wanted for python in pythons}
            report(pythons, wanted, fastest(cases, arguments.repeats))


if __name__ == "__main__":
    main()
