/** The worker of grep: one search, one answer. */
import { parentPort, workerData } from 'node:worker_threads';
import { type GrepRequest, grepFiles } from './grep-files.ts';

// A port between threads, not a window: there is no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(await grepFiles(workerData as GrepRequest));
