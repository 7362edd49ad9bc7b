"""The cache of old tags."""

from __future__ import annotations

from streamsave.formats.unreal.tag_cache import KEPT_SIZE, KEPT_TAGS, CachedTag, TagCache

RAW = b"lead" + b"sizindex" + b"tail"


def test_equal_bytes_are_one_tag():
    cache = TagCache()
    first = cache.keep(CachedTag("m", "IntProperty"), RAW, 4)
    assert (first.stored.lead, first.stored.tail, first.size) == (b"lead", b"tail", len(RAW))
    again = cache.keep(CachedTag("m", "IntProperty"), RAW.replace(b"sizindex", b"othersiz"), 4)
    assert again is first
    assert cache.keep(CachedTag("m", "IntProperty"), RAW + b"x", 4) is not first


def test_the_border_between_lead_and_tail_counts_for_nothing_but_its_place():
    """Lead and tail are compared joined: names have lengths, so equal bytes are the same tag."""
    cache = TagCache()
    assert cache.keep(CachedTag("m", "T"), RAW, 4).stored.lead == b"lead"


def test_what_is_long_or_not_at_hand_is_not_kept():
    cache = TagCache()
    longest = bytes(KEPT_SIZE)
    assert cache.keep(CachedTag("m", "T"), longest, 4).size == KEPT_SIZE
    for raw in (longest + b"x", b""):
        tag = CachedTag("m", "T")
        assert cache.keep(tag, raw, 4) is tag
        assert tag.size == 0


def test_it_does_not_grow_without_end():
    cache = TagCache()
    first = cache.keep(CachedTag("0", "T"), b"%8d" % 0 + bytes(8), 8)
    for index in range(1, KEPT_TAGS):
        cache.keep(CachedTag(str(index), "T"), b"%8d" % index + bytes(8), 8)
    assert cache.keep(CachedTag("0", "T"), b"%8d" % 0 + bytes(8), 8) is first
    cache.keep(CachedTag("x", "T"), b"       x" + bytes(8), 8)
    assert cache.keep(CachedTag("0", "T"), b"%8d" % 0 + bytes(8), 8) is not first


def test_starts():
    cache = TagCache()
    first = cache.start("0")
    assert cache.start("0") is first
    assert cache.start("1") is not first
    for index in range(2, KEPT_TAGS):
        cache.start(str(index))
    assert cache.start("0") is first
    cache.start("x")
    assert cache.start("0") is not first


def test_a_start_of_a_long_name_is_not_kept():
    """4,096 names of a MiB each are in a small hostile save."""
    cache = TagCache()
    longest = "x" * KEPT_SIZE
    assert cache.start(longest) is cache.start(longest)
    assert cache.start(longest + "x") is not cache.start(longest + "x")
