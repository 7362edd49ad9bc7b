"""How values refer to objects: by number. They are written out by hand, as `streamsave.frequent_values` says."""

from __future__ import annotations

from typing import ClassVar, Final

from mypy_extensions import mypyc_attr

from streamsave._fields import name_fields
from streamsave.frequent_values import ObjectReference

__all__ = ["ASSET", "NOTHING", "ActorReference", "IndexReference", "InstanceReference"]

#: What is no index in a reference: to nothing, to an asset.
NOTHING: Final = -1
ASSET: Final = -3


@mypyc_attr(acyclic=True)
class IndexReference(ObjectReference):
    """A reference by position; the path is `#<index>` where nothing is there."""

    __match_args__: ClassVar[tuple[str, ...]] = ("level_name", "path_name", "index")
    __slots__ = ("index",)

    def __init__(self, level_name: str, path_name: str, index: int) -> None:
        super().__init__(level_name, path_name)
        #: -1: no target; -3: an asset, whose path it is.
        self.index: Final = index


@mypyc_attr(acyclic=True)
class InstanceReference(IndexReference):
    """A reference by position in the instance pool."""

    __slots__ = ()


@mypyc_attr(acyclic=True)
class ActorReference(IndexReference):
    """A reference by position among the actor records."""

    __slots__ = ()


name_fields(IndexReference, IndexReference.__match_args__)
