"""The envelope of a code: its number, the payload, the icons."""

from __future__ import annotations

import base64
import gzip

import pytest

from streamsave import DamagedSave, LimitExceeded, SaveError, TruncatedSave
from streamsave.formats.shapez2.code import Envelope
from streamsave.input.source import BytesSource
from streamsave.limits import Limits

PAYLOAD = base64.b64encode(gzip.compress(b"{}" * 20, mtime=0))


def envelope(number: bytes = b"4", end: bytes = b"$", payload: bytes = PAYLOAD, **limits: int) -> Envelope:
    return Envelope(BytesSource(b"SHAPEZ2-" + number + b"-" + payload + end), Limits(**limits))


@pytest.mark.parametrize(("number", "version"), [(b"1", 1), (b"4", 4), (b"0001", 1)])
def test_number(number, version):
    found = envelope(number)
    assert (found.version, found.icons, found.windows.size()) == (version, b"", 40)


FAULTS = [
    # number, end, what is said
    (b"0", b"$", DamagedSave, "envelope of a blueprint code"),
    (b"00001", b"$", DamagedSave, "no envelope"),
    (b"x", b"$", DamagedSave, "no envelope"),
    (b"4", b"", TruncatedSave, "no end"),
    (b"4", b"$x", DamagedSave, "end of the code"),
    (b"4", b"[]_2$", DamagedSave, "end of the code"),
    (b"5", b"$", DamagedSave, "end of the code"),
    (b"5", b"[]_3$", DamagedSave, "length of the icons"),
    (b"5", b"[]_2", TruncatedSave, "no end"),
    (b"5", b"[\xff]_3$", DamagedSave, "icons are no UTF-8"),
]


@pytest.mark.parametrize(("number", "end", "kind", "message"), FAULTS)
def test_faults(number, end, kind, message):
    with pytest.raises(SaveError, match=message) as caught:
        envelope(number, end)
    assert type(caught.value) is kind


@pytest.mark.parametrize("cut", range(1, 10))
def test_a_code_that_was_cut_in_its_envelope(cut):
    data = b"SHAPEZ2-4-"[:cut]
    with pytest.raises(TruncatedSave if cut >= 8 else DamagedSave):
        Envelope(BytesSource(data), Limits())


@pytest.mark.parametrize(("icons", "units"), [("[]", 2), ("[\u00f6]", 3), ("[\U0001f600]", 4)])
def test_length_counts_utf16_units(icons, units):
    assert envelope(b"5", f"{icons}_{units}$ \r\n".encode()).icons == icons.encode()
    with pytest.raises(DamagedSave, match="length of the icons"):
        envelope(b"5", f"{icons}_{units + 1}$".encode())


def test_limit_of_the_text_after_the_payload():
    assert envelope(b"5", b"[]_2$", string_size=5).icons == b"[]"
    with pytest.raises(LimitExceeded, match="string_size") as caught:
        envelope(b"5", b"[]_2$", string_size=4)
    assert caught.value.value == 5


def test_limit_of_the_payload():
    """The search for the end of the payload stops after the piece that passes the limit."""
    long = b"A" * (64 * 1024)
    assert envelope(payload=long, total_inflated_size=64 * 1024).windows.size() == 0
    with pytest.raises(LimitExceeded, match="total_inflated_size") as caught:
        envelope(payload=long, total_inflated_size=64 * 1024 - 1)
    assert caught.value.value == 64 * 1024
