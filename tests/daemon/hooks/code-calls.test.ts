/** Hooks of the loop and calls that code makes: real scripts, code that is a function of the test. */
import { expect, test } from 'vitest';
import type { ToolOutput } from '../../../src/tools/tool.ts';
import { codeTool, rowsOf } from '../../engage/calls/code-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { testTool } from '../../support/focus.ts';
import { hookedFocus } from './hooked-focus.ts';

const pg = testDatabase();
const SECRET = 'sk-live-0001';

const SCRIPT = `
[[answer]]
turn = 1
call = [{ tool = "execute_code", input = { code = "…" } }]
[[answer]]
turn = 2
text = "done"
`;

/** Runs code that makes these calls, one after the other, and returns what it got. */
async function hookedCode(
  hooks: Parameters<typeof hookedFocus>[1]['hooks'],
  calls: readonly (readonly [string, object])[],
) {
  const given: ToolOutput[] = [];
  const hooked = await hookedFocus(pg.database, {
    script: SCRIPT,
    hooks,
    tools: (note) => [
      codeTool(async (_nested, call) => {
        for (const [name, input] of calls) given.push(await call(name, input));
        return 'done';
      }),
      testTool('send', async ({ to }) => {
        note(`sent to ${to as string}`);
        return { content: `sent ${SECRET}`, details: { raw: SECRET }, data: () => ({ key: SECRET }) };
      }),
      testTool('look', async () => ({ content: 'seen', data: () => ({ seen: 1 }) }), true),
    ],
  });
  expect(await hooked.run()).toMatchObject({ kind: 'done' });
  return { hooked, given, rows: await rowsOf(pg.database, hooked.focus) };
}

test('hooks judge and change each call of code, by its own id', async () => {
  const judge = `input=$(cat); case "$input" in
*'"to":"eve"'*) echo "not to eve" >&2; exit 2;;
*'"to":"bob"'*) echo '{"decision":"modify","patch":{"to":"bobby"}}';;
esac`;
  const { hooked, given, rows } = await hookedCode(
    { before_tool_call: [{ name: 'judge', script: judge, tools: ['send'] }] },
    [
      ['send', { to: 'eve' }],
      ['send', { to: 'bob' }],
      ['look', {}],
    ],
  );
  expect(given[0]).toMatchObject({ isError: true, content: 'the hook judge refused this call: not to eve' });
  expect(hooked.seen()).toEqual(['sent to bobby']);
  expect(rows.slice(1)).toMatchObject([
    { name: 'send', state: 'denied' },
    { name: 'send', state: 'done', input: { to: 'bob' }, final_input: { to: 'bobby' } },
    { name: 'look', state: 'done' },
  ]);
  expect((await hooked.runs()).map(({ call_id, decision }) => `${call_id} ${decision}`)).toEqual([
    'call_1_1/1 block',
    'call_1_1/2 modify',
  ]);
});

test('what a hook removes from a result reaches neither the code nor any table', async () => {
  const redact = `sed 's/${SECRET}/[removed]/g' | sed 's/.*"result":{"content":"\\([^"]*\\)".*/{"decision":"modify","patch":{"content":"\\1"}}/'`;
  const { hooked, given, rows } = await hookedCode(
    { after_tool_call: [{ name: 'redact', script: redact, tools: ['send'] }] },
    [
      ['send', { to: 'bob' }],
      ['look', {}],
    ],
  );
  expect(given).toEqual([{ content: 'sent [removed]' }, { content: 'seen', details: { seen: 1 } }]);
  expect(JSON.stringify([given, rows, hooked.log, hooked.focus.events])).not.toContain(SECRET);
});

test('what a hook withholds is not given to the code', async () => {
  const { given, rows } = await hookedCode(
    { after_tool_call: [{ name: 'dlp', script: 'echo "a key" >&2; exit 2', tools: ['send'] }] },
    [['send', { to: 'bob' }]],
  );
  expect(given).toEqual([{ isError: true, content: 'the call was run, but the hook dlp withheld its result: a key' }]);
  expect(rows[1]).toMatchObject({ state: 'failed' });
  expect(JSON.stringify([given, rows])).not.toContain(SECRET);
});
