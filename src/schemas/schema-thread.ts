/** A thread that applies JSON Schemas, one check after the other, each with a time limit. A thread that exceeds it is ended. */
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../core/errors/errors.ts';
import type { SchemaAnswer, SchemaRequest } from './schema-check.ts';

export interface SchemaThread {
  /** Never rejects. */
  check(request: SchemaRequest): Promise<SchemaAnswer>;
}

/** Several times what a check of the largest input needs. */
const MAX_MEMORY_MB = 256;
/** Loading takes a tenth of a second on an idle machine. */
const START_MS = 30_000;
/** More checks than this that wait are refused, so that those of one agent do not pile up. */
const MAX_WAITING = 200;

// Beside this file in either form: as TypeScript in a clone, stripped to JavaScript in a package.
const WORKER = new URL(`./schema-worker${extname(import.meta.filename)}`, import.meta.url);

/** Started with the first check, and kept. It does not keep the process alive. */
export function createSchemaThread(limitMs: number): SchemaThread {
  let running: Promise<Worker> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function run(request: SchemaRequest): Promise<SchemaAnswer> {
    let worker: Worker | null = null;
    let limit: AbortSignal | null = null;
    try {
      worker = await (running ??= start());
      worker.ref();
      limit = AbortSignal.timeout(limitMs);
      // A port between threads, not a window: there is no origin.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage(request);
      const [answer] = (await once(worker, 'message', { signal: limit })) as [SchemaAnswer];
      return answer;
    } catch (error) {
      running = null;
      await worker?.terminate();
      const why = limit?.aborted ? `it was not done within ${limitMs / 1000} s` : messageOf(error);
      return { kind: 'exceeded', problem: `the check by its JSON Schema was given up: ${why}` };
    } finally {
      worker?.unref();
    }
  }

  return {
    check(request) {
      if (waiting >= MAX_WAITING)
        return Promise.resolve({ kind: 'exceeded', problem: 'too many checks by JSON Schemas are waiting; try again' });
      waiting += 1;
      const answer = last.then(() => run(request)).finally(() => (waiting -= 1));
      last = answer;
      return answer;
    },
  };
}

async function start(): Promise<Worker> {
  const worker = new Worker(WORKER, { env: {}, resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB } });
  // Without a listener the error of a thread ends the process. Whoever waits for its answer hears of it, too.
  worker.on('error', () => {});
  await once(worker, 'message', { signal: AbortSignal.timeout(START_MS) });
  return worker;
}
