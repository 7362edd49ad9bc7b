"""Let an independent reader parse what we write, and compare the counts.

The reader is the npm package ``@etothepii/satisfactory-file-parser``. Its version 2.0.1 knows game 1.0 (SaveVersion 46).
Compared are levels, objects by class and top-level properties by type.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

import click
from attrs import define, field
from writer.factory import sized_factory
from writer.satisfactory import RELEASES, Object, World, write_save

PACKAGE = "@etothepii/satisfactory-file-parser"
PACKAGE_VERSION = "2.0.1"

# Prints one line of JSON: levels, classes, types, seconds, warnings. Trailing data is expected to be what the reader
# leaves of components (four zero bytes) and nothing else.
SCRIPT = """
const fs = require("fs");
const warnings = [];
console.warn = (...words) => warnings.push(words.join(" "));
const { Parser } = require(process.argv[2]);
const file = fs.readFileSync(process.argv[3]);
const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
const started = process.hrtime.bigint();
const save = Parser.ParseSave("oracle", bytes);
const seconds = Number(process.hrtime.bigint() - started) / 1e9;
const levels = Array.isArray(save.levels) ? save.levels : Object.values(save.levels);
const classes = {}, types = {}, trailing = {};
const count = (counts, key) => { counts[key] = (counts[key] || 0) + 1; };
for (const level of levels) {
  for (const object of level.objects) {
    count(classes, object.typePath);
    for (const property of Object.values(object.properties).flat()) count(types, property.ueType || property.type);
    const rest = object.trailingData;
    if (rest && rest.length && !(object.parentEntityName !== undefined && rest.length === 4 && rest.every(byte => byte === 0)))
      count(trailing, object.typePath);
  }
}
console.log(JSON.stringify({ levels: levels.length, classes, types, trailing, seconds, warnings }));
"""


@define
class Tally:
    """What a world holds."""

    levels: int = 0
    classes: Counter[str] = field(factory=Counter)
    types: Counter[str] = field(factory=Counter)

    def add(self, one: Object) -> None:
        """Count one object."""
        self.classes[one.class_name] += 1
        self.types.update(prop.type.name for prop in one.properties)


def tally(world: World) -> Tally:
    """Count the objects of a world without encoding it."""
    counts = Tally(len(world.levels) + 1)
    for objects in (*(level.objects for level in world.levels), world.objects):
        for one in objects:
            counts.add(one if isinstance(one, Object) else one.source)
    return counts


def install(version: str, folder: Path) -> Path:
    """Install the package with npm; the folder of node modules."""
    npm = shutil.which("npm")
    if npm is None:
        raise click.ClickException("npm is not installed")
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), f"{PACKAGE}@{version}"]
    if subprocess.run(command, check=False).returncode:
        raise click.ClickException(f"npm could not install {PACKAGE}@{version}")
    return folder / "node_modules"


def differences(expected: Mapping[str, int], actual: Mapping[str, int]) -> list[str]:
    """Keys whose counts differ."""
    keys = sorted({*expected, *actual})
    return [
        f"{key}: written {expected.get(key, 0)}, read {actual.get(key, 0)}"
        for key in keys
        if expected.get(key, 0) != actual.get(key, 0)
    ]


class Counts(TypedDict):
    """What the reader found."""

    levels: int
    classes: dict[str, int]
    types: dict[str, int]
    trailing: dict[str, int]
    seconds: float
    warnings: list[str]


def read(path: Path, modules: Path, folder: Path) -> Counts:
    """Let node parse the file."""
    node = shutil.which("node")
    if node is None:
        raise click.ClickException("node is not installed")
    script = folder / "count.js"
    script.write_text(SCRIPT)
    command = [node, "--max-old-space-size=8192", str(script), str((modules / PACKAGE).resolve()), str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise click.ClickException(f"the reader failed:\n{done.stderr}")
    counts: Counts = json.loads(done.stdout.splitlines()[-1])
    return counts


@click.command()
@click.option("--megabytes", type=float, default=40.0, show_default=True, help="Inflated size of the world.")
@click.option("--save-version", type=click.Choice([str(version) for version in RELEASES]), default="46", show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--package-version", default=PACKAGE_VERSION, show_default=True)
@click.option("--node-modules", type=click.Path(file_okay=False, path_type=Path), help="Use this instead of installing.")
def main(*, megabytes: float, save_version: str, seed: int, package_version: str, node_modules: Path | None) -> None:
    """Compare what is written with what an independent reader reads."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "world.sav"
        factory = sized_factory(int(save_version), seed, megabytes=megabytes)
        cells, levels = factory.cells, factory.levels
        started = time.perf_counter()
        size = write_save(factory.world(), path)
        click.echo(f"written: {size:,} bytes in {time.perf_counter() - started:.1f} s")
        expected = tally(type(factory)(int(save_version), seed, cells, levels).world())
        actual = read(path, node_modules or install(package_version, folder), folder)
    click.echo(f"read: in {actual['seconds']:.1f} s, {len(actual['warnings'])} warnings")
    problems = [f"warning: {warning}" for warning in actual["warnings"]]
    if expected.levels != actual["levels"]:
        problems.append(f"levels: written {expected.levels}, read {actual['levels']}")
    problems += differences(expected.classes, actual["classes"])
    problems += differences(expected.types, actual["types"])
    problems += [f"{key}: {count} objects with bytes left over" for key, count in actual["trailing"].items()]
    click.echo(f"{expected.levels:,} levels, {expected.classes.total():,} objects of {len(expected.classes)} classes, ")
    click.echo("properties: " + ", ".join(f"{key} {count:,}" for key, count in expected.types.most_common()))
    for problem in problems:
        click.echo(problem)
    click.echo("same" if not problems else f"{len(problems)} differences")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
