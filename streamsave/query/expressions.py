"""Regular expressions that users write: compiled, or refused with one kind of error."""

from __future__ import annotations

import re
from typing import Final

from streamsave.query.expression_cost import check_expression

__all__ = ["compile_expression"]

#: Most characters of an expression. `re` takes 0.2 seconds for so many, and its time and memory grow with them.
LONGEST: Final = 1 << 16


def compile_expression(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a compiled regular expression.

    Raises:
        re.error: it is none; it is longer or more deeply nested than `re` can compile; or matching it may take forever.
    """
    if len(text) > LONGEST:
        raise re.error(f"{len(text)} characters are too many; {LONGEST} are allowed")
    try:
        compiled = re.compile(text, flags)
        check_expression(text, flags)
    except OverflowError as error:
        reason = str(error)
    except RecursionError:
        reason = "it is nested too deep"
    except MemoryError:
        reason = "it needs too much memory"
    else:
        return compiled
    raise re.error(reason)
