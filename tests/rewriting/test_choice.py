"""Objects that were chosen, by key and by name."""

from __future__ import annotations

from streamsave.rewriting.choice import MOST_IN_SETS, Choice, hash_of


def test_what_was_added_is_there():
    choice = Choice()
    for number in (5, 3, 9):
        choice.add(number, f"name {number}")
    choice.finish()
    assert len(choice) == 3
    assert choice.has(3)
    assert not choice.has(4)
    assert choice.has_name("name 9")
    assert not choice.has_name("name 4")
    assert not choice.has_name("")


def test_others_may_follow():
    choice = Choice()
    choice.add(7, "a")
    choice.finish()
    choice.add_number(2, hash_of("b"))
    choice.finish()
    assert choice.has(2)
    assert choice.has(7)
    assert choice.has_name("b")


def test_names_of_any_text_have_numbers():
    assert hash_of("\ud800") != hash_of("\ud801")
    assert hash_of("a") == hash_of("a")


def test_very_many_are_found_too():
    choice = Choice()
    for number in range(MOST_IN_SETS + 1):
        choice.add(2 * number, f"{number}")
    choice.finish()
    assert choice.has(2 * MOST_IN_SETS)
    assert not choice.has(1)
    assert choice.has_name("7")
    assert not choice.has_name("")
    assert not choice.has_name("x")
