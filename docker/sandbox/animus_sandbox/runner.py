"""PID 1 of the container: takes one execution from the engine, runs it, answers and ends. One thread, which needs no new process."""

import base64
import os
import platform
import selectors
import signal
import sys
import time

from . import PROTOCOL
from .containment import close_to_others, kill_everything, memory_kills
from .execution import Execution, Limits
from .left_files import LeftFiles
from .line_stream import MAX_LINE_BYTES, LineReader, LineWriter, Malformed, decoded, encoded
from .program import Program

# What one side has not taken yet; beyond it nothing is read from the other.
_MAX_WAITING = 2 * MAX_LINE_BYTES
# Output that is printed within this time is sent together; more than a piece is sent at once.
_GATHER_SECONDS = 0.05
_PIECE_BYTES = 48 * 1024
# While the engine has not taken so much, no more output is sent; and while so much is to be sent, the code's output is not read.
_MAX_OUTPUT_WAITING = 1024 * 1024


def main(_arguments: list[str]) -> None:
    close_to_others()
    url, token = (os.environ.pop(name, "") for name in ("ANIMUS_SANDBOX_URL", "ANIMUS_SANDBOX_TOKEN"))
    channel = _http_channel(url, token) if url else None
    reader, writer = (0, 1) if channel is None else (channel.reading, channel.writing)
    # A container that speaks HTTP has a network, which is not for the code.
    runner = Runner(LineReader(reader), LineWriter(writer), Program(os.getcwd(), unix_sockets_only=channel is not None))
    try:
        status = runner.run()
    except Malformed as error:
        runner.refuse(str(error))
        status = 1
    if channel is not None and not runner.cut_off:
        channel.finish()
    # Without the clean-up of the interpreter, which could wait for something.
    sys.stderr.flush()
    os._exit(status)


def _http_channel(url: str, token: str):
    from .http_channel import HttpChannel  # Its modules take longer to load than all others of the runner.

    return HttpChannel(url, token)


class Runner:
    """Between the engine (`reader`, `writer`) and the process of the code."""

    def __init__(self, reader: LineReader, writer: LineWriter, program: Program):
        self._reader = reader
        self._writer = writer
        self._selector = selectors.DefaultSelector()
        # Started before there is anything to do, so that its start costs no execution any time.
        self._program = program
        self._execution: Execution | None = None
        self._ready = False
        self._send_output_at: float | None = None
        self._wake = _wake_on_child_end()

    def run(self) -> int:
        """Returns the exit status: 0 after an answer or at the end of the input, 1 if the code's process could not start."""
        self._selector.register(self._wake, selectors.EVENT_READ)
        while True:
            self._watch()
            ready = {key.fd for key, _ in self._selector.select(self._wait_seconds())}
            self._writer.flush()
            if self._wake in ready:
                os.read(self._wake, 4096)
            if self._reader.fd in ready:
                for line in self._reader.read():
                    self._from_engine(decoded(line), line)
            if self.cut_off:
                kill_everything()
                return 0
            self._from_code()
            if (status := self._ended()) is not None:
                return status

    @property
    def cut_off(self) -> bool:
        """Whether the engine is gone."""
        return self._reader.ended or self._writer.broken

    def refuse(self, problem: str) -> None:
        """Answers the execution with an error. For messages that the engine would not send."""
        kill_everything()
        error = {"code": -32600, "message": f"the sandbox cannot go on: {problem}"}
        self._send({"id": "execute" if self._execution else None, "error": error})
        self._finish_writing()

    def _from_engine(self, message: dict, line: bytes) -> None:
        if message.get("jsonrpc") != "2.0":
            raise Malformed("a message without jsonrpc 2.0")
        method, execution = message.get("method"), self._execution
        if method == "execute" and message.get("id") == "execute" and execution is None:
            parameters = message.get("params")
            self._execution = Execution(Limits.of(parameters), self._program)
            self._execution.start(parameters)
        elif method == "cancel" and execution is not None:
            execution.stop("killed")
        elif method is None and isinstance(message.get("id"), int) and ("result" in message) != ("error" in message):
            if execution is None or not execution.answered(message["id"], line):
                raise Malformed("an answer to no call")
        else:
            raise Malformed(f"a message that was not expected ({str(method)[:50]})")

    def _from_code(self) -> None:
        """Reads what the code's process has written: its output, and its messages unless the engine is slow."""
        if self._output_may_come():
            self._program.read_output()
        self._send_output()
        if self._code_may_send():
            for message in self._program.messages():
                if message == {"ready": True}:
                    self._say_ready()
                elif self._execution is not None and (call := self._execution.take(message)) is not None:
                    self._send({"id": call.number, "method": "call", "params": {"name": call.name, "input": call.input}})
        self._program.flush()

    def _say_ready(self) -> None:
        if not self._ready:
            self._ready = True
            self._send({"method": "ready", "params": {"protocol": PROTOCOL, "python": platform.python_version()}})

    def _ended(self) -> int | None:
        if self._program.gone():
            if self._execution is None:
                self._program.read_output()
                sys.stderr.write(f"the process of the code could not start:\n{self._program.stderr.report()['text']}\n")
                return 1
            self._execution.program_gone(memory_kills())
        if self._execution is None or not self._execution.check_time(time.monotonic()):
            return None
        self._answer(self._execution)
        return 0

    def _answer(self, execution: Execution) -> None:
        kill_everything()
        self._program.read_rest()
        while self._program.unsent:
            self._send_pieces()
            self._finish_writing()
        limits = execution.limits
        files = LeftFiles(self._program.directory, limits.file_bytes, limits.files)
        for params in files.messages():
            self._send({"method": "file", "params": params})
            self._finish_writing()
        result = execution.result([*files.problems], memory_kills(), files.count)
        line = encoded({"jsonrpc": "2.0", "id": "execute", "result": result})
        if len(line) > MAX_LINE_BYTES:
            note = f"the value was left out: with it the answer has {len(line)} bytes, and {MAX_LINE_BYTES} are possible"
            line = encoded({"jsonrpc": "2.0", "id": "execute", "result": {**result, "value": None, "note": note}})
        self._writer.send(line)
        self._finish_writing()

    def _send_output(self) -> None:
        """Sends copies of the output, if the engine wants them: what came together, together."""
        if not self._program.unsent:
            self._send_output_at = None
            return
        now = time.monotonic()
        if self._send_output_at is None:
            self._send_output_at = now + _GATHER_SECONDS
        due = now >= self._send_output_at
        while (due or self._program.unsent >= _PIECE_BYTES) and self._program.unsent and self._writer.waiting < _MAX_OUTPUT_WAITING:
            self._send_pieces()
        if not self._program.unsent:
            self._send_output_at = None

    def _send_pieces(self) -> None:
        for name, captured in (("stdout", self._program.stdout), ("stderr", self._program.stderr)):
            if piece := captured.take_unsent(_PIECE_BYTES):
                self._send({"method": "output", "params": {"stream": name, "base64": base64.b64encode(piece).decode("ascii")}})

    def _send(self, message: dict) -> None:
        self._writer.send(encoded({"jsonrpc": "2.0", **message}))

    def _finish_writing(self) -> None:
        """Waits until the engine has taken everything, or is gone."""
        os.set_blocking(self._writer.fd, True)
        self._writer.flush()
        os.set_blocking(self._writer.fd, False)

    def _watch(self) -> None:
        """Does not read from a side whose messages the other side does not take; writes where something waits."""
        engine_may_send = self._program.waiting < _MAX_WAITING
        self._set(self._reader.fd, selectors.EVENT_READ if engine_may_send else 0)
        self._set(self._writer.fd, selectors.EVENT_WRITE if self._writer.waiting else 0)
        events = selectors.EVENT_READ if self._code_may_send() else 0
        self._set(self._program.socket_fd, events | (selectors.EVENT_WRITE if self._program.waiting else 0))
        for captured in (self._program.stdout, self._program.stderr):
            self._set(captured.fd, selectors.EVENT_READ if self._output_may_come() and not captured.ended else 0)

    def _output_may_come(self) -> bool:
        return self._program.unsent < _MAX_OUTPUT_WAITING

    def _code_may_send(self) -> bool:
        if self._execution is not None and self._execution.full:
            return False
        return self._writer.waiting < _MAX_WAITING and not self._program.socket_ended

    def _set(self, fd: int, events: int) -> None:
        known = self._selector.get_map().get(fd)
        if known is None and events:
            self._selector.register(fd, events)
        elif known is not None and not events:
            self._selector.unregister(fd)
        elif known is not None and known.events != events:
            self._selector.modify(fd, events)

    def _wait_seconds(self) -> float | None:
        if self._execution is None:
            return None
        # Output that the engine cannot take now waits for the descriptor, not for a time.
        waits = self._send_output_at is not None and self._writer.waiting < _MAX_OUTPUT_WAITING
        at = min(self._execution.next_check, self._send_output_at) if waits else self._execution.next_check
        return max(0.0, at - time.monotonic())


def _wake_on_child_end() -> int:
    """A descriptor that can be read after a child has ended."""
    reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return reading
