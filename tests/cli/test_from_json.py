"""`from-json`: what it writes, and where."""

from __future__ import annotations

import json
import shutil

import pytest
from cli_runs import ROOT, process, run
from saves import SATISFACTORY, VALID

SAVE = SATISFACTORY / "sv60.sav"
OBJECT = '"Persistent_Level:PersistentLevel.BP_Museum_C_1"'


@pytest.fixture
def document(tmp_path):
    """A document in which one number is another one."""
    path = tmp_path / "world.json"
    text = run("json", str(SAVE)).stdout.replace('"mInt":-123456', '"mInt":77', 1)
    path.write_text(text, "utf-8")
    return path


def test_a_document_becomes_a_save(document, tmp_path):
    new = tmp_path / "new.sav"
    result = run("from-json", str(document), "--like", str(SAVE), "-o", str(new))
    assert (result.exit_code, result.stdout) == (0, f"{SAVE}: 1 value set\n")
    assert run("diff", str(SAVE), str(new)).stdout.rpartition("\t")[2] == "mInt: -123456 -> 77\n"


def test_a_dry_run_lists_what_would_change(document, tmp_path):
    result = run("from-json", str(document), "--like", str(SAVE), "--dry-run")
    assert result.stdout.splitlines() == [
        f"set\tPersistent_Level/{OBJECT}/mInt\t-123456 -> 77",
        f"{SAVE}: 1 value set",
    ]
    assert list(tmp_path.iterdir()) == [document]


def test_numbers_that_follow_are_noted(document, tmp_path):
    text = document.read_text("utf-8").replace('"level_count":', '"level_count":9', 1)
    document.write_text(text, "utf-8")
    result = run("from-json", str(document), "--like", str(SAVE), "-o", str(tmp_path / "new.sav"))
    assert (result.exit_code, result.stdout) == (0, f"{SAVE}: 1 value set\n")
    assert "sizes, counts and the like follow from the rest of the document" in result.stderr
    listed = run("from-json", str(document), "--like", str(SAVE), "--dry-run").stdout.splitlines()
    assert [line.partition("\t")[0] for line in listed[:-1]] == ["ignored", "set"]
    assert listed[0].startswith("ignored\tlevel_count\t")


def test_in_place_keeps_the_old_save(document, tmp_path):
    save = tmp_path / "world.sav"
    shutil.copy(SAVE, save)
    assert run("from-json", str(document), "--like", str(save), "--in-place").exit_code == 0
    assert (tmp_path / "world.sav.bak").read_bytes() == SAVE.read_bytes()
    assert json.loads(run("get", str(save), "BP_Museum_C_1").stdout)["properties"]["mInt"] == 77


def test_one_object_from_standard_input(tmp_path):
    """What `get` writes."""
    found = json.loads(process("get", SAVE, "BP_Museum_C_1").stdout)
    found["properties"]["mInt"] = 5
    new = tmp_path / "new.sav"
    done = process("from-json", "-", "--like", SAVE, "-o", new, "-v", stdin=json.dumps(found, indent=2).encode())
    assert done.returncode == 0
    assert done.stdout.decode().splitlines()[0] == f"set\tPersistent_Level/{OBJECT}/mInt\t-123456 -> 5"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "line 1, column 2 of the document: the document ends in a value"),
        ('{\n"format":\n1,"x":0}', "line 3, column 1 of the document: format cannot be changed"),
        ("[]", "line 1, column 1 of the document: expected {"),
    ],
)
def test_a_fault_is_told_with_its_line(text, fault, tmp_path):
    (tmp_path / "world.json").write_text(text)
    result = run("from-json", str(tmp_path / "world.json"), "--like", str(SAVE), "-o", str(tmp_path / "new.sav"))
    assert (result.exit_code, result.stderr) == (2, f"streamsave: {SAVE}: {fault}\n")
    assert not (tmp_path / "new.sav").exists()


@pytest.mark.slow
@pytest.mark.parametrize("lines", [(), ("--ndjson",)], ids=["whole", "lines"])
@pytest.mark.parametrize(
    "name", ["gvas/palworld-1.0.sav", "gvas/ue5-1018.sav", "arx/v2.1.sav", "shapez2/checkpoints.spz2", "astroneer/full.savegame"]
)
def test_what_json_writes_of_each_family_is_the_same_save(name, lines, tmp_path):
    """`json` shows a save game of Unreal as one object, `json --ndjson` the objects in it."""
    path, new = tmp_path / "document", tmp_path / "new"
    run("json", str(VALID / name), *lines, "-o", str(path))
    result = run("from-json", str(path), "--like", str(VALID / name), "-o", str(new))
    assert (result.exit_code, result.stderr) == (0, "")
    assert new.read_bytes() == (VALID / name).read_bytes()


@pytest.mark.parametrize("options", [(), ("--dry-run", "--in-place"), ("-o", "new.sav", "--dry-run")])
def test_one_target(options, document):
    result = run("from-json", str(document), "--like", str(SAVE), *options)
    assert result.exit_code == 2
    assert "Give one of --output, --in-place and --dry-run." in result.stderr


def test_a_document_with_its_save_stands_alone(tmp_path):
    path, new = tmp_path / "world.json", tmp_path / "new.sav"
    assert run("json", str(SAVE), "--with-original", "-o", str(path)).exit_code == 0
    assert run("from-json", str(path), "-o", str(new)).stdout == f"{path}: 0 values set\n"
    assert new.read_bytes() == SAVE.read_bytes()
    indented = json.dumps(json.loads(path.read_text("utf-8")), indent=2)
    path.write_text(indented.replace('"mInt": -123456', '"mInt": 77', 1), "utf-8")
    assert run("from-json", str(path), "-o", str(new)).stdout == f"{path}: 1 value set\n"
    path.write_text(indented.replace('"mInt": -123456', '"mInt": yes', 1), "utf-8")
    line = indented[: indented.index('"mInt": -123456')].count("\n") + 1
    assert f"line {line}, column" in run("from-json", str(path), "-o", str(new)).stderr


@pytest.mark.parametrize("option", ["--with-source", "--with-original"])
@pytest.mark.parametrize("lines", [(), ("--ndjson",)], ids=["whole", "lines"])
def test_the_document_of_another_save_is_refused(tmp_path, option, lines):
    path, other = tmp_path / "world.json", tmp_path / "other.sav"
    plain = run("json", str(SAVE), *lines).stdout
    text = run("json", str(SAVE), option, *lines).stdout
    assert text.endswith(plain[1:])
    path.write_text(text, "utf-8")
    assert run("from-json", str(path), "--like", str(SAVE), "--dry-run").exit_code == 0
    other.write_bytes(SAVE.read_bytes()[:-1] + b"\0")
    result = run("from-json", str(path), "--like", str(other), "--dry-run")
    assert result.exit_code == 2
    assert "it was made from another save than this one" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [(("--dry-run",), "Give --like SAVE"), (("--in-place",), "--in-place replaces the save that --like names")],
)
def test_a_save_is_needed(document, options, message):
    result = run("from-json", str(document), *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_document_of_standard_input_has_no_head():
    done = process("json", "-", "--with-source", stdin=SAVE.read_bytes())
    assert done.returncode == 2
    assert b"(standard input): name a file" in done.stderr


def test_references_to_a_renamed_object(document, tmp_path):
    """They are counted, or renamed: by a document as by `edit`."""
    world = ROOT / "corpora" / "howto" / "world.sav"
    old, name = "Build_ConstructorMk1_C_1", '"instance_name":"Persistent_Level:PersistentLevel.'
    document.write_text(run("json", str(world)).stdout.replace(f'{name}{old}"', f'{name}Mine"', 1), "utf-8")
    new = tmp_path / "new.sav"
    result = run("from-json", str(document), "--like", str(world), "-o", str(new))
    assert (result.exit_code, result.stdout) == (0, f"{world}: 1 value set\n")
    assert result.stderr == f"streamsave: {world}: 1 reference to old names is left: --references renames them\n"
    result = run("from-json", str(document), "--like", str(world), "-o", str(new), "--references")
    assert (result.stdout, result.stderr) == (f"{world}: 1 value set, 5 references renamed\n", "")
    assert old not in run("json", str(new)).stdout
    again = run(
        "edit",
        str(world),
        "--where",
        f"instance_name = *{old}",
        "--set",
        "@instance_name = Persistent_Level:PersistentLevel.Mine",
        "--references",
        "-o",
        str(tmp_path / "edited.sav"),
    )
    assert again.stdout == f"{world}: 0 objects dropped, 1 value set, 5 references renamed\n"
    assert (tmp_path / "edited.sav").read_bytes() == new.read_bytes()
