/** Runs a command in Linux namespaces of its own by util-linux's `unshare`: no other process of the host exists for it. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import type { FileRule } from '../file-rules.ts';
import { type FileKind, type HostFiles, mangle, planMounts, SOURCE, STAGING } from '../mount-plan.ts';
import type { Runner, RunRequest } from './runner.ts';
import { GATE, GO, maxTasksOf, systemProgram } from './start-gate.ts';

/** The programs that make a namespace, by absolute path. */
type NamespacePrograms = Readonly<Record<(typeof PROGRAMS)[number], string>>;

const PROGRAMS = ['sh', 'unshare', 'mount', 'umount', 'mkdir', 'setpriv'] as const;

/**
 * Runs in the outer namespace, as its process 1 and root: makes the mounts, looks whether they are there (`mount --all`
 * passes over what it believes to be mounted; one call for many, since each takes 3 ms), then runs the command in a nested
 * user namespace. Mounts that a namespace inherits from a more privileged one are locked, so that the command, whatever it
 * is inside, can undo neither these nor /proc. Process 1 stays behind as an init: a command that were process 1 itself
 * would be immune to SIGTERM. When it ends, the kernel kills all that is left.
 * The last step is the start gate. When it is reached all of this has worked, and `--kill-child` has armed the signal by
 * which process 1 dies with `unshare`: that happens after the fork, so that an `unshare` killed in between leaves it alive.
 */
const OUTER = `unshare=$1 mount=$2 umount=$3 mkdir=$4 sh=$5 uid=$6 gid=$7 inner=$8 cwd=$9; shift 9
stage=$1 cover=$2 back=$3; shift 3
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
  case "$seen" in *"|$1|"*) ;; *) echo "mount has passed over $1" >&2; exit 125;; esac
  shift
done
shift
# By name: a working directory that was opened before the mounts leads past them.
"$unshare" --user --mount --map-user="$uid" --map-group="$gid" --wd="$cwd" -- "$sh" -c "$inner" "$sh" "$@"
exit $?`;

/** Needs Linux, util-linux 2.38 or so and permission to create user namespaces. */
export const namespaceRunner: Runner = {
  words: {
    apart: 'in user, PID and mount namespaces of their own',
    hides: 'they see no other process, find the secrets of the daemon hidden and what it loads or runs read-only',
    leaves: 'other files of its user they can read and write',
  },
  examine: tryNamespace,
  homeProblem: () => null,
  placeProblem: () => null,
  start({ command, args, cwd, fileRules, maxTasks }) {
    const gated = [maxTasksOf(countsApart() ? maxTasks : null), command, ...args];
    const line = inNamespace(gated, { cwd, ...(fileRules && { fileRules }) });
    return line === null ? 'this host has no namespaces (Linux with util-linux is needed)' : { ...line, gated: true };
  },
  // When `unshare` ends, the kernel kills all that is left in the namespace.
  diesWithLeader: true,
  runsAsOwner: false,
};

/**
 * The command line that runs `command` in namespaces, in the directory `cwd`, behind the start gate. Throws where what is
 * to be hidden is not there: it may be elsewhere now.
 */
function inNamespace(
  gated: readonly string[],
  { cwd, fileRules = [] }: Pick<RunRequest, 'cwd' | 'fileRules'>,
): { readonly command: string; readonly args: readonly string[] } | null {
  const found = findPrograms();
  if (!found || !process.getuid || !process.getgid) return null;
  const ids = [String(process.getuid()), String(process.getgid())];
  const { setpriv, unshare, sh, mount, umount, mkdir } = found;
  const present = [...fileRules, ...rulesForRoot()].filter(
    ({ path, access }) => access === 'hidden' || existsSync(path),
  );
  const plan = planMounts(present, readHostFiles());
  // With the parent-death signal, namespaces end even when supervisor and daemon are killed in the same instant.
  const asOrphan = ['--pdeathsig', 'KILL'];
  const outer = [unshare, '--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child', '--'];
  const setUp = [sh, '-c', OUTER, sh, unshare, mount, umount, mkdir, sh, ...ids, GATE, resolve(cwd)];
  const tables = [plan.stage, plan.cover, plan.back];
  const [backSingly, seal] = [plan.backSingly, plan.seal].map((binds) =>
    binds.flatMap(({ options, from, to }) => [options, from, to]),
  );
  const lists = [plan.stageFiles, plan.makeFiles, backSingly!, seal!, plan.expected].flatMap((list) => [...list, '--']);
  return { command: setpriv, args: [...asOrphan, ...outer, ...setUp, ...tables, ...lists, ...gated] };
}

/** Files that uid 0 can write without any capability, and that would run programs outside of all namespaces. */
function rulesForRoot(): readonly FileRule[] {
  if (process.getuid?.() !== 0) return [];
  return [
    ...['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus'].map(
      (path) => ({ path, access: 'read' }) as const,
    ),
    { path: '/sys', access: 'hidden' },
    // Programs count processors by it.
    { path: '/sys/devices/system', access: 'read' },
  ];
}

function readHostFiles(): HostFiles {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, , , , point = '', options = '']) => ({ point, options: options.split(',') }));
  const points = new Set(mounts.map(({ point }) => point));
  // Of mounts on one point the last is what is seen.
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
 * Null where a namespace can be made and files can be hidden in it, else why not: it needs Linux, util-linux 2.38 or so and
 * permission to create user namespaces, which the default seccomp profile of Docker denies.
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
    const wrapped = inNamespace(trial, { cwd: '/', fileRules });
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

/** From Linux 5.14 on a user's processes are counted in each user namespace on their own; those of root have no limit. */
function countsApart(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
