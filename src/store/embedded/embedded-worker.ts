/** Entry of the thread that runs PGlite: a long statement does not block the daemon's timers, and a crash does not end the process. */
import { setFlagsFromString } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../core/errors/errors.ts';
import { type EmbeddedServerOptions, startEmbeddedServer } from './embedded-server.ts';

/** The start-up data of the thread. */
export type EmbeddedWorkerData = Omit<EmbeddedServerOptions, 'onCrash'>;

/** The messages of the thread: once ready or failed, and once closed. */
export type EmbeddedWorkerMessage =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'failed'; readonly detail: string; readonly code: string | null };

/**
 * V8 runs PGlite as its fast compiler makes it. Optimizing the largest functions took 500 MB, and 0.4 s of the processor time of a command that owns
 * the database for a second.
 */
const NEVER_OPTIMIZE = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

await main();

async function main(): Promise<void> {
  // Before PGlite is compiled.
  for (const flag of NEVER_OPTIMIZE) setFlagsFromString(flag);
  try {
    const server = await startEmbeddedServer({
      ...(workerData as EmbeddedWorkerData),
      onCrash: (error) => {
        throw error;
      },
    });
    parentPort?.once('message', () => void server.close().finally(() => parentPort?.close()));
    say({ type: 'ready', port: server.port });
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code;
    say({ type: 'failed', detail: detailOf(error), code: typeof code === 'string' ? code : null });
    parentPort?.close();
  }
}

/** Emscripten throws plain objects: `{name: 'ErrnoError', errno: 51}`. */
function detailOf(error: unknown): string {
  return error instanceof Error || typeof error !== 'object' ? messageOf(error) : JSON.stringify(error);
}

function say(text: EmbeddedWorkerMessage): void {
  // The rule is about browser windows.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(text);
}
