/** Acts as the daemon in kill tests: runs one command in a process host and reports events on stdout. */

import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import type { ProcessSpec } from '../../src/process/process-host.ts';

const { spec, deadlineMs } = JSON.parse(Buffer.from(process.argv[2] ?? '', 'base64').toString()) as {
  spec: ProcessSpec;
  deadlineMs?: number;
};
const host = createProcessHost({ log: (level, message, fields) => tell({ log: { level, message, fields } }) });
await host.start();
if (deadlineMs !== undefined) host.setDeadline(spec.owner, deadlineMs);
const result = await host.run(spec, new AbortController().signal);
tell({ result });
await host.stop();

function tell(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}
