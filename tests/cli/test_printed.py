"""What commands print: a command and its output side by side in `printed/`; `pytest --update-golden` writes the outputs anew.

| a line of a file | is |
|---|---|
| `## ...` | why the commands that follow are there |
| `$ streamsave ...` | a command, as a shell takes it; a file may be its standard input |
| `$ terminal ...` | a command in a terminal of 200 columns, without colours |
| `$ cp OLD NEW`, `$ ln OLD NEW`, `$ mkdir FOLDER`, `$ write FILE TEXT`, `$ replace FILE OLD NEW` | what it needs |
| `$ cat FILE`, `$ ls FOLDER`, `$ cmp ONE OTHER` | what it has written |
| `! ...` | a line of its standard error |
| `[exit 1]` | its exit code, unless that is 0 |
| any other | a line of its standard output |

It runs in a folder that has `valid`, `xbox` and `howto` of `corpora`, the worlds that are made here, and an empty folder `out`.
"""

import filecmp
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import palworld_worlds
import pytest
import satisfactory_worlds
from attrs import evolve
from box_format import box_save
from cli_runs import LEVEL, SAMPLES, STACK, process, run, small_world, terminal, thing, write
from factories import actor, factory
from gvas_saves import save as gvas_save
from lightweight_worlds import subsystem, world
from saves import ROOT, VALID
from strategies import data_of
from writer.arx import DEFLATED, NO_EXTENSION, STORED, Container, Entry
from writer.gvas import SaveGame
from writer.palworld_worlds import array, entries, fields, nested, with_id
from writer.primitives import Ref
from writer.satisfactory import Level, Object, World, release_header, save_bytes
from writer.structs import GUID, VECTOR
from writer.tags import BOOL, BYTE, DOUBLE, FLOAT, INT, NAME, OBJECT, STR, Array, Delta, Enum, Fields, Map, Prop, Set
from writer.trailers import Opaque

PAIRS = Path(__file__).resolve().parent / "printed"
FILES = sorted(PAIRS.glob("*.txt"))
#: A line of our own code, which moves.
OF_SOURCE = re.compile(r"\.py:\d+")
#: File -> what its commands need besides.
NEEDED = {"drawn": "matplotlib", "sql": "duckdb"}


def copy(old: str, new: str) -> str:
    Path(new).parent.mkdir(exist_ok=True)
    shutil.copy(old, new)
    return ""


def link(old: str, new: str) -> str:
    """Write a symbolic link; the old file need not be there."""
    Path(new).parent.mkdir(exist_ok=True)
    Path(new).symlink_to(Path(old).absolute())
    return ""


def write_text(path: str, text: str) -> str:
    r"""Write a text, in which `\n` is the end of a line."""
    Path(path).write_text(text.replace("\\n", "\n"), encoding="utf-8", newline="\n")
    return ""


def replace(path: str, old: str, new: str) -> str:
    text = Path(path).read_text(encoding="utf-8")
    assert old in text
    Path(path).write_text(text.replace(old, new.replace("\\n", "\n"), 1), encoding="utf-8", newline="\n")
    return ""


TOOLS = {
    "cp": copy,
    "ln": link,
    "mkdir": lambda folder: Path(folder).mkdir() or "",
    "write": write_text,
    "replace": replace,
    "cat": lambda path: Path(path).read_text(encoding="utf-8"),
    "ls": lambda folder: "\n".join(sorted(path.relative_to(folder).as_posix() for path in Path(folder).rglob("*"))),
    "cmp": lambda one, other: "" if filecmp.cmp(one, other, shallow=False) else "they differ",
}
#: The editor of `edit --open`: the file `edits` has a text and what comes in its place.
EDITOR = """
import pathlib, sys
old, new = pathlib.Path("edits").read_text("utf-8").split("\\n", 1)
path = pathlib.Path(sys.argv[-1])
path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
"""


LONG = "x" * 500


def small_worlds(folder: Path) -> None:
    """Write saves with a few objects each."""
    small_world(folder)
    write(folder, "empty.sav")
    write(folder, "twins.sav", thing("A.Inventory"), thing("B.Inventory"), thing("C"), thing(f"Outer.{LEVEL}C"))
    lots = [thing(f"{number}.Inventory", class_name="BP_Thing" if number < 20 else "BP_More") for number in range(30)]
    write(folder, "many.sav", *lots)
    write(folder, "evil.sav", thing("a\tb\nc\x1b[31m"), thing("鉄", Prop("m\n", Fields("A\x1b"), [])))
    # A chest changed, a lamp went, a wall came; and the same with long values.
    counts = [[Prop("mCount", INT, number), Prop("mUploadTimer", INT, number + 4)] for number in (1, 2)]
    write(folder, "old.sav", thing("Chest", *counts[0]), thing("Lamp"))
    write(folder, "new.sav", thing("Chest", *counts[1]), thing("Wall"))
    odd = thing("A", Prop("m", STR, "a\x1b\t\n"), Prop("n", INT, 1))
    write(folder, "long-old.sav", odd, thing("B", Prop("m", STR, LONG)))
    write(folder, "long-new.sav", thing("A", Prop("m", STR, LONG), Prop("n", INT, 2)), thing("C0"), thing("C1"))
    write(folder, "long.sav", thing("A", Prop("mText", STR, "x" * 5000), Prop("mNext", STR, "y" * 4000)))
    # Three lamps, of which one has no power stored, and a part of one of them.
    label = Prop("mLabel", STR, "y")
    lamps = [(Prop("mPower", FLOAT, 0.5),), (label,), (Prop("mPower", FLOAT, 0.25), label)]
    part = thing("Lamp_0.Part", Prop("mPower", FLOAT, 9.0), class_name="Part", outer=f"{LEVEL}Lamp_0")
    write(folder, "lamps.sav", *(thing(f"Lamp_{at}", *props, class_name="Lamp") for at, props in enumerate(lamps)), part)
    pole = Object("/SomeMod/Pole.Pole_C", f"{LEVEL}Pole_1", [])
    recipe = Prop("mRecipe", OBJECT, Ref("", "/SomeMod/Recipe.Recipe_C"))
    write(folder, "recipe.sav", pole, thing("Lamp_1", recipe, class_name="Lamp"))
    write(folder, "pole.sav", pole)
    # Two classes of nature, and one that players build; some are gone.
    classes = [thing(f"{name}_{at}", class_name=name) for name in ("BP_BerryBush", "BP_Crystal", "Build_Wall") for at in range(2)]
    write(folder, "nature-old.sav", *classes)
    write(folder, "nature-new.sav", *classes[1:3])
    # Notes: a mod's bytes, a reference that leads nowhere.
    nowhere = Prop("mOwner", OBJECT, Ref("Persistent_Level", LEVEL + "BP_Gone_C_1"))
    write(folder, "noted.sav", thing("BP_Chest_C_1", nowhere, trailer=Opaque(b"mod")))
    # A map of structs, a property without a name; containers of structs and of scalars.
    counts = [("Iron", [Prop("Total", INT, 1), Prop("Last", Map(STR, INT), [("a", 1)])]), ("Copper", [Prop("Total", INT, 2)])]
    nameless = thing("Build_A_C_1", Prop("", INT, 1), Prop("mNext", INT, 1))
    write(folder, "counts.sav", thing("Counter", Prop("mCounts", Map(STR, Fields("Count")), counts)), nameless)
    numbers = Array(INT)
    full = [Prop("mRows", Array(Fields("Row")), [[Prop("Total", INT, 1)]]), Prop("mNumbers", numbers, [1, 2, 3])]
    full += [Prop("mCounts", Map(STR, INT), [("a", 1), ("b", 2)]), Prop("mNames", Array(STR), ["a", "b"])]
    write(folder, "full.sav", thing("Full", *full), thing("Empty", Prop("mNumbers", numbers, [3])))
    # Values of the same name and of several types.
    first = [Prop("mCount", INT, 12), Prop("mFlag", BOOL, True), Prop("mLabel", STR, "iron"), Prop("mBoth", INT, 7)]
    second = [Prop("mCount", INT, 5), Prop("mFlag", BOOL, False), Prop("mLabel", STR, "True"), Prop("mBoth", INT, 8)]
    third = thing("B_3", Prop("mBoth", STR, "seven"), Prop("mList", Array(BYTE), b"abc"), class_name="BP_Other")
    write(folder, "types.sav", thing("A_1", *first), thing("A_2", *second), third)
    # Names that are one for SQL; lists of structs, of which one has a member more, after other objects.
    numbers = (("Exit Code", 7), ("Count", 1), ("count", 2))
    write(folder, "columns.sav", thing("A", *(Prop(name, INT, number) for name, number in numbers)))
    for name, members in {"stack": ("Count",), "stack-level": ("Count", "Level")}.items():
        stacks = Prop("mStacks", Array(STACK), [[Prop(member, INT, 7) for member in members]])
        write(folder, f"{name}.sav", *(thing(f"Thing_{number}") for number in range(20)), thing("Chest", stacks))
    # The name of the session: in two classes with a property of that name, in a third, and in another property.
    session, state = (Prop(name, STR, "oracle") for name in ("mSaveSessionName", "mReplicatedSessionName"))
    classes = {"BP_GameMode_C": (Prop("mOther", STR, "oracle"), session), "BP_GameState_C": (state,), "BP_Other_C": (session,)}
    for version in (25, 28, 46, 60):
        named = [actor(class_name, class_name, *properties) for class_name, properties in classes.items()]
        save = World(release_header(version), objects=named, version_data=data_of(version))
        (folder / f"session-{version}.sav").write_bytes(save_bytes(save))


def compared_worlds(folder: Path) -> None:
    """Write pairs of saves that differ in one way each."""

    def pair(name: str, old: list[Object], new: list[Object], *, ends: tuple[str, str] = ("old", "new")) -> None:
        for end, objects in zip(ends, (old, new), strict=True):
            write(folder, f"{name}-{end}.sav", *objects)

    def counted(name: str, *counts: int) -> list[Object]:
        return [thing(name, Prop("mCount", INT, count)) for count in counts]

    def chests(counts: dict[int, int]) -> list[Object]:
        return [one for key, count in counts.items() for one in counted(f"Chest_{key}", count)]

    pair("keys", chests({1: 10, 2: 20, 3: 30, 4: 40, 5: 50}), chests({1: 10, 3: 31, 9: 90, 4: 40, 5: 55}))
    pair("twins", counted("Twin", 1, 2), counted("Twin", 1, 3), ends=("12", "13"))
    write(folder, "twins-1.sav", *counted("Twin", 1))
    pair("first", [thing("Gone"), *counted("Twin", 1, 2), thing("Last")], [*counted("Twin", 1, 2), thing("Last")])
    a, b, c = Prop("mA", INT, 1), Prop("mB", STR, "b"), [Prop("mC", FLOAT, number) for number in (0.5, 0.25)]
    pair("props", [thing("A", a, b, c[0])], [thing("A", Prop("mNew", INT, 7), a, c[1])])
    pair("order", [thing("A", a, b)], [thing("A", b, a)])
    pair("type", [thing("A", a)], [thing("A", Prop("mA", STR, "1"))])
    pair("moved", *([thing("A", transform=(0.0, 0.0, 0.0, 1.0, x, 2.0, 3.0, 1.0, 1.0, 1.0))] for x in (1.0, 1.5)))
    one, two, six = (Level(name, [thing(f"In_{name}", a, level=name)]) for name in ("ONE", "TWO", "SIX"))
    for name, levels in {"old": (one, two), "new": (six, two, one), "two": (two,)}.items():
        write(folder, f"levels-{name}.sav", levels=levels)
    whole = subsystem()
    (kind, (first, second, *rest)), *others = whole.trailer.classes
    painted = evolve(second, swatch=first.swatch)
    foundations = {"foundations-52": [first, second, *rest], "fewer": [first, *rest], "painted": [first, painted, *rest]}
    for name, those in foundations.items():
        changed = evolve(whole, trailer=evolve(whole.trailer, classes=[(kind, those), *others]))
        (folder / f"{name}.sav").write_bytes(world(52, changed))


def parts() -> list[Prop[Any]]:
    """Lists of structs, of which some have lists; and two maps."""
    count = [[Prop("Count", INT, number)] for number in range(4)]
    inner, part = Prop("Inner", Array(Fields("Part")), []), Fields("Part")
    two = [*count[2], Prop("Name", STR, "two"), evolve(inner, value=[[Prop("On", BOOL, True)]])]
    return [
        Prop("Parts", Array(part), [[*count[1], inner], two, count[3]]),
        Prop("None yet", Array(part), []),
        Prop("Names", Map(NAME, part), list(zip("abcd", count, strict=True))),
        Prop("Keys", Map(part, INT), [(count[1], 1), (count[1], 2), (count[3], 3)]),
        Prop("Last", Array(INT), [1, 2]),
        Prop("Share", DOUBLE, 0.5),
    ]


def objects_in_containers() -> dict[str, bytes]:
    """Saves with elements of containers that a row says to be objects."""

    def door(name: str, *more: Prop[Any]) -> list[Prop[Any]]:
        place, kind = Prop("At", VECTOR, (1.0, 2.0, 3.0)), Prop("Kind", Enum("EKind"), f"EKind::{name}s")
        return [Prop("Name", STR, name), kind, place, *more]

    doors = array("Things", [door("Door"), door("Wall", Prop("Owner", GUID, bytes(range(16))))])
    is_open = array("Things", [door("Door", Prop("IsOpen", BOOL, True)), door("Wall")])
    by_name, one, fitting = Map(STR, fields("Door")), [Prop("Count", INT, 1)], Prop("Bulk", Array(FLOAT), [0.0] * 70_000)
    rooms = array("Rooms", [[Prop("Name", STR, name), doors] for name in ("Hall", "Attic")])
    cells = entries("Cells", with_id("Id"), [[array("Plants", [one, one])], [array("Plants", [])]])
    return {
        "doors.sav": gvas_save(
            doors, Prop("Doors", by_name, [("a", door("Door")), ("b", [])]), Prop("Ids", Set(GUID), [bytes(16)])
        ),
        "open.sav": gvas_save(is_open, Prop("Doors", Set(fields("Door")), [door("Door"), door("Wall")])),
        "added.sav": gvas_save(Prop("Doors", by_name, Delta(["a"], [("b", door("Door"))]))),
        "rooms.sav": gvas_save(rooms, Prop("After", INT, 1)),
        "inside.sav": gvas_save(Prop("Before", INT, 1), nested("World", [Prop("Other", INT, 2), doors]), Prop("After", INT, 1)),
        "sized.sav": gvas_save(array("Things", [door("Door"), [fitting, Prop("Name", STR, "Large")], door("Wall")])),
        "cells.sav": gvas_save(nested("World", [cells, Prop("Numbers", Array(INT), [1, 2])]), array("Odd name", [one])),
    }


def other_files(small: bytes) -> dict[str, bytes]:
    """Saves of other games, and what is damaged or no save. No number that is printed hangs on how zlib packs."""
    sound = SAMPLES[0].read_bytes()
    one = run("get", VALID / "satisfactory" / "sv60.sav", "BP_Museum_C_1").stdout_bytes.replace(b'"mInt":-123456', b'"mInt":5')
    things = array("Things", [[Prop("Name", STR, name), Prop("Amount", INT, at)] for at, name in enumerate(("Door", "Wall"))])
    box = [Entry(b"bad", b"x" * 200_000, DEFLATED, claimed_size=200_001), Entry(b"good", b"y", STORED)]
    names = [Entry(name, name + data, STORED) for name, data in ((b"a", b"1"), (b"a", b"2"), (b"a#2", b"3"), (b"A", b"4"))]
    return {
        "foundations.sav": world(58),
        "faulty.sav": save_bytes(World(release_header(46), unresolved=None)),
        "bad.sav": small[:100],
        "cut.sav": sound[:-10],
        "longer.sav": small + b"after the end of the save",
        "twice.sav": sound * 2,
        "none.sav": b"no save, but longer than a header is",
        "things.sav": gvas_save(Prop("Other", INT, 5), things),
        "cut-things.sav": gvas_save(Prop("Other", INT, 5), things)[:-40],
        "poles-and-belts.sav": factory(),
        "parts.sav": SaveGame(parts()).encode(),
        "maps.sav": SaveGame([Prop("Counts", Map(STR, INT), []), Prop("Texts", Map(NAME, STR), [])]).encode(),
        "one.box": box_save(),
        "damaged-arx.sav": Container(NO_EXTENSION, box).encode(),
        "names-arx.sav": Container(NO_EXTENSION, names).encode(),
        "one.json": one,
        "names.json": b'[{"Classes": [{"ClassName": "BP_CreatureSpawner_C", "mDisplayName": "Nest"}]}]',
        "beton.json": b'[{"Classes": [{"ClassName": "Desc_Cement_C", "mDisplayName": "Beton"}]}]',
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    for samples in ("valid", "xbox", "howto"):
        shutil.copytree(ROOT / "corpora" / samples, folder / samples)
    small_worlds(folder)
    compared_worlds(folder)
    (folder / "out").mkdir()
    made_files = other_files((folder / "small.sav").read_bytes())
    for files in (objects_in_containers(), satisfactory_worlds.worlds(), palworld_worlds.worlds(), made_files):
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            assert not (folder / name).exists(), name
            (folder / name).write_bytes(data)
    return folder


def printed(line: str) -> Iterator[str]:
    """Yield the lines of a file for one of its commands, or for a comment."""
    yield line
    if line.startswith("## "):
        return
    name, *words = shlex.split(line.removeprefix("$ "))
    if name not in {"streamsave", "terminal"}:
        yield from TOOLS[name](*words).splitlines()
        return
    if name == "terminal":
        (code, out), err = terminal(*words, NO_COLOR="1"), ""
    elif words[-2:-1] == ["<"]:
        ended = process(*words[:-2], stdin=Path(words[-1]).read_bytes())
        code, out, err = ended.returncode, ended.stdout.decode(), ended.stderr.decode()
    else:
        result = run(*words)
        code, out, err = result.exit_code, result.stdout, result.stderr
    yield from OF_SOURCE.sub(".py:LINE", out).splitlines()
    yield from (f"! {line}" for line in err.splitlines())
    if code:
        yield f"[exit {code}]"


@pytest.mark.varied
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_commands_print_what_they_printed(path, made, tmp_path, monkeypatch, pytestconfig):
    if path.stem in NEEDED:
        pytest.importorskip(NEEDED[path.stem], reason=f"{NEEDED[path.stem]} is not installed")
    expected = path.read_text(encoding="utf-8")
    shutil.copytree(made, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    Path("editor.py").write_text(EDITOR, encoding="utf-8")
    monkeypatch.setenv("VISUAL", shlex.join([sys.executable, "editor.py"]))
    lines = [each for line in expected.splitlines() if line.startswith(("$ ", "## ")) for each in printed(line)]
    text = "".join(f"{line}\n" for line in lines)
    if pytestconfig.getoption("--update-golden"):
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text.replace(os.sep, "/").splitlines() == expected.replace(os.sep, "/").splitlines()
