"""How files of shapez 2 start."""

from __future__ import annotations

import pytest

from streamsave.formats.shapez2.sniff import sniff_code, sniff_save

HEADS = [
    # first bytes, a save, a code
    (b"PK\x03\x04", True, False),
    (b"PK\x05\x06", True, False),
    (b"PK\x03", False, False),
    (b"PK\x01\x02", False, False),
    (b"SHAPEZ2-", False, True),
    (b"SHAPEZ2", False, False),
    (b"SHAPEZ-4-", False, False),
    (b"", False, False),
]


@pytest.mark.parametrize(("head", "is_save", "is_code"), HEADS)
def test_first_bytes(head, is_save, is_code):
    assert (sniff_save(head), sniff_code(head)) == (is_save, is_code)
    assert (sniff_save(head + bytes(56)), sniff_code(head + bytes(56))) == (is_save, is_code)
