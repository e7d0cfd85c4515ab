"""The standard output or error of the code: the beginning and the end of it, how much it was, and what the engine has not been sent yet."""

import os

_CHUNK = 64 * 1024


class Captured:
    """Reads a pipe to its end, so that the code never waits, and keeps at most `limit` bytes."""

    def __init__(self, fd: int):
        self.fd = fd
        self.limit = 64 * 1024
        self.bytes = 0
        self.ended = False
        # Of how many more bytes the engine wants a copy while the code runs.
        self.to_send = 0
        self._unsent = bytearray()
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
        if self.to_send > 0:
            self._unsent += chunk[: self.to_send]
            self.to_send = max(0, self.to_send - len(chunk))
        room = max(0, self.limit // 2 - len(self._head))
        self._head += chunk[:room]
        self._tail += chunk[room:]
        del self._tail[: max(0, len(self._tail) - (self.limit - self.limit // 2))]
        return True

    @property
    def unsent(self) -> int:
        """Bytes of the copy that were not taken yet."""
        return len(self._unsent)

    def take_unsent(self, most: int) -> bytes:
        """The next bytes of the copy, at most so many."""
        taken = bytes(self._unsent[:most])
        del self._unsent[:most]
        return taken

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
