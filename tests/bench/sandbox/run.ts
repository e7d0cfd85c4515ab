/**
 * The sandbox, on the Docker engine of this machine: `npm run bench -- tests/bench/sandbox/run.ts [--rounds 30]`. How long `return 1` takes with a
 * new container and with one from the pool, calls of tools per second from inside, and twenty executions at once.
 */
import { parseArgs } from 'node:util';
import { openSandbox, type TestSandbox } from '../../docker/sandbox/executions.ts';
import { eventually } from '../../support/eventually.ts';
import { report } from '../support/report.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '30' } } });
const rounds = Number(values.rounds);
const AT_ONCE = 20;

await measure('a new container', 0, latencies);
await measure('from the pool', 2, latencies);
await measure('calls from inside', 0, calls);
await measure(`${AT_ONCE} at once, new containers`, 0, atOnce);
await measure(`${AT_ONCE} at once, pool of ${AT_ONCE}`, AT_ONCE, atOnce);

type Figures = Readonly<Record<string, string>>;

async function measure(who: string, poolSize: number, act: (site: TestSandbox, poolSize: number) => Promise<Figures>) {
  const site = await openSandbox({ poolSize });
  try {
    const figures = await act(site, poolSize);
    console.log(
      `${who.padEnd(32)} ${Object.entries(figures)
        .map((pair) => pair.join(' '))
        .join('   ')}`,
    );
    report({ what: 'sandbox', who, figures });
  } finally {
    await site.stop();
  }
}

async function latencies(site: TestSandbox, poolSize: number): Promise<Figures> {
  const times: number[] = [];
  await site.run('return 1');
  for (let round = 0; round < rounds; round++) {
    if (poolSize > 0) await filled(site, poolSize);
    times.push(await timed(() => returnsOne(site)));
  }
  return { 'p50 ms': quantile(times, 0.5), 'p95 ms': quantile(times, 0.95), 'max ms': quantile(times, 1) };
}

async function calls(site: TestSandbox): Promise<Figures> {
  const one = await site.run(`
import time
start = time.perf_counter()
for n in range(2000):
    echo(text="x")
return 2000 / (time.perf_counter() - start)`);
  const many = await site.run(`
import time
from concurrent.futures import ThreadPoolExecutor
start = time.perf_counter()
with ThreadPoolExecutor(16) as pool:
    list(pool.map(lambda n: echo(text="x"), range(4000)))
return 4000 / (time.perf_counter() - start)`);
  const large = await site.run(
    'import time\nstart = time.perf_counter()\nsize = len(echo(text="x")["content"])\nreturn size / (time.perf_counter() - start) / 2**20',
    {},
    async () => ({
      content: 'x'.repeat(8 * 2 ** 20),
      isError: false,
    }),
  );
  return {
    'one after the other /s': Number(one.value).toFixed(0),
    '16 at a time /s': Number(many.value).toFixed(0),
    'a result of 8 MiB, MiB/s': Number(large.value).toFixed(0),
  };
}

async function atOnce(site: TestSandbox, poolSize: number): Promise<Figures> {
  if (poolSize > 0) {
    site.sandbox.warm({ image: '', memoryBytes: 128 * 2 ** 20, cpus: 1 });
    await filled(site, poolSize);
  }
  const times: number[] = [];
  const all = await timed(async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, async () => times.push(await timed(() => returnsOne(site)))));
  });
  return { 'p50 ms': quantile(times, 0.5), 'p95 ms': quantile(times, 0.95), 'all ms': all.toFixed(0) };
}

async function returnsOne(site: TestSandbox): Promise<void> {
  const { ended, value, problem } = await site.run('return 1', { timeoutMs: 120_000 });
  if (ended !== 'returned' || value !== '1') throw new Error(`${ended}: ${problem}`);
}

/** Until so many containers run, and the destroyed ones are gone. */
async function filled(site: TestSandbox, count: number): Promise<void> {
  await eventually('the pool is full', async () => ((await site.left()).length === count ? true : null));
  // Their runners need a moment to be ready.
  await new Promise((resolve) => setTimeout(resolve, 700));
}

async function timed(act: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

function quantile(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(0);
}
