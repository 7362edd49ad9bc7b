"""`aread`: read a save that comes in pieces to an asynchronous program, such as an upload."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator
from typing import TypeVar

__all__ = ["aread"]

T = TypeVar("T")


async def aread(pieces: AsyncIterable[bytes], read: Callable[[Iterator[bytes]], T]) -> T:
    """Run a function that reads a save in a thread, while the save comes; return what the function returns.

        async def upload(request: aiohttp.web.Request) -> aiohttp.web.Response:
            def count(pieces: Iterator[bytes]) -> int:
                return sum(1 for _ in streamsave.objects(pieces, limits=Limits(spool_size=50_000_000)))

            return aiohttp.web.json_response(await streamsave.aread(request.content.iter_any(), count))

    A piece is taken when the function needs it, and not before: nothing piles up. When the function ends, by an exception too, no
    more pieces are taken: a stream that it returns raises a `RuntimeError` where it needs one. If the task is cancelled, the
    function gets a `concurrent.futures.CancelledError` where it reads, and the task waits until it has ended.

    Args:
        pieces: the bytes of a save, in pieces of any size.
        read: takes these pieces, as `streamsave.open` and `streamsave.objects` do. It runs in a thread of the event loop's
            executor, so it must not touch what belongs to the loop.

    Raises:
        Exception: what `pieces` or `read` raises; a `RuntimeError` in place of a `StopIteration`.
    """
    loop = asyncio.get_running_loop()
    source = aiter(pieces)
    #: Waits for a piece; `ended`: none may be asked for any more.
    waiting: asyncio.Future[list[bytes]] | None = None
    ended = False

    async def take() -> list[bytes]:
        nonlocal waiting
        if ended:
            raise asyncio.CancelledError
        waiting = asyncio.ensure_future(_next(source))
        return await waiting

    def pull() -> Iterator[bytes]:
        while not work.done():
            taken = asyncio.run_coroutine_threadsafe(take(), loop).result()
            if not taken:
                return
            yield from taken
        # To wait for a piece in the thread of the loop would be to wait for ever.
        raise RuntimeError("aread(): the function that reads has ended, and no more pieces are taken")

    def run() -> T:
        try:
            return read(pull())
        except StopIteration as error:  # before Python 3.12, a task that is to raise this never ends
            raise RuntimeError("aread(): the function that reads raised StopIteration") from error

    work = asyncio.ensure_future(asyncio.to_thread(run))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        ended = True
        if waiting is not None:
            waiting.cancel()
        await asyncio.wait([work])
        if not work.cancelled():
            work.exception()  # asyncio would log one that is not taken
        raise


async def _next(pieces: AsyncIterator[bytes]) -> list[bytes]:
    """Return the next piece; none at the end."""
    async for piece in pieces:
        return [piece]
    return []
