import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { worldTool } from '../../src/tools/tool.ts';
import { hookedFocus, type Scripted } from '../daemon/hooks/hooked-focus.ts';
import { processesWith } from '../process/live-processes.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const pg = testDatabase({ anew: true });

const SCRIPT = `
[[answer]]
turn = 1
call = [{ tool = "send", input = { to = "bob" } }]
[[answer]]
turn = 2
text = "done"
`;

function focusWith(
  hook: Scripted,
  event: 'before_tool_call' | 'after_tool_call' | 'before_llm_call' = 'before_tool_call',
  graceMs?: number,
) {
  return hookedFocus(pg.database, {
    ...(graceMs !== undefined && { graceMs }),
    script: SCRIPT,
    hooks: { [event]: [{ name: 'judge', ...hook }] },
    tools: (note) => [
      worldTool({
        name: 'send',
        description: 'send',
        risk: 'write',
        idempotent: false,
        input: z.strictObject({ to: z.string() }),
        run: async ({ to }) => {
          note(`sent to ${to}`);
          return { content: 'sent' };
        },
      }),
    ],
  });
}

test.each([
  ['prints garbage', 'head -c 2000 /dev/urandom', 'hook.output'],
  ['prints too much', 'yes allow | head -c 3000000', 'hook.output'],
  ['prints text', 'echo allow', 'hook.output'],
  ['prints two objects', `echo '{"decision":"allow"}'; echo '{"decision":"allow"}'`, 'hook.output'],
  ['is killed', 'kill -9 $$', 'hook.failed'],
  ['exits with 1', 'exit 1', 'hook.failed'],
  ['is slower than its time limit', 'sleep 60', 'hook.timeout'],
  ['closes its output and hangs', 'exec >&- 2>&-; sleep 60', 'hook.timeout'],
  ['ignores SIGTERM and hangs', 'trap "" TERM; while true; do sleep 0.1; done', 'hook.timeout'],
])('a hook that %s has failed, and its call is refused', async (_what, script, code) => {
  const hooked = await focusWith({ script, timeoutSeconds: 1 });
  expect(await hooked.run()).toMatchObject({ kind: 'done' });
  expect(hooked.seen()).toEqual([]);
  const reason = expect.stringContaining(`${code}: `) as string;
  expect(await hooked.runs()).toMatchObject([{ decision: 'failed', reason }]);
});

test.each([
  ['prints nothing', 'true'],
  ['does not read its input', 'exec <&-; exit 0'],
  ['prints bytes that are not UTF-8 in a reason', String.raw`printf '{"decision":"allow","reason":"\377\376"}'`],
])('a hook that %s has allowed the call', async (_what, script) => {
  const hooked = await focusWith({ script });
  await hooked.run();
  expect(hooked.seen()).toEqual(['sent to bob']);
});

test('a process that a hook leaves behind dies with it', async () => {
  const token = randomUUID();
  const hooked = await focusWith({ script: `setsid sh -c 'trap "" TERM; : ${token}; sleep 300' >/dev/null 2>&1 &` });
  await hooked.run();
  expect(hooked.seen()).toEqual(['sent to bob']);
  expect(processesWith(token)).toEqual([]);
});

/** Longer than the test may take: whoever waited for the process would fail it. */
const GRACE_MS = 300_000;

test.each(['before_tool_call', 'after_tool_call', 'before_llm_call'] as const)(
  'a cancelled focus does not wait for a %s hook, even one that ignores SIGTERM',
  async (event) => {
    const stop = new AbortController();
    const hooked = await focusWith(
      { script: 'trap "" TERM; echo began >> "$SEEN"; while true; do sleep 0.05; done' },
      event,
      GRACE_MS,
    );
    const ended = hooked.run({ signal: stop.signal });
    ended.catch(() => {});
    await eventually('the hook runs', () => (hooked.seen().includes('began') ? true : null));
    stop.abort(new Error('cancelled'));
    await expect(ended).rejects.toThrow('cancelled');
    expect(await hooked.runs()).toEqual([]);
  },
);
