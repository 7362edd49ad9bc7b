"""The page around the data: what it allows, and texts that cannot be markup."""

import gzip
import random
import re
from array import array
from base64 import b64decode, b64encode
from hashlib import sha256

import pytest
from pages import Tags, blocks_of, data_of, unpack

from streamsave.report.page import CORNERS_BLOCK, JSON_BLOCK, POINTS_BLOCK, TAG_SIZE, Blocks, Page, part, shown, small

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&${script}$script<!--data-->\ud800\x00"


def written(title="World", facts=(), rest=None) -> str:
    pieces = []
    Page(pieces.append, title, facts).end(rest or {})
    return "".join(pieces)


def test_the_policy_allows_our_script_and_style_and_nothing_else():
    tags = Tags(written())
    (policy,) = [attrs["content"] for tag, attrs in tags.tags if attrs.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    (script,) = [data for tag, data in tags.texts if tag == "script" and data.startswith('"use strict"')]
    (style,) = [data for tag, data in tags.texts if tag == "style" and ":root" in data]
    for name, content in (("script-src", script), ("style-src", style)):
        assert rules[name] == f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"
    assert not any(name.startswith("on") or name in {"src", "href", "style"} for _, attrs in tags.tags for name in attrs)


def test_hostile_texts_stay_texts():
    plain = Tags(written("x", [("label", "text")]))
    tags = Tags(written(HOSTILE, [(HOSTILE, HOSTILE)], {"title": HOSTILE, "table": [[HOSTILE]]}))
    assert [tag for tag, _ in tags.tags] == [tag for tag, _ in plain.tags]
    texts = [data for tag, data in tags.texts if tag in {"title", "h1", "dt", "dd"}]
    assert sum("onerror" in data for data in texts) >= 3
    assert "<img" not in written(HOSTILE, [(HOSTILE, HOSTILE)], {"title": HOSTILE})


def test_the_data_come_back():
    assert unpack(data_of(written(rest={"title": HOSTILE}))).rest == {"title": HOSTILE}


@pytest.mark.parametrize(("text", "result"), [("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#x27;"), ("\udc80", "?"), ("é", "é")])
def test_shown(text, result):
    assert shown(text) == result


def test_a_value_is_never_a_place():
    assert "<h1>${facts}$title</h1>" in written("${facts}$title", [("a", "b")])


def test_the_script_is_small_and_sets_no_markup():
    script = part("page.js")
    assert len(small(script).encode()) <= 43 * 512
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|setAttribute", script)
    assert not re.search(r"https?:|fetch\(|XMLHttpRequest|import\(", script)


def test_a_script_without_comments_and_indentation():
    script = '"use strict";\n\n// What it does.\nif (a) {\n\tb(`x\n\t\ty`); // why\n}\n'
    assert small(script) == '"use strict";\nif (a) {\nb(`x\ny`); // why\n}'


def parts(tags: list[str]) -> list[str]:
    return [text for tag, text in Tags("".join(tags)).texts if tag == "script" and text.strip()]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_columns_begin_at_multiples_of_four(count):
    tags = []
    blocks = Blocks(tags.append)
    blocks.add(POINTS_BLOCK, count, [array(letter, range(count)) for letter in "ffHB"], b"[1]")
    blocks.add(JSON_BLOCK, 1, (), b"{}")
    blocks.end()
    found = list(blocks_of(gzip.decompress(b"".join(map(b64decode, parts(tags))))))
    assert found == [(POINTS_BLOCK, [list(range(count))] * 4, b"[1]"), (JSON_BLOCK, [], b"{}")]


def test_tags_are_written_as_they_come_and_never_too_long():
    tags = []
    blocks = Blocks(tags.append)
    numbers = random.Random(1)
    before = []
    for _ in range(4):
        column = array("f", [numbers.random() for _ in range(20_000)])
        blocks.add(CORNERS_BLOCK, len(column), (column,))
        before.append(len(tags))
    blocks.end()
    assert 0 < before[0] < before[1] < before[3] <= len(tags)
    assert [len(part) for part in parts(tags)[:-1]] == [TAG_SIZE] * (len(tags) - 1)
    assert 0 < len(parts(tags)[-1]) <= TAG_SIZE
