"""Arrays, sets, maps and bytes that are too large to build, in each command: the answers are those for built ones."""

import csv
import functools
import subprocess
import sys

import orjson
import pytest
from cli_runs import refused, run, thing
from gvas_saves import save as gvas_save
from saves import deflate, file_with, head_and_body
from writer.primitives import Ref
from writer.satisfactory import Level, VersionData, World, release_header, save_bytes
from writer.tags import BYTE, FLOAT, INT, OBJECT, STR, Array, Fields, Map, Prop, Set

import streamsave
from streamsave.events import PropertyTag
from streamsave.output.json_document import json_of_opened
from streamsave.output.json_text import value_bytes

#: Numbers of more than 256 KiB, and of the rest as many as have that.
COUNT = 70_000
MANY = 30_000
#: More than this is not built here.
FEW = "build_nodes=10000"
SMALL = "build_size=100000"
#: A text that becomes one with a lone surrogate.
MARK = "жщюя"
KINDS = {
    "numbers": (Array(INT), list(range(COUNT))),
    "floats": (Array(FLOAT), [float("nan") if number % 7 == 3 else number / 4 for number in range(COUNT)]),
    "texts": (Array(STR), ["\x85" if number % 5 == 2 else f"text {number}" for number in range(MANY)]),
    "lone surrogates": (Array(STR), [MARK if number in {0, 9_000, COUNT - 1} else "\\" for number in range(COUNT)]),
    "references": (Array(OBJECT), [Ref("Level", f"Level:Gone.{number % 9}") for number in range(MANY)]),
    "map": (Map(INT, STR), [(number, f"v{number}") for number in range(MANY)]),
    "set": (Set(STR), [f"v{number}" for number in range(MANY)]),
    "bytes": (Array(BYTE), bytes(number * number % 251 for number in range(5 * 65_536))),
    "bytes and one": (Array(BYTE), bytes(number * number % 251 for number in range(5 * 65_536 + 1))),
    "bytes and two": (Array(BYTE), bytes(number * number % 251 for number in range(5 * 65_536 + 2))),
}
LARGE_ONE = "BP_Chest_C_1"


def save(kind, values):
    """A save with an object that has a large property, and another one."""
    objects = [
        thing(LARGE_ONE, Prop("mBefore", INT, 1), Prop("mLarge", kind, values), Prop("mAfter", STR, "777")),
        thing("BP_Last_C_2", Prop("mAfter", STR, "778")),
    ]
    data = save_bytes(World(release_header(58), (), objects, version_data=VersionData()))
    if not isinstance(values, list) or MARK not in values:
        return data
    head, body = head_and_body(data)
    lone = MARK.replace("ж", "\ud800").encode("utf-16-le", "surrogatepass")
    return deflate(head, body.replace(MARK.encode("utf-16-le"), lone))


@pytest.fixture(scope="module", params=KINDS)
def large(request, tmp_path_factory):
    return file_with(tmp_path_factory.mktemp("large") / f"{request.param}.sav", save(*KINDS[request.param]))


def answer(*args):
    result = run(*args)
    assert result.exit_code in {0, 1}, result.stderr
    return result.stdout


@functools.cache
def limited(path):
    """Options with which the value cannot be built, which is seen once for each save."""
    limits = SMALL if path.stem.startswith("bytes") else FEW
    assert run("get", path, LARGE_ONE, "--property", "mLarge", "--limit", limits).exit_code == 0
    with streamsave.open(path, limits=streamsave.Limits(**{limits.split("=")[0]: int(limits.split("=")[1])})) as events:
        for event in events:
            if isinstance(event, PropertyTag) and event.name == "mLarge":
                with pytest.raises(streamsave.LimitExceeded):
                    events.build()
                break
    return ("--limit", limits)


def test_text_is_that_of_the_built_value(large):
    with streamsave.open(large) as one, streamsave.open(large) as other:
        for event, twin in zip(one, other, strict=True):
            if isinstance(event, PropertyTag) and event.name == "mLarge":
                assert b"".join(json_of_opened(one, event)) == value_bytes(other.build())
                return
            assert type(event) is type(twin)
    raise AssertionError("no such property")


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    [
        ("json",),
        ("json", "--ndjson"),
        ("cat",),
        ("cat", "--flat"),
        ("check",),
        ("salvage",),
        ("grep", ".", "--value", "777"),
        ("get", LARGE_ONE),
        ("get", LARGE_ONE, "--property", "mLarge"),
        ("get", LARGE_ONE, "--flat"),
        ("export", "-o", "-", "--format", "csv", "--field", "mAfter"),
    ],
    ids=" ".join,
)
def test_limits_do_not_matter(large, args):
    command, *rest = args
    names = [rest.pop(0)] if command in {"get", "grep"} else []
    files = [*names, large] if command == "grep" else [large, *names]
    assert answer(command, *files, *rest, *limited(large)) == answer(command, *files, *rest)


def test_get_is_the_property_in_json(large):
    whole = orjson.loads(answer("json", large))
    (level,) = [value for value in whole.values() if isinstance(value, dict) and "objects" in value]
    value = level["objects"][0]["properties"]["mLarge"]
    assert orjson.loads(answer("get", large, LARGE_ONE, "--property", "mLarge")) == value
    assert orjson.loads(answer("get", large, LARGE_ONE))["properties"]["mLarge"] == value
    lines = [line for line in answer("get", large, LARGE_ONE, "--flat").splitlines() if f"{LARGE_ONE}/mLarge" in line]
    assert len(lines) == (1 if isinstance(value, dict) else len(value))
    if isinstance(value, dict):
        assert lines[0].endswith(f'/base64 = "{value["base64"]}"')


FIELDS = ("--field", "mAfter", "--field", "mLarge", "--field", "mBefore", "--field", "mNone")


@pytest.mark.parametrize("kind", ["ndjson", "csv"])
def test_export_of_the_array_is_that_of_the_built_value(large, kind):
    args = ("export", large, "-o", "-", "--format", kind, *FIELDS)
    assert answer(*args, *limited(large)) == answer(*args)


def test_export_has_what_json_has(large):
    (level,) = [value for value in orjson.loads(answer("json", large)).values() if isinstance(value, dict) and "objects" in value]
    wanted = [each["properties"].get("mLarge") for each in level["objects"]]
    args = ("export", large, "-o", "-", *FIELDS, *limited(large), "--format")
    rows = answer(*args, "ndjson").splitlines()
    assert [orjson.loads(row)["mLarge"] for row in rows] == wanted
    csv.field_size_limit(1 << 30)
    table = csv.DictReader(answer(*args, "csv").splitlines())
    assert [orjson.loads(row["mLarge"] or "null") for row in table] == wanted


@pytest.mark.parametrize(
    "asked",
    [("--field", "mLarge[5]"), ("--field", "mLarge", "--field", "mLarge[*]"), ("--field", "mLarge", "--where", "mLarge[1] = 7")],
    ids=" ".join,
)
def test_a_part_of_the_array_names_the_limit(tmp_path, asked):
    path = file_with(tmp_path / "a.sav", save(*KINDS["numbers"]))
    assert "--limit build_nodes" in refused("export", path, "-o", "-", "--format", "ndjson", *asked, "--limit", FEW)


@pytest.mark.parametrize("fields", [("Outer/Large",), ("Outer",), ("Outer", "Large"), ("Outer/Large", "Outer/First")])
def test_an_array_in_a_struct(tmp_path, fields):
    """It is a field of its own, or its struct as a whole has a limit."""
    path = tmp_path / "a.sav"
    inner = (Prop("First", INT, 1), Prop("Large", *KINDS["texts"]))
    path.write_bytes(gvas_save(Prop("Outer", Fields("Thing"), inner), Prop("Last", INT, 2)))
    args = ("export", path, "-o", "-", "--format", "ndjson", *[arg for field in fields for arg in ("--field", field)])
    result = run(*args, "--limit", FEW)
    if fields == ("Outer/Large",):
        assert result.stdout == answer(*args)
    else:
        assert result.exit_code == 2
        assert "--limit build_nodes" in result.stderr


def test_export_of_large_arrays_in_other_processes(tmp_path):
    paths = [tmp_path / "a.sav", tmp_path / "b.sav"]
    for path, kind in zip(paths, ("texts", "bytes"), strict=True):
        path.write_bytes(save(*KINDS[kind]))
    args = ("export", *paths, "-o", "-", "--format", "csv", *FIELDS)
    limits = ("--limit", FEW, "--limit", SMALL)
    assert answer(*args, *limits, "--jobs", "2") == answer(*args)


def test_parquet_says_what_is_too_large(large, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    errors = refused("export", large, "-o", path, *FIELDS, *limited(large))
    count = len(KINDS[large.stem][1])
    name = f"Persistent_Level:PersistentLevel.{LARGE_ONE}"
    said = f"mLarge of {name}: {count:,} elements are too many for parquet; csv and ndjson take them."
    assert said in " ".join(errors.split())
    rows = parquet.read_table(path).to_pylist()
    assert [(row["mBefore"], row["mLarge"], row["mAfter"]) for row in rows] == [(1, None, "777"), (None, None, "778")]


def answer_of_check(path):
    result = run("check", "--json", path, "--limit", FEW)
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.mark.slow
def test_references_of_a_large_array(tmp_path):
    """All are looked up: those of the first slice, and of the last."""
    path = tmp_path / "a.sav"
    sound = [f"Persistent_Level:PersistentLevel.{name}" for name in (["BP_Chest_C_1"] * MANY)]
    for gone in ({0}, {MANY - 1}, {5, 9_000, MANY - 1}):
        refs = [Ref("Persistent_Level", f"Gone.{number}" if number in gone else sound[number]) for number in range(MANY)]
        path.write_bytes(save(Array(OBJECT), refs))
        text = answer_of_check(path)
        assert f"at least {len(gone)} of {MANY} references" in text
        assert f"Gone.{min(gone)}" in text


@pytest.mark.slow
@pytest.mark.parametrize("other", [None, 0, MANY - 1])
def test_stale_lists_of_any_length(tmp_path, other):
    refs = [Ref("Cell", f"gone {number}" * 4) for number in range(MANY)]
    copy = [Ref("Cell", "another one") if number == other else ref for number, ref in enumerate(refs)]
    world = World(
        release_header(58), [Level("Cell", [thing("BP_A_C_1")], refs, copy)], [thing("BP_Last_C_2")], version_data=VersionData()
    )
    assert ("stale-list" in answer_of_check(file_with(tmp_path / "a.sav", save_bytes(world)))) is (other is not None)


def test_salvage_drops_what_it_wrote_of_a_damaged_array(tmp_path):
    """An Unreal save game keeps its other properties: in the place of the array is what was lost, and nothing of its start."""
    texts = [*(f"\x85 {number}" for number in range(MANY)), "x" * 100_000]
    path = tmp_path / "a.sav"
    path.write_bytes(gvas_save(Prop("Before", INT, 1), Prop("Large", Array(STR), texts), Prop("After", STR, "777")))
    result = run("salvage", path, "--limit", "build_size=90000")
    (line,) = [line for line in map(orjson.loads, result.stdout.splitlines()) if "properties" in line]
    properties = line["properties"]
    assert (properties["Before"], properties["After"]) == (1, "777")
    assert properties["Large"]["lost"]["name"] == "Large"
    assert "build_size" in properties["Large"]["lost"]["error"]


def differences(tmp_path, kind, old, new):
    paths = tmp_path / "old.sav", tmp_path / "new.sav"
    for path, values in zip(paths, (old, new), strict=True):
        path.write_bytes(save(kind, values))
    lines = answer("diff", *paths, "--json", "--limit", FEW).splitlines()
    return [orjson.loads(line) for line in lines]


TEXTS = [f"a text of number {number}, which is longer" for number in range(MANY)]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "values"), [(Array(INT), list(range(COUNT))), (Array(STR), TEXTS)], ids=["numbers", "texts"])
def test_differences_are_in_proportion(tmp_path, kind, values):
    other = [*values]
    other[7_000] = values[3]
    assert differences(tmp_path, kind, values, [*values]) == []
    (changed,) = differences(tmp_path, kind, values, other)
    assert changed["path"].endswith("mLarge[7000]")
    (added,) = differences(tmp_path, kind, values, [*values, values[0]])
    assert added["path"].endswith(f"mLarge[{len(values)}]")
    (removed,) = differences(tmp_path, kind, [*values, values[0]], values)
    assert removed["path"].endswith(f"mLarge[{len(values)}]")
    at_front = differences(tmp_path, kind, values, values[1:])
    assert 1 <= len(at_front) <= 4
    assert "mLarge[0.." in at_front[0]["path"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux")
@pytest.mark.parametrize(
    "args",
    [
        ("json", "{}"),
        ("get", "{}", LARGE_ONE),
        ("get", "{}", LARGE_ONE, "--flat"),
        ("cat", "--flat", "{}"),
        ("check", "{}"),
        ("export", "-o", "-", "--format", "csv", "--field", "mLarge", "{}"),
        ("export", "-o", "-", "--format", "ndjson", "--field", "mLarge", "{}"),
    ],
    ids=" ".join,
)
def test_memory(tmp_path_factory, args):
    """Two million numbers, which would take 70 MB, in a process of its own."""
    path = tmp_path_factory.getbasetemp() / "two million.sav"
    if not path.exists():
        path.write_bytes(save(Array(INT), list(range(2_000_000))))
    program = (
        "import resource, subprocess, sys\n"
        "code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode\n"
        "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [sys.executable, "-m", "streamsave", *[arg.format(path) for arg in args]]
    result = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True, check=True)
    code, peak = map(int, result.stdout.split())
    assert code == 0
    assert peak < 60 * 1024
