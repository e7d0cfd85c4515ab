"""The standard output or error of the code: the beginning and the end of it, and how much it was."""

import os

_CHUNK = 64 * 1024


class Captured:
    """Reads a pipe to its end, so that the code never waits, and keeps at most `limit` bytes."""

    def __init__(self, fd: int):
        self.fd = fd
        self.limit = 64 * 1024
        self.bytes = 0
        self.ended = False
        self._head = bytearray()
        self._tail = bytearray()
        os.set_blocking(fd, False)

    def read(self) -> bool:
        """Reads once. False: nothing there now, or the end."""
        try:
            chunk = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            self.ended = True
            return False
        self.bytes += len(chunk)
        room = max(0, self.limit // 2 - len(self._head))
        self._head += chunk[:room]
        self._tail += chunk[room:]
        del self._tail[: max(0, len(self._tail) - (self.limit - self.limit // 2))]
        return True

    def read_rest(self) -> None:
        """Reads what is in the pipe. For a pipe that no process writes to any more."""
        while self.read():
            pass

    def report(self) -> dict:
        """The text, with a line in the place of what was left out, and the number of bytes that were written."""
        left_out = self.bytes - len(self._head) - len(self._tail)
        if left_out == 0:
            text = (self._head + self._tail).decode("utf-8", "replace")
        else:
            head, tail = (part.decode("utf-8", "replace") for part in (self._head, self._tail))
            text = f"{head}\n[… {left_out} bytes left out …]\n{tail}"
        return {"text": text, "bytes": self.bytes}
