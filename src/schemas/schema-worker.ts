/** The program of `schema-process.ts`: answers one request after the other, and ends when the other side is gone. */
import { Script } from 'node:vm';
import { createApplier } from './apply-schema.ts';
import type { SchemaAnswer, SchemaRequest } from './schema-check.ts';

/** Beyond every limit of the other side: it has been killed, and nobody will end this process. */
const MAX_MS = 8000;

const apply = createApplier();
let request: SchemaRequest;
Object.assign(globalThis, { answer: (): SchemaAnswer => apply(request) });
// Only code of a script can be interrupted.
const script = new Script('answer()');

process.on('message', (next: SchemaRequest) => {
  request = next;
  try {
    process.send!(script.runInThisContext({ timeout: MAX_MS }));
  } catch {
    // Code that still waits hears that this process has ended.
    process.exit(1);
  }
});
process.on('disconnect', () => process.exit());
// These reach all processes of a terminal or a service; the daemon still needs answers while it ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.send!('ready');
