"""The files that the code has left in out/. Read when every process of the execution has ended, so that nothing changes meanwhile."""

import base64
import os
import stat
from collections.abc import Iterator

OUT = "out"
# In base64, and in a message with its name, it fits into one line.
_MAX_FILE_BYTES = 14 * 1024 * 1024
_MAX_SEEN = 10_000
_MAX_DEPTH = 20
_MAX_NAME_BYTES = 1000


class LeftFiles:
    """`file_bytes` bounds the sum of the sizes, `files` the number. `problems`: what was left out, and why."""

    def __init__(self, directory: str, file_bytes: int, files: int):
        self._root = os.path.join(directory, OUT)
        self._bytes = file_bytes
        self._files = files
        self.problems: list[str] = []
        self.count = 0

    def messages(self) -> Iterator[dict]:
        """One `file` message per file, in order of their names. Links and special files are not followed."""
        if os.path.lexists(self._root) and (os.path.islink(self._root) or not os.path.isdir(self._root)):
            self.problems.append(f"{OUT} is not a directory, so nothing of it was kept")
            return
        seen = 0
        for path, name, size in self._regular(self._root, "", 0):
            seen += 1
            if seen > _MAX_SEEN:
                self.problems.append(f"{OUT}/ has more than {_MAX_SEEN} files; the others were not looked at")
                return
            if (reason := self._refusal(name, size)) is not None:
                if len(self.problems) < 10:
                    self.problems.append(f"{OUT}/{_printable(name)} was not kept: {reason}")
                continue
            content = _content(path, size)
            if content is None:
                self.problems.append(f"{OUT}/{name} was not kept: it cannot be read")
                continue
            self._bytes -= len(content)
            self.count += 1
            yield {"name": name, "base64": base64.b64encode(content).decode("ascii")}

    def _refusal(self, name: str, size: int) -> str | None:
        if name != _printable(name) or len(name.encode()) > _MAX_NAME_BYTES:
            return "its name is not plain text, or too long"
        if self.count >= self._files:
            return f"at most {self._files} files are kept"
        if size > _MAX_FILE_BYTES:
            return f"it has {size} bytes; a file may have at most {_MAX_FILE_BYTES}"
        if size > self._bytes:
            return f"it has {size} bytes, and {self._bytes} are left of what all files may have together"
        return None

    def _regular(self, directory: str, prefix: str, depth: int) -> Iterator[tuple[str, str, int]]:
        try:
            entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
        except FileNotFoundError:
            return
        except OSError as error:
            self.problems.append(f"{OUT}/{_printable(prefix)} cannot be read: {error.strerror}")
            return
        for entry in entries:
            name = prefix + entry.name
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISDIR(status.st_mode) and depth < _MAX_DEPTH:
                yield from self._regular(entry.path, f"{name}/", depth + 1)
            elif stat.S_ISREG(status.st_mode):
                yield entry.path, name, status.st_size
            else:
                self.problems.append(f"{OUT}/{_printable(name)} was not kept: it is not a regular file")


def _content(path: str, size: int) -> bytes | None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as file:
            return file.read(size)
    except OSError:
        return None


def _printable(name: str) -> str:
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in name)
