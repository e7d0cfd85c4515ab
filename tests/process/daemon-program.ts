/** Acts as the daemon in kill tests: runs or launches one command in a process host and reports events on stdout. */

import { text } from 'node:stream/consumers';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import type { ProcessSpec } from '../../src/process/process-host.ts';

const { spec, deadlineMs, launched } = JSON.parse(Buffer.from(process.argv[2] ?? '', 'base64').toString()) as {
  spec: ProcessSpec;
  deadlineMs?: number;
  launched?: boolean;
};
const host = createProcessHost({ log: (level, message, fields) => tell({ log: { level, message, fields } }) });
await host.start();
if (deadlineMs !== undefined) host.setDeadline(spec.owner, deadlineMs);
tell({ result: launched ? await launch() : await host.run(spec, new AbortController().signal) });
await host.stop();

async function launch(): Promise<object> {
  const { exited, stdout } = host.launch({ ...spec, stdin: 'pipe' }, new AbortController().signal);
  const end = await exited;
  return { ...end, stdout: { text: await text(stdout) } };
}

function tell(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}
