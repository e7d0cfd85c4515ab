/** Runs a command in its own Linux namespaces with `unshare` from util-linux: it sees no other process of the host. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { type FileRule, isWithin } from '../file-rules.ts';
import { type FileKind, type HostFiles, mangle, planMounts, SOURCE, STAGING } from '../mount-plan.ts';
import type { Runner, RunRequest } from './runner.ts';
import { GATE, GO, maxTasksOf, systemProgram } from './start-gate.ts';

/** The absolute paths of the programs that set up a namespace. */
type NamespacePrograms = Readonly<Record<(typeof PROGRAMS)[number], string>>;

const PROGRAMS = ['sh', 'unshare', 'mount', 'umount', 'mkdir', 'setpriv'] as const;

/**
 * Runs in the outer namespace as process 1 and root. It makes the mounts and verifies them, because `mount --all` skips
 * what it believes to be mounted already (a call takes 3 ms, so one call makes many mounts). Then it runs the command in a
 * nested user namespace. Mounts that a namespace inherits from a more privileged one are locked, so the command cannot undo
 * these mounts or /proc, even as root inside. Process 1 stays as an init process: if the command itself were process 1,
 * it would ignore SIGTERM. When process 1 ends, the kernel kills all remaining processes.
 * The last step is the start gate. Reaching it means that all steps have succeeded, and that `--kill-child` has armed the
 * signal that kills process 1 when `unshare` dies. It is armed after the fork, so an `unshare` that is killed in between
 * would leave process 1 alive.
 */
const OUTER = `unshare=$1 mount=$2 umount=$3 mkdir=$4 sh=$5 uid=$6 gid=$7 inner=$8 cwd=$9; shift 9
shm=$1 shmall=$2 stage=$3 cover=$4 back=$5; shift 5
[ "$shm" = - ] || "$mount" -t tmpfs -o "$shm" shm /dev/shm || exit 125
printf %s "$shmall" 2>/dev/null > /proc/sys/kernel/shmall
mount_all() {
  [ -z "$1" ] && return
  printf %s "$1" > ${STAGING}/table && "$mount" --all --fstab ${STAGING}/table || exit 125
}
[ -z "$cover" ] || "$mount" -t tmpfs -o mode=700 none ${STAGING} || exit 125
while [ "$1" != -- ]; do : > "$1" || exit 125; shift; done; shift
mount_all "$stage"
mount_all "$cover"
while [ "$1" != -- ]; do "$mkdir" -p "\${1%/*}" && : > "$1" || exit 125; shift; done; shift
while [ "$1" != -- ]; do "$mount" -o "$1" "$2" "$3" || exit 125; shift 3; done; shift
mount_all "$back"
while [ "$1" != -- ]; do "$mount" -o "$1" "$2" "$3" || exit 125; shift 3; done; shift
[ -z "$cover" ] || "$umount" -l ${STAGING} || exit 125
seen='|'
[ "$1" = -- ] || while read -r a b c root point options rest; do
  case "$root $rest" in '/null '*|*' - tmpfs ${SOURCE} '*) seen="$seen$point hidden|";; esac
  case "$options" in ro|ro,*) seen="$seen$point read|";; esac
  seen="$seen$point pinned|"
done < /proc/self/mountinfo
while [ "$1" != -- ]; do
  case "$seen" in *"|$1|"*) ;; *) echo "mount skipped $1" >&2; exit 125;; esac
  shift
done
shift
# Enter the working directory by its path: one that was opened before the mounts would bypass them.
"$unshare" --user --mount --map-user="$uid" --map-group="$gid" --wd="$cwd" -- "$sh" -c "$inner" "$sh" "$@"
exit $?`;

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
  start({ command, args, cwd, fileRules, maxTasks, maxMemoryBytes }) {
    const gated = [maxTasksOf(countsApart() ? maxTasks : null), command, ...args];
    const line = inNamespace(gated, { cwd, maxMemoryBytes, ...(fileRules && { fileRules }) });
    return line === null ? 'this host has no namespaces (Linux with util-linux is needed)' : { ...line, gated: true };
  },
  // When `unshare` ends, the kernel kills all that is left in the namespace.
  diesWithLeader: true,
  runsAsOwner: false,
};

/**
 * Returns the command line that runs a command in namespaces, in the directory `cwd`, behind the start gate. Throws if a
 * path to be hidden does not exist, because its content may have moved.
 */
function inNamespace(
  gated: readonly string[],
  { cwd, fileRules = [], maxMemoryBytes }: Pick<RunRequest, 'cwd' | 'fileRules' | 'maxMemoryBytes'>,
): { readonly command: string; readonly args: readonly string[] } | null {
  const found = findPrograms();
  if (!found || !process.getuid || !process.getgid) return null;
  const ids = [String(process.getuid()), String(process.getgid())];
  const { setpriv, unshare, sh, mount, umount, mkdir } = found;
  const present = [...fileRules, ...rulesForRoot()].filter(
    ({ path, access }) => access === 'hidden' || existsSync(path),
  );
  const plan = planMounts(present, readHostFiles());
  // With the parent-death signal, namespaces end even if supervisor and daemon are killed at the same moment.
  const asOrphan = ['--pdeathsig', 'KILL'];
  const outer = [
    unshare,
    '--user',
    '--map-root-user',
    '--pid',
    '--ipc',
    '--fork',
    '--mount-proc',
    '--kill-child',
    '--',
  ];
  const setUp = [sh, '-c', OUTER, sh, unshare, mount, umount, mkdir, sh, ...ids, GATE, resolve(cwd)];
  const shared = sharedMemory(maxMemoryBytes, [cwd, ...fileRules.map(({ path }) => path)]);
  const tables = [plan.stage, plan.cover, plan.back];
  const [backSingly, seal] = [plan.backSingly, plan.seal].map((binds) =>
    binds.flatMap(({ options, from, to }) => [options, from, to]),
  );
  const lists = [plan.stageFiles, plan.makeFiles, backSingly!, seal!, plan.expected].flatMap((list) => [...list, '--']);
  return { command: setpriv, args: [...asOrphan, ...outer, ...setUp, ...shared, ...tables, ...lists, ...gated] };
}

/**
 * Options of a /dev/shm of the command's own, which ends with it, and the limit of System V shared memory in pages: neither
 * is in the resident memory of a process. The host's /dev/shm stays (`-`) where the command needs a path in it.
 */
function sharedMemory(bytes: number, paths: readonly string[]): readonly [string, string] {
  const isNeeded = paths.some((path) => isWithin('/dev/shm', path));
  const own = !isNeeded && statSync('/dev/shm', { throwIfNoEntry: false })?.isDirectory() === true;
  return [own ? `size=${bytes},mode=1777,nosuid,nodev` : '-', String(Math.ceil(bytes / 4096))];
}

/** Files that uid 0 can write without capabilities. With some of them a command could start programs outside the namespaces. */
function rulesForRoot(): readonly FileRule[] {
  if (process.getuid?.() !== 0) return [];
  return [
    ...['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus'].map(
      (path) => ({ path, access: 'read' }) as const,
    ),
    { path: '/sys', access: 'hidden' },
    // Programs read the number of processors from it.
    { path: '/sys/devices/system', access: 'read' },
  ];
}

function readHostFiles(): HostFiles {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, , , , point = '', options = '']) => ({ point, options: options.split(',') }));
  const points = new Set(mounts.map(({ point }) => point));
  // If a path is mounted over several times, the last mount is visible.
  const mountOf = (path: string): (typeof mounts)[number] | undefined =>
    mounts.findLast(({ point }) => point === path) ?? (path === '/' ? undefined : mountOf(dirname(path)));
  return {
    kindOf,
    isMountPoint: (path) => points.has(mangle(path)),
    flagsOf: (path) => mountOf(mangle(path))?.options.filter((option) => LOCKED_FLAGS.has(option)) ?? [],
  };
}

const LOCKED_FLAGS: ReadonlySet<string> = new Set(['nosuid', 'nodev', 'noexec']);

function kindOf(path: string): FileKind {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats)
    throw new Error(
      `${path} must be hidden but does not exist: its content may be elsewhere, so no command is started`,
    );
  return stats.isDirectory() ? 'directory' : 'file';
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
    const trial = [maxTasksOf(null), '/bin/sh', '-c', TRIAL, 'sh', directory];
    const wrapped = inNamespace(trial, { cwd: '/', fileRules, maxMemoryBytes: 2 ** 26 });
    return wrapped ? await tryCommand(wrapped) : 'needs Linux with util-linux (unshare, mount, umount, setpriv)';
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const TRIAL = 'test -d "$1/open" && ! test -e "$1/closed" && : > "$1/open/file"';

function tryCommand({
  command,
  args,
}: {
  readonly command: string;
  readonly args: readonly string[];
}): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      env: {},
      timeout: 5000,
      killSignal: 'SIGKILL',
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const gate = child.stdio[3] as Writable | null;
    gate?.on('error', () => {});
    gate?.write(GO);
    child.on('error', ({ message }) => resolve(message));
    child.on('close', (code) => resolve(code === 0 ? null : refusal(said)));
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
