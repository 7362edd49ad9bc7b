"""`Exploder` on streams written bit by bit here, on known ones, and beside dclimplode."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamsave.errors import DamagedSave
from streamsave.input.implode import Exploder, ImplodeCrypt

ROOT = Path(__file__).resolve().parents[2]

# --- a packer for tokens, with its own tables: the codes as they are printed in descriptions of the format, first bit first

LENGTH_CODES = [
    # first length, code, number of extra bits
    (2, "101", 0),
    (3, "11", 0),
    (4, "100", 0),
    (5, "011", 0),
    (6, "0101", 0),
    (7, "0100", 0),
    (8, "0011", 0),
    (9, "0010 1", 0),
    (10, "0010 0", 1),
    (12, "0001 1", 2),
    (16, "0001 0", 3),
    (24, "0000 11", 4),
    (40, "0000 10", 5),
    (72, "0000 01", 6),
    (136, "0000 001", 7),
    (264, "0000 000", 8),
]
# Codes of one length count down.
DISTANCE_CODES = (
    ["11"]
    + [f"{code:04b}" for code in (11, 10)]
    + [f"{code:05b}" for code in (19, 18, 17, 16)]
    + [f"{code:06b}" for code in range(31, 16, -1)]
    + [f"{code:07b}" for code in range(33, 7, -1)]
    + [f"{code:08b}" for code in range(15, -1, -1)]
)
END = (519, 1)


def number(value, size):
    """Bits of a number, lowest first."""
    return f"{value:0{size}b}"[::-1] if size else ""


def pack(tokens, dictionary_bits=4):
    """Pack literals (ints) and matches ((length, distance)), with plain literals and without adding the end."""
    bits = ""
    for token in tokens:
        if isinstance(token, int):
            bits += "0" + number(token, 8)
            continue
        length, distance = token
        first, code, extra_bits = next(row for row in reversed(LENGTH_CODES) if row[0] <= length)
        bits += "1" + code.replace(" ", "") + number(length - first, extra_bits)
        if token != END:
            low_bits = 2 if length == 2 else dictionary_bits
            bits += DISTANCE_CODES[(distance - 1) >> low_bits] + number((distance - 1) & ((1 << low_bits) - 1), low_bits)
    bits += "0" * (-len(bits) % 8)
    return bytes([0, dictionary_bits]) + bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, len(bits), 8))


def unpacked(tokens):
    """What the tokens say, the slow way."""
    output = bytearray()
    for token in tokens:
        if isinstance(token, int):
            output.append(token)
        elif token != END:
            for _ in range(token[0]):
                output.append(output[-token[1]])
    return bytes(output)


def explode(packed, input_size=1 << 20, output_size=1 << 20):
    """Explode in pieces; return the output and the exploder. Ends at the end, or when the input does."""
    exploder = Exploder()
    output = []
    position = 0
    while not exploder.eof:
        data = b""
        if exploder.needs_input:
            if position >= len(packed):
                break
            data = packed[position : position + input_size]
            position += len(data)
        output.append(exploder.decompress(data, output_size))
        assert len(output[-1]) <= output_size
    return b"".join(output), exploder


PIECES = [(1 << 20, 1 << 20), (1, 1 << 20), (1 << 20, 1), (1, 1), (3, 7), (100, 4096)]

ALL_BYTES_ASCII = bytes.fromhex(
    "01042009fc811ff0053ec01b78014fe0019718b8033722e00a5c803370028ec001d8033b600b6c8035b002248125b000e6c00c987a50c20126a000c6"
    "20874d48000b6c7c291e4c5c090e3616260c0c74e8d0801148a08105e2c0508c2a12ba2850a108400c4c3e328f8b04a21c360b110cc8a08306229040"
    "1854600011e83b4c06dda6512916082198644327814c531519023c787020054110007a4017e800128038200688022280302004080202003fc007f002"
    "3c0037c00570021c003bc006b0022c0033c00430020c003d4007d00234003540055002140039400690022400314004100204003e8007e00238003680"
    "0560026da00534810650076a4015a80065a0041481029007724016c80069200524810410076240148800612004048100e0077c8017f0006ec0053801"
    "0760076c8015b00066c004180103a007748016d00018801a4007d000544005a000c80012a004100104001e800314002c000340037240064801280012"
    "8000c001300014000180012000100008f807"
)
FEAR = b"Fear Akbaa, fear Akbaa: the god of destruction. "

KNOWN = {
    # The example in blast.c.
    "blast": (bytes.fromhex("00048224258f807f"), b"AIAIAIAIAIAIA"),
    # By PKLIB.
    "plain, 1024, empty": (bytes.fromhex("000401ff"), b""),
    "ASCII, 1024, empty": (bytes.fromhex("010401ff"), b""),
    "plain, 1024, zeros": (bytes.fromhex("0004000004f01f01daf40af807"), bytes(1000)),
    "plain, 2048, text": (
        bytes.fromhex("00058c9409230744903562c2846101c22c7dd101820e9a3220cebc2103e28d191064cacca123a7ce183a69deb8710112f00f"),
        FEAR,
    ),
    "ASCII, 4096, text": (bytes.fromhex("010628b6a3793102d371f03d2d7d81e6158aeda93addeb344fb7554593198aa51b783ee01f"), FEAR),
    "ASCII, 1024, every byte": (ALL_BYTES_ASCII, bytes(range(256))),
}


@pytest.mark.parametrize(("input_size", "output_size"), PIECES)
@pytest.mark.parametrize("name", KNOWN)
def test_known_stream(name, input_size, output_size):
    packed, expected = KNOWN[name]
    output, exploder = explode(packed, input_size, output_size)
    assert output == expected
    assert (exploder.eof, exploder.needs_input, exploder.unused_data) == (True, False, b"")


def test_the_packer_here_agrees_with_the_known_stream():
    assert pack([0x41, 0x49, (11, 2), END]) == KNOWN["blast"][0]


@pytest.mark.parametrize("dictionary_bits", [4, 5, 6])
@pytest.mark.parametrize("high", range(64))
def test_every_distance_code(high, dictionary_bits):
    start = [(7 * i * i + i // 256) % 256 for i in range(4096)]
    first, last = (high << dictionary_bits) + 1, (high + 1) << dictionary_bits
    tokens = [*start, (3, first), (4, last), (518, last), (2, (high << 2) + 1), (2, (high << 2) + 4), END]
    assert explode(pack(tokens, dictionary_bits), 1 << 20, 1000)[0] == unpacked(tokens)


@pytest.mark.parametrize("input_size", [1, 2, 5, 1000])
def test_what_follows_the_end_is_unused_data(input_size):
    output, exploder = explode(pack([1, 2, 3, END]) + b"after", input_size)
    assert output == b"\1\2\3"
    assert exploder.decompress(b"after"[len(exploder.unused_data) :], 10) == b""
    assert exploder.unused_data == b"after"


def test_truncated_is_not_damaged():
    tokens = [*b"abcdefgh", (100, 7), (2, 3), *b"ijk", (518, 90), END]
    packed = pack(tokens, 6)
    whole = unpacked(tokens)
    for size in range(len(packed)):
        output, exploder = explode(packed[:size], 1000)
        assert whole.startswith(output)
        assert (exploder.eof, exploder.needs_input) == (False, True)


def test_misuse():
    exploder = Exploder()
    with pytest.raises(TypeError, match="-1"):
        exploder.decompress(b"\0\6", -1)
    with pytest.raises(TypeError):
        exploder.decompress("no bytes", 10)
    assert exploder.decompress(pack([5, END]), 10) == b"\5"


DAMAGED = {
    # name: stream, output before the damage, offset, expected, actual
    "literal flag": (b"\2\4\0\0", b"", 1, "0 or 1", 2),
    "literal flag, nothing after it": (b"\xff", b"", 1, "0 or 1", 255),
    "dictionary too small": (b"\0\3\0\0", b"", 2, "4, 5 or 6", 3),
    "dictionary too large": (b"\1\7", b"", 2, "4, 5 or 6", 7),
    "match first of all": (pack([(3, 1), END]), b"", 4, "at most 0", 1),
    "match one too far": (pack([1, 2, (5, 3), END]), b"\1\2", 6, "at most 2", 3),
    "match too far after a match": (pack([1, (700 - 200, 1), (2, 1), (3, 504), END]), b"\1" * 503, 9, "at most 503", 504),
    "farthest match": (pack([9] * 4095 + [(518, 4096), END], 6), b"\x09" * 4095, 4613, "at most 4095", 4096),
}


@pytest.mark.parametrize(("input_size", "output_size"), PIECES)
@pytest.mark.parametrize("name", DAMAGED)
def test_damage(name, input_size, output_size):
    packed, before, offset, expected, actual = DAMAGED[name]
    exploder = Exploder()
    output = b""
    position = 0
    with pytest.raises(DamagedSave) as caught:
        while True:
            assert exploder.needs_input <= (position < len(packed))
            data = packed[position : position + input_size] if exploder.needs_input else b""
            position += len(data)
            output += exploder.decompress(data, output_size)
    assert output == before
    assert (caught.value.offset, caught.value.expected, caught.value.actual) == (offset, expected, actual)
    with pytest.raises(DamagedSave) as again:
        exploder.decompress(b"more", 10)
    assert again.value is caught.value
    assert (exploder.eof, exploder.needs_input) == (False, False)


def outcome(packed, input_size, output_size):
    exploder = Exploder()
    output = b""
    position = 0
    while not exploder.eof and not (exploder.needs_input and position >= len(packed)):
        data = packed[position : position + input_size] if exploder.needs_input else b""
        position += len(data)
        try:
            output += exploder.decompress(data, output_size)
        except DamagedSave as error:
            return output, str(error)
    return output, exploder.eof, exploder.unused_data + packed[position:]


@given(
    st.sampled_from([b"", b"\0\4", b"\1\5", b"\0\6", b"\1\6"]), st.binary(max_size=300), st.integers(1, 20), st.integers(1, 600)
)
def test_any_bytes_in_any_pieces(header, rest, input_size, output_size):
    """Random bits are tokens: none of them raises anything but `DamagedSave`, and pieces change nothing."""
    assert outcome(header + rest, input_size, output_size) == outcome(header + rest, 1 << 20, 1 << 20)


@st.composite
def token_lists(draw):
    tokens = [*draw(st.binary(min_size=1, max_size=20))]
    made = len(tokens)
    for _ in range(draw(st.integers(0, 30))):
        length = draw(st.integers(1, 20) | st.integers(1, 518))
        if length == 1:
            tokens.append(draw(st.integers(0, 255)))
        else:
            tokens.append((length, draw(st.integers(1, min(made, 256 if length == 2 else 4096)))))
        made += length
    return tokens


@pytest.mark.slow
@given(token_lists(), st.integers(1, 20), st.integers(1, 600))
def test_any_tokens_in_any_pieces(tokens, input_size, output_size):
    output, exploder = explode(pack([*tokens, END], 6), input_size, output_size)
    assert exploder.eof
    assert output == unpacked(tokens)


def test_even_bytes_are_inverted():
    assert ImplodeCrypt().apply(bytes.fromhex("ff0400ff80")) == bytes.fromhex("0004ffff7f")
    assert ImplodeCrypt().apply(b"") == b""


@given(st.lists(st.binary(max_size=9)))
def test_parity_goes_on_over_pieces(pieces):
    expected = bytes(byte ^ 0xFF if index % 2 == 0 else byte for index, byte in enumerate(b"".join(pieces)))
    crypt, back = ImplodeCrypt(), ImplodeCrypt()
    inverted = [crypt.apply(piece) for piece in pieces]
    assert b"".join(inverted) == expected
    assert [back.apply(piece) for piece in inverted] == pieces


# --- real containers, and an independent decoder


def test_agrees_with_dclimplode():
    """Some cases of `tools/check_implode.py`, which runs thousands. A process of its own, because dclimplode may hang."""
    pytest.importorskip("dclimplode", reason="dclimplode, the independent decoder, is not installed")
    command = [sys.executable, str(ROOT / "tools" / "check_implode.py"), "--count", "60"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=50, env=environment)
    except subprocess.TimeoutExpired:
        pytest.skip("dclimplode hangs, as it sometimes does")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "60 round trips" in done.stdout
