import { describe, expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { CALL, callsOf, everything, MODIFY, mailFocus, runEarly, SECRET } from './mail-focus.ts';

const pg = testDatabase();

describe('a hook on a result', () => {
  const REDACT = {
    name: 'redact',
    script: `sed 's/${SECRET}/[removed]/g' | sed 's/.*"result":{"content":"\\([^"]*\\)".*/{"decision":"modify","patch":{"content":"\\1"}}/'`,
  };

  test.each(['send', 'fail', 'doubt'])(
    'removes a secret from the result of %s before anything stores or shows it',
    async (name) => {
      const hooked = await mailFocus(pg.database, { after_tool_call: [REDACT] }, [CALL(name)]);
      await hooked.run();
      const [call] = await callsOf(pg.database, hooked);
      expect(call!.output).toContain('[removed]');
      expect(call!.details).toBeNull();
      expect(call!.state).toBe({ send: 'done', fail: 'failed', doubt: 'in_doubt' }[name]);
      expect(await everything(pg.database, hooked)).not.toContain(SECRET);
    },
  );

  test('withholds it by blocking, and the call counts as failed', async () => {
    const hooked = await mailFocus(pg.database, {
      after_tool_call: [{ name: 'dlp', script: 'echo "a key" >&2; exit 2' }],
    });
    await hooked.run();
    expect(await callsOf(pg.database, hooked)).toMatchObject([
      { state: 'failed', output: 'the call was run, but the hook dlp withheld its result: a key', details: null },
    ]);
    expect(await everything(pg.database, hooked)).not.toContain(SECRET);
  });

  test.each([
    ['exits with 1', 'cat; exit 1'],
    ['prints the result as text', 'cat'],
    ['prints broken JSON with the result', 'printf \'{"x": \'; cat'],
    ['is killed', 'cat >&2; kill -9 $$'],
    ['makes the content something else', 'echo \'{"decision":"modify","patch":{"content":null}}\''],
  ])('that %s keeps the result from the model and from every log', async (_what, text) => {
    const hooked = await mailFocus(pg.database, { after_tool_call: [{ name: 'redact', script: text }] });
    await hooked.run();
    const [call] = await callsOf(pg.database, hooked);
    expect(call!.output).toContain(
      'its result is withheld: the hook redact, which every such result has to pass, failed',
    );
    expect(await everything(pg.database, hooked)).not.toContain(SECRET);
  });

  test('that fails and whose on_error is allow lets the result pass', async () => {
    const hooked = await mailFocus(pg.database, { after_tool_call: [{ script: 'exit 1', onError: 'allow' }] });
    await hooked.run();
    expect(await callsOf(pg.database, hooked)).toMatchObject([
      { state: 'done', output: `sent to bob: ${SECRET}`, details: { raw: SECRET } },
    ]);
  });

  test('sees what the hook before it left, and may set details', async () => {
    const hooked = await mailFocus(pg.database, {
      after_tool_call: [
        { script: MODIFY({ content: 'one' }) },
        {
          script: `sed 's/.*"result":\\({.*}\\)}$/\\1/' >> "$SEEN"; ${MODIFY({ content: 'two', details: { by: 'me' } })}`,
        },
      ],
    });
    await hooked.run();
    expect(hooked.seen().at(-1)).toBe('{"content":"one","is_error":false,"details":null}');
    expect(await callsOf(pg.database, hooked)).toMatchObject([{ state: 'done', output: 'two', details: { by: 'me' } }]);
  });

  test('makes no call of its tool start before its answer is recorded; others still do', async () => {
    const hooked = await mailFocus(
      pg.database,
      { after_tool_call: [{ tools: ['read'], script: 'echo hook >> "$SEEN"' }] },
      [CALL('read')],
    );
    await hooked.run();
    expect(hooked.seen()).toEqual(['read {"to":"bob","copies":1} after the record', 'hook']);
    const other = await mailFocus(
      pg.database,
      { after_tool_call: [{ tools: ['send'], script: 'echo hook >> "$SEEN"' }] },
      [CALL('read')],
    );
    await runEarly(pg.database, other);
    expect(other.seen()).toEqual(['read {"to":"bob","copies":1} before the record']);
    expect(await other.runs()).toEqual([]);
  });

  test('is not run on results of database tools, nor on calls that were not run', async () => {
    const append = '{ tool = "ledger_append", input = { type = "note", content = "x" } }';
    const hooked = await mailFocus(pg.database, { after_tool_call: [{ script: 'exit 2' }] }, [
      append,
      CALL('nobody'),
      '{ tool = "send", input = {} }',
    ]);
    await hooked.run();
    expect(await hooked.runs()).toEqual([]);
    expect((await callsOf(pg.database, hooked)).map(({ state }) => state)).toEqual(['done', 'failed', 'failed']);
  });
});
