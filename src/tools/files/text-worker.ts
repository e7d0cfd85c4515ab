/** The worker of edit_file and apply_patch: one computation, one answer. */
import { parentPort, workerData } from 'node:worker_threads';
import { compute, type TextRequest } from './compute-text.ts';

// A port of threads, not a window: it has no origin to name.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(compute(workerData as TextRequest));
