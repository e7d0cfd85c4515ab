/** Calls that only read run while their answer is on its way to the disk; all others wait until it is recorded. */
import { describe, expect, it } from 'vitest';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import type { CallGate } from '../../../src/engage/calls/gate.ts';
import { createJournal } from '../../../src/engage/calls/journal.ts';
import { type EngageMeans, engage } from '../../../src/engage/loop.ts';
import type { LlmClient, LlmRequest } from '../../../src/llm/client.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { claimWork } from '../../../src/store/work/work.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus, type TestFocus, testTool } from '../../support/focus.ts';

const pg = testDatabase();

/** One answer that calls these tools, then one that ends the run. */
function callsOf(...tools: readonly string[]): string {
  const calls = tools.map((tool, n) => `{ tool = "${tool}", input = { n = ${n + 1} } }`).join(', ');
  return `[[answer]]\nturn = 1\ncall = [${calls}]\n[[answer]]\nturn = 2\ntext = "done"`;
}

/** Runs the focus on a database that calls `before` with the name of each function that a statement calls. */
function run(
  focus: TestFocus,
  before: (name: string) => unknown,
  overrides: Partial<EngageMeans> = {},
): ReturnType<typeof engage> {
  const db: Database = {
    ...pg.database,
    async query(sql, params) {
      await before(/animus\.(\w+)\(/.exec(sql)?.[1] ?? 'read');
      return pg.database.query(sql, params);
    },
  };
  return engage(focus.means({ db, journal: createJournal(db, focus.key), ...overrides }));
}

async function recordedCalls(focus: TestFocus): Promise<string[]> {
  const rows = await pg.database.query<{ line: string }>(
    `select name || ' ' || state as line from animus.tool_calls where focus_id = $1 order by turn, position`,
    [focus.key.focusId],
  );
  return rows.map(({ line }) => line);
}

const isRecord = (name: string) => name.startsWith('record_turn');

/** `read` only reads, `write` does not. `seen` lists, for each call in the order of their starts, whether its answer was recorded. */
async function watched(script: string) {
  const seen: string[] = [];
  let focus: TestFocus | undefined;
  const look = (name: string) => async (input: Record<string, unknown>) => {
    const recorded = (await recordedCalls(focus!)).length > 0;
    seen.push(`${name} ${String(input['n'])} ${recorded ? 'after' : 'before'} the record`);
    return { content: `${name} ${String(input['n'])}` };
  };
  const tools: readonly Tool[] = [testTool('read', look('read'), true), testTool('write', look('write'))];
  focus = await startTestFocus(pg.database, { script, tools });
  /** The record waits for this many starts. */
  const afterStarts = (starts: number) => async (name: string) => {
    while (isRecord(name) && seen.length < starts) await new Promise((resolve) => setImmediate(resolve));
  };
  return { focus, seen, afterStarts };
}

describe('a call that only reads', () => {
  it('costs one statement a turn, with the beginning of the next turn', async () => {
    const read = testTool('read', async (input) => ({ content: `read ${String(input['n'])}` }), true);
    const turns = [1, 2, 3].map(
      (n) => `[[answer]]\nturn = ${n}\ncall = [{ tool = "read", input = { n = ${n} } }, { tool = "read" }]`,
    );
    const script = [...turns, '[[answer]]\nturn = 4\ntext = "done"'].join('\n');
    const focus = await startTestFocus(pg.database, { script, tools: [read] });
    const statements: string[] = [];
    expect(await run(focus, (name) => statements.push(name))).toMatchObject({ kind: 'done' });
    const whole = Array.from({ length: 3 }, () => 'record_turn_and_begin');
    expect(statements.filter((name) => name !== 'read')).toEqual(['begin_next_turn', ...whole, 'record_turn']);
    expect(await recordedCalls(focus)).toEqual(Array.from({ length: 6 }, () => 'read done'));
    const events = focus.events.map(({ type }) => type).filter((type) => type !== 'text');
    expect(events.slice(0, 6)).toEqual([
      'turn_started',
      'turn_recorded',
      'tool_started',
      'tool_ended',
      'tool_started',
      'tool_ended',
    ]);
  });

  it('runs before its answer is recorded, and is recorded with its times and size', async () => {
    const { focus, seen, afterStarts } = await watched(callsOf('read', 'read'));
    expect(await run(focus, afterStarts(2))).toMatchObject({ kind: 'done' });
    expect(seen).toEqual(['read 1 before the record', 'read 2 before the record']);
    const rows = await pg.database.query(
      `select output, output_bytes, is_error, duration_ms > 0 as ran, started_at < ended_at as lasted, details
         from animus.tool_calls where focus_id = $1 order by position`,
      [focus.key.focusId],
    );
    const same = { output_bytes: 6, is_error: false, ran: true, lasted: true, details: null };
    expect(rows).toEqual([
      { output: 'read 1', ...same },
      { output: 'read 2', ...same },
    ]);
  });

  it('does not delay the record of its answer when it takes long', async () => {
    const recorded = Promise.withResolvers<void>();
    const slow = testTool('slow', () => recorded.promise.then(() => ({ content: 'slow' })), true);
    const focus = await startTestFocus(pg.database, { script: callsOf('slow'), tools: [slow] });
    const statements: string[] = [];
    const end = run(focus, async (name) => {
      statements.push(name);
      if (name === 'record_turn') recorded.resolve();
    });
    expect(await end).toMatchObject({ kind: 'done' });
    expect(statements.filter((name) => name !== 'read')).toEqual([
      'begin_next_turn',
      'record_turn',
      'begin_next_turn',
      'record_turn',
    ]);
    expect(await recordedCalls(focus)).toEqual(['slow done']);
  });

  it('that fails or is invalid is a result, like that of any call', async () => {
    const fail = testTool('fail', async () => Promise.reject(new Error('no such file')), true);
    const focus = await startTestFocus(pg.database, { script: callsOf('fail'), tools: [fail] });
    expect(await run(focus, () => {})).toMatchObject({ kind: 'done' });
    const rows = await pg.database.query(`select state, output, is_error from animus.tool_calls where focus_id = $1`, [
      focus.key.focusId,
    ]);
    expect(rows).toEqual([{ state: 'failed', output: 'fail failed: no such file', is_error: true }]);
  });

  it('waits for a gate that has effects', async () => {
    const verdicts = async (pure: boolean) => {
      const { focus, seen, afterStarts } = await watched(callsOf('read'));
      const gate: CallGate = { name: 'gate', judge: () => ({ kind: 'pass' }), ...(pure && { pure }) };
      await run(focus, afterStarts(pure ? 1 : 0), { gates: [gate] });
      return seen;
    };
    expect(await verdicts(true)).toEqual(['read 1 before the record']);
    expect(await verdicts(false)).toEqual(['read 1 after the record']);
  });

  it('is denied by a gate as any other call', async () => {
    const { focus, seen } = await watched(callsOf('read'));
    const gate: CallGate = { name: 'no', pure: true, judge: () => ({ kind: 'deny', reason: 'not today' }) };
    expect(await run(focus, () => {}, { gates: [gate] })).toMatchObject({ kind: 'done' });
    expect(seen).toEqual([]);
    expect(await recordedCalls(focus)).toEqual(['read denied']);
  });
});

describe('beside a call that writes', () => {
  it('the reads before it start early; the write, and the reads after it, wait for the record', async () => {
    const { focus, seen, afterStarts } = await watched(callsOf('read', 'write', 'read'));
    expect(await run(focus, afterStarts(1))).toMatchObject({ kind: 'done' });
    expect(seen[0]).toBe('read 1 before the record');
    expect(seen.slice(1).toSorted()).toEqual(['read 3 after the record', 'write 2 after the record']);
    expect(await recordedCalls(focus)).toEqual(['read done', 'write done', 'read done']);
  });

  it('all calls of the turn share its slots', async () => {
    let running = 0;
    let most = 0;
    const count = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 10));
      running -= 1;
      return { content: 'counted' };
    };
    const focus = await startTestFocus(pg.database, {
      script: callsOf('read', 'read', 'read', 'write', 'write'),
      tools: [testTool('read', count, true), testTool('write', count)],
    });
    expect(await run(focus, () => {}, { maxParallelTools: 2 })).toMatchObject({ kind: 'done' });
    expect(most).toBe(2);
  });
});

describe('an answer that cannot be recorded', () => {
  /** A read that ends only when it is stopped. */
  function endless() {
    const started = Promise.withResolvers<void>();
    const stopped: unknown[] = [];
    const tool = testTool(
      'endless',
      (_input, signal) =>
        new Promise((_resolve, reject) => {
          started.resolve();
          signal.addEventListener('abort', () => {
            stopped.push(signal.reason);
            reject(signal.reason as Error);
          });
        }),
      true,
    );
    return { tool, stopped, started: started.promise };
  }

  it('stops the reads, and leaves nothing of them', async () => {
    const { tool, stopped, started } = endless();
    const focus = await startTestFocus(pg.database, { script: callsOf('endless'), tools: [tool] });
    const lost = new AnimusError('work.lease_lost', { id: focus.key.workItemId, detail: 'test' });
    const end = run(focus, async (name) => {
      if (!isRecord(name)) return;
      await started;
      throw lost;
    });
    await expect(end).rejects.toBe(lost);
    expect(stopped).toEqual([lost]);
    expect(await recordedCalls(focus)).toEqual([]);
    expect(focus.events.filter(({ type }) => type.startsWith('tool_'))).toEqual([]);
  });

  it('because the focus is aborted: stops the reads', async () => {
    const { tool, stopped, started } = endless();
    const focus = await startTestFocus(pg.database, { script: callsOf('endless'), tools: [tool] });
    const abort = new AbortController();
    const reason = new Error('shutting down');
    const never = Promise.withResolvers<never>();
    const end = run(
      focus,
      (name) => isRecord(name) && started.then(() => abort.abort(reason)).then(() => never.promise),
      {
        signal: abort.signal,
      },
    );
    await expect(end).rejects.toBe(reason);
    expect(stopped).toEqual([reason]);
    expect(await recordedCalls(focus)).toEqual([]);
  });

  it('because another daemon has the item: nothing of the turn is recorded', async () => {
    const taken = Promise.withResolvers<void>();
    const take = testTool(
      'take',
      async () => {
        const id = focus.key.workItemId;
        await pg.database.query(
          `update animus.work_items set lease_expires_at = animus.now() - interval '1 s' where id = $1`,
          [id],
        );
        const [item] = await pg.database.query<{ faculty: string }>(
          'select faculty from animus.work_items where id = $1',
          [id],
        );
        const claimable = { [item!.faculty]: { max: 1, max_attempts: 3, dedup_until: 'resolved' as const } };
        await claimWork(pg.database, crypto.randomUUID(), claimable, 1, 60);
        taken.resolve();
        return { content: 'taken' };
      },
      true,
    );
    const focus: TestFocus = await startTestFocus(pg.database, { script: callsOf('take'), tools: [take] });
    const end = run(focus, async (name) => {
      if (isRecord(name)) await taken.promise;
    });
    await expect(end).rejects.toMatchObject({ code: 'work.lease_lost' });
    expect(await recordedCalls(focus)).toEqual([]);
  });
});

describe('a daemon that dies', () => {
  /** Runs the focus until the record of its answer, dies before or after that, and runs it again as another process would. */
  async function dieAtRecord(moment: 'before' | 'after', tool: (name: 'read' | 'slow') => Tool, script: string) {
    const asked: string[] = [];
    const focus = await startTestFocus(pg.database, { script, tools: [tool('read'), tool('slow')] });
    const clientOf = ({ model }: EngageMeans): EngageMeans['model'] => ({
      ...model,
      client: {
        complete(request, options) {
          asked.push(JSON.stringify(request.messages));
          return model.client.complete(request, options);
        },
      },
    });
    const death = new AbortController();
    const dead = new Error('killed');
    const db: Database = {
      ...pg.database,
      async query(sql, params) {
        if (!isRecord(/animus\.(\w+)\(/.exec(sql)?.[1] ?? '')) return pg.database.query(sql, params);
        if (moment === 'after') await pg.database.query(sql, params);
        death.abort(dead);
        throw dead;
      },
    };
    const first = focus.means({ db, journal: createJournal(db, focus.key), signal: death.signal });
    await expect(engage({ ...first, model: clientOf(first) })).rejects.toBe(dead);
    const left = await recordedCalls(focus);
    const second = focus.means();
    expect(await engage({ ...second, model: clientOf(second) })).toMatchObject({ kind: 'done' });
    return { asked, left, calls: await recordedCalls(focus) };
  }

  const runs: string[] = [];
  const counted = (name: 'read' | 'slow') =>
    testTool(
      name,
      async (_input, signal) => {
        runs.push(name);
        if (name === 'read' || runs.filter((run) => run === 'slow').length > 1) return { content: name };
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
      true,
    );

  it.each([
    // The answer is lost: the request is sent again, and the call is made again.
    { moment: 'before', tool: 'read', requests: [1, 1, 2], left: [], ran: 2 },
    // The answer and the result are kept: nothing is repeated.
    { moment: 'after', tool: 'read', requests: [1, 2], left: ['read done'], ran: 1 },
    { moment: 'before', tool: 'slow', requests: [1, 1, 2], left: [], ran: 2 },
    // The call is known and has no result: it is made again, and is not in doubt.
    { moment: 'after', tool: 'slow', requests: [1, 2], left: ['slow started'], ran: 2 },
  ] as const)(
    '$moment the record of a $tool call: nothing is in doubt',
    async ({ moment, tool, requests, left, ran }) => {
      runs.length = 0;
      const died = await dieAtRecord(moment, counted, callsOf(tool));
      const distinct = [...new Set(died.asked)];
      expect(died.asked.map((request) => distinct.indexOf(request) + 1)).toEqual(requests);
      expect(died.left).toEqual(left);
      expect(died.calls).toEqual([`${tool} done`]);
      expect(runs).toHaveLength(ran);
    },
  );
});

describe('the beginning of the next turn', () => {
  const read = testTool('read', async () => ({ content: 'read' }), true);

  it('is refused with the record when the work was cancelled or paused; the answer and its calls are kept', async () => {
    for (const [sql, expected] of [
      [`select animus.cancel_work($1, 'not needed')`, { kind: 'cancelled' }],
      [
        `select animus.pause(faculty, 'for a test') from animus.work_items where id = $1`,
        { kind: 'interrupted', reason: 'paused' },
      ],
    ] as const) {
      const focus = await startTestFocus(pg.database, { script: callsOf('read'), tools: [read] });
      const end = run(focus, async (name) => {
        if (name === 'record_turn_and_begin') await pg.database.query(sql, [focus.key.workItemId]);
      });
      expect(await end).toEqual(expected);
      expect(await recordedCalls(focus)).toEqual(['read done']);
    }
  });

  it('has its request written while the record is on its way, and sent after it', async () => {
    const focus = await startTestFocus(pg.database, { script: callsOf('read'), tools: [read] });
    const { model } = focus.means();
    const prepared: LlmRequest[] = [];
    const asked: LlmRequest[] = [];
    let recorded = false;
    const client: LlmClient = {
      prepare: (request) => void prepared.push(request),
      complete(request, options) {
        asked.push(request);
        expect(recorded).toBe(request.turn === 2);
        return model.client.complete(request, options);
      },
    };
    const db: Database = {
      ...pg.database,
      async query(sql, params) {
        const rows = await pg.database.query<never>(sql, params);
        if (!sql.includes('record_turn_and_begin')) return rows;
        while (prepared.length === 0) await new Promise((resolve) => setImmediate(resolve));
        recorded = true;
        return rows;
      },
    };
    const means = focus.means({ db, journal: createJournal(db, focus.key), model: { ...model, client } });
    expect(await engage(means)).toMatchObject({ kind: 'done' });
    expect(prepared).toEqual([asked[1]]);
    expect(asked[1]!.messages).toBe(prepared[0]!.messages);
  });

  it('is not recorded where the loop ends after the turn, or says something before the next one', async () => {
    const ends = await startTestFocus(pg.database, { script: callsOf('read'), tools: [read] });
    const statements: string[] = [];
    await run(ends, (name) => statements.push(name), { maxTurns: 1 });
    expect(statements.filter((name) => name !== 'read')).toEqual([
      'begin_next_turn',
      'record_turn',
      'finish_tool_calls',
    ]);
  });
});
