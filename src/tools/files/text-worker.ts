/** The worker of edit_file and apply_patch: one computation, one answer. */
import { parentPort, workerData } from 'node:worker_threads';
import { compute, type TextRequest } from './compute-text.ts';

// A port between threads, not a window: there is no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(compute(workerData as TextRequest));
