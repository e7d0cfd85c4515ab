/** What an MCP server sends must not block the thread that renews the leases of all foci. For the schemas that it writes: mcp-schemas.test.ts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { compareTools, inspectServer } from '../../src/tools/mcp/inspect-server.ts';
import { freePort } from '../support/free-port.ts';
import { setUpMcp } from '../support/mcp/mcp-bench.ts';
import { LISTS, SHAPES } from '../support/mcp/shaped-server.mjs';
import { measure, table, tooSlow } from './shapes/door.ts';
import { longestTurn } from './shapes/longest-turn.ts';

const SERVER = new URL('../support/mcp/shaped-server.mjs', import.meta.url).pathname;
const STDIO = { name: 'shaped', command: process.execPath, args: [SERVER] };
/** Once per server: a list of 900 ordinary tools must fit into one message, and keys that occur once are the slowest that JSON.parse can read. */
const MAX_LIST_MS = 350;
const TIMEOUT = { timeout: 600_000 } as const;

test.each(['stdio', 'http', 'events'])(
  'no message of a server blocks the event loop, over %s',
  TIMEOUT,
  async (over) => {
    const place = over === 'stdio' ? STDIO : { name: 'shaped', command: null, url: await overHttp() };
    const bench = await setUpMcp({ ...place, context: { timeoutMs: 60_000 } });
    await bench.pin();
    for (const shape of SHAPES) {
      const { call, close } = await bench.open();
      await call('send', { shape: 'a small text' });
      const outputs: string[] = [];
      await measure(`MCP ${over}`, shape, 0, async () => {
        const { content } = await call('send', { shape, events: over === 'events' });
        outputs.push(content);
      });
      expect(outputs[0]?.length, shape).toBeLessThan(33_000);
      await close?.();
    }
    expect(tooSlow(), table()).toEqual([]);
  },
);

test('no list of tools blocks the event loop, and 900 ordinary tools can be pinned', TIMEOUT, async () => {
  const slow: string[] = [];
  for (const list of Object.keys(LISTS)) {
    const { server, context, settings } = await setUpMcp({ ...STDIO, variables: { LIST: list } });
    const states: string[] = [];
    const { longestMs } = await longestTurn(async () => {
      const found = await inspectServer(server, context, settings, context.signal);
      if ('problem' in found) return states.push(found.problem);
      return states.push(
        ...(await compareTools(server, found.tools, [])).map(({ state, problem }) => problem ?? state),
      );
    });
    const others = [...new Set(states)].filter((state) => !EXPECTED[list]!.test(state));
    expect([list, states.length > 0, others]).toEqual([list, true, []]);
    if (longestMs > MAX_LIST_MS) slow.push(`${list}: ${Math.round(longestMs)} ms`);
    const count = Number(/^\d+(?= tools of)/.exec(list)?.[0] ?? 0);
    if (count > 0) expect(states).toHaveLength(count);
  }
  expect(slow).toEqual([]);
});

/** What becomes of each list: the state of its tools, or a problem. */
const EXPECTED: Readonly<Record<string, RegExp>> = {
  '150 tools of 60 properties': /^new$/,
  '900 tools of 60 properties': /^new$/,
  '175,000 keys of their own': /^new$|does not describe/,
  '700,000 tools': /too large .*more than 10,000 elements/,
  'a description of 9 MiB': /too large: it has more than 262,144 bytes/,
  'a name of 9 MiB': /has a name that cannot be used/,
  'a million levels': /nested more than 200 levels deep/,
  'a schema of 9 MiB': /too large: it has more than 262,144 bytes/,
  'schemas that take long to compile': /cannot be used: the check by its JSON Schema was given up/,
};

async function overHttp(): Promise<string> {
  const port = await freePort();
  const server = spawn(process.execPath, [SERVER, 'http', `${port}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void server.kill('SIGKILL'));
  await once(server.stdout, 'data');
  return `http://127.0.0.1:${port}/mcp`;
}
