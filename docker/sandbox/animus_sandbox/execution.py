"""One execution: its limits, its calls in flight, and how it ended."""

import time
from dataclasses import dataclass, field

from .line_stream import Malformed
from .program import Program

# How long the code may clean up after its time-out before everything is killed.
_GRACE_SECONDS = 1.0
# Beyond it the code waits. The engine runs fewer at a time.
_MAX_IN_FLIGHT = 64
# Of a note or a traceback, in bytes.
_MAX_TEXT = 64 * 1024
_ENDS = ("returned", "raised")


@dataclass(frozen=True)
class Limits:
    timeout_seconds: float = 60
    stdout_bytes: int = 64 * 1024
    stderr_bytes: int = 64 * 1024
    value_bytes: int = 1024 * 1024
    file_bytes: int = 64 * 1024 * 1024
    files: int = 100

    @staticmethod
    def of(parameters: object) -> "Limits":
        """Of the parameters of `execute`. Raises Malformed."""
        if not isinstance(parameters, dict) or not isinstance(parameters.get("limits", {}), dict):
            raise Malformed("execute without its parameters")
        given = {**parameters.get("limits", {}), "timeout_seconds": parameters.get("timeout_seconds", 60)}
        names = Limits.__dataclass_fields__
        for name, value in given.items():
            if name not in names or isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
                raise Malformed(f"execute with the limit {name[:50]}, which is none or no number")
        return Limits(**{name: value if name == "timeout_seconds" else int(value) for name, value in given.items()})


@dataclass(frozen=True)
class Call:
    number: int
    name: str
    input: object


@dataclass
class Execution:
    limits: Limits
    program: Program
    next_check: float = 0
    _end: dict | None = None
    _stopped: str | None = None
    _calls: dict[int, int] = field(default_factory=dict)
    _numbers: int = 0

    def start(self, parameters: dict) -> None:
        """Raises Malformed for parameters that are not those of `execute`."""
        code, sdk, skills = (parameters.get(name) for name in ("code", "sdk", "skills"))
        if not isinstance(code, str) or not isinstance(sdk, str) or not _are_skills(skills := skills or {}):
            raise Malformed("execute without code, sdk or skills as they should be")
        self.program.stdout.limit = self.limits.stdout_bytes
        self.program.stderr.limit = self.limits.stderr_bytes
        # Not one of the limits: a runner that does not know it runs the code all the same.
        live_bytes = parameters.get("live_bytes", 0)
        if isinstance(live_bytes, int) and live_bytes > 0:
            self.program.stdout.to_send = self.program.stderr.to_send = live_bytes
        self.next_check = time.monotonic() + self.limits.timeout_seconds
        self.program.send({"code": code, "sdk": sdk, "skills": skills, "value_bytes": self.limits.value_bytes})

    def take(self, message: dict) -> Call | None:
        """A message of the code: a call to pass on, or its end. Anything else ends the execution."""
        if self._end is not None:
            return None
        call, end = message.get("call"), message.get("end")
        if isinstance(call, dict) and isinstance(call.get("name"), str) and _is_id(message.get("id")):
            self._numbers += 1
            self._calls[self._numbers] = message["id"]
            return Call(self._numbers, call["name"], call.get("input"))
        if isinstance(end, dict) and _is_end(end, self.limits):
            self._end = end
        else:
            why = message.get("malformed", "neither a call of a tool nor a result")
            problem = f"The code wrote something else than a call of a tool to the engine's channel: {why}."
            self._end = {"ended": "raised", "traceback": problem}
        return None

    @property
    def full(self) -> bool:
        """Whether no further call may be sent now."""
        return len(self._calls) >= _MAX_IN_FLIGHT

    def answered(self, number: int, line: bytes) -> bool:
        """Passes on the engine's answer unchanged. False: there is no such call."""
        identity = self._calls.pop(number, None)
        if identity is None:
            return False
        self.program.send_line(b'{"id":%d,"answer":%s}' % (identity, line))
        return True

    def stop(self, why: str) -> None:
        self._stopped = why
        self._end = self._end or {}

    def program_gone(self, memory_kills: int) -> None:
        """Its process has ended. What it had sent before counts."""
        for message in self.program.last_messages():
            self.take(message)
        if self._end is not None:
            return
        status = self.program.status or 0
        if status == -9 and memory_kills > 0 and self._stopped is None:
            self._stopped = "limit"
            problem = "The code needed more memory than the sandbox has, and was killed."
        elif status < 0:
            problem = f"The process of the code was killed by signal {-status}."
        else:
            problem = f"The process of the code ended by itself, with exit code {status}, before the code did."
        self._end = {"ended": "raised", "traceback": problem}

    def check_time(self, now: float) -> bool:
        """Whether the execution has ended. Interrupts it at its time-out, and ends it when the grace after that is over."""
        if self._end is not None:
            return True
        if now < self.next_check:
            return False
        if self._stopped == "timeout":
            self._end = {}
            return True
        self._stopped = "timeout"
        self.next_check = now + _GRACE_SECONDS
        self.program.interrupt()
        return False

    def result(self, problems: list[str], memory_kills: int, files: int) -> dict:
        """The answer to `execute`."""
        end = self._end or {}
        ended = self._stopped or end.get("ended", "raised")
        notes = [end.get("note"), *problems]
        if memory_kills > 0 and ended != "limit":
            notes.append("a process was killed because the sandbox had no memory left")
        return {
            "ended": ended,
            "value": end.get("value") if ended == "returned" else None,
            "note": "; ".join(note for note in notes if note) or None,
            "stdout": self.program.stdout.report(),
            "stderr": self.program.stderr.report(),
            "traceback": end.get("traceback"),
            "exit_status": end.get("exit_status") if ended == "raised" else None,
            "files": files,
        }


def _is_end(end: dict, limits: Limits) -> bool:
    value, note, traceback = end.get("value"), end.get("note"), end.get("traceback")
    return (
        end.get("ended") in _ENDS
        and _is_status(end.get("exit_status"))
        and _is_text(value, limits.value_bytes + 2)
        and _is_text(note, _MAX_TEXT)
        and _is_text(traceback, _MAX_TEXT)
    )


def _is_text(value: object, most: int) -> bool:
    return value is None or (isinstance(value, str) and len(value.encode("utf-8", "surrogatepass")) <= most)


def _is_status(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 255)


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**53


def _are_skills(skills: object) -> bool:
    return isinstance(skills, dict) and all(
        isinstance(files, dict) and all(isinstance(text, str) for text in files.values()) for files in skills.values()
    )
