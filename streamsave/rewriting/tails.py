"""Ends of paths in assignments: `Level` for `RawData/object/SaveParameter/Level`, in an object where no other path ends so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from streamsave.consume.stream import EventStream
from streamsave.consume.values import Part, Walk, leaves
from streamsave.decode.leaves import Step as WholeStep
from streamsave.decode.paths import Each, Step
from streamsave.errors import EditError
from streamsave.events import ObjectEnd, ObjectHeader
from streamsave.output.flat_text import path_text
from streamsave.rewriting.assignments import Assignment

__all__ = ["find_tails"]

#: Paths that an error lists.
MOST_LISTED: Final = 10


class Ends:
    """The paths in an object that end as an assignment says.

    Attributes:
        is_member: the object has a member of this name, so the assignment has its whole path.
        before: the steps before the end, once each.
    """

    def __init__(self) -> None:
        self.is_member = False
        self.before: dict[tuple[WholeStep, ...], None] = {}

    def look_at(self, path: tuple[WholeStep, ...], steps: tuple[Step, ...]) -> None:
        """Take the path of a leaf, from the object on: a part of it may end so."""
        if len(self.before) > MOST_LISTED:
            return
        for start in range(1, len(path) - len(steps) + 1):
            if all(_leads(step, path[start + number]) for number, step in enumerate(steps)):
                self.before[path[:start]] = None


def _leads(step: Step, into: WholeStep) -> bool:
    return isinstance(into, int) if isinstance(step, Each) else step == into


def find_tails(
    events: EventStream, assignments: Sequence[Assignment], active: Callable[[ObjectHeader], Sequence[int]]
) -> dict[tuple[int, int], Assignment]:
    """Return assignments with whole paths, by the key of the object and the number of the assignment that has only the end.

    Args:
        events: of the save; nothing was read yet.
        assignments: all.
        active: returns the numbers of those that may have an end in an object.

    Raises:
        EditError: several paths in an object end so.
        SaveError: the save is damaged.
    """
    found: dict[tuple[int, int], Assignment] = {}
    opened: list[tuple[int, dict[int, Ends]]] = []
    walk = Walk(events, loose=False)
    for step in walk:
        if isinstance(step, ObjectHeader):
            opened.append((events._key_of(step.offset), {number: Ends() for number in active(step)}))
            if not opened[-1][1]:
                walk.skip()
        elif isinstance(step, ObjectEnd):
            key, each = opened.pop()
            for number, ends in each.items():
                whole = _whole(assignments[number], ends)
                if whole is not None:
                    found[key, number] = whole
        elif isinstance(step, Part) and opened[-1][1]:
            _look_at(step, opened[-1][1], assignments)
    return found


def _look_at(part: Part, each: dict[int, Ends], assignments: Sequence[Assignment]) -> None:
    """Look for the ends in a part of an object."""
    first = part.path[part.base :][:1]
    for number, ends in each.items():
        ends.is_member = ends.is_member or first == assignments[number].steps[:1]
    wanted = [(ends, assignments[number].steps) for number, ends in each.items() if not ends.is_member]
    if wanted:
        for path, _ in leaves(part):
            for ends, steps in wanted:
                ends.look_at(path[part.base :], steps)


def _whole(assignment: Assignment, ends: Ends) -> Assignment | None:
    """Return an assignment with its whole path; None if it has that already, or no path ends so.

    Raises:
        EditError: several paths end so.
    """
    if ends.is_member or not ends.before:
        return None
    paths = {f"{path_text(steps)}/{assignment.text.removeprefix('.')}": steps for steps in ends.before}
    if len(paths) > 1:
        listed = ", ".join(list(paths)[:MOST_LISTED]) + (", ..." if len(paths) > MOST_LISTED else "")
        raise EditError(f"several paths end in {assignment.text}; give one of {listed}")
    ((text, steps),) = paths.items()
    return Assignment(text, (*steps, *assignment.steps), assignment.value)
