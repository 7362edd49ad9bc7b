"""Readers that others wrote: what is compared, and that a reader which dies or hangs is no end."""

import sys
from collections import Counter

import differential
import pytest
from attack import peers
from attack.peers import PEERS, Answer, Peer, Running, differences, ours, reason
from click.testing import CliRunner
from saves import VALID
from writer.gvas import SaveGame
from writer.tags import INT, STR, Prop

#: A reader that finds what its file says: `dies`, `hangs`, or the answer itself.
READER = """
import sys, time
for line in sys.stdin:
    text = open(line[:-1], encoding="utf-8", errors="replace").read()
    if text == "dies": sys.exit(3)
    if text == "hangs": time.sleep(60)
    print(text if text.startswith("{") else '{"ok": false, "error": "no answer in it"}', flush=True)
"""
#: A reader that finds what we find, but never `Secret`.
BLIND = """
import json, sys
sys.path[:0] = %r
from attack.peers import ours
for line in sys.stdin:
    found = ours(open(line[:-1], "rb").read())
    hidden = found.names.pop("Secret", 0)
    found.types["IntProperty"] -= hidden
    print(json.dumps({"ok": found.is_ok, "error": found.error, "names": found.names, "types": +found.types}), flush=True)
"""


def peer(code: str) -> Peer:
    return Peer(
        "reader", ("gvas",), ".", (sys.executable, "-c", code.replace("{", "{{").replace("}", "}}")), "pip install {folder}"
    )


def answer(names: str | list[str], types: str | list[str] = "", **more: bool) -> Answer:
    return Answer(names=Counter(names), types=Counter(types), **more)


def save(*names: str) -> bytes:
    return SaveGame([Prop(name, INT, 5) for name in names]).encode()


def test_what_we_find():
    found = ours(SaveGame([Prop("Count", INT, 5), Prop("Count", INT, 6), Prop("Label", STR, "text")]).encode())
    assert found.names == Counter({"Count": 2, "Label": 1})
    assert found.types == Counter({"IntProperty": 2, "StrProperty": 1})
    assert (found.error, found.repeats, found.passes_over) == ("", True, False)
    assert not ours(save("Count", "Other")).repeats
    assert ours(save("Count")[:-9]).error.startswith("TruncatedSave: ")


def test_a_list_is_one_nesting():
    """The same name in two elements of an array is no repeat; objects are counted by class."""
    found = ours((VALID / "satisfactory" / "sv46.sav").read_bytes())
    assert not found.repeats
    assert found.classes.total() > 20
    assert max(found.names.values()) > 1


@pytest.mark.parametrize(
    ("own", "other", "said"),
    [
        (answer("aab", "xxx", repeats=True), answer("ab", "xx"), "twice"),
        (answer("aab", "xxx"), answer("ab", "xx"), ""),
        (answer(["a\0b"], "x"), answer("a", "x"), "a NUL"),
        (answer(["ab"], "x"), answer("a", "x"), "without end"),
        (answer(["ab"], "x"), answer("b", "x"), ""),
        (answer("a", "x"), answer("a", ["Raw"]), "keeps as bytes"),
        (answer("", "x", passes_over=True), answer("a", "xx"), "we pass over"),
        (answer("", "x"), answer("a", "xx"), ""),
    ],
)
def test_why_readers_may_differ(own, other, said):
    assert differences(own, other)
    why = reason(save("Count"), own, other)
    assert said in why
    assert bool(why) == bool(said)


def test_a_value_that_is_refused_when_it_is_decoded_explains_a_difference():
    data = SaveGame([Prop("Label", STR, "text")]).encode()
    broken = data.replace(b"\5\0\0\0text\0", b"\1\0\0\0text\0")
    assert ours(broken).is_ok
    other = Answer(names=Counter(["Label", "more"]))
    assert reason(data, ours(data), other) == ""
    assert "a size that does not fit" in reason(broken, ours(broken), other)


@pytest.mark.slow
def test_a_reader_that_dies_or_hangs_refuses(tmp_path, monkeypatch):
    """The next save is read by a new process."""
    texts = ("dies", '{"ok": true, "names": {"a": 2}}', "hangs", '{"ok": false, "error": "no"}', '{"ok": true}')
    paths = [tmp_path / str(number) for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    running = Running(peer(READER), tmp_path)
    answers: list[Answer] = []
    for path, text in zip(paths, texts, strict=True):
        monkeypatch.setattr(peers, "PATIENCE", 0.5 if text == "hangs" else 20.0)
        answers.append(running.read(path))
    running.close()
    assert [given.error for given in answers] == ["died", "", "no answer within 0 s", "no", ""]
    assert answers[1].names == Counter({"a": 2})


def test_missing_readers_are_named_with_their_installation(tmp_path):
    ran = CliRunner().invoke(differential.main, ["--peers", str(tmp_path)])
    assert ran.exit_code == 1
    for other in PEERS:
        assert f"{other.name} is missing. To install it: {other.install.format(folder=tmp_path)}" in ran.stderr
    assert f"no reader is in {tmp_path}" in ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("names", "code"), [(("Count", "Other"), 0), (("Count", "Secret"), 1)])
def test_the_command_finds_what_a_reader_does_not_see(names, code, tmp_path, monkeypatch):
    monkeypatch.setattr(differential, "PEERS", (peer(BLIND % ([path for path in sys.path if path],)),))
    (tmp_path / "first.sav").write_bytes(save("Count", "Label"))
    (tmp_path / "second.sav").write_bytes(save(*names))
    out = tmp_path / "found"
    args = ["--peers", str(tmp_path), "--count", "20", "-o", str(out)]
    ran = CliRunner().invoke(differential.main, [*args, str(tmp_path / "first.sav"), str(tmp_path / "second.sav")])
    assert ran.exit_code == code, ran.output
    assert ("differ" in " ".join(path.name for path in out.glob("*"))) == bool(code)
    cells = (line.strip("│").split("│") for line in ran.stdout.splitlines())
    rows = {row[0].strip(): row[1].strip() for row in cells if len(row) == 2}
    assert rows["saves"] == "2"
    assert rows["saves, both agree"] == str(2 - code)
    assert rows["mutants"] == "20"
    assert int(rows["mutants, both agree"]) + int(rows["mutants, both refuse"]) == 20
