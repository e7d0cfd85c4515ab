import { describe, expect, it } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startTestFocus, testTool } from '../support/focus.ts';
import { engage } from '../support/run-loop.ts';
import { endedCalls, recordedCalls, takeOver, threeTurns } from './focus-calls.ts';

describe('the engage loop', () => {
  const pg = testDatabase();

  it('runs the calls of an answer in parallel and returns the results in call order', async () => {
    // Each call waits for the other, so neither would end if they ran one after the other.
    const bothHere = Promise.withResolvers<void>();
    let here = 0;
    const meet = testTool('meet', async (input) => {
      here += 1;
      if (here === 2) bothHere.resolve();
      await bothHere.promise;
      // The first call ends last.
      if (input['name'] === 'first')
        await eventually('the second has ended', () => (endedCalls(focus) > 0 ? true : null));
      return { content: `met as ${String(input['name'])}` };
    });
    const focus = await startTestFocus(pg.database, {
      tools: [meet],
      script: `
        [[answer]]
        turn = 1
        call = [{ tool = "meet", input = { name = "first" } }, { tool = "meet", input = { name = "second" } }]
        [[answer]]
        turn = 2
        text = "both met"
        when = { contains = "met as second" }`,
    });

    expect(await engage(focus.means())).toEqual({
      kind: 'done',
      finalText: 'both met',
      outcome: { text: 'both met' },
    });

    const ended = focus.events.flatMap((event) => (event.type === 'observation' && !event.live ? [event.output] : []));
    expect(ended).toEqual(['met as second', 'met as first']);
    const calls = await recordedCalls(pg.database, focus);
    expect(calls).toEqual([
      { output: 'met as first', state: 'done' },
      { output: 'met as second', state: 'done' },
    ]);
  });

  it('runs no more than max_parallel_tools at once', async () => {
    let running = 0;
    let most = 0;
    const busy = testTool('busy', async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return { content: 'ok' };
    });
    const call = '{ tool = "busy" }';
    const focus = await startTestFocus(pg.database, {
      tools: [busy],
      script: `[[answer]]\nturn = 1\ncall = [${Array(10).fill(call).join(', ')}]\n[[answer]]\nturn = 2\ntext = "done"`,
    });
    await engage(focus.means({ maxParallelTools: 3 }));
    expect(most).toBe(3);
  });

  it('keeps ledger entries in the order of their calls', async () => {
    const entry = (n: number) => `{ tool = "ledger_append", input = { type = "note", content = "entry ${n}" } }`;
    const calls = Array.from({ length: 6 }, (_, n) => entry(n)).join(', ');
    const focus = await startTestFocus(pg.database, {
      script: `[[answer]]\nturn = 1\ncall = [${calls}]\n[[answer]]\nturn = 2\ntext = "done"`,
    });
    await engage(focus.means());
    const entries = await pg.database.query(
      `select seq, content, focus_id from animus.work_ledger where work_item_id = $1 order by seq`,
      [focus.key.workItemId],
    );
    expect(entries.map((row) => row['content'])).toEqual([0, 1, 2, 3, 4, 5].map((n) => `entry ${n}`));
    expect(entries.every((row) => row['focus_id'] === focus.key.focusId)).toBe(true);
  });

  it('reports an invalid call to the model, and continues', async () => {
    const boom = testTool('boom', () => Promise.reject(new Error('the disk is on fire')));
    const focus = await startTestFocus(pg.database, {
      tools: [boom],
      script: `
        [[answer]]
        turn = 1
        call = [
          { tool = "nonsense" }, { tool = "ledger_append", input = { type = "poem", content = "x" } },
          { tool = "boom", invalid_input = "{broken" }, { tool = "boom" }]
        [[answer]]
        turn = 2
        text = "understood"`,
    });
    expect(await engage(focus.means())).toMatchObject({ kind: 'done' });
    const calls = await recordedCalls(pg.database, focus);
    expect(calls.map((call) => call.state)).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(calls[0]!.output).toBe('there is no tool named "nonsense". The tools are: boom, ledger_append, ledger_read');
    expect(calls[1]!.output).toContain('plan');
    expect(calls[2]!.output).toContain('{broken');
    expect(calls[3]!.output).toBe('boom failed: the disk is on fire');
  });

  it('stops waiting for a tool that does not end, even if it ignores its signal', async () => {
    const deaf = testTool('deaf', () => new Promise(() => {}));
    const focus = await startTestFocus(pg.database, {
      tools: [deaf],
      script: `[[answer]]\nturn = 1\ncall = [{ tool = "deaf" }]\n[[answer]]\nturn = 2\ntext = "so be it"`,
    });
    const means = focus.means();
    await engage({ ...means, callScope: { ...means.callScope, timeoutMs: 50 } });
    const [call] = await recordedCalls(pg.database, focus);
    expect(call!.output).toBe('deaf did not finish within 0.05 s and was stopped');
  });

  it('replaces what Postgres cannot store: NUL and half surrogates become U+FFFD', async () => {
    const binary = testTool('binary', async () => ({ content: 'a\0b\ud800c', details: { raw: '\0' } }));
    const focus = await startTestFocus(pg.database, {
      tools: [binary],
      script: `[[answer]]\nturn = 1\ncall = [{ tool = "binary" }]\n[[answer]]\nturn = 2\ntext = "fine"`,
    });
    expect(await engage(focus.means())).toMatchObject({ kind: 'done' });
    const [call] = await recordedCalls(pg.database, focus);
    expect(call!.output).toBe('a\uFFFDb\uFFFDc');
  });

  it('ends after max_turns with a reason', async () => {
    const focus = await startTestFocus(pg.database, {
      script: [1, 2, 3].map((turn) => `[[answer]]\nturn = ${turn}\ncall = [{ tool = "ledger_read" }]`).join('\n'),
    });
    expect(await engage(focus.means({ maxTurns: 3 }))).toEqual({
      kind: 'failed',
      code: 'max_turns',
      message: 'not done after 3 turns (max_turns)',
    });
  });

  it('resumes from the tables after another loop was stopped: no request and no call is repeated', async () => {
    const runs: string[] = [];
    const act = testTool('act', async (input) => {
      runs.push(String(input['n']));
      return { content: `act ${String(input['n'])}` };
    });
    const focus = await startTestFocus(pg.database, {
      tools: [act],
      script: threeTurns((n) => `{ tool = "act", input = { n = ${n} } }`),
    });
    const drain = new AbortController();
    const first = await engage(
      focus.means({
        drain: drain.signal,
        onEvent: (event) => {
          if (event.type === 'turn' && event.turn === 2) drain.abort();
        },
      }),
    );
    expect(first).toEqual({ kind: 'interrupted', reason: 'drained' });
    expect(await engage(focus.means())).toEqual({
      kind: 'done',
      finalText: 'all acted',
      outcome: { text: 'all acted' },
    });
    expect(runs).toEqual(['1', '2', '3']);
    const [turns] = await pg.database.query(`select count(*)::int as n from animus.turns where focus_id = $1`, [
      focus.key.focusId,
    ]);
    expect(turns).toEqual({ n: 4 });
  });

  it('is fenced: once another daemon has the lease, nothing more is recorded', async () => {
    const taken = testTool('take', async () => {
      await takeOver(pg.database, focus);
      return { content: 'taken' };
    });
    const focus = await startTestFocus(pg.database, {
      tools: [taken],
      script: `[[answer]]\nturn = 1\ncall = [{ tool = "take" }]\n[[answer]]\nturn = 2\ntext = "never"`,
    });
    await expect(engage(focus.means())).rejects.toMatchObject({ code: 'work.lease_lost' });
    expect(await recordedCalls(pg.database, focus)).toEqual([{ state: 'started', output: null }]);
  });

  it('records the results of its calls before a pause stops it', async () => {
    const pause = testTool('pause', async () => {
      await pg.database.query(`select animus.pause($1, 'for a test')`, [focus.means().faculty]);
      return { content: 'paused' };
    });
    const focus = await startTestFocus(pg.database, {
      tools: [pause],
      script: `[[answer]]\nturn = 1\ncall = [{ tool = "pause" }]\n[[answer]]\nturn = 2\ntext = "never"`,
    });
    expect(await engage(focus.means())).toEqual({ kind: 'interrupted', reason: 'paused' });
    expect(await recordedCalls(pg.database, focus)).toEqual([{ state: 'done', output: 'paused' }]);
  });

  it('stops before the next model call when the work was cancelled', async () => {
    const cancel = testTool('cancel', async () => {
      await pg.database.query(`select animus.cancel_work($1, 'not needed')`, [focus.key.workItemId]);
      return { content: 'cancelled' };
    });
    const focus = await startTestFocus(pg.database, {
      tools: [cancel],
      script: `[[answer]]\nturn = 1\ncall = [{ tool = "cancel" }]\n[[answer]]\nturn = 2\ntext = "never"`,
    });
    expect(await engage(focus.means())).toEqual({ kind: 'cancelled' });
  });

  it('reports a model that cannot be reached as an external failure, and records no turn', async () => {
    const focus = await startTestFocus(pg.database, {
      script: `[[answer]]\nturn = 1\nfault = { kind = "overloaded", message = "come back later" }`,
    });
    expect(await engage(focus.means())).toMatchObject({ kind: 'model_failed', failure: { kind: 'overloaded' } });
    const turns = await pg.database.query(`select recorded_at from animus.turns where focus_id = $1`, [
      focus.key.focusId,
    ]);
    expect(turns).toEqual([{ recorded_at: null }]);
  });
});
