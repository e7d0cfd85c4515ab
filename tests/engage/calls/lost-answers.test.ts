/** Early calls of an answer whose record fails, or beside which the daemon dies. */
import { describe, expect, it } from 'vitest';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import { createJournal } from '../../../src/engage/calls/journal.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus, type TestFocus, testTool } from '../../support/focus.ts';
import { engage, type LoopParts } from '../../support/run-loop.ts';
import { takeOver } from '../focus-calls.ts';
import { callStates, callsOf, isRecord, run } from './early-call-focus.ts';

const pg = testDatabase();

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
    const lost = new AnimusError('work.lease_lost', { held: 'a test' });
    const end = run(pg.database, focus, async (name) => {
      if (!isRecord(name)) return;
      await started;
      throw lost;
    });
    await expect(end).rejects.toBe(lost);
    expect(stopped).toEqual([lost]);
    expect(await callStates(pg.database, focus)).toEqual([]);
    expect(focus.events.filter(({ type }) => type === 'call' || type === 'observation')).toEqual([]);
  });

  it('because the focus is aborted: stops the reads', async () => {
    const { tool, stopped, started } = endless();
    const focus = await startTestFocus(pg.database, { script: callsOf('endless'), tools: [tool] });
    const abort = new AbortController();
    const reason = new Error('shutting down');
    const never = Promise.withResolvers<never>();
    const end = run(
      pg.database,
      focus,
      (name) => isRecord(name) && started.then(() => abort.abort(reason)).then(() => never.promise),
      {
        signal: abort.signal,
      },
    );
    await expect(end).rejects.toBe(reason);
    expect(stopped).toEqual([reason]);
    expect(await callStates(pg.database, focus)).toEqual([]);
  });

  it('because another daemon has the item: nothing of the turn is recorded', async () => {
    const taken = Promise.withResolvers<void>();
    const take = testTool(
      'take',
      async () => {
        await takeOver(pg.database, focus);
        taken.resolve();
        return { content: 'taken' };
      },
      true,
    );
    const focus: TestFocus = await startTestFocus(pg.database, { script: callsOf('take'), tools: [take] });
    const end = run(pg.database, focus, async (name) => {
      if (isRecord(name)) await taken.promise;
    });
    await expect(end).rejects.toMatchObject({ code: 'work.lease_lost' });
    expect(await callStates(pg.database, focus)).toEqual([]);
  });
});

describe('a daemon that dies', () => {
  /** Runs the focus until the record of its answer, dies before or after that, and runs it again as another process would. */
  async function dieAtRecord(moment: 'before' | 'after', tool: (name: 'read' | 'slow') => Tool, script: string) {
    const asked: string[] = [];
    const focus = await startTestFocus(pg.database, { script, tools: [tool('read'), tool('slow')] });
    const clientOf = ({ model }: LoopParts): LoopParts['model'] => ({
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
    const left = await callStates(pg.database, focus);
    const second = focus.means();
    expect(await engage({ ...second, model: clientOf(second) })).toMatchObject({ kind: 'done' });
    return { asked, left, calls: await callStates(pg.database, focus) };
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
