"""A save out of a save: edits that are noted while it is read, and a copy with them."""

from streamsave.rewriting.cutting import CutStream, cut
from streamsave.rewriting.family import Cutting
from streamsave.rewriting.rewrite import rewrite
from streamsave.rewriting.stream import RewriteStream

__all__ = ["CutStream", "Cutting", "RewriteStream", "cut", "rewrite"]
