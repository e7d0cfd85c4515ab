"""Messages as lines of JSON over non-blocking file descriptors."""

import json
import os

MAX_LINE_BYTES = 20 * 1024 * 1024
_CHUNK = 256 * 1024


class Malformed(Exception):
    """What was read is not a message."""


class LineReader:
    """Splits what a descriptor delivers into lines."""

    def __init__(self, fd: int):
        self.fd = fd
        self.ended = False
        self.idle = False
        self._buffer = bytearray()
        self._searched = 0
        os.set_blocking(fd, False)

    def read(self) -> list[bytes]:
        """
        Reads once. Returns the lines that are complete now. Sets `idle` where nothing was there, `ended` at the end of the stream.
        Raises Malformed for a line that is too long.
        """
        self.idle = False
        try:
            chunk = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            self.idle = True
            return []
        except OSError:
            chunk = b""
        if not chunk:
            self.ended = True
            return []
        self._buffer += chunk
        lines = []
        while (end := self._buffer.find(b"\n", self._searched)) >= 0:
            if end > MAX_LINE_BYTES:
                raise Malformed(f"a message has more than {MAX_LINE_BYTES} bytes")
            lines.append(bytes(self._buffer[:end]))
            del self._buffer[: end + 1]
            self._searched = 0
        self._searched = len(self._buffer)
        if self._searched > MAX_LINE_BYTES:
            raise Malformed(f"a message has more than {MAX_LINE_BYTES} bytes")
        return lines


class LineWriter:
    """Keeps what a descriptor does not take at once."""

    def __init__(self, fd: int):
        self.fd = fd
        self.broken = False
        self._pending = bytearray()
        os.set_blocking(fd, False)

    @property
    def waiting(self) -> int:
        """Bytes not yet written."""
        return len(self._pending)

    def send(self, line: bytes) -> None:
        """`line` has no line break."""
        if self.broken:
            return
        self._pending += line
        self._pending += b"\n"
        self.flush()

    def flush(self) -> None:
        """Writes what the descriptor takes now."""
        while self._pending and not self.broken:
            try:
                with memoryview(self._pending) as view:
                    written = os.write(self.fd, view[:_CHUNK])
                del self._pending[:written]
            except BlockingIOError:
                return
            except OSError:
                self.broken = True
                self._pending.clear()


def decoded(line: bytes) -> dict:
    """The JSON object of a line. Raises Malformed."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"not JSON: {error}") from None
    if not isinstance(message, dict):
        raise Malformed("not a JSON object")
    return message


def encoded(message: dict) -> bytes:
    """A message as a line. Half surrogates are escaped, so it is always UTF-8."""
    return json.dumps(message, separators=(",", ":")).encode()
