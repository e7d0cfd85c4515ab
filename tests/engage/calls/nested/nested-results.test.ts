/** Results of calls that code makes, and how many calls there may be. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { databaseTool, type ToolOutput, toolError, worldTool } from '../../../../src/tools/tool.ts';
import { testDatabase } from '../../../support/database.ts';
import { testTool } from '../../../support/focus.ts';
import { codeFocus, madeCalls, resultOf, rowsOf, runFocus } from '../code-focus.ts';
import { run } from '../early-call-focus.ts';

const pg = testDatabase();

const echo = testTool('echo', async ({ text }) => ({ content: text as string }), true);

describe('code', () => {
  it('gets results as the hooks have left them, without the values that they did not see', async () => {
    const secret = testTool('secret', async () => ({ content: 'key 1234', data: () => ({ key: '1234' }) }));
    const values = testTool('values', async () => ({ content: 'n 1', data: () => ({ n: 1 }) }));
    const given: ToolOutput[] = [];
    const focus = await codeFocus(
      pg.database,
      async (_nested, call) => {
        given.push(await call('secret'), await call('values'));
        return 'done';
      },
      [secret, values],
    );
    await runFocus(focus, {
      afterRun: { sees: ({ name }) => name === 'secret', change: async () => ({ content: 'key ***' }) },
    });
    expect(given).toEqual([{ content: 'key ***' }, { content: 'n 1', details: { n: 1 } }]);
    expect(JSON.stringify(await rowsOf(pg.database, focus))).not.toContain('1234');
  });

  it('has the end of a call of a database tool recorded with its effect, and by no second statement', async () => {
    const entry = { type: 'note', content: 'half' };
    const focus = await codeFocus(
      pg.database,
      async (_nested, call) => (await call('ledger_append', entry)).content,
      [],
    );
    const statements: string[] = [];
    expect(await run(pg.database, focus, (name) => statements.push(name))).toMatchObject({ kind: 'done' });
    expect(await madeCalls(pg.database, focus)).toEqual(['1 ledger_append done']);
    expect(statements).not.toContain('record_code_calls');
  });

  it('may name anything in an input: what Postgres refuses is recorded without it', async () => {
    const given: unknown[] = [];
    const kept = worldTool({
      name: 'kept',
      description: 'keeps',
      risk: 'write',
      idempotent: false,
      input: z.looseObject({}),
      run: async (details) => ({ content: 'kept', details }),
    });
    const focus = await codeFocus(
      pg.database,
      async (_nested, call) => {
        given.push(await call('kept', { '\0': '\0', '\ud800': 1 }));
        return 'done';
      },
      [kept],
    );
    expect(await runFocus(focus)).toMatchObject({ kind: 'done' });
    expect(given).toEqual([{ content: 'kept', details: { '\0': '\0', '\ud800': 1 } }]);
    expect((await rowsOf(pg.database, focus))[1]).toMatchObject({ state: 'done', input: { '\ufffd': 1 } });
  });

  it('gets results that no context would take, of which a part is recorded; more than 16 MiB are refused', async () => {
    const big = testTool('big', async ({ bytes }) => ({ content: 'x'.repeat(bytes as number) }));
    const given: ToolOutput[] = [];
    const focus = await codeFocus(
      pg.database,
      async (_nested, call) => {
        given.push(
          await call('big', { bytes: 5_000_000, note: 'y'.repeat(100_000) }),
          await call('big', { bytes: 17_000_000 }),
        );
        return 'done';
      },
      [big],
    );
    await runFocus(focus);
    expect(given[0]!.content).toHaveLength(5_000_000);
    expect(given[1]).toMatchObject({ isError: true, content: expect.stringContaining('code gets at most 16777216') });
    const [, first, second] = await rowsOf(pg.database, focus);
    expect(first).toMatchObject({
      state: 'done',
      output_bytes: 5_000_000,
      input: { cut: expect.any(String), bytes: 100_027 },
    });
    expect(second).toMatchObject({ state: 'done', output_bytes: 17_000_000 });
    expect(first!.output!.length).toBeLessThanOrEqual(2000);
    expect(first!.output).toContain('bytes were given to the code only');
  });

  it('gets what a database tool has prepared before its transaction', async () => {
    const search = databaseTool({
      name: 'search',
      description: 'search',
      risk: 'read',
      input: z.strictObject({ text: z.string() }),
      prepare: async ({ text }) => (text === 'bad' ? Promise.reject(new Error('no vector')) : `vector of ${text}`),
      run: async (_input, { prepared }) => ({ content: `by ${prepared as string}` }),
    });
    const given: string[] = [];
    const focus = await codeFocus(
      pg.database,
      async (_nested, call) => {
        for (const text of ['a', 'bad']) given.push((await call('search', { text })).content);
        return 'done';
      },
      [search],
    );
    await runFocus(focus);
    expect(given).toEqual(['by vector of a', 'search failed: no vector']);
    expect(await madeCalls(pg.database, focus)).toEqual(['1 search done', '2 search failed']);
  });

  it('fills no disk with inputs of database tools', async () => {
    const input = z.strictObject({ params: z.record(z.string(), z.unknown()) });
    const run = async () => toolError('too large');
    const spawn = databaseTool({ name: 'spawn', description: 'spawns', risk: 'write', input, run });
    const given: ToolOutput[] = [];
    const focus = await codeFocus(
      pg.database,
      async (_nested, call) => {
        const entry = { type: 'step', content: '\u0001'.repeat(16_000) };
        given.push(
          await call('spawn', { params: { text: 'x'.repeat(1_000_000) } }),
          await call('ledger_append', { type: 'step', content: `all${' '.repeat(1_000_000)}` }),
          await call('ledger_append', entry),
        );
        return 'done';
      },
      [spawn],
    );
    await runFocus(focus);
    expect(given).toMatchObject([
      { isError: true, content: 'too large' },
      { isError: true, content: 'the input of ledger_append has 1000031 bytes; code may give it 131072' },
      { content: 'recorded as entry 1' },
    ]);
    const [, first, second, third] = await rowsOf(pg.database, focus);
    for (const row of [first, second]) expect(row!.input).toMatchObject({ cut: expect.any(String) });
    expect(third!.input).toMatchObject({ content: '\u0001'.repeat(16_000) });
  });

  it('may make 5,000 calls, and 256 at once', async () => {
    let refused = 0;
    const focus = await codeFocus(
      pg.database,
      async (_nested, call) => {
        const many = await Promise.all(Array.from({ length: 300 }, () => call('echo', { text: '' })));
        refused = many.filter(({ isError }) => isError).length;
        for (let made = 256; made < 5000; made += 250)
          await Promise.all(Array.from({ length: Math.min(250, 5000 - made) }, () => call('echo', { text: '' })));
        return (await call('echo', { text: '' })).content;
      },
      [echo],
    );
    await runFocus(focus);
    expect(refused).toBe(44);
    expect(await resultOf(pg.database, focus)).toMatchObject({
      output: expect.stringContaining('has made 5000 calls'),
    });
    expect(await madeCalls(pg.database, focus)).toHaveLength(5000);
  });
});
