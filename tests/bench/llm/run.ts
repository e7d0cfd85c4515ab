/**
 * What the client costs compared with the minimum that any client needs: undici, eventsource-parser and JSON.parse on the same
 * streams. Run: `node tests/bench/llm/run.ts [rounds] [wire…]`, by default for all wires. Each figure is the median of
 * processes that take turns. Exits 1 if a ratio is above 1.3 or the heap grows from round to round. With 200 streams in
 * parallel only the heap is judged: the bare loop keeps nothing, so it does not do the work of keeping 200 partial answers.
 */
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { report } from '../support/report.ts';
import { type BenchWire, FORMATS, WIRES } from './wires.ts';

interface Measured {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly heapMb: readonly number[];
}

interface Scenario {
  readonly name: string;
  readonly calls: number;
  readonly deltas: number;
  readonly concurrency: number;
  readonly per: 'MB' | 'call';
  /** Judges only the heap. */
  readonly heapOnly?: boolean;
}

const LIMIT = 1.3;
const ROUNDS = Number(process.argv[2] ?? 5);
const CHOSEN = process.argv.slice(3);

/** Enough calls for the compiler of V8 to be done: it works longer for more code, and a daemon runs for days. */
const SCENARIOS: readonly Scenario[] = [
  { name: 'long streams', calls: 48, deltas: 20_000, concurrency: 1, per: 'MB' },
  { name: 'usual answers', calls: 2400, deltas: 300, concurrency: 8, per: 'call' },
  { name: 'tiny answers', calls: 4800, deltas: 4, concurrency: 8, per: 'call' },
  { name: '200 at once', calls: 800, deltas: 500, concurrency: 200, per: 'MB', heapOnly: true },
];

const run = promisify(execFile);

async function measure(port: number, what: string, wire: BenchWire, scenario: Scenario): Promise<Measured> {
  const client = new URL('client.ts', import.meta.url).pathname;
  const numbers = [scenario.calls, scenario.deltas, scenario.concurrency].map(String);
  const { stdout } = await run(process.execPath, ['--expose-gc', client, String(port), what, wire, ...numbers]);
  return JSON.parse(stdout) as Measured;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function megabytes(wire: BenchWire, { deltas, calls }: Scenario): number {
  return (Buffer.byteLength(FORMATS[wire].stream('some tokens '.repeat(deltas))) * calls) / 1e6;
}

function* pairs(): Generator<[BenchWire, Scenario]> {
  for (const wire of WIRES.filter((each) => CHOSEN.length === 0 || CHOSEN.includes(each)))
    for (const scenario of SCENARIOS) yield [wire, scenario];
}

const server = fork(new URL('server.ts', import.meta.url).pathname, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
const [line] = (await once(server.stdout ?? process.stdin, 'data')) as [Buffer];
const port = Number(line.toString());
let failed = false;

for (const [wire, scenario] of pairs()) {
  const bare: Measured[] = [];
  const animus: Measured[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await measure(port, 'bare', wire, scenario));
    animus.push(await measure(port, 'animus', wire, scenario));
  }
  const units = scenario.per === 'MB' ? megabytes(wire, scenario) : scenario.calls;
  const bareMs = median(bare.map(({ cpuMs }) => cpuMs)) / units;
  const animusMs = median(animus.map(({ cpuMs }) => cpuMs)) / units;
  const ratio = animusMs / bareMs;
  const first = median(animus.map(({ heapMb }) => heapMb[0] ?? 0));
  const last = median(animus.map(({ heapMb }) => heapMb.at(-1) ?? 0));
  const grows = last > first * 1.25 + 4;
  failed ||= (ratio > LIMIT && !scenario.heapOnly) || grows;
  const figures = `${bareMs.toFixed(3)} → ${animusMs.toFixed(3)} ms CPU per ${scenario.per}, ratio ${ratio.toFixed(2)}`;
  report({
    what: `model client, ${wire}, ${scenario.name}`,
    who: 'animus against a bare client',
    figures: { [`ms CPU per ${scenario.per}`]: animusMs.toFixed(3), bare: bareMs.toFixed(3), ratio: ratio.toFixed(2) },
  });
  process.stdout.write(
    `${wire.padEnd(10)} ${scenario.name.padEnd(14)} ${figures}; heap ${first.toFixed(1)} → ${last.toFixed(1)} MB${grows ? ' GROWS' : ''}\n`,
  );
}

server.disconnect();
process.exitCode = failed ? 1 : 0;
