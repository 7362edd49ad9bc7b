"""`aread`: what a function reads of pieces that come to an asynchronous program is what it reads of the same bytes."""

import asyncio
import concurrent.futures
import threading
from collections.abc import AsyncIterator

import pytest
from saves import SATISFACTORY, VALID

import streamsave
from streamsave import LimitExceeded, Limits

SAMPLE = (SATISFACTORY / "sv58.sav").read_bytes()
#: Longer than any wait in a test that succeeds.
LONG = 30


def count(pieces) -> int:
    with streamsave.open(pieces) as events:
        return sum(1 for _ in events)


class Pieces:
    """A save in pieces, of which it knows how many were taken."""

    def __init__(self, data: bytes, size: int = 1000) -> None:
        self.pieces = [data[at : at + size] for at in range(0, len(data), size)]
        self.taken = 0

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if self.taken == len(self.pieces):
            raise StopAsyncIteration
        await asyncio.sleep(0)
        self.taken += 1
        return self.pieces[self.taken - 1]


@pytest.mark.parametrize("sample", ["satisfactory/sv58.sav", "gvas/palworld-1.0.sav", "shapez2/backwards.spz2", "arx/v1.1.sav"])
@pytest.mark.parametrize("size", [1, 70_000])
def test_the_same_as_of_bytes(sample, size):
    data = (VALID / sample).read_bytes()[: 3000 if size == 1 else None]

    def texts(source) -> list[str]:
        found = []
        try:
            with streamsave.open(source) as events:
                found += [repr(event) for event in events]
        except streamsave.SaveError as error:
            found.append(str(error))
        return found

    assert asyncio.run(streamsave.aread(Pieces(data, size), texts)) == texts(data)


def test_a_generator_with_empty_pieces():
    async def pieces():
        for piece in (b"", SAMPLE[:7], b"", SAMPLE[7:], b""):
            yield piece

    assert asyncio.run(streamsave.aread(pieces(), count)) == count([SAMPLE])


def test_no_piece_is_taken_before_it_is_needed():
    source = Pieces(SAMPLE)

    def look(pieces) -> list[int]:
        return [source.taken, *(source.taken for _ in pieces)]

    assert asyncio.run(streamsave.aread(source, look)) == list(range(len(source.pieces) + 1))


def test_the_loop_goes_on_meanwhile():
    """Two uploads at the same time: each gives the other its turn, as only both together end."""
    meeting = threading.Barrier(2)

    def meet(pieces) -> int:
        meeting.wait(LONG)
        return count(pieces)

    async def both() -> list[int]:
        return await asyncio.gather(*(streamsave.aread(Pieces(SAMPLE), meet) for _ in range(2)))

    assert asyncio.run(both()) == [count([SAMPLE])] * 2


def test_limits_end_it_early():

    def refuse(pieces) -> None:
        list(streamsave.objects(pieces, limits=Limits(total_inflated_size=5000)))

    source = Pieces(SAMPLE + bytes(1_000_000))
    with pytest.raises(LimitExceeded):
        asyncio.run(streamsave.aread(source, refuse))
    assert source.taken < 200


def test_errors_of_the_source_pass():
    class Broken(Pieces):
        async def __anext__(self) -> bytes:
            if self.taken == 3:
                raise ConnectionResetError("gone")
            return await super().__anext__()

    with pytest.raises(ConnectionResetError, match="gone"):
        asyncio.run(streamsave.aread(Broken(SAMPLE), count))
    for wrong in ("text", None):

        class Wrong(Pieces):
            async def __anext__(self):
                return wrong  # noqa: B023 - it is read in this turn of the loop

        with pytest.raises(TypeError, match="not bytes"):
            asyncio.run(streamsave.aread(Wrong(SAMPLE), count))


@pytest.mark.parametrize("raises", [True, False])
def test_cancelled(raises):
    """The function ends where it waits for a piece that never comes, and the task after it."""
    ended = []

    class Endless(Pieces):
        async def __anext__(self) -> bytes:
            if self.taken == 2:
                waiting.set()
                await asyncio.Event().wait()
            return await super().__anext__()

    def read(pieces) -> None:
        try:
            count(pieces)
        except concurrent.futures.CancelledError as error:
            ended.append(error)
            if raises:
                raise

    async def cancel() -> None:
        task = asyncio.ensure_future(streamsave.aread(Endless(SAMPLE), read))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, LONG)
        assert len(ended) == 1

    waiting = asyncio.Event()
    asyncio.run(cancel())


def test_a_function_that_finds_nothing():
    """`next` of an iterator that is at its end: what no task can raise."""
    with pytest.raises(RuntimeError, match="StopIteration"):
        asyncio.run(streamsave.aread(Pieces(SAMPLE), lambda pieces: next(streamsave.objects(pieces, "class_name = None_C"))))


def test_a_stream_that_is_returned():
    """In the thread of the loop, it cannot wait for the next piece."""

    async def read() -> None:
        with await streamsave.aread(Pieces(SAMPLE), streamsave.open) as events:
            for _ in events:
                pass

    with pytest.raises(RuntimeError, match="has ended"):
        asyncio.run(read())


def test_an_upload():
    """A server counts what a client sends, larger than what one read takes; a client that goes ends the reading."""
    web = pytest.importorskip("aiohttp.web", reason="needs the extra `remote`")
    import aiohttp

    seen = []

    def read(pieces) -> int:
        try:
            return count(pieces)
        except BaseException as error:
            seen.append(error)
            raise

    async def upload(request: web.Request) -> web.Response:
        return web.json_response(await streamsave.aread(request.content.iter_any(), read))

    async def run() -> None:
        app = web.Application()
        app.router.add_post("/", upload)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port = runner.addresses[0][1]
        async with aiohttp.ClientSession() as session, session.post(f"http://127.0.0.1:{port}/", data=SAMPLE) as answer:
            assert await answer.json() == count([SAMPLE])
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + SAMPLE[:500])
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        for _ in range(LONG * 100):
            if seen:
                break
            await asyncio.sleep(0.01)
        await runner.cleanup()

    asyncio.run(run())
    assert len(seen) == 1
    assert isinstance(seen[0], (OSError, concurrent.futures.CancelledError, web.RequestPayloadError))
