/** The worker of `schema-thread.ts`: answers one request after the other. */
import { parentPort } from 'node:worker_threads';
import { createApplier } from './apply-schema.ts';
import type { SchemaRequest } from './schema-check.ts';

const apply = createApplier();
// A port between threads, not a window: there is no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.on('message', (request: SchemaRequest) => parentPort?.postMessage(apply(request)));
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage('ready');
