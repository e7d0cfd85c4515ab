/** Runs computations on an agent's data in a thread that can be terminated: the daemon's own thread must renew leases. */
import { Worker } from 'node:worker_threads';
import { messageOf } from '../core/errors/errors.ts';
import type { ToolContext } from './tool.ts';

/** The message for the model if a computation failed. */
export interface NotComputed {
  readonly refusal: string;
}

const MAX_SECONDS = 20;
const MAX_MEMORY_MB = 512;

/** The time limit of a computation: half of the call's time-out, so that its message still arrives; at most 20 s. */
export function computingMs({ timeoutMs }: Pick<ToolContext, 'timeoutMs'>): number {
  return Math.min(MAX_SECONDS * 1000, timeoutMs / 2);
}

/**
 * Runs the module in a thread with `input` as its workerData. The first message that it posts is the result. On a time-out
 * the model gets `advice`. Rejects only when the call's signal aborts.
 */
export async function inThread<Result>(
  module: URL,
  input: unknown,
  context: Pick<ToolContext, 'timeoutMs' | 'signal'>,
  advice: string,
): Promise<Result | NotComputed> {
  const limitMs = computingMs(context);
  const worker = new Worker(module, {
    workerData: input,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Result | NotComputed>();
  const failed = (why: string) => resolve({ refusal: `the computation failed (${why}); ${advice}` });
  const abort = () => reject(context.signal.reason as Error);
  const timer = setTimeout(() => resolve({ refusal: `not done within ${limitMs / 1000} s; ${advice}` }), limitMs);
  worker.once('message', resolve);
  // It may still come after the time-out, when nobody waits for it.
  worker.on('error', (error) => failed(messageOf(error)));
  worker.once('exit', (code) => failed(`its thread ended with code ${code}`));
  context.signal.addEventListener('abort', abort, { once: true });
  try {
    context.signal.throwIfAborted();
    return await promise;
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', abort);
    // Not waited for: of a thread that runs out of memory at this moment, Node may never say that it has ended.
    void worker.terminate();
  }
}
