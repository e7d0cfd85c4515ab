/** Measures a loop in separate processes: time between answer and next request, CPU and memory. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { median } from '../support/bench-database.ts';
import type { TurnLoad } from './agent-loop.ts';
import { postgresCpuMs } from './postgres-cpu.ts';
import type { ClientFigures, Peer } from './turn-client.ts';

export interface TurnScenario extends TurnLoad {
  readonly conversations: number;
  readonly concurrency: number;
}

/** Per turn unless stated otherwise; each is the median of several processes. */
export interface TurnFigures {
  /** From the last byte of an answer to the next request, tools included. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly cpuMs: number;
  /** Of the database server, if it is a separate process. */
  readonly databaseCpuMs: number;
  readonly turnsPerSecond: number;
  readonly peakRssMb: number;
}

export interface TurnServer {
  readonly baseUrl: string;
  /** The times between answers and requests since the last call. */
  collectGapsMs(): Promise<number[]>;
  stop(): void;
}

/** Starts the model server. */
export async function startTurnServer(): Promise<TurnServer> {
  const server = fork(new URL('turn-server.ts', import.meta.url).pathname);
  const { port } = await message<{ port: number }>(server);
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async collectGapsMs() {
      server.send('collect');
      return (await message<{ gapsMs: number[] }>(server)).gapsMs;
    },
    stop: () => server.disconnect(),
  };
}

/** The peers take turns, so that other load on the machine affects all of them. */
export async function measureTurns(
  peers: readonly Peer[],
  scenario: TurnScenario,
  server: TurnServer,
  rounds: number,
  databaseUrl: string,
): Promise<Map<Peer, TurnFigures>> {
  const measured = new Map<Peer, TurnFigures[]>(peers.map((peer) => [peer, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const peer of peers) measured.get(peer)!.push(await measureOnce(peer, scenario, server, databaseUrl));
  }
  return new Map([...measured].map(([peer, figures]) => [peer, medians(figures)]));
}

async function measureOnce(
  peer: Peer,
  { conversations, concurrency, ...load }: TurnScenario,
  server: TurnServer,
  databaseUrl: string,
): Promise<TurnFigures> {
  const file = new URL('turn-client.ts', import.meta.url).pathname;
  const args = [peer, server.baseUrl, JSON.stringify(load), String(conversations), String(concurrency)];
  const client = fork(file, args, { env: { ...process.env, BENCH_DATABASE_URL: databaseUrl } });
  await message(client);
  await server.collectGapsMs();
  const databaseBefore = postgresCpuMs();
  client.send('go');
  const { cpuMs, wallMs, peakRssMb } = await message<ClientFigures>(client);
  const databaseMs = postgresCpuMs() - databaseBefore;
  client.send('end');
  const gaps = (await server.collectGapsMs()).toSorted((a, b) => a - b);
  if (client.exitCode === null) await once(client, 'exit');
  const turns = conversations * load.turns;
  return {
    p50Ms: quantile(gaps, 0.5),
    p95Ms: quantile(gaps, 0.95),
    cpuMs: cpuMs / turns,
    databaseCpuMs: peer === 'animus' ? databaseMs / turns : 0,
    turnsPerSecond: (turns / wallMs) * 1000,
    peakRssMb,
  };
}

function medians(figures: readonly TurnFigures[]): TurnFigures {
  const of = (name: keyof TurnFigures) => median(figures.map((one) => one[name]));
  return {
    p50Ms: of('p50Ms'),
    p95Ms: of('p95Ms'),
    cpuMs: of('cpuMs'),
    databaseCpuMs: of('databaseCpuMs'),
    turnsPerSecond: of('turnsPerSecond'),
    peakRssMb: of('peakRssMb'),
  };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The next message of a process; rejects if the process ends without one. */
async function message<T>(from: ChildProcess): Promise<T> {
  const stop = new AbortController();
  const { signal } = stop;
  try {
    return await Promise.race([
      once(from, 'message', { signal }).then(([said]) => said as T),
      once(from, 'exit', { signal }).then(([code]) => {
        throw new Error(`a process of the benchmark ended early, with exit code ${String(code)}`);
      }),
    ]);
  } finally {
    stop.abort();
  }
}
