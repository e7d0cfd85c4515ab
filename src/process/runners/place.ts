/**
 * Prepared places: a place is a user and a mount namespace in which file rules apply. Its mounts are made once, checked, and entered by every
 * command with the same rules, which then gets a mount namespace of its own from it: what a command mounts, no other one sees.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { FileRule } from '../file-rules.ts';
import { type MountPlan, planMounts, SOURCE, STAGING } from '../mount-plan.ts';
import { goneProblem, readHostFiles } from './host-files.ts';
import { type HostMounts, readHostMounts, stillFit } from './host-mounts.ts';

/** Absolute paths of the programs that make a place, and of those that enter it. */
export type PlacePrograms = Readonly<
  Record<'sh' | 'unshare' | 'mount' | 'umount' | 'mkdir' | 'setpriv' | 'nsenter', string>
>;

/**
 * Runs in the namespaces of the place as root. It makes the mounts and verifies them, because `mount --all` skips
 * what it believes to be mounted already (a call takes 3 ms, so one call makes many mounts). Then it keeps the namespaces until
 * its input ends.
 */
const KEEPER = `mount=$1 umount=$2 mkdir=$3 stage=$4 cover=$5 back=$6; shift 6
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
cd / && echo ready && read -r end; exit 0`;

/** How long a place is kept for the next command. */
const IDLE_MS = 60_000;
/** The place that was not entered for the longest time goes first. */
const MAX_PLACES = 64;

/** The entry of one command into a place. */
export interface PlaceEntry extends Pick<PlacePrograms, 'setpriv' | 'nsenter'> {
  /**
   * The paths of its user and mount namespaces, separated by a blank, for processes that this one starts. Rejects with the reason if it could not be
   * prepared.
   */
  readonly namespaces: Promise<string>;
  /** To be called when the command has entered it, or never will: until then the paths stay valid. Idempotent. */
  readonly entered: () => void;
  /** Aborts when the place is closed. Two entries with the same signal are entries into the same place. */
  readonly closed: AbortSignal;
  /** Another entry into it. */
  again(): PlaceEntry;
}

interface Place {
  enter(): Pick<PlaceEntry, 'namespaces' | 'entered' | 'closed'>;
  /** False if a mount has moved or is gone, because somebody has replaced the path below it, or if it does not fit to the mounts that the host has now. */
  isIntact(host: HostMounts): boolean;
  /** Ends it as soon as nothing is about to enter it. What has entered it keeps its mounts. */
  close(): void;
}

/** By what they were made from; the one that was entered last is the last. */
const places = new Map<string, Place>();

/**
 * The place in which these rules hold; it is prepared now if there is none, or if the rules, the paths that they name, or mounts of the host have changed.
 * Throws if a path to be hidden does not exist.
 */
export function enterPlace(rules: readonly FileRule[], programs: PlacePrograms): PlaceEntry {
  const host = readHostMounts();
  const found = rules.flatMap(lookUp);
  const key = createHash('sha256')
    .update(JSON.stringify([found, host.own]))
    .digest('base64');
  const known = places.get(key);
  const usable = known?.isIntact(host) === true;
  if (!usable) known?.close();
  const place = usable ? known : prepare(planMounts(found, readHostFiles(host.text)), host, programs);
  places.delete(key);
  places.set(key, place);
  const [oldest] = places;
  if (places.size > MAX_PLACES && oldest) drop(...oldest);
  const { setpriv, nsenter } = programs;
  const again = (): PlaceEntry => ({ setpriv, nsenter, ...place.enter(), again });
  return again();
}

/** Ends all places that nothing is about to enter. */
export function closePlaces(): void {
  for (const each of places) drop(...each);
}

function drop(key: string, place: Place): void {
  places.delete(key);
  place.close();
}

/** The rule, and which file its path is now; nothing if there is none. */
function lookUp(rule: FileRule): readonly (FileRule & { readonly file: string })[] {
  const stats = statSync(rule.path, { throwIfNoEntry: false, bigint: true });
  if (stats) return [{ ...rule, file: `${stats.dev}:${stats.ino}:${stats.isDirectory()}` }];
  if (rule.access === 'hidden') throw new Error(goneProblem(rule.path));
  return [];
}

/** Starts the keeper. */
function prepare(plan: MountPlan, host: HostMounts, { unshare, sh, mount, umount, mkdir }: PlacePrograms): Place {
  const tables = [plan.stage, plan.cover, plan.back];
  const [backSingly, seal] = [plan.backSingly, plan.seal].map((binds) =>
    binds.flatMap(({ options, from, to }) => [options, from, to]),
  );
  const lists = [plan.stageFiles, plan.makeFiles, backSingly!, seal!, plan.expected].flatMap((list) => [...list, '--']);
  const apart = ['--user', '--map-root-user', '--mount', '--', sh, '-c', KEEPER, sh];
  const keeper = spawn(unshare, [...apart, mount, umount, mkdir, ...tables, ...lists], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: 'pipe',
  });
  return placeOf(keeper, host);
}

function placeOf(keeper: ChildProcess, made: HostMounts): Place {
  let open: { readonly mounts: string | null; readonly descriptors: readonly number[] } | null = null;
  let entering = 0;
  const closing = new AbortController();
  const { signal: closed } = closing;
  const idle = setTimeout(() => close(), IDLE_MS).unref();
  const release = (): void => {
    if (!closed.aborted || entering > 0) return;
    // Without free descriptors a keeper has no streams, and never ran.
    keeper.stdin?.end();
    for (const each of open?.descriptors ?? []) closeSync(each);
    open = null;
  };
  const close = (): void => {
    clearTimeout(idle);
    closing.abort();
    release();
  };
  const namespaces = whenReady(keeper).then(() => {
    const descriptors = ['user', 'mnt'].map((name) => openSync(`/proc/${keeper.pid}/ns/${name}`, 'r'));
    open = { mounts: mountsOf(keeper), descriptors };
    // It may have been closed meanwhile.
    release();
    return descriptors.map((each) => `/proc/${process.pid}/fd/${each}`).join(' ');
  });
  namespaces.catch(close);
  keeper.once('exit', close);
  return {
    enter() {
      entering++;
      idle.refresh();
      let isEntering = true;
      const entered = (): void => {
        if (isEntering) entering--;
        isEntering = false;
        release();
      };
      return { namespaces, entered, closed };
    },
    isIntact: (host) => !closed.aborted && stillFit(made, host) && (open === null || mountsOf(keeper) === open.mounts),
    close,
  };
}

/** Resolves when the mounts are made; rejects with what the keeper wrote. Neither the keeper nor its streams keep this process alive. */
async function whenReady(keeper: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  keeper.once('error', reject);
  keeper.unref();
  const [input, output, errors] = [keeper.stdin, keeper.stdout, keeper.stderr] as (Socket | undefined)[];
  for (const stream of [input, output, errors]) stream?.unref();
  let said = '';
  errors?.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  output?.once('data', () => resolve());
  // A keeper that has ended reads no more.
  input?.on('error', () => {});
  keeper.once('close', (code, signal) => reject(new Error(said.trim() || (signal ?? `exit code ${code}`))));
  return promise;
}

/** The mounts in its namespace; null if it has ended. */
function mountsOf(keeper: ChildProcess): string | null {
  try {
    return readFileSync(`/proc/${keeper.pid}/mountinfo`, 'utf8');
  } catch {
    return null;
  }
}
