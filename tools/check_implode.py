"""Compare `Exploder` with dclimplode: round trips of random data, and damaged streams.

dclimplode (PyPI, Python 3.11 and older) packs with PKLIB and unpacks with blast, neither of which is related to our decoder.
Each round trip is fed and read in random pieces. Then the stream is damaged, and both must say the same of it:

| blast | we |
|---|---|
| output, `eof` | the same output, `eof` |
| "blast() error (-1)", "(-2)", "(-3)" | `DamagedSave`: literals, dictionary, distance |
| waits for more | wait for more; what blast has written (it writes 4096 bytes at a time) is the start of what we have |

What blast wrote before it found damage is not compared: dclimplode drops it. What follows the end is not compared either:
dclimplode does not show. Its decoder works in a thread of its own and now and then waits forever, by chance: the same case
passes the next time. Then this ends with a traceback after a minute, and `--first` goes on from the last number printed.

Exits with 1 at the first difference, after printing the seed of the case.
"""

from __future__ import annotations

import faulthandler
import importlib.metadata
import random
import sys
import time
from collections import Counter
from types import ModuleType

import click

from streamsave.errors import DamagedSave
from streamsave.input import implode
from streamsave.input.implode import Exploder

Outcome = tuple[str, bytes]

#: What blast calls the three kinds of damage, and our words for each.
ORACLE_ERRORS = {"(-1)": "literals", "(-2)": "dictionary", "(-3)": "before the start"}
#: How long one case may take before dclimplode is taken to hang.
HANGS_AFTER_SECONDS = 60
PROGRESS_EVERY = 500

WAITS = "waits"
ENDED = "ended"


def random_data(choose: random.Random) -> bytes:
    """Return up to 40 KiB of one of the kinds of data that saves hold, or of noise."""
    size = choose.choice((choose.randrange(20), choose.randrange(600), choose.randrange(6000), choose.randrange(40_000)))
    match choose.randrange(6):
        case 0:
            return choose.randbytes(size)
        case 1:
            return bytes(choose.choices(range(choose.randint(1, 6)), k=size))
        case 2:
            words = [choose.randbytes(choose.randint(1, 30)) for _ in range(choose.randint(1, 40))]
            return b"".join(choose.choices(words, k=size // 10 + 1))[:size]
        case 3:
            text = b" etaoinshrdlucmfwypvbgkjqxz\n.,ETAOINS0123456789"
            return bytes(choose.choices(text, weights=range(len(text), 0, -1), k=size))
        case 4:
            sparse = bytearray(size)
            for _ in range(size // 100):
                sparse[choose.randrange(size)] = choose.randrange(256)
            return bytes(sparse)
        case _:
            runs = [bytes([choose.randrange(256)]) * choose.choice((1, 2, 3, 9, 200, 517, 518, 519, 4096)) for _ in range(99)]
            return b"".join(runs)[:size]


def damaged(choose: random.Random, packed: bytes) -> bytes:
    """Return the stream with one or several bits, bytes or cuts changed."""
    changed = bytearray(packed)
    for _ in range(choose.choice((1, 1, 1, 2, 5))):
        at = choose.randrange(len(changed)) if choose.random() < 0.7 else choose.randrange(min(8, len(changed)))
        match choose.randrange(7):
            case 0 | 1:
                changed[at] ^= 1 << choose.randrange(8)
            case 2:
                changed[at] = choose.randrange(256)
            case 3:
                changed[at:at] = choose.randbytes(choose.randint(1, 4))
            case 4:
                del changed[at : at + choose.randint(1, 4)]
            case 5:
                del changed[at + 1 :]
            case _:
                changed[max(at, 2) :] = choose.randbytes(choose.randrange(2000))
        if not changed:
            return b"\x00"
    return bytes(changed)


def ours(packed: bytes, choose: random.Random) -> Outcome:
    """Explode in random pieces; return how it ended, and the output."""
    exploder = Exploder()
    output: list[bytes] = []
    position = 0
    largest_input, largest_output = choose.choice(((len(packed) + 1, 1 << 20), (1, 1 << 20), (7, 50), (500, 1), (3000, 5000)))
    while not exploder.eof:
        data = b""
        if exploder.needs_input:
            if position == len(packed):
                return WAITS, b"".join(output)
            data = packed[position : position + choose.randint(1, largest_input)]
            position += len(data)
        wanted = choose.randint(1, largest_output)
        try:
            piece = exploder.decompress(data, wanted)
        except DamagedSave as error:
            if not 0 < error.offset <= position:
                raise AssertionError(f"an error at {error.offset} of {position} bytes") from error
            return error.message, b"".join(output)
        if len(piece) > wanted:
            raise AssertionError(f"{len(piece)} bytes of output, {wanted} wanted")
        output.append(piece)
    return ENDED, b"".join(output)


def oracle(dclimplode: ModuleType, packed: bytes) -> Outcome:
    """Let blast unpack the stream; return how it ended, and what it has written."""
    exploder = dclimplode.decompressobj_blast()
    try:
        output: bytes = exploder.decompress(packed)
    except RuntimeError as error:
        return str(error), b""
    return ENDED if exploder.eof else WAITS, output


def difference(our: Outcome, their: Outcome) -> str | None:
    """Say in which way the two outcomes differ, or None."""
    for code, words in ORACLE_ERRORS.items():
        if code in their[0]:
            return None if words in our[0] else f"blast: {their[0]}; we: {our[0]}"
    if our[0] != their[0]:
        return f"blast: {their[0]}; we: {our[0]}"
    if our[0] == ENDED and our[1] != their[1]:
        return "the outputs differ"
    if our[0] == WAITS and not our[1].startswith(their[1]):
        return "the outputs before the cut differ"
    return None


def check_case(dclimplode: ModuleType, seed: str, mutations: int) -> Counter[str]:
    """Make one round trip and damage its stream `mutations` times; return how often each outcome was met.

    Raises:
        AssertionError: a difference.
    """
    choose = random.Random(seed)
    data = random_data(choose)
    literals = choose.choice((dclimplode.CMP_BINARY, dclimplode.CMP_ASCII))
    packer = dclimplode.compressobj(literals, choose.choice((1024, 2048, 4096)))
    packed: bytes = packer.compress(data) + packer.flush()
    if ours(packed, choose) != (ENDED, data):
        raise AssertionError(f"case {seed}: the round trip does not return")
    found = difference((ENDED, data), oracle(dclimplode, packed))
    if found:
        raise AssertionError(f"case {seed}: {found}")

    outcomes = Counter({"round trips": 1})
    for number in range(mutations):
        changed = damaged(choose, packed)
        our, their = ours(changed, choose), oracle(dclimplode, changed)
        found = difference(our, their)
        if found:
            raise AssertionError(f"case {seed}, mutation {number} ({changed.hex()}): {found}")
        outcomes[f"damaged: {our[0]}"] += 1
    return outcomes


@click.command(help=__doc__)
@click.option("--count", default=5000, show_default=True, help="Round trips.")
@click.option("--mutations", default=4, show_default=True, help="Damaged streams for each round trip.")
@click.option("--first", default=0, show_default=True, help="Number of the first case.")
@click.option("--seed", default="0", show_default=True, help="Any text; each case is numbered after it.")
def main(count: int, mutations: int, first: int, seed: str) -> None:
    """Run the cases and print how often each outcome was met."""
    try:
        import dclimplode  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise click.ClickException("dclimplode is not installed (it has wheels up to Python 3.11)") from None
    click.echo(f"{implode.__file__} against dclimplode {importlib.metadata.version('dclimplode')}")
    outcomes: Counter[str] = Counter()
    started = time.perf_counter()
    for number in range(first, first + count):
        if number % PROGRESS_EVERY == 0:
            click.echo(f"case {number}")
        faulthandler.dump_traceback_later(HANGS_AFTER_SECONDS, exit=True)
        try:
            outcomes += check_case(dclimplode, f"{seed}:{number}", mutations)
        except AssertionError as error:
            click.echo(str(error), err=True)
            sys.exit(1)
    faulthandler.cancel_dump_traceback_later()
    for outcome, met in outcomes.most_common():
        click.echo(f"{met:8} {outcome}")
    click.echo(f"{time.perf_counter() - started:.0f} s, no difference")


if __name__ == "__main__":
    main()
