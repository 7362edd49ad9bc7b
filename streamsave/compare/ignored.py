"""What two saves of one world always have otherwise: clocks, timers, sizes that follow from the rest.

A pattern is a path (`streamsave.decode.paths`), or the start of one: `mTimer`, `mStacks[*]/Count`, `@header/play_duration`. An
entry of a map is there by its key if `diff` prints that: its position is another one in each save. A `*` outside of `[*]` is any
text. With a class before it, the pattern is for objects of this class only: `Build_Conveyor*:trailer`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from streamsave.decode.leaves import Key
from streamsave.decode.paths import QUOTED, unquote
from streamsave.output.flat_text import path_text

__all__ = ["ALWAYS_OTHERWISE", "ignored_by"]

#: The name of a format (`Format.name`) -> patterns.
ALWAYS_OTHERWISE: Final[dict[str, tuple[str, ...]]] = {
    "Satisfactory save": (
        # When the save was written, and its name.
        "@header/save_date_time",
        "@header/play_duration",
        "@header/save_data_hash",
        "@header/save_name",
        "@header/size",
        # Sizes and counts that follow from what is in the save.
        "body_size",
        "level_count",
        "*/data_blob",
        # The clocks of the world.
        "mDaySeconds",
        "mNumberOfPassedDays",
        "mPlayDurationWhenLoaded",
        "mLastAutoSaveId",
        "mLastAutosaveId",
        # Machines: how far the current item is, how productive they were, and since when.
        "mCurrentManufacturingProgress",
        "mCurrentExtractProgress",
        "mExtractStartupTimer",
        "mProducingTimer",
        "mTimeSinceStartStopProducing",
        "mCurrentProductivityMeasurementDuration",
        "mCurrentProductivityMeasurementProduceDuration",
        "mLastProductivityMeasurementDuration",
        "mLastProductivityMeasurementProduceDuration",
        "mVariablePowerProductionCycleOffset",
        "mFilterCountdown",
        "mUploadTimer",
        # Stations and vehicles.
        "mTimeSinceLastDocking",
        "mTimeSinceLastLoadTransferUpdate",
        "mTimeSinceLastUnloadTransferUpdate",
        "mSmoothedLoadRate",
        "mSmoothedUnloadRate",
        "mWeightedAverageItemsTransferred",
        "mWeightedAverageTimeBetweenDocks",
        "mCurrentDockForDuration",
        "mWaitTime",
        "mLootTimerHandle",
    ),
    "Satisfactory blueprint": ("@header/size", "body_size", "*/data_blob"),
    # How entries are packed, and where: all that the table of a container says is storage.
    "Arx save": ("@header", "@save_version"),
    "shapez 2 save": (
        '"savegame.json"/value/TotalPlaytime',
        '"savegame.json"/value/LastSaved',
        "*/now",
        "@header/total_playtime",
        "@header/last_saved",
    ),
}

#: What is in a path, and not in the name of a class: the colon after it is one of a name or a key.
IN_PATH: Final = re.compile(r"[/\[\"']")
#: Any text, and what each element of a list or a map has in a path: `[3]`, `["key"]`, of a slice `[3..7]`.
ANY: Final = re.compile(r"(?<!\[)\*|\*(?!\])")
ELEMENT: Final = r'\[(?:[\d.]+|"(?:[^"\\]|\\.)*+")\]'
#: After a pattern: the end of the path, or a part of what it names.
END_OF_PATH: Final = r"(?=[/\[]|\Z)"
#: Answers that are kept: most values have a path that others have, too.
MOST_KNOWN: Final = 4096


def ignored_by(patterns: Iterable[str]) -> Callable[[str, str], bool]:
    """Return what says whether to pass over a difference: takes a class, without its path, and the path of a value.

    The class is "" for a value that is in no object.

    Args:
        patterns: as the docstring of the module says.
    """
    #: Pattern of a class -> those of paths.
    by_class: dict[str, list[str]] = {}
    for pattern in patterns:
        class_name, colon, path = pattern.partition(":")
        if not colon or IN_PATH.search(class_name):
            class_name, path = "*", pattern
        by_class.setdefault(class_name, []).append(path)
    tests = [(_compiled([name], r"\Z"), _compiled(paths, END_OF_PATH)) for name, paths in by_class.items()]

    @lru_cache(MOST_KNOWN)
    def ignores(class_name: str, path: str) -> bool:
        return any(of_class.match(class_name) and of_path.match(path) for of_class, of_path in tests)

    return ignores


def _compiled(patterns: list[str], end: str) -> re.Pattern[str]:
    return re.compile("|".join([_expression(pattern, end) for pattern in patterns]), re.DOTALL)


def _expression(pattern: str, end: str) -> str:
    """Return an expression whose time grows with the length of a text: what a `*` has taken is never tried again."""
    text = QUOTED.sub(_as_printed, pattern.removeprefix("."))
    first, *others = [re.escape(part).replace(r"\.", "[./]").replace(r"\[\*\]", ELEMENT) for part in ANY.split(text)]
    if not others:
        return first + end
    others[-1] += end
    return first + "".join([f"(?>.*?{other})" for other in others])


def _as_printed(match: re.Match[str]) -> str:
    """Return a name or a key in quotes as `diff` prints it."""
    is_key = match.string[: match.start()].endswith("[")
    return path_text((Key(unquote(match)),))[1:-1] if is_key else path_text((unquote(match),))
