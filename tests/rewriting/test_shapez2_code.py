"""Blueprint codes: entries are left out with their commas, values and configurations are others; the envelope stays."""

from __future__ import annotations

import pytest
from field_edits import rewrite_at_random
from saves import VALID

from streamsave import Field, StructEnter
from streamsave.errors import EditError
from streamsave.formats.shapez2.configs import ITEM_PRODUCER
from streamsave.formats.shapez2.game_reader import GameEncoder
from streamsave.rewriting import rewrite

SAMPLES = VALID / "shapez2"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["islands-5.spz2bp", "pretty.spz2bp", "backwards.spz2bp"])
def test_random_edits(tmp_path, name):
    assert sum(rewrite_at_random(SAMPLES / name, tmp_path / "out.spz2bp", set(), seed, 0.1) for seed in range(2)) > 20


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
