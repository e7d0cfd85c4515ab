import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Database } from '../../../src/store/sql/database.ts';
import { readTranscript } from '../../../src/store/transcript/transcript.ts';
import { type Tool, type ToolOutput, worldTool } from '../../../src/tools/tool.ts';
import { testDatabase } from '../../support/database.ts';
import { type HookedFocus, type HookedOptions, hookedFocus } from './hooked-focus.ts';

const pg = testDatabase();

/** A tool that notes that it runs, and gives what `result` says. */
function tool(
  name: string,
  note: (line: string) => void,
  result: (input: { to: string }) => ToolOutput,
  reads = false,
): Tool {
  return worldTool({
    name,
    description: name,
    risk: reads ? 'read' : 'write',
    idempotent: reads,
    input: z.strictObject({ to: z.string(), copies: z.int().default(1) }),
    run: async (input, { focusId }) => {
      const recorded = await pg.database.query(`select from animus.tool_calls where focus_id = $1`, [focusId]);
      note(`${name} ${JSON.stringify(input)}${reads ? ` ${recorded.length > 0 ? 'after' : 'before'} the record` : ''}`);
      return result(input);
    },
  });
}

const CALL = (name: string, to = 'bob') => `{ tool = "${name}", input = { to = "${to}" } }`;

/** One answer with these calls, then the end. */
const script = (...calls: readonly string[]) =>
  `[[answer]]\nturn = 1\ncall = [${calls.join(', ')}]\n[[answer]]\nturn = 2\ntext = "done"`;

const SECRET = 'hunter2-hunter2';

async function focusWith(
  hooks: HookedOptions['hooks'],
  calls: readonly string[] = [CALL('send')],
): Promise<HookedFocus> {
  return hookedFocus(pg.database, {
    script: script(...calls),
    hooks,
    tools: (note) => [
      tool('send', note, ({ to }) => ({ content: `sent to ${to}: ${SECRET}`, details: { raw: SECRET } })),
      tool('read', note, ({ to }) => ({ content: `read ${to}` }), true),
      tool('fail', note, () => {
        throw new Error(`cannot log in with ${SECRET}`);
      }),
      tool('doubt', note, () => ({ content: `cut off: ${SECRET}`, isError: true, inDoubt: true })),
    ],
  });
}

/** Runs it with answers that are recorded only once something was noted: calls that may start before that do. */
function runEarly(hooked: HookedFocus): ReturnType<HookedFocus['run']> {
  const db: Database = {
    ...pg.database,
    async query(sql, params) {
      while (sql.includes('animus.record_turn') && hooked.seen().length === 0)
        await new Promise((resolve) => setImmediate(resolve));
      return pg.database.query(sql, params);
    },
  };
  return hooked.run({ db });
}

/** The calls as they are recorded. */
async function calls({ focus }: HookedFocus) {
  return pg.database.query<{ name: string; state: string; output: string; is_error: boolean; details: unknown }>(
    `select name, state, output, is_error, details from animus.tool_calls where focus_id = $1 order by turn, position`,
    [focus.key.focusId],
  );
}

/** Everything that is stored or shown, as one text. */
async function everything(hooked: HookedFocus): Promise<string> {
  const tables = ['tool_calls', 'focus_messages', 'turns', 'hook_runs', 'artifacts'];
  const rows = await Promise.all(
    tables.map((table) =>
      pg.database.query(`select t::text as row from animus.${table} t where t.focus_id = $1`, [
        hooked.focus.key.focusId,
      ]),
    ),
  );
  return JSON.stringify([rows, hooked.focus.events, hooked.log]);
}

const MODIFY = (patch: object) => `cat >/dev/null; echo '${JSON.stringify({ decision: 'modify', patch })}'`;

describe('a hook before a call', () => {
  test('gets the call, and lets it run when it prints nothing', async () => {
    const hooked = await focusWith({ before_tool_call: [{ script: 'cat >> "$SEEN"' }] });
    await hooked.run();
    const [given, ran] = hooked.seen();
    expect(JSON.parse(given!)).toMatchObject({
      event: 'before_tool_call',
      turn: 1,
      call: { tool: 'send', risk: 'write', input: { to: 'bob', copies: 1 }, id: expect.any(String) },
    });
    expect(ran).toBe('send {"to":"bob","copies":1}');
    expect(await calls(hooked)).toMatchObject([{ state: 'done', output: `sent to bob: ${SECRET}` }]);
  });

  test('that blocks refuses the call, by its exit code or its answer, and the model reads the reason', async () => {
    for (const said of [
      'echo "bob gets no mail" >&2; exit 2',
      `echo '{"decision":"block","reason":"bob gets no mail"}'`,
    ]) {
      const hooked = await focusWith({
        before_tool_call: [{ name: 'mail', script: said }, { script: 'echo 2 >> "$SEEN"' }],
      });
      expect(await hooked.run()).toMatchObject({ kind: 'done' });
      expect(hooked.seen()).toEqual([]);
      const output = 'the hook mail refused this call: bob gets no mail';
      expect(await calls(hooked)).toMatchObject([
        { state: 'denied', output, is_error: true, details: { gate: 'hooks' } },
      ]);
      expect(await hooked.runs()).toMatchObject([{ hook: 'mail', decision: 'block', reason: 'bob gets no mail' }]);
    }
  });

  test('changes the input by a merge patch; the next hook sees the change, and the model reads it', async () => {
    const hooked = await focusWith({
      before_tool_call: [
        { script: MODIFY({ to: 'eve', copies: null }) },
        { script: 'grep -o \'"input":{[^}]*}\' >> "$SEEN"' },
        { script: MODIFY({ copies: 3 }) },
      ],
    });
    await hooked.run();
    expect(hooked.seen()).toEqual(['"input":{"to":"eve"}', 'send {"to":"eve","copies":3}']);
    const [call] = (await readTranscript(pg.database, hooked.focus.key.focusId)).turns[0]!.calls;
    expect(call!.input).toEqual({ to: 'bob' });
    expect(call!.output).toMatch(/^\[The input of this call was changed before it ran\. .*"eve".*\]\nsent to eve/);
  });

  test('that makes the input invalid gets the call refused like an invalid one of the model', async () => {
    const hooked = await focusWith({ before_tool_call: [{ script: MODIFY({ to: 5 }) }] });
    await hooked.run();
    expect(hooked.seen()).toEqual([]);
    expect(await calls(hooked)).toMatchObject([
      { state: 'failed', output: expect.stringContaining('the input of send is invalid') },
    ]);
  });

  test('is judged after it: another gate sees the final input', async () => {
    const hooked = await focusWith({ before_tool_call: [{ script: MODIFY({ to: 'root' }) }] });
    const inputs: unknown[] = [];
    const permission = {
      name: 'permission',
      when: () => 'now' as const,
      judge: ({ input }: { readonly input: unknown }) => {
        inputs.push(input);
        const forbidden = (input as { to: string }).to === 'root';
        return forbidden ? ({ kind: 'deny', reason: 'not to root' } as const) : ({ kind: 'pass' } as const);
      },
    };
    await hooked.run({}, [permission]);
    expect(inputs.at(-1)).toEqual({ to: 'root', copies: 1 });
    expect(hooked.seen()).toEqual([]);
    expect(await calls(hooked)).toMatchObject([{ state: 'denied', output: 'not to root' }]);
  });

  test('runs only for its tools, and calls of others that only read still run early', async () => {
    const hooked = await focusWith({ before_tool_call: [{ tools: ['se*'], script: 'echo hook >> "$SEEN"' }] }, [
      CALL('read'),
      CALL('send'),
    ]);
    await runEarly(hooked);
    const read = 'read {"to":"bob","copies":1} before the record';
    expect(hooked.seen()).toEqual([read, 'hook', 'send {"to":"bob","copies":1}']);
    expect(await calls(hooked)).toMatchObject([{ state: 'done' }, { state: 'done' }]);
    expect((await hooked.runs()).map(({ hook }) => hook)).toEqual(['1']);
  });

  test('that fails refuses the call without its stderr, or is passed over if on_error says so', async () => {
    const broken = { name: 'judge.py', script: 'echo "the password is geheim" >&2; exit 1' };
    const blocking = await focusWith({ before_tool_call: [broken] });
    await blocking.run();
    const [call] = await calls(blocking);
    expect(call).toMatchObject({ state: 'denied', is_error: true });
    expect(call!.output).toContain('the hook judge.py, which every such call has to pass, failed (hook.failed)');
    expect(call!.output).not.toContain('geheim');
    expect(blocking.log.join()).toContain('geheim');
    const allowing = await focusWith({ before_tool_call: [{ ...broken, onError: 'allow' }] });
    await allowing.run();
    expect(allowing.seen()).toHaveLength(1);
    expect(await allowing.runs()).toMatchObject([
      { decision: 'failed', reason: expect.stringContaining('hook.failed: ') },
    ]);
  });

  test('judges parallel calls at the same time, those of one call in order', async () => {
    // Each run of `first` waits until both have begun.
    const meet = 'echo begin >> "$SEEN"; until [ "$(grep -c begin "$SEEN")" = 2 ]; do sleep 0.02; done';
    const hooked = await focusWith({ before_tool_call: [{ script: meet }, { script: 'echo second >> "$SEEN"' }] }, [
      CALL('send', 'a'),
      CALL('send', 'b'),
    ]);
    await hooked.run();
    const seen = hooked.seen();
    expect(seen.slice(0, 2)).toEqual(['begin', 'begin']);
    expect(seen.filter((line) => line === 'second')).toHaveLength(2);
    expect(await calls(hooked)).toMatchObject([{ state: 'done' }, { state: 'done' }]);
  });

  test('adds entries to the ledger, which watchers see', async () => {
    const entry = { type: 'decision', content: 'bob may get mail' };
    const hooked = await focusWith({
      before_tool_call: [{ script: `echo '${JSON.stringify({ decision: 'allow', ledger: [entry] })}'` }],
    });
    await hooked.run();
    const rows = await pg.database.query(`select entry_type, content from animus.work_ledger where work_item_id = $1`, [
      hooked.focus.key.workItemId,
    ]);
    expect(rows).toEqual([{ entry_type: 'decision', content: entry.content }]);
    expect(hooked.focus.events).toContainEqual({
      type: 'ledger',
      seq: 1,
      entryType: 'decision',
      content: entry.content,
    });
  });
});

describe('a hook on a result', () => {
  const REDACT = {
    name: 'redact',
    script: `sed 's/${SECRET}/[removed]/g' | sed 's/.*"result":{"content":"\\([^"]*\\)".*/{"decision":"modify","patch":{"content":"\\1"}}/'`,
  };

  test.each(['send', 'fail', 'doubt'])(
    'removes a secret from the result of %s before anything stores or shows it',
    async (name) => {
      const hooked = await focusWith({ after_tool_call: [REDACT] }, [CALL(name)]);
      await hooked.run();
      const [call] = await calls(hooked);
      expect(call!.output).toContain('[removed]');
      expect(call!.details).toBeNull();
      expect(call!.state).toBe({ send: 'done', fail: 'failed', doubt: 'in_doubt' }[name]);
      expect(await everything(hooked)).not.toContain(SECRET);
    },
  );

  test('withholds it by blocking, and the call counts as failed', async () => {
    const hooked = await focusWith({ after_tool_call: [{ name: 'dlp', script: 'echo "a key" >&2; exit 2' }] });
    await hooked.run();
    expect(await calls(hooked)).toMatchObject([
      { state: 'failed', output: 'the call was run, but the hook dlp withheld its result: a key', details: null },
    ]);
    expect(await everything(hooked)).not.toContain(SECRET);
  });

  test.each([
    ['exits with 1', 'cat; exit 1'],
    ['prints the result as text', 'cat'],
    ['prints broken JSON with the result', 'printf \'{"x": \'; cat'],
    ['is killed', 'cat >&2; kill -9 $$'],
    ['makes the content something else', 'echo \'{"decision":"modify","patch":{"content":null}}\''],
  ])('that %s keeps the result from the model and from every log', async (_what, text) => {
    const hooked = await focusWith({ after_tool_call: [{ name: 'redact', script: text }] });
    await hooked.run();
    const [call] = await calls(hooked);
    expect(call!.output).toContain(
      'its result is withheld: the hook redact, which every such result has to pass, failed',
    );
    expect(await everything(hooked)).not.toContain(SECRET);
  });

  test('that fails and whose on_error is allow lets the result pass', async () => {
    const hooked = await focusWith({ after_tool_call: [{ script: 'exit 1', onError: 'allow' }] });
    await hooked.run();
    expect(await calls(hooked)).toMatchObject([
      { state: 'done', output: `sent to bob: ${SECRET}`, details: { raw: SECRET } },
    ]);
  });

  test('sees what the hook before it left, and may set details', async () => {
    const hooked = await focusWith({
      after_tool_call: [
        { script: MODIFY({ content: 'one' }) },
        {
          script: `sed 's/.*"result":\\({.*}\\)}$/\\1/' >> "$SEEN"; ${MODIFY({ content: 'two', details: { by: 'me' } })}`,
        },
      ],
    });
    await hooked.run();
    expect(hooked.seen().at(-1)).toBe('{"content":"one","is_error":false,"details":null}');
    expect(await calls(hooked)).toMatchObject([{ state: 'done', output: 'two', details: { by: 'me' } }]);
  });

  test('makes no call of its tool start before its answer is recorded; others still do', async () => {
    const hooked = await focusWith({ after_tool_call: [{ tools: ['read'], script: 'echo hook >> "$SEEN"' }] }, [
      CALL('read'),
    ]);
    await hooked.run();
    expect(hooked.seen()).toEqual(['read {"to":"bob","copies":1} after the record', 'hook']);
    const other = await focusWith({ after_tool_call: [{ tools: ['send'], script: 'echo hook >> "$SEEN"' }] }, [
      CALL('read'),
    ]);
    await runEarly(other);
    expect(other.seen()).toEqual(['read {"to":"bob","copies":1} before the record']);
    expect(await other.runs()).toEqual([]);
  });

  test('is not run on results of database tools, nor on calls that were not run', async () => {
    const append = '{ tool = "ledger_append", input = { type = "note", content = "x" } }';
    const hooked = await focusWith({ after_tool_call: [{ script: 'exit 2' }] }, [
      append,
      CALL('nobody'),
      '{ tool = "send", input = {} }',
    ]);
    await hooked.run();
    expect(await hooked.runs()).toEqual([]);
    expect((await calls(hooked)).map(({ state }) => state)).toEqual(['done', 'failed', 'failed']);
  });
});
