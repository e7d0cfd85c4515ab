"""The process that runs the agent's code: gets it from the runner, runs it, and sends how it ended."""

import builtins
import linecache
import os
import signal
import sys
import types
import warnings

from . import tool_calls
from .agent_code import compile_code, returns
from .connection import Connection
from .containment import give_way
from .no_sockets import allow_unix_sockets_only
from .own_traceback import own_traceback
from .plain_value import value_text
from .skill_scripts import install

_TOOLS = "<tools>"


class TimeOut(BaseException):
    """Raised in the code at its time-out. Not an Exception, so that the code does not catch it by accident."""

    __module__ = "builtins"  # Tracebacks then show its name alone.


def main(arguments: list[str]) -> None:
    give_way()
    if "unix-sockets-only" in arguments:
        allow_unix_sockets_only()
    connection = Connection(int(arguments[0]))
    # The thread that takes answers would make every fork of the code a warning. Forked processes do not call tools (connection.py).
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    # What was printed before a time-out or a crash must not be lost in a buffer.
    sys.stdout.reconfigure(line_buffering=True)
    connection.send({"ready": True})
    order = connection.receive()
    connection.start()
    tool_calls.connect(connection)
    process = os.getpid()
    end = _run(order)
    if os.getpid() != process:
        _end_fork(end)
    _flush()
    connection.send({"end": end})
    # Threads that still run end with the process, which the runner kills.
    signal.pause()


def _run(order: dict) -> dict:
    try:
        signal.signal(signal.SIGXCPU, _on_time_out)
        tools = _tools_module(order["sdk"])
        install(order["skills"])
        namespace = _main_namespace(tools)
        os.makedirs("out", exist_ok=True)
        value = compile_code(order["code"], namespace)()
    except SystemExit as exit:
        if exit.code not in (None, 0):
            return {**_raised(exit), "exit_status": _status_of(exit.code)}
        value = None
    except BaseException as error:
        return _raised(error)
    finally:
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    text, note = value_text(value, order["value_bytes"])
    if value is None and note is None and not returns(order["code"]):
        note = "the code has no return statement, so it returned nothing"
    return {"ended": "returned", "value": text, "note": note}


def _status_of(code: object) -> int:
    """As Python exits with it: other values than numbers are messages."""
    return code & 0xFF if isinstance(code, int) else 1


def _raised(error: BaseException) -> dict:
    return {"ended": "raised", "traceback": own_traceback(error)}


def _end_fork(end: dict) -> None:
    """A process that the code has forked, and that has come to the end of the code, too: only the first one answers."""
    if (traceback := end.get("traceback")) is not None:
        print(traceback, file=sys.stderr)
    _flush()
    os._exit(0 if traceback is None else 1)


def _on_time_out(*_) -> None:
    raise TimeOut("the time of the execution is over")


def _tools_module(source: str) -> types.ModuleType:
    """The functions that the engine has generated of the tools, as module `tools`."""
    module = types.ModuleType("tools", "The tools of this work as functions. help(tools.name) describes one.")
    linecache.cache[_TOOLS] = (len(source), None, source.splitlines(keepends=True), _TOOLS)
    sys.modules["tools"] = module
    exec(compile(source, _TOOLS, "exec", dont_inherit=True), module.__dict__)
    return module


def _main_namespace(tools: types.ModuleType) -> dict:
    """The code is the module __main__, in which every tool is a function."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    sys.argv = ["<code>"]
    sys.path.insert(0, "")
    module.__dict__.update({name: getattr(tools, name) for name in tools.__all__})
    module.__dict__["__builtins__"] = builtins
    return module.__dict__


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            continue  # The code has closed or replaced it.
