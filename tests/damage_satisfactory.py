"""Damaged Satisfactory saves."""

from saves import deflate, head_and_body, read

from streamsave import ObjectHeader, PropertyTag


def broken(data: bytes, offset: int, new: bytes) -> bytes:
    """A save whose inflated stream has other bytes in one place."""
    head, body = head_and_body(data)
    return deflate(head, body[:offset] + new + body[offset + len(new) :])


def broken_list(data: bytes, which: int) -> tuple[bytes, ObjectHeader]:
    """A save in which the first property of one object has a size that does not fit, and that object."""
    seen = read(data)
    tags = [at for at, event in enumerate(seen) if isinstance(event, PropertyTag)]
    for header in [event for event in seen if isinstance(event, ObjectHeader)][which:]:
        inside = [seen[at] for at in tags if header.data_offset <= seen[at].offset < header.data_offset + header.size]
        if inside:
            # The type's name gets a length that runs past everything.
            return broken(data, inside[0].offset + (len(inside[0].name) + 5), b"\xff\xff\xff\x7f"), header
    raise AssertionError("no object has properties")
