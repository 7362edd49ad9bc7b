"""What a notebook shows of headers and objects."""

from __future__ import annotations

from saves import SATISFACTORY

import streamsave
from streamsave._html import html_table


def test_everything_is_escaped():
    shown = html_table("<b>", [("<i>", "<script>alert(1)</script>"), ("long", "x" * 501), ("whole", "y" * 500), ("number", 3)])
    assert "<script>" not in shown
    assert "<i>" not in shown
    assert "<caption>&lt;b&gt;</caption>" in shown
    assert f"<td>{'x' * 500}...</td>" in shown
    assert f"<td>{'y' * 500}</td>" in shown
    assert "<td>3</td>" in shown


def test_headers_and_objects():
    save = SATISFACTORY / "sv58.sav"
    with streamsave.open(save) as events:
        header = next(events).header
    shown = header._repr_html_()
    assert "session_name" in shown
    assert header.session_name in shown
    found = next(streamsave.objects(save, "class_name = *CreatureSpawner*", ["mSpawnData[0].NumTimesKilled"]))
    shown = found._repr_html_()
    assert found.instance_name in shown
    assert "mSpawnData[0].NumTimesKilled" in shown
