"""What `edit` says of a mod whose objects were dropped."""

from __future__ import annotations

import zlib

import pytest
from cli_runs import LEVEL, run, thing, write
from saves import CHUNK_TAG, V2
from writer.primitives import Ref
from writer.satisfactory import Object
from writer.tags import OBJECT, Prop


def strings_with(path, text):
    """How many of the texts after the header of a save of Satisfactory have a text; each ends in a NUL."""
    data = path.read_bytes()
    body, at = b"", data.find(CHUNK_TAG)
    while at >= 0:
        unpacker = zlib.decompressobj()
        start = at + V2.size
        body += unpacker.decompress(data[start:])
        at = len(data) - len(unpacker.unused_data)
        at = at if data[at : at + 4] == CHUNK_TAG else -1
    return sum(text in string for string in body.split(b"\0"))


@pytest.mark.slow
@pytest.mark.parametrize("mod", ["SS_Mod", "FicsitWiremod", "RoadSplineTool"])
def test_what_still_mentions_a_mod(corpus, tmp_path, mod):
    """`-v` lists as many places as there are such texts in the bytes of the new save; its summary has their number."""
    old, new = corpus / "satisfactory" / "v11-hv14-sv52-mods-3m.sav", tmp_path / "new.sav"
    if not old.is_file():
        pytest.skip(f"not in this corpus: {old.name}")
    result = run("edit", old, "-o", new, "-v", "--drop", f'class = "/{mod}/*"')
    assert result.exit_code == 0
    rows = [line.split("\t") for line in result.stdout.splitlines() if line.startswith("mentions\t")]
    assert len(rows) == strings_with(new, f"/{mod}/".encode()) > 0
    assert all(f"/{mod}/" in row[4] for row in rows)
    assert f"in the new save, {len(rows):,} place" in result.stderr
    _, class_name, name, path, _ = next(row for row in rows if "[" in row[3])
    assert class_name
    assert any(line.split("\t")[:2] == [name, path] for line in run("grep", ".", new, "--value", f"/{mod}/").stdout.splitlines())


def test_a_mod_that_is_gone_is_not_mentioned(tmp_path):
    pole = Object("/SomeMod/Pole.Pole_C", f"{LEVEL}Pole_1", [])
    lamp = thing("Lamp_1", Prop("mRecipe", OBJECT, Ref("", "/SomeMod/Recipe.Recipe_C")), class_name="Lamp")
    mentions = write(tmp_path, "mentions.sav", pole, lamp)
    silent = write(tmp_path, "silent.sav", pole)
    words = ("--drop", 'class = "/SomeMod/*"')
    told = run("edit", mentions, "-o", tmp_path / "a.sav", *words)
    text = "in the new save, 1 place still mentions /SomeMod/: Lamp_C mRecipe (1); -v lists all"
    assert told.stderr == f"streamsave: {mentions}: {text}\n"
    assert run("edit", silent, "-o", tmp_path / "b.sav", *words).stderr == ""
    assert "does not mention /SomeMod/" in run("edit", silent, "-o", tmp_path / "c.sav", "-v", *words).stderr
