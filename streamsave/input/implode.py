"""ImplodeCrypt, the packing that Arx Fatalis uses for the entries of its saves. Arx Libertatis copies old entries unchanged.

An entry's stored bytes, chunks joined, with every byte at an even index (0, 2, 4 ...) inverted (`ImplodeCrypt`),
are one stream of PKWARE's Data Compression Library (`Exploder`):

| field | bits | what |
|---|---|---|
| literal flag | 8 | 0: literals are plain bytes, 1: literals are coded with `ASCII_LITERALS` |
| dictionary bits | 8 | 4, 5, 6: matches reach back 1024, 2048, 4096 bytes |
| tokens | | literals and matches, up to a match of length 519, which ends the stream |

Bits fill each byte from the lowest up. Numbers are stored lowest bit first.

| token | bits | what |
|---|---|---|
| literal | 1 | 0 |
| | 8, or 4 to 13 | the byte, plain or coded |
| match | 1 | 1 |
| | 2 to 7 | the class of the length, coded with `LENGTH_CLASSES` |
| | 0 to 8 | length - `LENGTH_BASE[class]`, in `LENGTH_EXTRA_BITS[class]` bits |
| | 2 to 8 | high part of distance - 1, coded with `DISTANCES` (not there when the length is 519) |
| | 2, or dictionary bits | low part of distance - 1: 2 bits when the length is 2 (not there when the length is 519) |

A match repeats `length` bytes from `distance` bytes back; it may overlap the bytes that it makes. Bits left over in the last
byte mean nothing. The stream holds neither its packed nor its unpacked size.

The three codes are fixed, and each follows from its code lengths: counted up from 0, shorter codes first, codes of one length in
the order of their symbols (as in Deflate). The stream holds each code with all bits **inverted**, highest bit first. The codes
are complete: any bits decode to something. So damage shows only in the two header bytes and in distances that reach before the
first byte.

The module is long because a third of it describes the format and holds its fixed codes.
"""

from __future__ import annotations

from typing import Final

from librt.strings import BytesWriter
from mypy_extensions import u8

from streamsave._native import i64
from streamsave.errors import DamagedSave

__all__ = ["Exploder", "ImplodeCrypt"]

LITERAL_PLAIN: Final = 0
LITERAL_ASCII: Final = 1
DICTIONARY_BITS_MIN: Final = 4
DICTIONARY_BITS_MAX: Final = 6
END_LENGTH: Final = 519
SHORTEST_MATCH: Final = 2
SHORTEST_MATCH_LOW_BITS: Final = 2

#: The dictionary's size is this times 2 to the power of the dictionary bits: `DISTANCES` has 64 symbols.
DISTANCE_SYMBOLS: Final = 64
#: The longest token: a match with a 7-bit length class, 8 extra bits, an 8-bit distance code and 6 low bits.
TOKEN_BITS: Final = 1 + 7 + 8 + 8 + 6
#: From this length on, a slice is faster than bytes one by one (measured; not compiled, it always is).
LONG_MATCH: Final = 16

#: Keeps a caller's `max_length` within 64 bits; no piece of output comes near it.
LARGEST_PIECE: Final = 1 << 48

INVERTED: Final = bytes(range(255, -1, -1))


class PrefixCode:
    """A prefix code as two tables, both indexed by the next bits of the stream; bits after the code do not matter.

    Attributes:
        symbols: for each index, the decoded symbol.
        sizes: for each index, the number of bits of the code.
        mask: what to `&` the next bits with to get an index.
    """

    def __init__(self, symbols: bytes, sizes: bytes) -> None:
        self.symbols: Final = symbols
        self.sizes: Final = sizes
        self.mask: Final[i64] = len(symbols) - 1


def code_of_lengths(digits: str) -> PrefixCode:
    """Make the code from its code lengths, one hexadecimal digit for each symbol."""
    lengths = [int(digit, 16) for digit in digits]
    longest = max(lengths)
    symbols = bytearray(1 << longest)
    sizes = bytearray(1 << longest)
    code = 0
    for length in range(1, longest + 1):
        code <<= 1
        for symbol in range(len(lengths)):
            if lengths[symbol] == length:
                # The highest bit of the code comes first in the stream, so it is the lowest of the index. All bits are inverted.
                first_bits = int(f"{code:0{length}b}"[::-1], 2) ^ ((1 << length) - 1)
                for index in range(first_bits, 1 << longest, 1 << length):
                    symbols[index] = symbol
                    sizes[index] = length
                code += 1
    return PrefixCode(bytes(symbols), bytes(sizes))


PLAIN_LITERALS: Final = PrefixCode(symbols=bytes(range(256)), sizes=bytes([8] * 256))
ASCII_LITERALS: Final = code_of_lengths(
    "bcccccccc87cc7cc"  # 00 to 0f
    "ccccccccccdccccc"  # 10 to 1f
    "4a8caca877897678"  # 20 to 2f: space ! " # $ % & ' ( ) * + , - . /
    "76777787788cb79b"  # 30 to 3f: 0 to 9 : ; < = > ?
    "c676657886b96766"  # 40 to 4f: @ A to O
    "7b66679899b8b9c8"  # 50 to 5f: P to Z [ \\ ] ^ _
    "c566656665b75655"  # 60 to 6f: ` a to o
    "6a55558788abbccc"  # 70 to 7f: p to z { | } ~
    "dddddddddddddddd"  # 80 to 8f
    "dddddddddddddddd"  # 90 to 9f
    "dddddddddddddddd"  # a0 to af
    "cccccccccccccccc"  # b0 to bf
    "cccccccccccccccc"  # c0 to cf
    "cccccccccccccccc"  # d0 to df
    "dcdddcdddcddddcd"  # e0 to ef
    "ddcccddddddddddd"  # f0 to ff
)
LENGTH_CLASSES: Final = code_of_lengths("2333444555566677")
DISTANCES: Final = code_of_lengths("2445555666666666666666777777777777777777777777778888888888888888")

#: For each class of lengths: the shortest length, and the number of extra bits that are added to it.
LENGTH_BASE: Final[list[i64]] = [3, 2, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 40, 72, 136, 264]
LENGTH_EXTRA_BITS: Final = bytes([0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])


class Exploder:
    """Unpack one imploded stream from pieces of any size; the interface is that of `bz2.BZ2Decompressor`.

    It holds at most 4096 bytes of output, the input that is not used yet, and the piece that it makes. A stream that ends too
    early raises nothing: `eof` stays False.

    Attributes:
        eof: whether the end of the stream was reached.
        needs_input: whether more input is needed for more output. False when the last call stopped at its `max_length`.
        unused_data: input after the end of the stream.
    """

    def __init__(self) -> None:
        self.eof = False
        self.needs_input = True
        self.unused_data = b""
        self._input = b""
        self._input_offset: i64 = 0  # where `_input` starts in the packed stream
        self._position: i64 = 0  # in `_input`; all before it is used, except `_bits`
        self._bits: i64 = 0  # what is left of the byte before `_position`
        self._bit_count: i64 = 0  # 0 to 7
        self._literals = PLAIN_LITERALS
        self._dictionary_bits: i64 = 0  # 0 until the header was read
        self._dictionary_size: i64 = 0  # in bytes
        self._distance: i64 = 0  # of the match that `max_length` cut in two
        self._match_left: i64 = 0  # bytes of it still to be made
        self._window = b""  # the last output, `_dictionary_size` bytes of it
        self._error: DamagedSave | None = None

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Take more input and return up to `max_length` bytes of output.

        Input that is not used yet is kept: call again with empty `data` while `needs_input` is False. After the end, all input
        is added to `unused_data`.

        Raises:
            DamagedSave: the stream is damaged. Earlier calls returned the output before the damage; later calls raise the error
                again. Its offset is the number of packed bytes decoded, the damaged ones included.
            TypeError: `max_length` is negative.
        """
        if max_length < 0:
            raise TypeError(f"max_length must not be negative: {max_length}")
        max_length = min(max_length, LARGEST_PIECE)
        self._raise_damage()
        if self.eof:
            self.unused_data += data
            return b""
        if data:
            self._input = self._input[self._position :] + data
            self._input_offset += self._position
            self._position = 0

        if self._dictionary_bits == 0 and not self._read_header():
            self._raise_damage()
            return b""

        blocks: list[bytes] = []
        wanted = max_length
        self.needs_input = False
        while wanted > 0:
            size = min(wanted, self._dictionary_size)
            block = self._decode_block(size)
            blocks.append(block)
            wanted -= len(block)
            if len(block) < size:
                break
        if wanted == max_length:
            self._raise_damage()
        return b"".join(blocks)

    def _read_header(self) -> bool:
        """Read literal flag and dictionary bits; return False if they are not there yet, or damaged."""
        available = len(self._input) - self._position
        if available >= 1:
            literal_flag = self._input[0]
            if literal_flag not in (LITERAL_PLAIN, LITERAL_ASCII):
                self._position = 1
                return self._damaged("unknown kind of literals in an imploded stream", "0 or 1", literal_flag)
            if literal_flag == LITERAL_ASCII:
                self._literals = ASCII_LITERALS
        if available >= 2:
            dictionary_bits = self._input[1]
            self._position = 2
            if not DICTIONARY_BITS_MIN <= dictionary_bits <= DICTIONARY_BITS_MAX:
                return self._damaged("unknown dictionary size of an imploded stream", "4, 5 or 6", dictionary_bits)
            self._dictionary_bits = dictionary_bits
            self._dictionary_size = DISTANCE_SYMBOLS << dictionary_bits
        return available >= 2

    def _decode_block(self, max_size: i64) -> bytes:
        """Return the next `max_size` bytes; fewer when the input is used up, at the end of the stream, and at damage.

        A block is no larger than the dictionary, so that most far matches are in the window as it is at the start.

        A token counts only when all of its bits are there. It is decoded as if zeros followed: when bits are missing, the codes
        found have more bits than there are, whatever they decode to.
        """
        window = self._window
        window_size: i64 = len(window)
        limit = window_size + max_size
        output = BytesWriter()  # the window, then the new bytes
        output.write(window)

        # Locals, because every token needs each of these.
        literal_symbols = self._literals.symbols
        literal_sizes = self._literals.sizes
        literal_mask = self._literals.mask
        class_symbols = LENGTH_CLASSES.symbols
        class_sizes = LENGTH_CLASSES.sizes
        class_mask = LENGTH_CLASSES.mask
        distance_symbols = DISTANCES.symbols
        distance_sizes = DISTANCES.sizes
        distance_mask = DISTANCES.mask
        dictionary_bits = self._dictionary_bits
        data = self._input
        data_size: i64 = len(data)
        position = self._position
        bits = self._bits
        bit_count = self._bit_count
        distance = self._distance
        match_left = self._match_left
        made = window_size  # bytes in `output`, the current match included
        too_far = False

        # All are machine integers: in compiled code, one Python integer in the loop costs a third of the speed.
        index: i64
        size: i64  # bits of the token so far
        length_class: i64
        extra_bits: i64
        low_bits: i64
        length: i64
        take: i64
        source: i64
        literal: u8

        while True:
            # The rest of a match, as far as it fits. All of a long match is often in the window: for runs, the compressor of
            # that time prefers the match that is farthest back.
            take = limit - made
            if take > match_left:
                take = match_left
            match_left -= take
            source = made - distance
            made += take
            if take >= LONG_MATCH and source + take <= window_size:
                output.write(window[source : source + take])
                take = 0
            while take > 0:
                output.append(output[source])
                source += 1
                take -= 1
            if made >= limit:
                break

            while bit_count < TOKEN_BITS and position < data_size:
                bits |= data[position] << bit_count
                position += 1
                bit_count += 8

            if bits & 1 == 0:
                index = (bits >> 1) & literal_mask
                literal = literal_symbols[index]
                size = 1 + literal_sizes[index]
                if size > bit_count:
                    self.needs_input = True
                    break
                output.append(literal)
                made += 1
            else:
                index = (bits >> 1) & class_mask
                length_class = class_symbols[index]
                size = 1 + class_sizes[index]
                extra_bits = LENGTH_EXTRA_BITS[length_class]
                length = LENGTH_BASE[length_class] + ((bits >> size) & ((1 << extra_bits) - 1))
                size += extra_bits
                if length != END_LENGTH:
                    index = (bits >> size) & distance_mask
                    distance = distance_symbols[index]
                    size += distance_sizes[index]
                    low_bits = dictionary_bits
                    if length == SHORTEST_MATCH:
                        low_bits = SHORTEST_MATCH_LOW_BITS
                    distance = (distance << low_bits | (bits >> size) & ((1 << low_bits) - 1)) + 1
                    size += low_bits
                if size > bit_count:
                    self.needs_input = True
                    break
                if length == END_LENGTH:
                    self.eof = True
                else:
                    match_left = length
                    too_far = distance > made
            bits >>= size
            bit_count -= size
            if self.eof or too_far:
                break

        # Whole bytes go back to the input, so that `_position` is the end of what is used.
        position -= bit_count >> 3
        bit_count &= 7
        self._position = position
        self._bits = bits & ((1 << bit_count) - 1)
        self._bit_count = bit_count
        self._distance = distance
        self._match_left = match_left
        if self.eof:
            self.unused_data = data[position:]
            self._input = b""
        if too_far:
            self._damaged("match reaches to before the start of the output", f"at most {made}", distance)
        filled = output.getvalue()
        self._window = filled[-self._dictionary_size :]
        return filled[window_size:]

    def _raise_damage(self) -> None:
        """Raise the error that was found, if any."""
        if self._error is not None:
            raise self._error

    def _damaged(self, message: str, expected: str, actual: int) -> bool:
        """Keep the error until all output before it was returned; return False, for the caller to return."""
        self.needs_input = False
        self._error = DamagedSave(message, self._input_offset + self._position, expected=expected, actual=actual)
        return False


class ImplodeCrypt:
    """Invert every second byte of an entry; applied twice, it gives the first bytes again.

    Even and odd count from the start of the entry, over all of its chunks and pieces.
    """

    def __init__(self) -> None:
        self._next_even: i64 = 0  # where the next byte to invert is, in the next piece: 0 or 1

    def apply(self, data: bytes) -> bytes:
        """Return the next piece of the entry with the bytes at even indices inverted."""
        first = self._next_even
        inverted = bytearray(data)
        inverted[first::2] = data[first::2].translate(INVERTED)
        self._next_even = (first + len(data)) & 1
        return bytes(inverted)
