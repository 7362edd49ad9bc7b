"""Upper bounds on what a save may ask for. The docstring has the precedent for each default."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from streamsave.errors import LimitExceeded

__all__ = ["Limits"]

MIB = 1024 * 1024

#: The largest value of a limit, an exbibyte: sums of two of them still fit into 64 bits with sign.
MOST: Final = 1 << 60
#: The largest `Limits.depth`: values are built by recursion, and plain Python ends it at 1,000 calls.
MOST_DEPTH: Final = 256
#: Levels of a value that may be too many for the stack of plain Python.
DEEP: Final = 64


@frozen(kw_only=True)
class Limits:
    """Upper bounds on what a save may ask for; a value above one raises `LimitExceeded`.

    Sizes are in bytes. The limits apply equally to reading, skipping and building. A limit is an int from 0 to 2**60, `depth`
    from 0 to 256.

    Attributes:
        chunk_inflated_size (int): a chunk's declared inflated size. Unreal's own constant is 131072, and every real chunk seen
            uses it.
        chunk_compressed_size (int): a chunk's declared compressed size. Deflate grows stored data by less than 0.1 %.
        total_inflated_size (int): all inflated bytes of one save; above half of it, there is a warning. The largest known world
            inflates to about 0.4 GiB.
        inflate_ratio (int): inflated : compressed, rounded up; checked only above `inflate_ratio_after` bytes. Real worlds have 5
            to 27; deflate has at most 1032.
        inflate_ratio_after (int): inflated bytes up to which `inflate_ratio` is not checked. Honest zeros have any ratio: a
            storage of Palworld that the game wrote has 70 MiB in 36 KB. To inflate so many zeros takes less than 0.1 s.
        spool_size (int): bytes of input that cannot seek (a pipe, an iterable) that are kept, on disk above 1 MiB, because the
            format goes back. An offset after that is refused before more than 1 MiB is read. The largest known saves have some
            100 MB.
        event_ratio (int): events : bytes of the file, rounded up; checked only above `event_ratio_after` events. Real worlds have
            0.1 to 2.2.
        event_ratio_after (int): events up to which `event_ratio` is not checked. Places that the game has not filled make any
            ratio: that storage of Palworld has 1.4 million events, 37 for each byte.
        depth (int): nesting of structs in structs. serde_json and quick-xml stop at the same depth.
        string_size (int): one string's bytes. Pillow allows 1 MiB for a PNG text chunk, Woodstox 512 KiB for an attribute.
        zero_size_count (int): elements that take no bytes; all others are bounded by the bytes left in the enclosing length.
        build_nodes (int): values that one `build()` may make: a small file must not become a large tree.
        build_size (int): bytes of strings and byte arrays that one `build()` or `raw()` may hold.
        table_entries (int): rows of a table that must be kept in memory: file tables, zip members, name pools. After Fifield's
            zip bomb.
        object_entries (int): objects of one Astroneer level whose names are kept, because references are their numbers: 8 bytes
            each and 4 for an actor, so 12 MB at most. Real saves have some 7,000.

    Raises:
        TypeError: a limit is not an int, or no limit has this name.
        ValueError: a limit is out of range.
    """

    chunk_inflated_size: int = MIB
    chunk_compressed_size: int = MIB + 1024
    total_inflated_size: int = 8 * 1024 * MIB
    inflate_ratio: int = 200
    inflate_ratio_after: int = 128 * MIB
    spool_size: int = 256 * MIB
    event_ratio: int = 32
    event_ratio_after: int = 2_000_000
    depth: int = 128
    string_size: int = MIB
    zero_size_count: int = 1_000_000
    build_nodes: int = 1_000_000
    build_size: int = 64 * MIB
    table_entries: int = 65_536
    object_entries: int = 1_000_000

    def __attrs_post_init__(self) -> None:
        for name in Limits.__annotations__:
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"{name} has to be an int, not {type(value).__name__}")
            most = MOST_DEPTH if name == "depth" else MOST
            if not 0 <= value <= most:
                raise ValueError(f"{name} has to be from 0 to {most}, not {value}")


def exceeded(limits: Limits, limit: str, value: int, offset: int = 0, *, subject: str = "") -> LimitExceeded:
    """Return the error for a value that is above a limit.

    Args:
        limits: the limits in force.
        limit: name of the field of `limits`.
        value: what the save asks for.
        offset: where it asks, in the inflated stream.
        subject: what asks, where the text names it.
    """
    allowed: int = getattr(limits, limit)
    message = f"{value} is above the limit {limit} = {allowed}"
    if subject:
        message = f"{subject}: {message}"
    return LimitExceeded(message, offset, limit=limit, value=value, allowed=allowed)


def too_deep(limits: Limits, offset: int) -> LimitExceeded:
    """Return the error for a value that is within `Limits.depth`, but has more levels than Python's stack has room for."""
    depth = limits.depth
    message = f"no room on the stack for all levels of the value, though they are within the limit depth = {depth}"
    return LimitExceeded(message, offset, limit="depth", value=depth, allowed=depth)


def check_limit(limits: Limits, limit: str, value: int, offset: int = 0, *, subject: str = "") -> None:
    """Compare a value with a limit. The arguments are those of `exceeded`.

    Raises:
        LimitExceeded: the value is above the limit.
    """
    if value > getattr(limits, limit):
        raise exceeded(limits, limit, value, offset, subject=subject)


def inflate_ratio(limits: Limits, inflated_size: int, compressed_size: int) -> int:
    """Return inflated : compressed, rounded up, to compare with `Limits.inflate_ratio`; 0 up to `inflate_ratio_after` bytes."""
    if inflated_size <= limits.inflate_ratio_after:
        return 0
    return -(-inflated_size // max(compressed_size, 1))
