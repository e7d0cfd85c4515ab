"""What keeps the agent's code from the runner: no ptrace, no signals, and nothing that survives the execution."""

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36

_libc = ctypes.CDLL(None, use_errno=True)


def close_to_others() -> None:
    """
    Closes /proc/PID (memory, environment, descriptors) of this process to others of the same user, and ptrace with it.
    PID 1 gets no signal from inside for which it has no handler; SIGINT is the only one that Python handles by itself.
    """
    _prctl(_PR_SET_DUMPABLE, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if os.getpid() != 1:
        # Outside a container (in tests): what the code starts and leaves behind becomes a child of this process.
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def give_way() -> None:
    """For the process of the code: it ends with the runner, and is the first to be killed where memory is short."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
    except OSError:
        pass  # Not where /proc is read-only: then the largest process is killed first, which is the code's.


def kill_everything() -> None:
    """Kills every process of the execution and waits for all of them."""
    while True:
        _kill_all()
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _kill_all() -> None:
    try:
        if os.getpid() == 1:
            os.kill(-1, signal.SIGKILL)
            return
    except ProcessLookupError:
        return
    for pid in _descendants(os.getpid()):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _descendants(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = [int(word) for word in file.read().split()]
    except (OSError, ValueError):
        return []
    return [*children, *(below for child in children for below in _descendants(child))]


def memory_kills() -> int:
    """How often the kernel has killed a process of this container because the memory limit was reached; 0 where unknown."""
    for path in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        try:
            with open(path, encoding="ascii") as file:
                counts = dict(line.split() for line in file)
            return int(counts.get("oom_kill", 0))
        except (OSError, ValueError):
            continue
    return 0


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option}) failed")
