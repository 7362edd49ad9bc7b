"""A save out of a document: what was not edited comes back byte by byte, what was edited is what the new save says.

The file is long because all documents are compared in the same few ways.
"""

import copy
import hashlib
import json
import random
import sys
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import profiles
import pytest
from document_edits import SAMPLES, assert_says, document_of, edit, edit_one, made
from hypothesis import example, given
from hypothesis import strategies as st
from memory import Traced
from saves import VALID, deflate, file_with, head_and_body
from writer.gvas import SaveGame
from writer.tags import INT, STR, Array, Fields, Prop

import streamsave
from streamsave import EditError
from streamsave.output.json_document import json_document, json_lines
from streamsave.rewriting.cutting import cut
from streamsave.rewriting.from_json import make_save
from streamsave.rewriting.json_difference import Comparison
from streamsave.rewriting.json_parts import Places
from streamsave.rewriting.json_reader import BLOCK_SIZE, JsonReader, head_of


@pytest.mark.parametrize("form", ["as it is", "indented", "sorted", "lines"])
@pytest.mark.parametrize("name", SAMPLES)
def test_what_was_not_edited_is_the_same_save(name, form, tmp_path):
    save, new = VALID / name, tmp_path / "new"
    text = document_of(save)
    if form == "indented":
        text = json.dumps(json.loads(text), indent=3, ensure_ascii=False).encode()
    elif form == "sorted":
        text = json.dumps(json.loads(text), sort_keys=True).encode()
    elif form == "lines":
        with streamsave.open(save) as events:
            text = b"".join(json_lines(events))
    assert made(text, save, new) == []
    assert new.read_bytes() == save.read_bytes()


@cache
def sample(name: str) -> bytes:
    """The document of a sample, of which many edits are made."""
    return document_of(VALID / name)


def refused(text: bytes, save: Path, new: Path) -> str | None:
    """Why no save can be made of a document; then none is there. None: one was made."""
    try:
        made(text, save, new)
    except EditError as error:
        assert not new.exists()
        return str(error)
    return None


def assert_edited(text: bytes, choose: random.Random, count: int, save: Path, new: Path) -> None:
    """The new save says what an edited document does, or the document is refused with its line, and nothing is written."""
    document = json.loads(text)
    for _ in range(count):
        if choose.random() < 0.5:
            edit(document, choose)
        else:
            edit_one(document, choose, with_objects=True)
    refusal = refused(json.dumps(document).encode(), save, new)
    if refusal is not None:
        assert "line 1, column " in refusal
    else:
        assert_says(json.loads(document_of(new)), document)
        if json.loads(text) == document:
            assert new.read_bytes() == save.read_bytes()


@pytest.mark.slow
@profiles.examples(200)
@given(name=st.sampled_from(SAMPLES), seed=st.integers(0, 1 << 32), count=st.integers(1, 4))
@example(name="shapez2/checkpoints.spz2", seed=75881, count=2)  # without an island
def test_any_edits(name, seed, count, tmp_path_factory):
    save, new = VALID / name, tmp_path_factory.mktemp("new") / "new"
    assert_edited(sample(name), random.Random(seed), count, save, new)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("gvas/palworld-level-unicode.sav", 4),
        ("satisfactory/v12-hv14-sv58-140k.sav", 4),
        ("satisfactory/u4-hv8-sv25-480k.sav", 1),
    ],
)
def test_any_edits_of_real_saves(real_save, name, count, tmp_path):
    save = real_save(name)
    text = document_of(save)
    for seed in range(count):
        assert_edited(text, random.Random(seed), 8, save, tmp_path / f"{seed}.new")


#: What a value becomes that a user gets wrong.
WRONG = [None, True, -1, 1 << 70, 1.5, "", [], {}, [[1, 2]], {"a": 1}, {"@value": 1}, {"@type": 5, "@value": []}, {"@like": 0}]
WRONG += [{"@type": "IntProperty", "@value": 3}, {"@like": "x", "@value": [1, 2]}, {"base64": "x"}, {"escaped": "\\ud800"}, "NaN"]


def spoil(document: Any, choose: random.Random) -> None:
    """Put something wrong into a document."""
    holder = document
    while True:
        key = choose.choice(list(holder if isinstance(holder, dict) else range(len(holder))))
        value = holder[key]
        if not isinstance(value, (dict, list)) or not value or choose.random() < 0.1:
            break
        holder = value
    kind = choose.choice(["wrong", "wrong", "name", "like", "wrapped", "twice"])
    if kind == "name" and isinstance(holder, dict):
        holder[choose.choice(["x", "Foo[1]", "Foo#2", "@like", "@value", "objects", "properties"])] = holder.pop(key)
    elif kind == "like" and isinstance(holder, dict):
        holder["@like"] = choose.choice([0, "x", None, [1]])
    elif kind == "wrapped":
        holder[key] = {choose.choice(["@like", "@type"]): choose.choice([0, "IntProperty"]), "@value": value}
    elif kind == "twice" and isinstance(holder, list):
        holder.append(copy.deepcopy(value))
    else:
        holder[key] = choose.choice(WRONG)


@pytest.mark.slow
@profiles.examples(250)
@given(name=st.sampled_from(SAMPLES), seed=st.integers(0, 1 << 32))
def test_any_mistakes(name, seed, tmp_path_factory):
    """A document with values of other types, names and the like is refused with its line, or becomes a sound save."""
    save, new = VALID / name, tmp_path_factory.mktemp("new") / "new"
    document = json.loads(sample(name))
    spoil(document, random.Random(seed))
    refusal = refused(json.dumps(document).encode(), save, new)
    if refusal is not None:
        assert "line 1, column " in refusal
    else:
        document_of(new)


@pytest.mark.slow
@profiles.examples(200)
@given(name=st.sampled_from(SAMPLES), data=st.data())
def test_any_faults(name, data, tmp_path_factory):
    """Bytes that are cut out of a document, or others in it."""
    save, new = VALID / name, tmp_path_factory.mktemp("new") / "new"
    text = sample(name)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    text = text[:start] + data.draw(st.binary(max_size=8)) + text[end:]
    refusal = refused(text, save, new)
    if refusal is not None:
        assert "of the document: " in refusal
    else:
        document_of(new)


# --- one thing at a time ---


PLACES = ["Parts[*] instance_name=Name"]


def with_parts(folder: Path, names: str) -> Path:
    """A save with objects that have these names, of a letter each."""
    rows = [[Prop("Name", STR, name), Prop("Count", INT, number)] for number, name in enumerate(names)]
    return file_with(folder / "a.sav", SaveGame([Prop("Parts", Array(Fields("Part")), rows)]).encode())


@pytest.mark.parametrize("edited", [{1: "x"}, {0: "x", 2: "y"}, {3: "x"}, {0: "x", 1: "y", 4: "z"}])
def test_of_several_objects_with_one_name_the_place_says_which_was_renamed(tmp_path, edited):
    save, new, places = with_parts(tmp_path, "aaaba"), tmp_path / "b.sav", PLACES
    with streamsave.open(save, objects_at=places) as events:
        document = json.loads(b"".join(json_document(events)))
    parts = next(value["Parts"] for value in document.values() if isinstance(value, dict) and "Parts" in value)
    for at, name in edited.items():
        parts[at]["instance_name"] = parts[at]["properties"]["Name"] = name
    changes = list(make_save(BytesIO(json.dumps(document).encode()), save, new, objects_at=places))
    assert [(change.verb, json.loads(change.new)) for change in changes] == [("set", name) for name in edited.values()]
    with streamsave.open(new, objects_at=places) as events:
        assert json.loads(b"".join(json_document(events))) == document


def test_of_several_objects_with_one_name_the_path_says_which_is_edited(tmp_path):
    save, new, places = with_parts(tmp_path, "aaa"), tmp_path / "b.sav", PLACES
    with streamsave.open(save, objects_at=places) as events:
        line = json.loads(b"".join(json_lines(events)).splitlines()[-1])
    line["properties"]["Count"] = 7
    (change,) = make_save(BytesIO(as_lines(line)), save, new, objects_at=places)
    assert (change.path, change.old, change.new) == (("Parts", 2, "Count"), b"2", b"7")
    del line["path"]
    with pytest.raises(EditError, match="the save has several a: 'path', as in json --ndjson, has to say which one"):
        list(make_save(BytesIO(as_lines(line)), save, new, objects_at=places))


def test_of_characters_with_one_name_one_is_renamed(tmp_path, real_save):
    """Three of four characters of Hogwarts Legacy are called UNUSED."""
    save, new = real_save("gvas/hogwarts-list.sav"), tmp_path / "new.sav"
    document = json.loads(document_of(save))
    (top,) = [value for value in document.values() if isinstance(value, dict) and "Info" in value]
    renamed = json.loads(json.dumps(top["Info"]["CharacterList"][1]).replace('"UNUSED"', '"Nemo"'))
    assert renamed["instance_name"] == "Nemo"
    top["Info"]["CharacterList"][1] = renamed
    assert {change.verb for change in made(document, save, new)} == {"set"}
    assert json.loads(document_of(new)) == document


def test_levels_in_another_order_are_the_same(tmp_path):
    """Each is looked up by its name. Edits of them are made all the same."""
    save, new = VALID / "satisfactory" / "sv60.sav", tmp_path / "new.sav"
    document = dict(reversed(json.loads(document_of(save)).items()))
    assert made(document, save, new) == []
    assert new.read_bytes() == save.read_bytes()
    levels = [part for part in document.values() if isinstance(part, dict) and part.get("objects")]
    gone = [level["objects"].pop()["instance_name"] for level in levels]
    assert sorted(change.path[-1] for change in made(document, save, new)) == sorted(gone)
    assert_says(json.loads(document_of(new)), document)


@pytest.mark.parametrize("prop", [{"mWires": []}, {"mNew": {"@type": "BoolProperty", "@value": False}}])
def test_an_object_without_properties_gets_one(prop, tmp_path):
    """Taken out again, the save is the old one."""
    save, new, back = VALID.parent / "howto" / "world.sav", tmp_path / "new.sav", tmp_path / "back.sav"
    document = json.loads(document_of(save))
    objects = document["Persistent_Level"]["objects"]
    found = next(each for each in objects if "FGPowerConnection" in each["class_name"] and not each["properties"])
    found["properties"] = prop
    assert made(document, save, new)[0].verb == "added"
    (name,) = prop
    found["properties"] = {name: prop[name]["@value"] if isinstance(prop[name], dict) else prop[name]}
    assert json.loads(document_of(new))["Persistent_Level"]["objects"] == objects
    made(document_of(save), new, back)
    assert head_and_body(back.read_bytes())[1] == head_and_body(save.read_bytes())[1]


def lines_of(save: Path) -> list[Any]:
    with streamsave.open(save) as events:
        return [line for line in map(json.loads, b"".join(json_lines(events)).splitlines()) if "instance_name" in line]


def as_lines(*lines: Any) -> bytes:
    return b"\n".join(json.dumps(each).encode() for each in lines)


@pytest.mark.parametrize("name", ["satisfactory/sv25.sav", "satisfactory/sv60.sav", "shapez2/checkpoints.spz2", "arx/v2.1.sav"])
def test_lines_may_have_new_objects(name, tmp_path):
    """One that is like another, beside one that is dropped and one that stays."""
    save, new = VALID / name, tmp_path / "new"
    lines = lines_of(save)
    like, gone, other = [each for each in lines if each["kind"] in ("actor", "island state", "entity")][:3]
    made_name = f"{like['instance_name'][:-1]}99"
    more = copy.deepcopy(like) | {"instance_name": made_name, "@like": like["instance_name"]}
    if like["kind"] == "island state":
        more["transform"]["translation"] = [77.0, 0.0, 0.0]
        made_name = more["instance_name"] = "island state:(77, 0, 0)"
    changes = made(as_lines(gone | {"@drop": True}, more, other), save, new)
    assert sorted((change.verb, change.path[-1]) for change in changes) == [
        ("added", made_name),
        ("dropped", gone["instance_name"]),
    ]
    found = {each["instance_name"]: each for each in lines_of(new)}
    del more["@like"]
    assert {**found[made_name], "path": 0} == {**more, "path": 0}
    assert found.keys() == {each["instance_name"] for each in lines} - {gone["instance_name"]} | {made_name}


def test_a_line_may_give_a_name_to_what_has_none(tmp_path):
    """The value is first a copy: of the name of a player, who has a line, too."""
    save, new = VALID.parent / "howto" / "Level.sav", tmp_path / "new.sav"
    lines = {line["instance_name"]: line for line in lines_of(save)}
    anna, pal = lines["Anna"], lines["000000CB-00000000-0000ABCD-00001234"]
    anna["value"]["RawData"]["object"]["SaveParameter"]["Level"] = 31
    pal["value"]["RawData"]["object"]["SaveParameter"]["NickName"] = "Woolly"
    added, *changes = made(as_lines(pal, anna), save, new)
    place = ("worldSaveData", "CharacterSaveParameterMap", 4, "value", "RawData", "object", "SaveParameter")
    assert added.path == (*place, "NickName")
    assert [(change.path[-1], change.new) for change in changes] == [("Level", b"31"), ("NickName", b'"Woolly"')]
    named = {line["instance_name"]: line for line in lines_of(new)}
    assert [named[name]["value"] for name in ("Anna", "Woolly")] == [anna["value"], pal["value"]]


@pytest.mark.parametrize("name", ["satisfactory/sv25.sav", "satisfactory/sv60.sav", "gvas/palworld-1.0.sav"])
def test_lines_that_say_what_the_save_says_are_no_differences(name):
    save = VALID / name
    for text in (as_lines(*lines_of(save)), as_lines(*reversed(lines_of(save)))):
        with cut(save) as events:
            comparison = Comparison(events, JsonReader(BytesIO(text)))
            comparison.run_lines({})
        assert not comparison.differences


def test_objects_without_a_line_are_passed_over(tmp_path):
    """As by `edit --drop`: one that is damaged stays as it is."""
    save, bad, new = VALID / "satisfactory" / "sv60.sav", tmp_path / "bad.sav", tmp_path / "new.sav"
    document = as_lines(lines_of(save)[0] | {"@drop": True})

    def damaged(data: bytes) -> tuple[bytes, bytes]:
        head, body = head_and_body(data)
        at = body.rindex(b"IntProperty\0")
        return head, body[: at - 4] + b"\xff\xff\xff\x7f" + body[at:]

    bad.write_bytes(deflate(*damaged(save.read_bytes())))
    changes = made(document, save, new)
    expected = damaged(new.read_bytes())[1]
    assert made(document, bad, new) == changes
    assert head_and_body(new.read_bytes())[1] == expected


@pytest.mark.parametrize("name", ["", "plain", "a b: [{}]~", "\u00e9", 'quoted "', "back\\slash", "\t", "x" * 300_000])
@pytest.mark.parametrize("between", ["", " \n\t\r"])
def test_names_of_any_text(name, between):
    for is_ascii in (True, False):
        reader = JsonReader(BytesIO(f" {json.dumps(name, ensure_ascii=is_ascii)}{between}:5".encode()))
        assert (reader.name(), reader.decoded()) == (name, 5)


@pytest.mark.parametrize("text", ['"a\t":1', '"a"', '"a" 1', '"a', "a:1", "5:1"])
def test_what_is_no_name(text):
    with pytest.raises(EditError):
        JsonReader(BytesIO(text.encode())).name()


def test_an_index_of_a_large_list_takes_little_while_it_is_sorted():
    count = 50_000
    places = Places()
    for number in range(count):
        places.add(b"%d" % (number % (count - 1)), number)
    with Traced() as memory:
        assert [places.take(key) for key in (b"5", b"0", b"0", b"0", b"x")] == [5, 0, count - 1, -1, -1]
    assert memory.peak < 60 * count


@pytest.mark.parametrize("of", [json_document, json_lines])
def test_a_document_may_begin_with_a_mark(tmp_path, of):
    """Editors of Windows write one, and show columns without it."""
    save, new = VALID / "satisfactory" / "sv42.sav", tmp_path / "b.sav"
    with streamsave.open(save) as events:
        text = b"\xef\xbb\xbf" + b"".join(of(events))
    assert made(text, save, new) == []
    assert new.read_bytes() == save.read_bytes()
    with pytest.raises(EditError, match="line 1, column 3 of the document: expected a value"):
        made(text.replace(b'{"format"', b"{ ,", 1), save, new)


@pytest.mark.parametrize("coding", ["utf-16-le", "utf-16-be"])
def test_a_document_in_utf_16_is_named_so(coding):
    """Windows PowerShell writes the output of a command so."""
    with pytest.raises(EditError, match="line 1, column 1 of the document: it is in UTF-16"):
        with_head('\ufeff{"format": 1}'.encode(coding))


# --- what a document says of its save before all else ---

SAVE = bytes(range(256)) * 40


def text_of(save: bytes, *, with_original: bool) -> bytes:
    return b"{" + b"".join(head_of(save, with_original=with_original)) + b'"format":1}\n'


def with_head(text: bytes) -> JsonReader:
    document = JsonReader(BytesIO(text))
    document.read_head()
    return document


@pytest.mark.parametrize("size", [0, 1, 2, 3, 10_000, BLOCK_SIZE + 1])
@pytest.mark.parametrize("form", ["as it is", "indented"])
def test_the_save_comes_back(size, form):
    save = (SAVE * (size // len(SAVE) + 1))[:size]
    text = text_of(save, with_original=True)
    if form == "indented":
        text = json.dumps(json.loads(text), indent=2).encode()
    document = with_head(text)
    assert document.has_original
    assert json.loads(text)["@source"] == {"size": size, "sha256": hashlib.sha256(save).hexdigest()}
    document.check_source(save)
    target = BytesIO()
    document.write_original(target)
    assert target.getvalue() == save


def test_all_else_is_where_it_was():
    text = text_of(SAVE, with_original=True)
    start = text.index(b'"format"')
    reader = with_head(text)
    assert reader.decoded() == {"format": 1}
    reader.seek(0)
    reader.expect(b'{"format":')
    assert reader.tell() == start + len('"format":')


@pytest.mark.parametrize("text", [b'{"format":1}', b"{}", b"{", b'{"format":1,"@source":2}'])
def test_a_document_without_a_head_is_itself(text):
    document = with_head(text)
    assert not document.has_original
    document.check_source(SAVE)
    assert document.starts(text)


def test_another_save_is_refused():
    document = with_head(text_of(SAVE, with_original=False))
    document.check_source(SAVE)
    for other in (SAVE[:-1], SAVE[:-1] + b"\0"):
        with pytest.raises(EditError, match=r"line 1, column 2 of the document: it was made from another save"):
            document.check_source(other)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"@original":"AA!A","x":1}', r"line 1, column 15 of the document: @original is no Base64"),
        (b'{"@original":"AAA","x":1}', "@original is no Base64"),
        (b'{"@original":"AAAA', 'expected "'),
        (b'{"@original":5}', 'expected "'),
        (b'{"@source":', "expected a value|ends in a value"),
        (b"[]", "expected {"),
    ],
)
def test_a_head_that_is_none(text, message):
    with pytest.raises(EditError, match=message):
        with_head(text).write_original(BytesIO())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux")
def test_memory_does_not_grow_with_the_save(tmp_path):
    save, path, back = tmp_path / "save", tmp_path / "document", tmp_path / "back"
    save.write_bytes(SAVE * 10_000)
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with path.open("wb") as file:
        file.write(b"{")
        file.writelines(head_of(str(save), with_original=True))
        file.write(b'"format":1}')
    with path.open("rb") as file, back.open("wb") as target:
        document = JsonReader(file)
        document.read_head()
        document.check_source(str(save))
        document.write_original(target)
        document.expect(b'{"format":1}')
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
    assert hashlib.sha256(back.read_bytes()).digest() == hashlib.sha256(save.read_bytes()).digest()
