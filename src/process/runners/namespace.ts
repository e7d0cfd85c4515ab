/** Runs a command in its own Linux namespaces with `unshare` from util-linux: it sees no other process of the host. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { messageOf } from '../../core/errors/errors.ts';
import type { FileRule } from '../file-rules.ts';
import { withFirstStep } from './first-step.ts';
import { ordersOf, TAKE_ORDERS } from './orders.ts';
import { ownMounts } from './own-mounts.ts';
import { closePlaces, enterPlace } from './place.ts';
import type { Runner, RunRequest, StartLine, WaitingLine } from './runner.ts';
import { GATE, GO, maxTasksOf, systemProgram } from './start-gate.ts';

/** The absolute paths of the programs that set up a namespace. */
type NamespacePrograms = Readonly<Record<(typeof PROGRAMS)[number], string>>;

const PROGRAMS = ['sh', 'unshare', 'nsenter', 'mount', 'umount', 'mkdir', 'setpriv', 'env'] as const;

/**
 * Runs in the place as process 1 of a PID namespace, and root. It makes the few mounts that no other command may share, and runs
 * the command in a nested user namespace. Mounts that a namespace inherits from a more privileged one are locked, so the
 * command cannot undo those of the place, nor these, nor /proc, even as root inside. Process 1 stays as an init process: if the
 * command itself were process 1, it would ignore SIGTERM. When process 1 ends, the kernel kills all remaining processes.
 * The last step is the start gate. Reaching it means that all steps have succeeded, and that `--kill-child` has armed the
 * signal that kills process 1 when `unshare` dies. It is armed after the fork, so an `unshare` that is killed in between
 * would leave process 1 alive.
 */
const INSIDE = `unshare=$1 mount=$2 sh=$3 uid=$4 gid=$5 inner=$6 cwd=$7 shmall=$8; shift 8
printf %s "$shmall" 2>/dev/null > /proc/sys/kernel/shmall
"$mount" --all --fstab /proc/self/fd/4 || exit 125
exec 4<&-
while [ "$1" != -- ]; do "$mount" -o "$1" "$2" "$3" || exit 125; shift 3; done; shift
while [ "$1" != -- ]; do [ ! -w "$1" ] || { echo "mount skipped $1" >&2; exit 125; }; shift; done; shift
# Enter the working directory by its path: one that was opened before the mounts would bypass them.
"$unshare" --user --mount --map-user="$uid" --map-group="$gid" --wd="$cwd" -- "$sh" -c "$inner" "$sh" "$@"
exit $?`;

/**
 * What this runner starts has `LC_ALL=C`: otherwise each of the five programs of util-linux reads a dozen files of the locale, 1.5 ms of processor time in
 * all. The command gets back what its own environment says; an empty one is as good as none.
 */
const ENVIRONMENT = { LC_ALL: 'C' };
const INNER = `[ -n "$1" ] && LC_ALL=$1 || unset LC_ALL; shift
${GATE}`;

/** Needs Linux, util-linux 2.38 or so and permission to create user namespaces. */
export const namespaceRunner: Runner = {
  words: {
    apart: 'in their own user, PID and mount namespaces',
    hides:
      'they see no other process, cannot see the secrets of the daemon, and cannot change the files that it loads or runs',
    leaves: 'they can read and write all other files of its user',
  },
  examine: tryNamespace,
  homeProblem: () => null,
  placeProblem: () => null,
  start({ command, args, cwd, locale, fileRules, maxTasks, maxMemoryBytes }) {
    const tasks = maxTasksOf(countsApart() ? maxTasks : null);
    const gated = [locale ?? '', tasks, command, ...args];
    const prepared = inNamespace(gated, { cwd, maxMemoryBytes, ...(fileRules && { fileRules }) });
    if (prepared === null) return 'this host has no namespaces (Linux with util-linux is needed)';
    const { line, waitingArgs, env } = prepared;
    const orders: WaitingLine['orders'] = (environment, hasText) =>
      ordersOf({ command, args, cwd, maxTasks: tasks, environment, hasText }, env);
    return { ...line, waiting: { args: waitingArgs, orders } };
  },
  // When `unshare` ends, the kernel kills all that is left in the namespace.
  diesWithLeader: true,
  runsAsOwner: false,
};

/**
 * Returns the command line that runs a command in namespaces, in the directory `cwd`, behind the start gate. `gated`: the arguments of INNER. Throws if a
 * path to be hidden does not exist, because its content may have moved.
 */
function inNamespace(
  gated: readonly string[],
  { cwd, fileRules = [], maxMemoryBytes }: Pick<RunRequest, 'cwd' | 'fileRules' | 'maxMemoryBytes'>,
): { readonly line: StartLine; readonly waitingArgs: readonly string[]; readonly env: string } | null {
  const found = findPrograms();
  if (!found || !process.getuid || !process.getgid) return null;
  const ids = [String(process.getuid()), String(process.getgid())];
  const { unshare, sh, mount, env } = found;
  const place = enterPlace([...fileRules, ...rulesForRoot()], found);
  const apart = ['--pid', '--ipc', '--fork', '--mount-proc', '--kill-child', '--'];
  const needed = [cwd, ...fileRules.map(({ path }) => path)];
  const { table, singly, readOnly, sharedPages } = ownMounts(maxMemoryBytes, needed);
  const lists = [singly, readOnly].flatMap((list) => [...list, '--']);
  const argsOf = (inner: string, directory: string): readonly string[] => {
    const setUp = [sh, '-c', INSIDE, sh, unshare, mount, sh, ...ids, inner, directory, sharedPages];
    return [...apart, ...setUp, ...lists];
  };
  const args = [...argsOf(INNER, resolve(cwd)), ...gated];
  const line: StartLine = { command: unshare, args, env: ENVIRONMENT, gated: true, place, file: table };
  return { line, waitingArgs: argsOf(TAKE_ORDERS, '/'), env };
}

/** Files that uid 0 can write without capabilities. With some of them a command could start programs outside the namespaces. */
function rulesForRoot(): readonly FileRule[] {
  if (process.getuid?.() !== 0) return [];
  return [
    { path: '/sys', access: 'hidden' },
    // Programs read the number of processors from it.
    { path: '/sys/devices/system', access: 'read' },
  ];
}

/**
 * Null if a namespace can be created and files can be hidden in it, else the reason. It needs Linux, about util-linux 2.38,
 * and permission to create user namespaces, which Docker's default seccomp profile denies.
 */
async function tryNamespace(): Promise<string | null> {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), 'animus-trial-'));
  try {
    for (const name of ['open', 'closed']) mkdirSync(join(directory, name));
    const fileRules: readonly FileRule[] = [
      { path: directory, access: 'hidden' },
      { path: join(directory, 'open'), access: 'all' },
    ];
    const trial = ['', maxTasksOf(null), '/bin/sh', '-c', TRIAL, 'sh', directory];
    const prepared = inNamespace(trial, { cwd: '/', fileRules, maxMemoryBytes: 2 ** 26 });
    if (prepared) return await tryCommand(prepared.line);
    return 'needs Linux with util-linux (unshare, nsenter, mount, umount, setpriv)';
  } finally {
    closePlaces();
    rmSync(directory, { recursive: true });
  }
}

const TRIAL = 'test -d "$1/open" && ! test -e "$1/closed" && : > "$1/open/file"';

function tryCommand(line: StartLine): Promise<string | null> {
  const { place, file } = line;
  const { command, args } = withFirstStep(line, null);
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', file],
      env: line.env,
      timeout: 5000,
      killSignal: 'SIGKILL',
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const gate = child.stdio[3] as Writable | null;
    gate?.on('error', () => {});
    place?.namespaces.then(
      (where) => gate?.write(`${where}\n${GO}`),
      (error: unknown) => gate?.end(`${messageOf(error)}\n`),
    );
    child.on('error', ({ message }) => resolve(message));
    child.on('close', (code) => {
      place?.entered();
      resolve(code === 0 ? null : refusal(said));
    });
  });
}

function refusal(said: string): string {
  const detail = said.trim().split('\n', 1)[0] ?? '';
  return `the system does not permit user namespaces and mounts in them${detail === '' ? '' : ` (${detail})`}; in Docker, the default seccomp profile denies them`;
}

function findPrograms(): NamespacePrograms | null {
  if (process.platform !== 'linux') return null;
  const found = PROGRAMS.map((name) => [name, systemProgram(name)] as const);
  return found.every(([, program]) => program !== null) ? (Object.fromEntries(found) as NamespacePrograms) : null;
}

/** True from Linux 5.14 on, which counts a user's processes separately in each user namespace. Processes of root have no limit. */
function countsApart(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
