/** A process that applies JSON Schemas, one check after the other, each with a time limit. A process that exceeds it is ended. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { dirname, extname } from 'node:path';
import { messageOf } from '../core/errors/errors.ts';
import type { SchemaAnswer, SchemaRequest } from './schema-check.ts';

export interface SchemaProcess {
  /** More checks wait than may: another one would be refused. */
  isFull(): boolean;
  /** Starts it ahead of the first check. */
  prepare(): void;
  /** Never rejects. */
  check(request: SchemaRequest): Promise<SchemaAnswer>;
}

/** Several times what a check of the largest input needs. A thread with such a limit can take the whole process with it, so this is a process. */
const MAX_MEMORY_MB = 256;
/** How V8 ends its process when memory runs out: which one depends on where it does. */
const OUT_OF_MEMORY: ReadonlySet<NodeJS.Signals> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL']);
/** Loading takes two tenths of a second on an idle machine. */
const START_MS = 30_000;
/** More checks than this that wait are refused, so that those of one agent do not pile up. */
const MAX_WAITING = 200;

// Beside this file in either form: as TypeScript in a clone, stripped to JavaScript in a package.
const WORKER = new URL(`./schema-worker${extname(import.meta.filename)}`, import.meta.url);

/** Started with the first check, and kept. It does not keep this process alive, and ends with it. */
export function createSchemaProcess(limitMs: number): SchemaProcess {
  let running: Promise<ChildProcess> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function run(request: SchemaRequest): Promise<SchemaAnswer> {
    let child: ChildProcess | null = null;
    let limit: AbortSignal | null = null;
    try {
      child = await (running ??= start());
      // It may have ended between two checks.
      if (!child.connected) child = await (running = start());
      hold(child, true);
      limit = AbortSignal.timeout(limitMs);
      child.send(request);
      return (await messageFrom(child, limit)) as SchemaAnswer;
    } catch (error) {
      running = null;
      child?.kill('SIGKILL');
      const why = limit?.aborted ? `it was not done within ${limitMs / 1000} s` : messageOf(error);
      return { kind: 'exceeded', problem: `the check by its JSON Schema was abandoned: ${why}` };
    } finally {
      if (child !== null) hold(child, false);
    }
  }

  return {
    isFull: () => waiting >= MAX_WAITING,
    prepare() {
      running ??= start();
      // The first check says why it could not be started.
      running.then((child) => hold(child, false)).catch(() => {});
    },
    check(request) {
      if (waiting >= MAX_WAITING)
        return Promise.resolve({ kind: 'exceeded', problem: 'too many JSON Schema checks are waiting; try again' });
      waiting += 1;
      const answer = last.then(() => run(request)).finally(() => (waiting -= 1));
      last = answer;
      return answer;
    },
  };
}

async function start(): Promise<ChildProcess> {
  const child = fork(WORKER, {
    env: compileCache(),
    execArgv: [`--max-old-space-size=${MAX_MEMORY_MB}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // Without a listener the error of a child ends this process. The code that waits for its answer hears of it, too.
  child.on('error', () => {});
  try {
    await messageFrom(child, AbortSignal.timeout(START_MS));
    return child;
  } catch (error) {
    child.kill('SIGKILL');
    hold(child, false);
    throw error;
  }
}

/** That of this process, which saves the child a third of its start. Node has a directory for each of its versions in it. */
function compileCache(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}

/** Whether this process stays alive for it. */
function hold(child: ChildProcess, held: boolean): void {
  if (held) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

/** Its next message; rejects if it ends before, or at the signal. */
async function messageFrom(child: ChildProcess, signal: AbortSignal): Promise<unknown> {
  const over = new AbortController();
  const until = { signal: AbortSignal.any([signal, over.signal]) };
  const ended = async (): Promise<never> => {
    const [code, by] = (await once(child, 'exit', until)) as [number | null, NodeJS.Signals | null];
    const tooMuch = by !== null && OUT_OF_MEMORY.has(by);
    throw new Error(
      tooMuch ? `it needed more than ${MAX_MEMORY_MB} MB of memory` : `its process has ended (${by ?? code})`,
    );
  };
  try {
    const [message] = (await Promise.race([once(child, 'message', until), ended()])) as [unknown];
    return message;
  } finally {
    over.abort();
  }
}
