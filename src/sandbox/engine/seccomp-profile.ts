/**
 * The seccomp profiles, in the format of Docker: which system calls a container may make. Everything else fails with EPERM. They need amd64 or
 * arm64, and programs for it: the kernel ends 32-bit programs, whose calls have other numbers.
 */
import { DEBUGGING_CALLS, NAMESPACE_CALLS, ORDINARY_CALLS } from './system-calls.ts';

interface SeccompProfile {
  readonly defaultAction: 'SCMP_ACT_ERRNO';
  readonly defaultErrnoRet: number;
  readonly archMap: readonly { readonly architecture: string; readonly subArchitectures: readonly string[] }[];
  readonly syscalls: readonly SystemCallRule[];
}

interface SystemCallRule {
  readonly comment?: string;
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  readonly errnoRet?: number;
  readonly args?: readonly Argument[];
}

/** The 64 bits of an argument are compared, so that garbage in the upper half of an `int` matches no `SCMP_CMP_EQ`. */
interface Argument {
  readonly index: number;
  readonly value: number;
  readonly valueTwo?: number;
  readonly op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ';
}

const EPERM = 1;
const ENOSYS = 38;
const NEW_NETWORK = 0x4000_0000;
/** Mount, cgroup, UTS, IPC, user, PID and network: every namespace that `clone` can make. */
const ANY_NAMESPACE = 0x7e02_0000;

/** Of containers for code and for commands. */
export function containerProfile(): SeccompProfile {
  return profile([
    allow('debugging', DEBUGGING_CALLS),
    allow('processes and threads, without new namespaces', ['clone'], [without(0, ANY_NAMESPACE)]),
  ]);
}

/**
 * Of the daemon in the appliance, which hides its keys from commands in user namespaces. They get no network of their own: as root of one, a
 * command could reach the packet filters and queues of the kernel.
 */
export function applianceProfile(): SeccompProfile {
  return profile([
    allow('inside a user namespace', NAMESPACE_CALLS),
    allow('namespaces, but for networks', ['clone', 'unshare'], [without(0, NEW_NETWORK)]),
  ]);
}

function profile(own: readonly SystemCallRule[]): SeccompProfile {
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: EPERM,
    archMap: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'].map((architecture) => ({ architecture, subArchitectures: [] })),
    syscalls: [
      ...Object.entries(ORDINARY_CALLS).map(([subject, names]) => allow(subject, names)),
      ...socketRules(),
      ...PERSONALITIES.map((value) => allow('the personality of Linux', ['personality'], [is(0, value)])),
      ...own,
      {
        comment: 'a filter cannot read its flags; libraries use clone instead',
        names: ['clone3'],
        action: 'SCMP_ACT_ERRNO',
        errnoRet: ENOSYS,
      },
    ],
  };
}

/** Linux, with 32 bits of addresses, with an old version number, both; and the question which it is. */
const PERSONALITIES = [0, 8, 0x20000, 0x20008, 0xffff_ffff];

const AF_UNIX = 1;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
/** Without its flags (SOCK_CLOEXEC, SOCK_NONBLOCK). */
const SOCKET_TYPE = 0xf;
const [STREAM, DATAGRAM] = [1, 2];
const [TCP, UDP] = [6, 17];
/** The families of the internet, and the protocol that pings in each of them. */
const INTERNET = [
  { family: 2, ping: 1 },
  { family: 10, ping: 58 },
];

/**
 * TCP, UDP and ping, sockets between processes, and the routes and addresses of the machine (`getifaddrs`). No other family: AF_VSOCK leads to
 * the hypervisor whatever the network of the container is, AF_ALG, AF_PACKET and most others only show more of the kernel.
 */
function socketRules(): SystemCallRule[] {
  const internet = INTERNET.flatMap(({ family, ping }) => [
    ...[0, TCP].map((protocol) => [is(0, family), masked(1, SOCKET_TYPE, STREAM), is(2, protocol)]),
    ...[0, UDP, ping].map((protocol) => [is(0, family), masked(1, SOCKET_TYPE, DATAGRAM), is(2, protocol)]),
  ]);
  return [
    allow('between processes', ['socket', 'socketpair'], [is(0, AF_UNIX)]),
    allow('addresses and routes', ['socket'], [is(0, AF_NETLINK), is(2, NETLINK_ROUTE)]),
    ...internet.map((args) => allow('internet', ['socket'], args)),
  ];
}

function allow(comment: string, names: readonly string[], args?: readonly Argument[]): SystemCallRule {
  return { comment, names, action: 'SCMP_ACT_ALLOW', ...(args && { args }) };
}

function is(index: number, value: number): Argument {
  return { index, value, op: 'SCMP_CMP_EQ' };
}

/** Of these bits, exactly those of `value` are set. */
function masked(index: number, mask: number, value: number): Argument {
  return { index, value: mask, valueTwo: value, op: 'SCMP_CMP_MASKED_EQ' };
}

function without(index: number, mask: number): Argument {
  return masked(index, mask, 0);
}
