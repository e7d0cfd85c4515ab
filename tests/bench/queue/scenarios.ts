/** The measurements, each on a fresh database. */
import { type BenchQueue, until } from './queue.ts';
import type { BenchServer } from './server.ts';

export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** (a) Milliseconds from sending an insert to the start of its handler, one at a time on an idle worker. */
export async function latency(queue: BenchQueue, samples: number): Promise<Latency> {
  let started = Promise.withResolvers<number>();
  const worker = await queue.work(4, () => started.resolve(performance.now()));
  const times: number[] = [];
  for (let n = 0; n < samples + 20; n++) {
    started = Promise.withResolvers();
    const before = performance.now();
    await queue.enqueue(n);
    const took = (await started.promise) - before;
    if (n >= 20) times.push(took);
    await until(() => worker.done() > n);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  await worker.stop();
  return percentiles(times);
}

/** (b) Jobs per second: the bulk enqueue, and the drain from the start of a worker to its last committed completion. */
export async function drain(
  queue: BenchQueue,
  jobs: number,
  concurrency: number,
  workers = 1,
): Promise<{ enqueue: number; drain: number }> {
  const before = performance.now();
  await queue.enqueueMany(jobs);
  const enqueued = performance.now();
  const drained = await work(queue, jobs, concurrency, workers);
  return { enqueue: (jobs / (enqueued - before)) * 1000, drain: (jobs / (drained - enqueued)) * 1000 };
}

/** The server's work per job in a drain: transactions (each a round trip), flushes and bytes of the WAL. */
export async function counted(
  server: BenchServer,
  queue: BenchQueue,
  jobs: number,
  concurrency: number,
): Promise<Record<string, number>> {
  await queue.enqueueMany(jobs);
  const before = await server.work(queue.url);
  await work(queue, jobs, concurrency, 1);
  const after = await server.work(queue.url);
  return {
    transactions: (after.transactions - before.transactions) / jobs,
    'WAL syncs': (after.syncs - before.syncs) / jobs,
    'WAL bytes': (after.bytes - before.bytes) / jobs,
  };
}

/** Processes all jobs; returns when the last completion was committed, before the workers stopped. */
async function work(queue: BenchQueue, jobs: number, concurrency: number, workers: number): Promise<number> {
  const running = await Promise.all(Array.from({ length: workers }, () => queue.work(concurrency, () => {})));
  await until(() => running.reduce((sum, worker) => sum + worker.done(), 0) >= jobs);
  const drained = performance.now();
  for (const worker of running) await worker.stop();
  return drained;
}

/** (e) Enqueues per second with ten producers in parallel, each committing its own; `busy`: while a worker is running. */
export async function produce(queue: BenchQueue, jobs: number, busy: boolean): Promise<number> {
  const worker = busy ? await queue.work(10, () => {}) : null;
  let next = 0;
  const before = performance.now();
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      while (next < jobs) await queue.enqueue(next++);
    }),
  );
  const took = performance.now() - before;
  await worker?.stop();
  return (jobs / took) * 1000;
}

export interface Tail {
  readonly p50: number;
  readonly p99: number;
  readonly 'p99.9': number;
  readonly max: number;
  /** How many of the samples took 50 ms or more: what waited for a timer and not for a notification. */
  readonly late: number;
}

/**
 * (f) Milliseconds from sending an insert to the start of its handler, with inserts that arrive at random (exponential gaps, the same ones
 * for every queue) at `rate` per second, whether the worker keeps up or not.
 */
export async function tail(queue: BenchQueue, samples: number, concurrency: number, rate: number): Promise<Tail> {
  const sent: number[] = [];
  const times: number[] = [];
  let started = 0;
  const worker = await queue.work(concurrency, (n) => {
    times[n] = performance.now() - sent[n]!;
    started++;
  });
  const gap = exponentialGaps(rate);
  const inserts: Promise<void>[] = [];
  let at = performance.now();
  for (let n = 0; n < samples + WARM_UP; n++) {
    at += gap();
    // Timers of Node are not finer than a millisecond: what is due goes out at once.
    while (performance.now() < at) await new Promise((resolve) => setTimeout(resolve, 1));
    sent[n] = performance.now();
    inserts.push(queue.enqueue(n));
  }
  await Promise.all(inserts);
  await until(() => started >= samples + WARM_UP && worker.done() >= samples + WARM_UP);
  await worker.stop();
  const sorted = times.slice(WARM_UP).toSorted((a, b) => a - b);
  const share = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;
  return {
    p50: share(0.5),
    p99: share(0.99),
    'p99.9': share(0.999),
    max: sorted.at(-1)!,
    late: sorted.filter((took) => took >= 50).length,
  };
}

const WARM_UP = 200;

/** Milliseconds between arrivals, from a small random number generator with a fixed seed (mulberry32). */
function exponentialGaps(rate: number): () => number {
  let state = 20261122;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    const uniform = ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
    return (-Math.log(1 - uniform) / rate) * 1000;
  };
}

export function percentiles(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
