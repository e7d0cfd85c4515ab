"""What the generated functions are made of, and what the code gets beside them: ToolError, gather, UNSET."""

import dataclasses
import datetime
import functools
import json
import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any

from .connection import Connection

# Makes a result of its text, its data and whether the tool has failed. None: the call raises ToolError.
Maker = Callable[[str, Any, bool], Any]

_connection: Connection | None = None


def connect(connection: Connection) -> None:
    """Once, before the code runs."""
    global _connection
    _connection = connection


class ToolError(Exception):
    """
    A tool has refused or failed. `tool`: its name; `message`: what it says; `details`: what it adds for programs (or None);
    `code`: a number where the engine refused the call before the tool ran, otherwise None.
    """

    __module__ = "tools"

    def __init__(self, tool: str, message: str, details: Any = None, code: int | None = None):
        super().__init__(f"{tool}: {message}")
        self.tool = tool
        self.message = message
        self.details = details
        self.code = code

    def __reduce__(self):
        return (ToolError, (self.tool, self.message, self.details, self.code))


class _Unset:
    """The default of a parameter that is left out of the call unless it is given."""

    def __repr__(self) -> str:
        return "<not given>"

    def __bool__(self) -> bool:
        return False


UNSET: Any = _Unset()


class Pending:
    """A call that has been sent. `result()` waits for it."""

    def __init__(self, tool: str, future: Future, make: Maker):
        self._tool = tool
        self._future = future
        self._make = make

    def result(self) -> Any:
        """The result of the tool. Raises ToolError."""
        answer = self._future.result()
        if (error := answer.get("error")) is not None:
            raise ToolError(self._tool, str(error.get("message")), error.get("data"), error.get("code"))
        result = answer["result"]
        content, details = str(result.get("content", "")), result.get("details")
        made = self._make(content, details, bool(result.get("is_error")))
        if made is None:
            raise ToolError(self._tool, content, details)
        return made

    def __repr__(self) -> str:
        return f"<call of {self._tool}, {'ended' if self._future.done() else 'running'}>"


def send(tool: str, given: dict[str, Any], make: Maker) -> Pending:
    """Sends a call without waiting for its result."""
    if _connection is None:
        raise RuntimeError("tools can be called only while the code runs")
    given = {name: _plain(value, tool, name) for name, value in given.items() if value is not UNSET}
    return Pending(tool, _connection.call(tool, given), make)


class ToolResult(dict):
    """The result of a tool as a dictionary: what it gives for programs, and its text as "content"."""


def other_result(content: str, details: Any, failed: bool) -> ToolResult | None:
    """The result of a tool that has no type of its own; None for one that failed."""
    if failed:
        return None
    return ToolResult({"content": content, **(details if isinstance(details, dict) else _object_of(content))})


def _object_of(content: str) -> dict[str, Any]:
    """What a tool has written as JSON."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {}


def tool(name: str, make: Maker, none_is_unset: tuple[str, ...] = ()) -> Callable[[Callable[..., dict]], Callable[..., Any]]:
    """
    Makes a function of a function that returns the input of the tool. `function.later(...)` sends without waiting.
    `none_is_unset`: fields of the input that are left out if they are None.
    """

    def start(given: dict[str, Any]) -> Pending:
        left = {field: value for field, value in given.items() if not (value is None and field in none_is_unset)}
        return send(name, left, make)

    def decorate(inputs: Callable[..., dict]) -> Callable[..., Any]:
        @functools.wraps(inputs)
        def function(*args, **kwargs):
            return start(inputs(*args, **kwargs)).result()

        @functools.wraps(inputs)
        def later(*args, **kwargs):
            return start(inputs(*args, **kwargs))

        function.later = later
        return function

    return decorate


def gather(*calls: Any, return_errors: bool = False) -> list[Any]:
    """
    Runs calls at the same time and returns their results in the order of the calls:

        gather(read_file.later("a.txt"), read_file.later("b.txt"))
        gather(bash.later(f"wc -l {name}") for name in names)

    A call is `function.later(...)`, or any function without parameters, which gets a thread of its own. A list or generator
    of calls may be given instead. The first error is raised when all have ended; with return_errors=True errors stand in the list.
    """
    started = [_started(call) for call in _flat(calls)]
    ends = [_end_of(call) for call in started]
    if not return_errors:
        for _, error in ends:
            if error is not None:
                raise error
    return [value if error is None else error for value, error in ends]


def _flat(calls: tuple) -> Iterable[Any]:
    if len(calls) == 1 and isinstance(calls[0], Iterable):
        return calls[0]
    return calls


def _started(call: Any) -> Any:
    if hasattr(call, "result"):
        return call
    if not callable(call):
        raise TypeError(f"gather takes calls, such as read_file.later('a.txt'), not {type(call).__name__}")
    future: Future = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def _end_of(call: Any) -> tuple[Any, Exception | None]:
    try:
        return call.result(), None
    except Exception as error:
        return None, error


def _plain(value: Any, tool: str, name: str) -> Any:
    """An argument as JSON has it. Raises TypeError."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(each, tool, name) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(each, tool, name) for each in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(dataclasses.asdict(value), tool, name)
    advice = "; decode it first" if isinstance(value, (bytes, bytearray)) else ""
    raise TypeError(f"{tool}: {name} is {type(value).__name__}, which JSON does not have{advice}")
