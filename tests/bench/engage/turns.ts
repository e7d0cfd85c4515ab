/**
 * The cost of a turn in our loop with its journal and in others without one: one tool, eight parallel tools, fifty conversations in
 * parallel. Tables show how much more each costs than the bare loop, which does the minimum that any loop needs.
 */
import { existsSync, readFileSync } from 'node:fs';
import { benchServer } from '../support/bench-database.ts';
import { report } from '../support/report.ts';
import { measureTurns, startTurnServer, type TurnFigures, type TurnScenario } from './measure-turns.ts';
import type { Peer } from './turn-client.ts';

const PEERS = new URL('../peers/', import.meta.url);
const FRAMEWORKS = {
  pi: ['@earendil-works/pi-agent-core'],
  'ai-sdk': ['ai', '@ai-sdk/openai-compatible'],
  langgraph: ['@langchain/langgraph', '@langchain/openai'],
} as const;

export const SCENARIOS = {
  overhead: {
    title: 'one tool call a turn, one conversation after the other',
    scenario: { turns: 40, callsPerTurn: 1, toolMs: 0, conversations: 5, concurrency: 1 },
  },
  parallel: {
    title: 'eight parallel tool calls of 50 ms a turn',
    scenario: { turns: 20, callsPerTurn: 8, toolMs: 50, conversations: 2, concurrency: 1 },
  },
  concurrent: {
    title: 'fifty conversations at once, one tool call a turn',
    scenario: { turns: 20, callsPerTurn: 1, toolMs: 0, conversations: 100, concurrency: 50 },
  },
} as const satisfies Record<string, { readonly title: string; readonly scenario: TurnScenario }>;

/** Measures and prints the named scenarios. `rounds` is odd. */
export async function benchTurns(names: readonly (keyof typeof SCENARIOS)[], rounds: number): Promise<void> {
  const database = await benchServer();
  const server = await startTurnServer();
  const peers = availablePeers();
  try {
    for (const name of names) {
      const { title, scenario } = SCENARIOS[name];
      print(title, await measureTurns(peers, scenario, server, rounds, database.url), rounds);
    }
  } finally {
    server.stop();
    await database.stop();
  }
}

function availablePeers(): Peer[] {
  const own: Peer[] = ['bare', 'animus', 'animus-embedded'];
  if (!existsSync(new URL('node_modules', PEERS))) {
    process.stdout.write('The frameworks are not installed and left out: npm ci --prefix tests/bench/peers\n');
    return own;
  }
  const frameworks = Object.keys(FRAMEWORKS) as (keyof typeof FRAMEWORKS)[];
  const versions = frameworks.flatMap((name) => FRAMEWORKS[name].map((pack) => `${pack} ${versionOf(pack)}`));
  process.stdout.write(`${versions.join(', ')}; Node ${process.version}\n`);
  return [...own, ...frameworks];
}

function versionOf(pack: string): string {
  const file = new URL(`node_modules/${pack}/package.json`, PEERS);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function print(title: string, figures: ReadonlyMap<Peer, TurnFigures>, rounds: number): void {
  const bare = figures.get('bare')!;
  const more = (value: number, than: number) => `${value.toFixed(2)} (+${(value - than).toFixed(2)})`;
  const rows = [...figures].map(([peer, one]) => {
    const cells = [
      peer,
      more(one.p50Ms, bare.p50Ms),
      more(one.p95Ms, bare.p95Ms),
      more(one.cpuMs, bare.cpuMs),
      one.databaseCpuMs === 0 ? '' : one.databaseCpuMs.toFixed(2),
      one.turnsPerSecond.toFixed(0),
      one.peakRssMb.toFixed(0),
    ];
    const names = ['p50 ms', 'p95 ms', 'CPU ms', 'Postgres CPU ms', 'turns/s', 'peak MB'];
    report({
      what: title,
      who: peer,
      figures: Object.fromEntries(names.map((name, index) => [name, cells[index + 1] ?? ''])),
    });
    return `| ${cells.join(' | ')} |`;
  });
  const lines = [
    `\n${title}; medians of ${rounds} processes, in brackets what is more than the bare loop's`,
    '| loop | answer → next request, p50 ms | p95 ms | CPU ms a turn | Postgres CPU ms | turns/s | peak MB |',
    '|---|---:|---:|---:|---:|---:|---:|',
    ...rows,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
