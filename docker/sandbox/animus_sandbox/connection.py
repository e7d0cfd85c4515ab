"""The connection of the code's process to the runner: calls of tools, many at a time."""

import json
import os
import socket
import threading
from concurrent.futures import Future

# The runner takes lines of 20 MiB.
MAX_INPUT_BYTES = 16 * 1024 * 1024


class Connection:
    """One per process. Calls may come from any thread, but not from a forked process: it shares the socket, not the answers."""

    def __init__(self, fd: int):
        self._socket = socket.socket(fileno=fd)
        self._socket.set_inheritable(False)
        self._lines = self._socket.makefile("rb", buffering=1024 * 1024)
        self._process = os.getpid()
        self._sending = threading.Lock()
        self._waiting: dict[int, Future] = {}
        self._numbers = 0

    def receive(self) -> dict:
        """The next message; for the first one, before `start`. Ends the process at the end of the socket."""
        line = self._lines.readline()
        if not line:
            os._exit(1)
        return json.loads(line)

    def start(self) -> None:
        """Takes answers from now on."""
        threading.Thread(target=self._take_answers, name="animus-answers", daemon=True).start()

    def send(self, message: dict) -> None:
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        with self._sending:
            self._socket.sendall(line)

    def call(self, name: str, given: dict) -> Future:
        """Sends a call. The future gets the engine's answer: an object with `result` or `error`."""
        if os.getpid() != self._process:
            raise RuntimeError("tools can be called only from the process that runs the code, not from one that it has forked")
        text = json.dumps(given, separators=(",", ":"), allow_nan=False)
        if len(text) > MAX_INPUT_BYTES:
            raise ValueError(f"the input of {name} has {len(text)} bytes, and at most {MAX_INPUT_BYTES} are possible")
        future: Future = Future()
        with self._sending:
            self._numbers += 1
            self._waiting[self._numbers] = future
            line = b'{"id":%d,"call":{"name":%s,"input":%s}}\n' % (self._numbers, json.dumps(name).encode(), text.encode())
            self._socket.sendall(line)
        return future

    def _take_answers(self) -> None:
        while True:
            message = self.receive()
            future = self._waiting.pop(message["id"], None)
            if future is not None:
                future.set_result(message["answer"])
