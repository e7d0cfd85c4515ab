"""The process that runs the agent's code, seen from the runner: its pipes, its socket and its end."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

from .captured import Captured
from .line_stream import LineReader, LineWriter, Malformed, decoded, encoded

_START = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "start.py")


class Program:
    """Its own session, its own pipes, and a socket whose messages the runner checks. It shares nothing else with the runner."""

    def __init__(self, directory: str, unix_sockets_only: bool):
        self.directory = directory
        ours, theirs = socket.socketpair()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ANIMUS_")}
        more = ["unix-sockets-only"] if unix_sockets_only else []
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-X", "utf8", _START, "code", str(theirs.fileno()), *more],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(theirs.fileno(),),
            env=environment,
            cwd=directory,
            start_new_session=True,
        )
        theirs.close()
        # Detached: the descriptor stays open without the socket object.
        self.socket_fd = ours.detach()
        self._reader = LineReader(self.socket_fd)
        self._writer = LineWriter(self.socket_fd)
        self.stdout = Captured(_detached(self._process.stdout))
        self.stderr = Captured(_detached(self._process.stderr))
        self.status: int | None = None

    @property
    def waiting(self) -> int:
        """Bytes that it has not taken yet."""
        return self._writer.waiting

    @property
    def socket_ended(self) -> bool:
        return self._reader.ended

    def send(self, message: dict) -> None:
        self._writer.send(encoded(message))

    def send_line(self, line: bytes) -> None:
        self._writer.send(line)

    def flush(self) -> None:
        self._writer.flush()

    def messages(self) -> Iterator[dict]:
        """What it has written to the socket. Yields {"malformed": why} for anything but a JSON object."""
        if self._reader.ended:
            return
        try:
            for line in self._reader.read():
                yield decoded(line)
        except Malformed as error:
            yield {"malformed": str(error)}

    def last_messages(self) -> Iterator[dict]:
        """What is left in the socket when the process has ended. Processes that it has forked may keep the socket open."""
        while True:
            yield from self.messages()
            if self._reader.ended or self._reader.idle:
                return

    def read_output(self) -> None:
        """A bounded part, so that endless output does not keep the runner from anything else."""
        for captured in (self.stdout, self.stderr):
            for _ in range(16):
                if captured.ended or not captured.read():
                    break

    @property
    def unsent(self) -> int:
        """Bytes of output that the engine has not been sent yet."""
        return self.stdout.unsent + self.stderr.unsent

    def read_rest(self) -> None:
        self.stdout.read_rest()
        self.stderr.read_rest()

    def gone(self) -> bool:
        """Whether it has ended; also takes away what has ended of the processes that it left behind."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            if pid == self._process.pid:
                self.status = self._process.returncode = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def interrupt(self) -> None:
        """Raises the time-out in the code, whose traceback then shows where it was."""
        if self.status is None:
            os.kill(self._process.pid, signal.SIGXCPU)


def _detached(pipe) -> int:
    fd = os.dup(pipe.fileno())
    os.set_inheritable(fd, False)
    pipe.close()
    return fd
