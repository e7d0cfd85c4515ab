"""A traceback that points into the agent's own lines: without the frames of the sandbox."""

import os
import traceback

from .agent_code import FILE

_HERE = os.path.dirname(os.path.realpath(__file__))
_SDK = "<tools>"
# Deep recursions and long messages: the beginning and the end tell what happened.
_MAX_CHARS = 8000


def own_traceback(error: BaseException) -> str:
    """The text of an error, at most about 8,000 characters."""
    # The locals could be huge, and their repr could raise.
    told = traceback.TracebackException.from_exception(error, limit=-200, compact=True)
    _clean(told, set())
    text = "".join(told.format()).rstrip()
    if len(text) <= _MAX_CHARS:
        return text
    half = _MAX_CHARS // 2
    return f"{text[:half]}\n[… {len(text) - _MAX_CHARS} characters left out …]\n{text[-half:]}"


def _clean(told: traceback.TracebackException, seen: set[int]) -> None:
    if id(told) in seen:
        return
    seen.add(id(told))
    frames = [frame for frame in told.stack if frame.filename != _SDK and not frame.filename.startswith(_HERE)]
    # What called the code (asyncio, say) is of no interest.
    own = [index for index, frame in enumerate(frames) if frame.filename == FILE]
    # Code that could not be compiled did not run: the message shows the line.
    told.stack[:] = frames[own[0] :] if own else [] if told.filename == FILE else frames
    for other in (told.__cause__, told.__context__, *(told.exceptions or ())):
        if other is not None:
            _clean(other, seen)
