"""Takes the network from the process of the code, where the container has one: a seccomp filter that only unix sockets pass."""

import ctypes
import os
import platform
import socket

_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_EPERM = 1
_EACCES = 13

# Statements of the filter: load a word, jump if equal, jump if greater or equal, return.
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
# Where the number of the call, the architecture and the first argument are.
_NUMBER, _ARCHITECTURE, _FIRST = 0, 4, 16
# Architecture: its number for the kernel, and the number of socket().
_MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
# It could make sockets without the call.
_IO_URING_SETUP = 425
# Numbers from here on are those of another calling convention of x86_64.
_X32 = 0x40000000


class _Statement(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte), ("no", ctypes.c_ubyte), ("value", ctypes.c_uint)]


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("statements", ctypes.POINTER(_Statement))]


def allow_unix_sockets_only() -> None:
    """For this process and all that it starts; nothing takes it back. Raises OSError where the kernel cannot do it."""
    if platform.machine() not in _MACHINES:
        raise OSError(f"no filter of sockets is known for {platform.machine()}")
    architecture, socket_call = _MACHINES[platform.machine()]
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 0, 6, architecture),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 4, 0, _X32),
        (_EQUAL, 3, 0, _IO_URING_SETUP),
        (_EQUAL, 0, 4, socket_call),
        (_LOAD, 0, 0, _FIRST),
        (_EQUAL, 2, 1, socket.AF_UNIX),
        (_RETURN, 0, 0, _ERRNO | _EPERM),
        (_RETURN, 0, 0, _ERRNO | _EACCES),
        (_RETURN, 0, 0, _ALLOW),
    ]
    statements = (_Statement * len(program))(*program)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]
    for option, value, argument in (
        (_PR_SET_NO_NEW_PRIVS, 1, None),
        (_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(_Filter(len(program), statements))),
    ):
        if libc.prctl(option, value, argument, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
