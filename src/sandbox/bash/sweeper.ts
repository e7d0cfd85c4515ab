/** Asks the first process of a container to signal everything in it but the commands that go on (`FIRST_PROCESS`). */
import type { HeldContainer } from '../container-host.ts';
import { MOUNT, READY } from './first-process.ts';

/** A command that goes on: the id of its frame's process, 0 while it is unknown, and its mark. */
export interface SparedCommand {
  readonly pid: number;
  readonly mark: string;
}

/** What a sweep has found. */
export interface SweepReport {
  /** Processes that were there in the last round. */
  readonly left: number;
  /** How often the kernel has refused to start a process in this container so far. */
  readonly refusedForks: number;
  /** How many processes of this container the kernel has killed for lack of memory so far. */
  readonly outOfMemory: number;
}

export interface Sweeper {
  /** The mounts of the container, when its first process runs; null if it ended or says nothing. Never rejects. */
  readonly ready: Promise<readonly string[] | null>;
  /** Null if the first process does not answer in time. Never rejects. */
  sweep(signal: 'TERM' | 'KILL', spared: readonly SparedCommand[]): Promise<SweepReport | null>;
}

/** A command can slow the first process down, but hardly for that long: the kernel shares processor time out fairly. */
const ANSWER_MS = 10_000;
const READY_MS = 20_000;
/** Kills that are repeated until nothing is left. */
const ROUNDS = { TERM: 1, KILL: 300 } as const;
/** Its lines are short; anything longer is not its own. */
const MAX_LINE = 16_384;
/** A container has some dozens. */
const MAX_MOUNTS = 10_000;

/** Takes over the standard streams of the container. */
export function createSweeper({ stdin, stdout, stderr, exited }: HeldContainer): Sweeper {
  const answers = new Map<string, (line: string) => void>();
  const mounts: string[] = [];
  let last = 0;
  let rest = '';
  stderr.resume();
  stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) {
      const word = line.split(' ', 1)[0] ?? '';
      if (word === MOUNT && mounts.length < MAX_MOUNTS) mounts.push(line.slice(MOUNT.length + 1));
      else answers.get(word)?.(line);
    }
  });

  const answer = async (token: string, ms: number): Promise<string | null> => {
    const { promise, resolve } = Promise.withResolvers<string | null>();
    answers.set(token, resolve);
    const timer = setTimeout(() => resolve(null), ms);
    void exited.then(() => resolve(null));
    const line = await promise;
    clearTimeout(timer);
    answers.delete(token);
    return line;
  };

  return {
    ready: answer(READY, READY_MS).then((line) => (line === null ? null : mounts)),
    async sweep(signal, spared) {
      const token = `s${(last += 1)}`;
      const answered = answer(token, ANSWER_MS);
      const spares = spared.map(({ pid, mark }) => ` ${pid}:${mark}`).join('');
      stdin.write(`${token} ${signal} ${ROUNDS[signal]}${spares}\n`);
      const [, left, refused, killed] = /^\S+ (\d+) (\d+) (\d+)$/.exec((await answered) ?? '') ?? [];
      if (left === undefined) return null;
      return { left: Number(left), refusedForks: Number(refused), outOfMemory: Number(killed) };
    },
  };
}
