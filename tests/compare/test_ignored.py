"""Which differences are passed over."""

import pytest

from streamsave.compare import ignored as module
from streamsave.compare.ignored import ALWAYS_OTHERWISE, ignored_by
from streamsave.formats import FORMATS

CASES = [
    ("mTimer", "", "mTimer", True),
    ("mTimer", "", "mTimer/x", True),
    ("mTimer", "", "mTimer[2]", True),
    ("mTimer", "", "mTimers", False),
    ("mTimer", "", "a/mTimer", False),
    ("*/mTimer", "", "a/b/mTimer", True),
    ("mStacks[*]/Count", "", "mStacks[17]/Count", True),
    ("mStacks[*]/Count", "", "mStacks[17]/Name", False),
    ("mStacks[*].Count", "", "mStacks[17]/Count", True),
    ("Build_*_C:trailer.items", "Build_Wall_C", "trailer/items[0]", True),
    ('mMap["a.b"].Count', "", 'mMap["a.b"]/Count', True),
    ("m.x", "", "max", False),
    # The grammar of paths: quotes where there need be none, a position alone as `[*]`.
    ('"mTimer"', "", "mTimer", True),
    ("'odd name'.x", "", '"odd name"/x', True),
    ("'a:b'/x", "", "a:b/x", True),
    (r"mMap['a\b']", "", r'mMap["a\\b"]/Count', True),
    (r'."\u006dTimer"', "", "mTimer", True),
    ("mStacks[*]/Count", "", "mStacks[1]/Sub[2]/Count", False),
    ("mStacks[*]", "", "mStacks[3..7]", True),
    ("mStacks[*]/Count", "", 'mStacks["a]/b"]/Count', True),
    ("mStacks[*]/Count", "", 'mStacks["a\\"]/b"]/Count', True),
    ("mStacks*/Count", "", "mStacks[1]/Sub[2]/Count", True),
    ("Build_*_C:mTimer", "Build_Wall_C", "mTimer", True),
    ("Build_*_C:mTimer", "Wall_C", "mTimer", False),
    ("Build_Wall:mTimer", "Build_Wall_C", "mTimer", False),
    ("Build_*_C:*", "Build_Wall_C", "anything", True),
    # A path as `diff` prints it: the colon is in a key.
    ('mMap["a:b"]/Count', "", 'mMap["a:b"]/Count', True),
    ('mMap["a:b"]', "Build_Wall_C", 'mMap["a:b"]/Count', True),
    ('Build_*_C:mMap["a:b"]', "Build_Wall_C", 'mMap["a:b"]/Count', True),
    ('Build_*_C:mMap["a:b"]', "Wall_C", 'mMap["a:b"]/Count', False),
]


@pytest.mark.parametrize(("pattern", "class_name", "path", "expected"), CASES)
def test_patterns(pattern, class_name, path, expected):
    ignores = ignored_by(["mNever", pattern, "Never:*"])
    assert ignores(class_name, path) is expected
    assert ignores(class_name, path) is expected  # what is known already
    assert not ignored_by([])(class_name, path)


def test_answers_that_are_kept_are_bounded(monkeypatch):
    monkeypatch.setattr(module, "MOST_KNOWN", 3)
    ignores = ignored_by(["a*"])
    assert [ignores("", f"{'ab'[at % 2]}{at}") for at in range(9)] == [True, False] * 4 + [True]
    assert ignores.cache_info().currsize <= 3


def test_the_table_is_of_formats_that_there_are():
    assert set(ALWAYS_OTHERWISE) <= {row.name for row in FORMATS}
