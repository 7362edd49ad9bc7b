"""Blueprint codes: entries are left out with their commas, values and configurations are others; the envelope stays."""

from __future__ import annotations

import base64
import gzip
import json

import pytest
from field_edits import rewrite_at_random
from saves import VALID

import streamsave
from streamsave import Field, ObjectHeader, StructEnter
from streamsave.errors import EditError
from streamsave.formats.shapez2.configs import ITEM_PRODUCER
from streamsave.formats.shapez2.game_reader import GameEncoder
from streamsave.formats.shapez2.header import Fluid
from streamsave.rewriting import rewrite

SAMPLES = VALID / "shapez2"


def parts(path) -> tuple[str, dict, str]:
    """What is before the payload, its JSON, and what is after it."""
    head, _, rest = path.read_text().removeprefix("SHAPEZ2-").partition("-")
    end = min(at for at in (rest.find("$"), rest.find("[")) if at >= 0)
    return head, json.loads(gzip.decompress(base64.b64decode(rest[:end], validate=True))), rest[end:]


def entries(blueprint: dict) -> list[dict]:
    found = blueprint["Entries"]
    return found["$values"] if isinstance(found, dict) else found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["islands-5.spz2bp", "pretty.spz2bp", "backwards.spz2bp"])
def test_random_edits(tmp_path, name):
    assert sum(rewrite_at_random(SAMPLES / name, tmp_path / "out.spz2bp", set(), seed, 0.1) for seed in range(2)) > 20


@pytest.mark.parametrize("name", ["islands-1.spz2bp", "islands-5.spz2bp", "pretty.spz2bp"])
@pytest.mark.parametrize(
    "kept", [lambda place: place < 0, lambda place: place == 1, lambda place: place > 1, lambda place: place % 2]
)
def test_commas(tmp_path, name, kept):
    """Whichever entries go, the others are a list as before; so says the standard library."""
    target = tmp_path / "out.spz2bp"
    count = 0
    with rewrite(SAMPLES / name, target) as save:
        for event in save:
            if isinstance(event, ObjectHeader) and event.kind == "island":
                count += 1
                if kept(count - 1):
                    save.skip()
                else:
                    save.drop()
    head, before, tail = parts(SAMPLES / name)
    assert parts(target)[::2] == (head, tail)
    left = [entry for place, entry in enumerate(entries(before["BP"])) if kept(place)]
    assert count == len(entries(before["BP"])) > 3
    assert entries(parts(target)[1]["BP"]) == left
    assert {**parts(target)[1], "BP": None} == {**before, "BP": None}


def test_a_leaf_after_one_that_is_left_out(tmp_path):
    """The comma went with the first; the next is edited all the same."""
    source, target = SAMPLES / "islands-1.spz2bp", tmp_path / "out.spz2bp"
    names: list[str] = []
    with rewrite(source, target) as save:
        around = None
        for event in save:
            if isinstance(event, ObjectHeader) and event.kind == "building":
                around = event
            elif isinstance(event, Field) and around is not None and event.type == "int" and len(names) < 2:
                names.append(event.name)
                if len(names) == 1:
                    save.drop()
                else:
                    save.replace(77)
            elif isinstance(event, Field) and event.name == "T" and around is not None:
                with pytest.raises(EditError, match="no object"):
                    save.drop()
                break
    made, old = (entries(entries(parts(path)[1]["BP"])[0]["B"])[0] for path in (target, source))
    assert list(old)[:2] == names
    assert made == {name: value for name, value in {**old, names[1]: 77}.items() if name != names[0]}


@pytest.mark.parametrize("name", ["islands-1.spz2bp", "islands-5.spz2bp"])
def test_configurations(tmp_path, name):
    target = tmp_path / "out.spz2bp"
    wanted = {"FluidProducerConfig": Fluid("b"), "LabelConfig": "\u00c4 label", "ButtonConfig": False}
    with rewrite(SAMPLES / name, target) as save:
        for event in save:
            if isinstance(event, Field) and event.type in wanted:
                save.replace(wanted[event.type])
            elif isinstance(event, Field) and event.name == "C" and event.type == "SignalProducerConfig":
                with pytest.raises(EditError, match="not a Signal"):
                    save.replace(7)
    with streamsave.open(target) as events:
        values = {event.type: events.build() for event in events if isinstance(event, Field) and event.type in wanted}
    assert values == wanted


def test_an_old_configuration_stays_text_that_is_known_as_such():
    for text, fits in (("shape:", True), ("shape", False), ("", False)):
        encoder = GameEncoder(None)
        if fits:
            ITEM_PRODUCER.encode(text, encoder)
            assert bytes(encoder.data) == b"\6\0shape:"
        else:
            with pytest.raises(EditError, match="no text of an item"):
                ITEM_PRODUCER.encode(text, encoder)
    with pytest.raises(EditError, match="no text of an item"):
        ITEM_PRODUCER.encode("shape:RuRuRuRu", GameEncoder(["shape:RuRuRuRu"]))


def test_what_is_refused(tmp_path):
    path = SAMPLES / "islands-5.spz2bp"
    seen = set()
    with rewrite(path, tmp_path / "out.spz2bp") as save:
        for event in save:
            if isinstance(event, Field) and event.name in {"V", "$type"}:
                seen.add(event.name)
                with pytest.raises(EditError, match="how other bytes are read"):
                    save.replace(save.build())
            elif isinstance(event, StructEnter) and event.name in {"BP", "Entries"}:
                seen.add(event.name)
                with pytest.raises(EditError, match="no object"):
                    save.drop()
    assert seen == {"V", "$type", "BP", "Entries"}
    assert (tmp_path / "out.spz2bp").read_bytes() == path.read_bytes()
