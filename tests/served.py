"""A server of files on this machine: one that gives any part of a file, and one that always gives all of it."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

import attrs

RANGE: Final = re.compile(r"bytes=(\d+)-(\d+)")


@attrs.define
class Served:
    """What is served, and what was asked for."""

    files: dict[str, bytes]
    #: Whether a part of a file may be asked for.
    ranges: bool = True
    #: Whether it says how much there is.
    sizes: bool = True
    #: Bytes after which it hangs up, or -1.
    cut_at: int = -1
    requests: list[tuple[str, str, str | None]] = attrs.Factory(list)
    url: str = ""

    def parts(self) -> list[tuple[int, int]]:
        """The parts of files that were asked for: where they start and end."""
        found = [RANGE.fullmatch(part) for method, _, part in self.requests if method == "GET" and part]
        return [(int(match[1]), int(match[2]) + 1) for match in found if match]


def handler(served: Served) -> type[BaseHTTPRequestHandler]:
    """Make the class that a server wants."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_args: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self.answer(with_body=False)

        def do_GET(self) -> None:
            self.answer(with_body=True)

        def answer(self, *, with_body: bool) -> None:
            served.requests.append((self.command, self.path, self.headers.get("Range")))
            if self.path == "/forbidden.sav":
                self.send_error(HTTPStatus.FORBIDDEN)
                return
            data = served.files.get(self.path.removeprefix("/"))
            if data is None:
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            part = RANGE.fullmatch(self.headers.get("Range") or "")
            if part and served.ranges:
                size, data = len(data), data[int(part[1]) : int(part[2]) + 1]
                self.send_response(HTTPStatus.PARTIAL_CONTENT)
                self.send_header("Content-Range", f"bytes {part[1]}-{part[2]}/{size}")
            else:
                self.send_response(HTTPStatus.OK)
            if served.sizes:
                self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if with_body:
                with suppress(ConnectionError):  # the client may have read enough
                    self.wfile.write(data[: served.cut_at] if served.cut_at >= 0 else data)

    return Handler


@contextmanager
def serving(served: Served) -> Iterator[Served]:
    """Serve."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler(served)) as server:
        served.url = f"http://127.0.0.1:{server.server_port}/"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
