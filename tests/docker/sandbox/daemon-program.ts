/** Acts as a daemon with containers: argv[2] are its settings as JSON. Prints what happens as JSON lines. */

import { parseEngineAddress } from '../../../src/core/config/sections/engine-address.ts';
import { processMark } from '../../../src/process/trace/process-mark.ts';
import { createContainerHost } from '../../../src/sandbox/host/create-container-host.ts';
import { catSpec } from './containers.ts';

interface Settings {
  readonly engine: string;
  readonly daemon: string;
  readonly marker: string;
  readonly deadlineMs?: number;
  readonly commands: readonly (readonly string[])[];
}

const settings = JSON.parse(process.argv[2] ?? '{}') as Settings;
const address = parseEngineAddress(settings.engine);
if (address === null) throw new Error(`no engine at ${settings.engine}`);
const host = createContainerHost({
  address,
  marks: { daemon: settings.daemon, process: processMark(process.pid) },
  marker: settings.marker,
  log: (level, message, fields) => say({ level, message, fields }),
});
await host.start();
if (settings.deadlineMs !== undefined) host.setDeadline('owner', settings.deadlineMs);
const held = await Promise.all(
  settings.commands.map((command) => host.launch(catSpec({ command }), new AbortController().signal)),
);
for (const { stdout, stderr } of held) {
  stdout.resume();
  stderr.resume();
}
say({ ids: held.map(({ id }) => id) });
say({ ends: await Promise.all(held.map(({ exited }) => exited)) });
setInterval(() => {}, 60_000);

function say(event: object): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
