/** A daemon that executes random code without end: argv[2] are its settings as JSON. Prints a line per execution; SIGTERM stops it. */
import { randomUUID } from 'node:crypto';
import { parseEngineAddress } from '../../../src/core/config/sections/engine-address.ts';
import { processMark } from '../../../src/process/trace/process-mark.ts';
import { createSandbox } from '../../../src/sandbox/execution/contained-sandbox.ts';
import { createContainerHost } from '../../../src/sandbox/host/create-container-host.ts';
import { sdkSource } from '../../../src/sandbox/sdk/sdk-source.ts';
import { ECHO, echo } from '../../docker/sandbox/executions.ts';

const CODES = [
  'return 1',
  'return echo(text="x")["content"]',
  'open("out/report", "w").write("x" * 100000)\nopen("/tmp/left", "w").write("x")',
  'import subprocess\nsubprocess.Popen(["sleep", "600"], start_new_session=True)\nreturn 2',
  'import time\ntime.sleep(600)',
  'while True: pass',
  'raise ValueError("no")',
  'x = [bytearray(16 << 20) for _ in range(100)]',
];

const { engine, marker, image } = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>;
const address = parseEngineAddress(engine ?? '');
if (address === null || !marker || !image) throw new Error('settings are missing');
const marks = { daemon: randomUUID(), process: processMark(process.pid) };
const containers = createContainerHost({ address, marks, marker });
const settings = { image, runtime: null, poolSize: 2, maxExecutions: 4, maxProcesses: 64, workMib: 16 };
const sandbox = createSandbox({ containers, sdkSource, ...settings });
const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
await containers.start();
const renewing = setInterval(() => containers.setDeadline('owner', 2000), 500);
await Promise.all(Array.from({ length: 4 }, execute));
clearInterval(renewing);
await sandbox.stop();
await containers.stop();

async function execute(): Promise<void> {
  while (!stopping.signal.aborted) {
    const cancel = new AbortController();
    const timer = Math.random() < 0.2 ? setTimeout(() => cancel.abort(), 500 * Math.random()) : undefined;
    const code = CODES[Math.floor(Math.random() * CODES.length)] ?? '';
    const spec = {
      owner: 'owner',
      code,
      tools: ECHO,
      timeoutMs: 1000,
      image: '',
      memoryBytes: 128 * 2 ** 20,
      cpus: 1,
      skills: [],
    };
    const { ended } = await sandbox.execute(spec, echo, AbortSignal.any([stopping.signal, cancel.signal]));
    clearTimeout(timer);
    process.stdout.write(`${ended}\n`);
  }
}
