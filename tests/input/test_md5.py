"""The MD5 of the interpreter, and that of OpenSSL where there is none."""

from __future__ import annotations

import hashlib
import sys

import pytest

from streamsave.input.md5 import new_md5

DATA = bytes(range(256)) * 500


@pytest.mark.parametrize("is_built_in", [True, False])
def test_is_md5(is_built_in, monkeypatch):
    if not is_built_in:
        monkeypatch.setitem(sys.modules, "_md5", None)
    digest = new_md5()
    digest.update(DATA[:1000])
    digest.update(DATA[1000:])
    assert digest.digest() == hashlib.md5(DATA, usedforsecurity=False).digest()
