"""Objects that were chosen, by key and by name."""

from __future__ import annotations

from streamsave.rewriting.gone import Choice, hash_of


def test_what_was_added_is_there():
    choice = Choice()
    for number in (5, 3, 9):
        choice.add(number, f"name {number}")
    assert len(choice) == 3
    assert choice.has(3)
    assert not choice.has(4)
    assert choice.has_name("name 9")
    assert not choice.has_name("name 4")
    assert not choice.has_name("")


def test_others_may_follow():
    choice = Choice()
    choice.add(7, "a")
    choice.add_number(2, hash_of("b"))
    assert choice.has(2)
    assert choice.has(7)
    assert choice.has_name("b")
    assert choice.has_number(hash_of("b"))
    assert not choice.has_number(hash_of("c"))


def test_names_of_any_text_have_numbers():
    assert hash_of("\ud800") != hash_of("\ud801")
    assert hash_of("a") == hash_of("a")
