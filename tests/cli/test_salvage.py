"""`streamsave salvage`: what is sound is what `json --ndjson` gives of the sound save; what was lost is listed."""

import zipfile

import orjson
import pytest
from attrs import evolve
from cli_runs import process, refused, run
from damage import broken_chunk
from damage_satisfactory import broken_list
from saves import SATISFACTORY, VALID, chunks_of, deflate, file_with, head_and_body
from writer.gvas_samples import plain
from writer.tags import STR, Array, Prop

import streamsave
from streamsave import Damage
from streamsave.output.json_document import json_lines
from streamsave.output.json_text import HELD_SIZE
from streamsave.output.salvage import salvage

SAMPLES = sorted(path.relative_to(VALID).as_posix() for path in VALID.glob("*/*") if path.is_file())
SV58 = SATISFACTORY / "sv58.sav"


def parsed(text):
    """Lines of JSON; the keys of an object may come in any order."""
    return [orjson.loads(line) for line in text.splitlines()]


def salvaged(source):
    with streamsave.open(source, on_damage="resync") as events:
        yield from (piece for piece in salvage(events) if not isinstance(piece, Damage))


def sound_lines(source):
    """The lines of a sound save."""
    with streamsave.open(source) as events:
        return parsed(b"".join(json_lines(events)))


@pytest.fixture
def damaged(tmp_path):
    """A save with one damaged object, and that object."""
    bad, lost = broken_list(SV58.read_bytes(), 3)
    return file_with(tmp_path / "bad.sav", bad), lost


@pytest.mark.parametrize("name", SAMPLES)
def test_all_of_a_sound_save(name):
    path = VALID / name
    ran = run("salvage", path)
    assert ran.exit_code == 0
    assert "lost" not in ran.stderr
    assert parsed(ran.stdout_bytes) == sound_lines(path)


def test_all_but_the_damaged_object(damaged, tmp_path):
    path, lost = damaged
    out = tmp_path / "out.ndjson"
    ran = run("salvage", path, "-o", out)
    assert (ran.exit_code, ran.stdout) == (1, "")
    whole = sound_lines(SV58)
    left = [line for line in whole if line.get("instance_name") != lost.instance_name]
    assert parsed(out.read_bytes()) == left
    assert len(left) == len(whole) - 1
    first, last = ran.stderr.splitlines()
    class_name = lost.class_name.rpartition(".")[2]
    assert first.startswith(f"streamsave: {path}: lost: object {lost.instance_name} ({class_name}), {lost.size:,} bytes, in ")
    assert " of the file" in first
    assert f"{path}: lost: 1 object; " in last


def test_from_a_pipe(damaged):
    path, _ = damaged
    ran = process("salvage", "-", stdin=path.read_bytes())
    assert ran.returncode == 1
    assert parsed(ran.stdout) == parsed(run("salvage", path).stdout_bytes)


def test_many_losses_are_summed_up(tmp_path):
    """A header that is broken costs all that follow it."""
    head, body = head_and_body(SV58.read_bytes())
    ran = run("salvage", file_with(tmp_path / "cut.sav", deflate(head, body[: len(body) // 2])))
    assert ran.exit_code == 1
    assert len(ran.stderr.splitlines()) <= 22
    assert "rest of the save" in ran.stderr
    whole = sound_lines(SV58)
    left = parsed(ran.stdout_bytes)
    assert 1 < len(left) < len(whole)
    assert left == [line for line in whole if line in left]


def test_a_damaged_chunk_is_described_in_plain_words(tmp_path):
    """Objects by name and class, what is lost without a name by its number, and where in the file."""
    head, body = head_and_body(SV58.read_bytes())
    data = deflate(head, body, 1500)
    whole = parsed(b"".join(salvaged(data)))
    found = set()
    for which in range(0, len(chunks_of(data)), 2):
        path = file_with(tmp_path / "bad.sav", broken_chunk(data, which))
        ran = run("salvage", path)
        assert ran.exit_code == 1
        *told, last = [line.removeprefix(f"streamsave: {path}: ") for line in ran.stderr.splitlines()]
        assert last.endswith(" bytes of what the save inflates to")
        assert all(line.startswith("lost: ") or line.endswith("--json lists all") for line in told)
        where = f"in chunk {which} at byte {chunks_of(data)[which].offset:,} of the file"
        assert any(where in line for line in told)
        found |= {line.split()[1] for line in told}
        left = parsed(ran.stdout_bytes)
        assert left == [line for line in whole if line in left]
        assert len(left) < len(whole)
    assert found >= {"object", "data", "levels,"}


@pytest.mark.slow
def test_a_long_line_is_held_until_it_is_whole(tmp_path):
    """Longer than what is held in memory: it waits in a file."""
    path = tmp_path / "long.sav"
    texts = [f"{number:07}" for number in range(HELD_SIZE // 8)]
    path.write_bytes(evolve(plain(), props=[Prop("Texts", Array(STR), texts)]).encode())
    ran = run("salvage", path)
    assert len(ran.stdout_bytes) > HELD_SIZE
    assert parsed(ran.stdout_bytes) == sound_lines(path)
    assert parsed(ran.stdout_bytes)[1]["properties"]["Texts"] == texts


def test_if_nothing_can_be_saved_there_is_no_file(tmp_path):
    bad = file_with(tmp_path / "bad.sav", broken_chunk(SV58.read_bytes(), 0))
    assert "no save can be made of it" in refused("salvage", bad, "--save", tmp_path / "new.sav")
    assert list(tmp_path.iterdir()) == [bad]


def test_a_member_that_no_save_can_be_without_is_named(tmp_path):
    bad = tmp_path / "bad.spz2"
    with zipfile.ZipFile(VALID / "shapez2" / "small.spz2") as old, zipfile.ZipFile(bad, "w") as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info) + b"1" * (info.filename == "savegame.json"))
    ran = run("salvage", bad, "--save", tmp_path / "new.spz2")
    assert ran.exit_code == 2
    assert "no save can be made of it: savegame.json says how other members are read" in ran.stderr
