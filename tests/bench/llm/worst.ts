/**
 * Each client under the worst streams that a server may send: how long the event loop does nothing else, how much memory it
 * takes, and how it ends. Run: `npm run bench -- tests/bench/llm/worst.ts [stream …]`. Each stream is read by a process of its
 * own. Exits 1 where a stream ends in another way than it should, or a limit is passed. The limits hold for two idle cores.
 */
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { Endured } from './worst-client.ts';
import { WORST_STREAMS, type WorstStreamName } from './worst-streams.ts';

const MAX_LAG_MS = 150;
const MAX_MEMORY_MB = 250;
const MAX_WALL_MS = 30_000;

const run = promisify(execFile);

async function endure(port: number, wire: string, name: string): Promise<Endured> {
  const client = new URL('worst-client.ts', import.meta.url).pathname;
  const { stdout } = await run(process.execPath, [client, String(port), wire, name]);
  return JSON.parse(stdout) as Endured;
}

const asked = process.argv.slice(2);
const all = Object.keys(WORST_STREAMS) as WorstStreamName[];
const names = asked.length > 0 ? all.filter((name) => asked.includes(name)) : all;

const server = fork(new URL('worst-server.ts', import.meta.url).pathname, {
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
});
const [line] = (await once(server.stdout ?? process.stdin, 'data')) as [Buffer];
const port = Number(line.toString());
let failed = false;

for (const name of names) {
  for (const wire of ['anthropic', 'openai'] as const) {
    const { ended, lagMs, memoryMb, wallMs } = await endure(port, wire, name);
    const problems = [
      ...(ended === WORST_STREAMS[name].ends ? [] : [`ENDED AS ${ended}, not ${WORST_STREAMS[name].ends}`]),
      ...(lagMs > MAX_LAG_MS ? ['LAGS'] : []),
      ...(memoryMb > MAX_MEMORY_MB ? ['TAKES TOO MUCH MEMORY'] : []),
      ...(wallMs > MAX_WALL_MS ? ['TAKES TOO LONG'] : []),
    ];
    failed ||= problems.length > 0;
    const figures = `lag ${lagMs.toFixed(0).padStart(4)} ms, memory ${memoryMb.toFixed(0).padStart(4)} MB, ${(wallMs / 1000).toFixed(1).padStart(4)} s`;
    process.stdout.write(`${name.padEnd(29)} ${wire.padEnd(9)}  ${figures}  ${ended} ${problems.join(', ')}\n`);
  }
}

server.disconnect();
process.exitCode = failed ? 1 : 0;
