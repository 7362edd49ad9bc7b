"""What commands print as path and value of an object finds that object, pasted into a selection."""

import json
import random
import re
from itertools import pairwise

import pytest
from cli_runs import json_lines, run
from saves import VALID, slow

import streamsave
from streamsave.consume.parser import NO_NAME
from streamsave.consume.values import Part, Walk, leaves
from streamsave.decode.leaves import Key
from streamsave.events import ObjectHeader
from streamsave.output.flat_text import path_text
from streamsave.output.json_text import value_bytes
from streamsave.values import ObjectReference

SAMPLES = sorted(str(path.relative_to(VALID)) for path in VALID.rglob("*.s*") if path.is_file())
#: Small ones.
REAL = [
    "arx/v2.0-mixed.sav",
    "arx/v2.1-two-chunks.sav",
    "gvas/abiotic-player-ue544.sav",
    "gvas/abiotic-world-15k-ue544.sav",
    "gvas/drg-mod-ue425.sav",
    "gvas/palworld-level-unicode.sav",
    "gvas/palworld-player-plm-1.0.sav",
    "gvas/settings-ue53.sav",
    "gvas/test-tagcontainer-ue427.sav",
    "satisfactory/hv14-sv52-pep-modtest-1.sav",
    "satisfactory/blueprints/blueprintwithheaderv1.sbp",
    "shapez2/synthetic-nocheckpoints.spz2",
]
#: Leaves that are looked for in each save.
MANY = 200


def leaves_of(path):
    """The leaves in objects: where the header of the object is, the path in the object, the value."""
    found = []
    with streamsave.open(path) as events:
        opened = []
        for step in Walk(events, loose=False):
            if isinstance(step, ObjectHeader):
                opened.append(step.offset)
            elif isinstance(step, streamsave.ObjectEnd):
                opened.pop()
            elif isinstance(step, Part):
                base = len(step.path[: step.base])
                found += [(opened[-1], steps[base:], value) for steps, value in leaves(step)]
    return found


def wide_text(steps):
    """The path with `[*]` for each key and position; "" if there is none, or a part of a value is called as those of an entry."""
    if any(isinstance(step, Key) and step.text is not None and after in {"key", "value"} for step, after in pairwise(steps)):
        return ""
    text = "".join([f"/{path_text((step,))}" if isinstance(step, str) else "[*]" for step in steps])[1:]
    return text if "[*]" in text else ""


def selections_of(steps, value):
    """Those that must find the object of a leaf."""
    return [where for text in filter(None, (path_text(steps), wide_text(steps))) for where in selections_by(text, value)]


def selections_by(text, value):
    """The same, by one path of the leaf."""
    if re.match(f"[a-z_]+{NO_NAME}", text):  # the dot marks a property that has the name of a word of the grammar
        text = f".{text}"
    written = value_bytes(value.path_name if isinstance(value, ObjectReference) else value).decode()
    if "escaped" in written:  # half a character, which JSON has in another way
        written = json.dumps(value if isinstance(value, str) else value.path_name)
    return [f"has({text})", f"{text} = {written}"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::streamsave.SelectWarning")
@pytest.mark.parametrize("name", [*SAMPLES, *REAL])
def test_all_leaves(any_save, name):
    path = any_save(name)
    drawn = random.Random(name)
    everything = [each for each in leaves_of(path) if each[1]]
    chosen = drawn.sample(everything, min(MANY, len(everything)))
    wheres = []
    owners = []
    for offset, steps, value in chosen:
        for where in selections_of(steps, value):
            wheres.append(where)
            owners.append(offset)
    with streamsave.open(path) as events:
        found = {(number, selected.offset) for number, selected in events.select(*wheres)}
    missing = [where for number, where in enumerate(wheres) if (number, owners[number]) not in found]
    assert not missing, (len(missing), len(wheres), missing[:8])
    with streamsave.open(path) as events:
        fields = {path_text(steps): offset for offset, steps, _ in chosen}
        given = {}
        for _, selected in events.select(None, fields=list(fields)):
            given[selected.offset] = selected.fields
    assert [field for field, offset in fields.items() if field not in given[offset]] == []


# --- other writings of a path, in all commands ---


#: Parts that --set does not take: of what has no layout.
UNSET = frozenset({"@bytes", "base64", "reason", "script_struct"})


def other_text(steps, drawn):
    """The path in another writing: keys and positions as `[*]`, keys as positions, dots for slashes, names with a position."""
    text = ""
    for at, step in enumerate(steps):
        if isinstance(step, str):
            is_alone = step not in {"key", "value"} and all(isinstance(after, str) for after in steps[at + 1 : at + 2])
            text += drawn.choice("./") + path_text((step,)) + (drawn.choice(["", "", "[0]", "[*]"]) if is_alone else "")
        elif not isinstance(step, Key) or step.text is None or drawn.random() < 0.3:
            text += drawn.choice([path_text((step,)), "[*]"])
        else:
            text += drawn.choice([f"[{step.index}]", "[*]"])
            text += "/value" if steps[at + 1 : at + 2] in (("key",), ("value",)) or drawn.random() < 0.3 else ""
    return text[1:] if not re.match(f".[a-z_]+{NO_NAME}", text) else f".{text[1:]}"


FEW = ["satisfactory/sv60.sav", "gvas/ue5-1018.sav"]
MORE = ["gvas/palworld-1.0.sav", "arx/v2.1.sav", "astroneer/full.savegame", "shapez2/islands-4.spz2bp"]
MORE += ["gvas/savage-planet-ue425.sav", "satisfactory/hv14-sv52-pep-modtest-1.sav"]


@pytest.mark.parametrize(("name", "count"), [*((name, 6) for name in FEW), *slow((name, 12) for name in MORE)])
def test_commands_agree(any_save, tmp_path, name, count):
    """The objects of `--where` are those of `grep`, its lines those of `get`; `--set` takes each line."""
    path, target = any_save(name), tmp_path / "a.sav"
    drawn = random.Random(path.name)
    found = [each for each in leaves_of(path) if UNSET.isdisjoint(each[1]) and each[2] != []]
    with streamsave.open(path) as events:
        names = [selected.instance_name for _, selected in events.select(None)]
    deep = [each for each in found if not all(isinstance(step, str) for step in each[1])]
    for offset, steps, value in drawn.sample(deep, min(count, len(deep))):
        text = other_text(steps, drawn)
        with streamsave.open(path) as events:
            wanted = {selected.offset: selected.instance_name for _, selected in events.select(f"has({text})")}
        rows = json_lines("grep", "--property", text, path)
        assert {row["instance_name"] for row in rows} == set(wanted.values()), text
        name = wanted[offset]
        inner = [row["path"] for row in rows if row["instance_name"] == name]
        assert path_text(steps) in inner, text
        if name and names.count(name) == 1:
            flat = run("get", path, name, "--flat", "--property", text).stdout.splitlines()
            keyless = [each for each in inner if not each.endswith("]/key")]  # of keys, it has only those that are asked for
            assert all(any(f"/{each} = " in line for line in flat) for each in keyless or inner), text
        written = value_bytes(value.path_name if isinstance(value, ObjectReference) else value).decode()
        where = ("--where", f"instance_name == {json.dumps(name)}") if name else ()
        result = run("edit", path, "-o", target, *where, "--set", f"{path_text(steps)} = {written}")
        assert (result.exit_code, "0 values set" in result.stdout) == (0, False), result.output
        is_same = target.read_bytes() == path.read_bytes()  # not if the game has compressed it
        assert is_same or run("diff", path, target, "--all").stdout == "", text
