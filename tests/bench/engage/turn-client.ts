/** One measured process: `turn-client.ts PEER BASE_URL LOAD CONVERSATIONS CONCURRENCY`. Sends `warm`, waits for a message, sends its figures, waits for another. */
import { once } from 'node:events';
import { type AgentLoop, type OpenLoop, promptOf, type TurnLoad } from './agent-loop.ts';

export type Peer = 'bare' | 'animus' | 'animus-embedded' | 'ai-sdk' | 'langgraph' | 'pi';

export interface ClientFigures {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly peakRssMb: number;
}

async function openPeer(peer: Peer): Promise<OpenLoop> {
  switch (peer) {
    case 'bare':
      return (await import('./bare-loop.ts')).openLoop;
    case 'animus':
      return (await import('./animus-loop.ts')).openOnPostgres;
    case 'animus-embedded':
      return (await import('./animus-loop.ts')).openOnEmbedded;
    case 'ai-sdk':
    case 'langgraph':
    case 'pi': {
      // A separate package: the compiler of this one must not follow the import.
      const file = new URL(`../peers/${peer}.ts`, import.meta.url).href;
      return ((await import(file)) as { readonly openLoop: OpenLoop }).openLoop;
    }
    default:
      return peer satisfies never;
  }
}

async function converse(loop: AgentLoop, load: TurnLoad, name: string, count: number, atOnce: number): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      next += 1;
      await loop.run(promptOf(`${name} ${next}`, load));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
}

const [peer, baseUrl, loadText, conversations, concurrency] = process.argv.slice(2) as [
  Peer,
  string,
  string,
  string,
  string,
];
const load = JSON.parse(loadText) as TurnLoad;
const loop = await (await openPeer(peer))(baseUrl, load);
await converse(
  loop,
  { ...load, turns: Math.min(load.turns, 20) },
  'warm',
  Math.max(4, Number(concurrency)),
  Number(concurrency),
);
process.send?.('warm');
await once(process, 'message');
const cpu = process.cpuUsage();
const startedMs = performance.now();
await converse(loop, load, 'measured', Number(conversations), Number(concurrency));
const wallMs = performance.now() - startedMs;
const { user, system } = process.cpuUsage(cpu);
const figures: ClientFigures = {
  cpuMs: (user + system) / 1000,
  wallMs,
  peakRssMb: process.resourceUsage().maxRSS / 1024,
};
process.send?.(figures);
// Its database connections stay open until their CPU time has been read.
await once(process, 'message');
await loop.close();
process.disconnect();
