/** Attempts at system calls, in Python, and what must come of them in every place where commands of models run. */

/** Defines `attempts()`, which returns the name of each attempt with `ok` or the name of its error. */
export const ATTEMPTS = `
import ctypes, errno, json, mmap, os, platform, signal, socket
libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
def call(x86, arm, *args):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(x86 if X86 else arm), *map(ctypes.c_long, args))
    if result < 0: raise OSError(ctypes.get_errno(), "")
    return result
def opened(family, kind=socket.SOCK_STREAM, protocol=0):
    # As a system call, because libraries know better than to try some of them.
    os.close(call(41, 198, family, kind, protocol))
def in_child(act):
    child = os.fork()
    if child == 0:
        try: act()
        except OSError as error: os._exit(error.errno)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status): raise OSError(0, signal.Signals(os.WTERMSIG(status)).name)
    if os.WEXITSTATUS(status): raise OSError(os.WEXITSTATUS(status), "")
def by_int80(number, first, second, third):
    # int 0x80: the calls of 32-bit programs, whose numbers are others.
    code = bytes([0x53, 0xB8]) + number.to_bytes(4, "little") + bytes([0xBB]) + first.to_bytes(4, "little")
    code += bytes([0xB9]) + second.to_bytes(4, "little") + bytes([0xBA]) + third.to_bytes(4, "little") + bytes([0xCD, 0x80, 0x5B, 0xC3])
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    run = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    result = run()
    if result < 0: raise OSError(-result, "")
VSOCK, STREAM, DGRAM, RAW = 40, 1, 2, 3
def attempts():
    tried = {
        "vsock": lambda: opened(VSOCK),
        "vsock datagrams": lambda: opened(VSOCK, DGRAM),
        "vsock with garbage in the upper half": lambda: opened(VSOCK | 1 << 40),
        "vsock of x32": lambda: in_child(lambda: call(0x40000029, 198, VSOCK, STREAM, 0)),
        "vsock of 32-bit programs": lambda: in_child(lambda: by_int80(359, VSOCK, STREAM, 0) if X86 else opened(VSOCK)),
        "key": lambda: opened(15, RAW, 2), "packet": lambda: opened(17, RAW), "rds": lambda: opened(21, 5), "can": lambda: opened(29, RAW, 1),
        "tipc": lambda: opened(30), "tipc pair": lambda: call(53, 199, 30, STREAM, 0, 0), "bluetooth": lambda: opened(31), "alg": lambda: opened(38, 5),
        "qrtr": lambda: opened(42, DGRAM), "smc": lambda: opened(43), "xdp": lambda: opened(44, RAW),
        "raw": lambda: opened(2, RAW, 1), "sctp": lambda: opened(2, STREAM, 132), "mptcp": lambda: opened(2, STREAM, 262), "l2tp": lambda: opened(2, DGRAM, 115),
        "netfilter": lambda: opened(16, RAW, 12), "audit": lambda: opened(16, RAW, 9), "uevents": lambda: opened(16, RAW, 15),
        "io_uring": lambda: call(425, 425, 1, 0), "bpf": lambda: call(321, 280, 0, 0, 0), "keyring": lambda: call(250, 219, 0, -3, 1),
        "userfaultfd": lambda: call(323, 282, 1), "perf": lambda: call(298, 241, 0, 0, -1, -1, 0), "module": lambda: call(175, 105, 0, 0, 0),
        "clone3": lambda: call(435, 435, 0, 0),
        "network namespace": lambda: in_child(lambda: call(272, 97, 0x50000000)),
        "user namespace": lambda: in_child(lambda: call(272, 97, 0x10000000)),
        "user namespace by clone": lambda: call(56, 220, 0x10000000 | 17, 0, 0, 0, 0) or os._exit(0),
        "mount": lambda: call(165, 40, 0, 0, 0, 0, 0), "chroot": lambda: os.chroot("/"),
        "trace": lambda: in_child(lambda: call(101, 117, 0, 0, 0, 0)),
        "unix": lambda: socket.socketpair()[0].close(), "tcp": lambda: opened(2, STREAM | 0x80000 | 0x800, 6), "tcp6": lambda: opened(10),
        "udp": lambda: opened(2, DGRAM), "ping": lambda: opened(2, DGRAM, 1), "routes": lambda: opened(16, RAW | 0x80000, 0),
        "interfaces": lambda: socket.if_nameindex(),
    }
    seen = {}
    for name, attempt in tried.items():
        try:
            attempt()
            seen[name] = "ok"
        except OSError as error:
            seen[name] = errno.errorcode.get(error.errno, error.strerror)
    if seen["ping"] == "EACCES": seen["ping"] = "ok"  # the kernel's own setting, net.ipv4.ping_group_range
    return seen
`;

const isX86 = process.arch === 'x64';
const REFUSAL = 'EPERM';

/** Refused wherever one of our profiles applies. */
export const REFUSED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'vsock',
      'vsock datagrams',
      'vsock with garbage in the upper half',
      'key',
      'packet',
      'rds',
      'can',
      'tipc',
      'tipc pair',
      'bluetooth',
      'alg',
      'qrtr',
      'smc',
      'xdp',
      'raw',
      'sctp',
      'mptcp',
      'l2tp',
      'netfilter',
      'audit',
      'uevents',
      'io_uring',
      'bpf',
      'keyring',
      'userfaultfd',
      'perf',
      'module',
      'network namespace',
    ].map((name) => [name, REFUSAL]),
  ),
  'vsock of x32': isX86 ? 'SIGSYS' : REFUSAL,
  'vsock of 32-bit programs': isX86 ? 'SIGSYS' : REFUSAL,
  clone3: 'ENOSYS',
};

/** In containers; the daemon of the appliance hides its keys by namespaces, and is not traced. */
export const HELD_BACK: Readonly<Record<string, string>> = {
  'user namespace': REFUSAL,
  'user namespace by clone': REFUSAL,
  mount: REFUSAL,
  chroot: REFUSAL,
  trace: 'ok',
};

/** What programs need. */
export const ORDINARY: Readonly<Record<string, string>> = Object.fromEntries(
  ['unix', 'tcp', 'tcp6', 'udp', 'ping', 'routes', 'interfaces'].map((name) => [name, 'ok']),
);
