/** The worker of glob: one search, one answer. */
import { parentPort, workerData } from 'node:worker_threads';
import { type GlobRequest, globFiles } from './glob-files.ts';

// A port between threads, not a window: there is no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(await globFiles(workerData as GlobRequest));
