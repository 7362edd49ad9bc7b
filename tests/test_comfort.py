"""What makes programs easier: texts of public objects, values for `json.dumps`, warnings about what cannot be meant."""

import json
import warnings

import attrs
import pytest
from saves import ROOT, SATISFACTORY, VALID

import streamsave
from streamsave import ObjectHeader, PropertyTag, SelectWarning
from streamsave.check import check
from streamsave.output.json_text import value_bytes

SAMPLE = SATISFACTORY / "sv46.sav"
#: One of each format.
SAVES = [
    SAMPLE,
    ROOT / "corpora" / "howto" / "Level.sav",
    VALID / "arx" / "v1.1.sav",
    VALID / "shapez2" / "backwards.spz2",
    *sorted((VALID / "astroneer").glob("*.*"))[:1],
]


def test_streams_say_what_they_are():
    with streamsave.open(SAMPLE) as events:
        assert repr(events) == f"<EventStream of {str(SAMPLE)!r}: Satisfactory save, open>"
        list(events)
        assert repr(events).endswith(", ended>")
    assert repr(events).endswith(", closed>")
    assert repr(streamsave.open(b"GVAS" + bytes(40))).startswith("<EventStream of '<44 bytes>': ")
    with streamsave.rewrite(SAMPLE, None) as save, streamsave.cut(SAMPLE) as other:
        assert repr(save).startswith("<RewriteStream of ")
        assert repr(other).startswith("<CutStream of ")


def public_objects():
    """One object of most public classes."""
    yield streamsave.parse_selection("class_name = x and not size > 3")
    yield streamsave.Limits()
    for path in SAVES:
        with streamsave.open(path) as events:
            yield events
            yield events.format
            for event in events:
                yield event
                if isinstance(event, PropertyTag):
                    yield events.build()
    yield from streamsave.objects(SAMPLE)
    yield from check(VALID / "satisfactory" / "sv52.sav")
    with streamsave.open(SAVES[1]) as events:
        yield from events.containers()
    with streamsave.cut(SAMPLE) as other:
        for event in other:
            if isinstance(event, ObjectHeader):
                yield other.take()


def test_no_text_is_an_address():
    seen = {}
    for each in public_objects():
        if type(each) not in seen:
            seen[type(each)] = repr(each)
    assert len(seen) > 30
    assert [text for text in seen.values() if " object at 0x" in text.split("sniffer=")[0]] == []


@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.name)
def test_jsonable_is_what_the_commands_print(path):
    with streamsave.open(path) as events:
        for event in events:
            members = json.loads(json.dumps(streamsave.to_jsonable(event), allow_nan=False))
            assert list(members) == [field.name for field in attrs.fields(type(event))]
            if isinstance(event, PropertyTag):
                value = events.build()
                assert streamsave.to_jsonable(value) == json.loads(value_bytes(value))
    with pytest.raises(TypeError):
        streamsave.to_jsonable(object())


@pytest.mark.parametrize(
    ("where", "meant"),
    [
        ("klass = *", "class_name"),
        ("class = *", "class_name"),
        ("Name = x", "instance_name"),
        ("name = x and size > 0", "instance_name"),
    ],
)
def test_a_name_that_is_nearly_one_of_the_header(where, meant):
    with pytest.warns(SelectWarning, match=rf"no object matches, and no property '\w+' was met: did you mean '{meant}'\?"):
        assert list(streamsave.objects(SAMPLE, where)) == []
    with pytest.warns(SelectWarning, match="did you mean"), streamsave.open(SAMPLE) as events:
        events.only(where)


@pytest.mark.parametrize(
    "where",
    ["klass = x or class_name = *", "mFoo = 3", "has(mFoo)", "class_name = nothing", "mSpawnData = x or instance_name = none"],
)
def test_others_are_not_warned_of(where):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "mSpawnData")
        list(streamsave.objects(SAMPLE, where))


def edited(target, *, reads=True):
    save = streamsave.rewrite(SAMPLE, target)
    for event in save:
        if isinstance(event, ObjectHeader):
            save.drop()
            if not reads:
                break
    return save


def test_a_whole_loop_that_is_closed_warns(tmp_path):
    save = edited(tmp_path / "new.sav")
    with pytest.warns(ResourceWarning, match=r"close\(\) of a rewrite\(\) without finish\(\)"):
        save.close()
    assert not (tmp_path / "new.sav").exists()
    save.close()
    save = edited(tmp_path / "new.sav")
    save.finish()
    save.close()
    assert (tmp_path / "new.sav").exists()


def test_what_was_not_meant_to_be_written_is_not_warned_of(tmp_path):
    edited(None).close()
    edited(tmp_path / "new.sav", reads=False).close()
    with streamsave.rewrite(SAMPLE, tmp_path / "new.sav") as save:
        list(save)
        save.close()
    with pytest.raises(KeyError), streamsave.rewrite(SAMPLE, tmp_path / "new.sav") as save:
        for event in save:
            if isinstance(event, ObjectHeader):
                save.drop()
        raise KeyError
