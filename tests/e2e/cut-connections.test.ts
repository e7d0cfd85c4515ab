/** A connection is cut at the exact moment of each write of a turn: nothing done or paid for is lost, and nothing is sent that is not recorded. */
import { afterEach, describe, expect, it } from 'vitest';
import { createJournal } from '../../src/engage/calls/journal.ts';
import type { LlmClient, LlmRequest } from '../../src/llm/client.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { testDatabase } from '../support/database.ts';
import { startTestFocus, type TestFocus, testTool } from '../support/focus.ts';
import { type CallWatcher, type Moment, type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';
import { engage } from '../support/run-loop.ts';

const pg = testDatabase({ anew: true });
/** How long the database stays away: long enough for several retries. */
const AWAY_MS = 120;

const SCRIPT = `
[[answer]]
turn = 1
text = "Both at once."
call = [{ tool = "quick", input = { n = 1 } }, { tool = "slow", input = { n = 2 } }]
[[answer]]
turn = 2
text = "Once more."
call = [{ tool = "quick", input = { n = 3 } }]
[[answer]]
turn = 3
text = "Done."
`;

/** Turns that are recorded with the beginning of the next one. */
const READS = `
[[answer]]
turn = 1
call = [{ tool = "read", input = { n = 1 } }]
[[answer]]
turn = 2
call = [{ tool = "read", input = { n = 2 } }, { tool = "read", input = { n = 3 } }]
[[answer]]
turn = 3
text = "Done."
`;

let opened: Database | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

interface Watched {
  readonly focus: TestFocus;
  readonly proxy: PostgresProxy;
  readonly requests: LlmRequest[];
  /** Names of the tools that had effects, in order. */
  readonly acts: string[];
  run(signal?: AbortSignal): Promise<unknown>;
}

/** A focus whose database is behind a proxy. For each request, its model checks whether everything in it is committed. */
async function watched(
  onWrite: (name: string, moment: Moment, proxy: PostgresProxy) => ReturnType<CallWatcher>,
  script = SCRIPT,
): Promise<Watched> {
  const acts: string[] = [];
  const written = Promise.withResolvers<void>();
  const act = (name: string) => async (input: Record<string, unknown>) => {
    acts.push(`${name} ${String(input['n'])}`);
    // The end of the quick call is being written when the slow one ends.
    if (name === 'slow') await written.promise;
    return { content: `${name} ${String(input['n'])} has acted` };
  };
  const focus = await startTestFocus(pg.database, {
    script,
    tools: [testTool('quick', act('quick')), testTool('slow', act('slow')), testTool('read', act('read'), true)],
  });
  const proxy = await startPostgresProxy(pg.connectionString);
  proxy.watch((name, moment) => {
    if (name === 'finish_tool_calls') written.resolve();
    return onWrite(name, moment, proxy);
  });
  const db = openPostgres(proxy.url, { poolSize: 3, connectTimeoutMs: 2_000 });
  opened = db;
  const requests: LlmRequest[] = [];
  const run = (signal = new AbortController().signal) => {
    const means = focus.means({ db, journal: createJournal(db, focus.key), signal });
    const { client } = means.model;
    const looking: LlmClient = {
      ...client,
      async complete(request, options) {
        requests.push(structuredClone({ ...request }));
        expect(await uncommitted(focus)).toEqual([]);
        return client.complete(request, options);
      },
    };
    return engage({ ...means, model: { ...means.model, client: looking } });
  };
  return { focus, proxy, requests, acts, run };
}

/** Calls whose results are not in the tables, checked from outside. */
function uncommitted(focus: TestFocus): Promise<object[]> {
  return pg.database.query(`select name from animus.tool_calls where focus_id = $1 and output is null`, [
    focus.key.focusId,
  ]);
}

const plain = new Map<string, Promise<string[]>>();

/** The messages of the requests of an undisturbed run; each script is run once. */
function plainRequests(script: string): Promise<string[]> {
  const running = plain.get(script) ?? runPlain(script);
  plain.set(script, running);
  return running;
}

async function runPlain(script: string): Promise<string[]> {
  const undisturbed = await watched(() => 'pass', script);
  expect(await undisturbed.run()).toMatchObject({ kind: 'done' });
  await opened?.close();
  return undisturbed.requests.map(({ messages }) => JSON.stringify(messages));
}

/** Cuts the connection at the n-th such moment, and keeps the database away for a while. */
function cutAt(call: string, nth: number, moment: Moment) {
  let seen = 0;
  return (name: string, at: Moment, proxy: PostgresProxy): 'pass' | 'end' => {
    if (name !== call || at !== moment || ++seen !== nth) return 'pass';
    proxy.cut();
    setTimeout(() => proxy.mend(), AWAY_MS);
    return 'end';
  };
}

describe('a database that goes away during a turn, and comes back', () => {
  const POINTS = [
    ['begin_turn', 1],
    ['record_turn', 1],
    ['finish_tool_calls', 1],
    ['begin_turn', 2],
    ['record_turn', 2],
  ] as const;
  const cases = POINTS.flatMap(([call, nth]) =>
    (['before', 'after'] as const).map((moment) => [moment, call, nth] as const),
  );

  it.each(cases)(
    '%s %s no. %i: repeats no request, loses no result, and sends the same bytes',
    async (moment, call, nth) => {
      const uncut = await plainRequests(SCRIPT);
      const cut = await watched(cutAt(call, nth, moment));
      expect(await cut.run()).toMatchObject({ kind: 'done' });
      expect(cut.requests.map(({ messages }) => JSON.stringify(messages))).toEqual(uncut);
      expect(cut.acts).toEqual(['quick 1', 'slow 2', 'quick 3']);
      const calls = await pg.database.query(`select distinct state from animus.tool_calls where focus_id = $1`, [
        cut.focus.key.focusId,
      ]);
      expect(calls).toEqual([{ state: 'done' }]);
      const [item] = await pg.database.query(`select turns from animus.work_items where id = $1`, [
        cut.focus.key.workItemId,
      ]);
      expect(item).toEqual({ turns: 3 });
    },
  );
});

describe('a database that goes away while a turn of reads is recorded, and comes back', () => {
  const cases = [1, 2].flatMap((nth) => (['before', 'after'] as const).map((moment) => [moment, nth] as const));

  it.each(cases)('%s record_turn no. %i: repeats no request and no read', async (moment, nth) => {
    const uncut = await plainRequests(READS);
    const cut = await watched(cutAt('record_turn', nth, moment), READS);
    expect(await cut.run()).toMatchObject({ kind: 'done' });
    expect(cut.requests.map(({ messages }) => JSON.stringify(messages))).toEqual(uncut);
    expect(cut.acts).toEqual(['read 1', 'read 2', 'read 3']);
    const [kept] = await pg.database.query(
      `select w.turns, (select count(*)::int from animus.tool_calls where focus_id = $2 and state = 'done') as calls,
              (select sum(lost_usd)::float from animus.turns where focus_id = $2) as lost
         from animus.work_items w where w.id = $1`,
      [cut.focus.key.workItemId, cut.focus.key.focusId],
    );
    expect(kept).toEqual({ turns: 3, calls: 3, lost: 0 });
  });
});

it('an answer is kept no longer than the lease: when the focus is stopped, retries end, even on a dead network', async () => {
  const stopped = new AbortController();
  const hung = Promise.withResolvers<void>();
  const focus = await watched((name, moment) => {
    if (name !== 'record_turn' || moment !== 'before') return 'pass';
    hung.resolve();
    return 'cut';
  });
  const running = focus.run(stopped.signal);
  await hung.promise;
  stopped.abort(new Error('the lease is lost'));
  await expect(running).rejects.toThrow('the lease is lost');
  expect(focus.requests).toHaveLength(1);
});

it('results are recorded even if something else stops the focus', async () => {
  const focus = await startTestFocus(pg.database, {
    script: SCRIPT,
    tools: ['quick', 'slow'].map((name) => testTool(name, async () => ({ content: 'has acted' }))),
  });
  const failing: Database = {
    ...pg.database,
    query: (sql, params) =>
      sql.includes('animus.add_message(') ? Promise.reject(new Error('a bug')) : pg.database.query(sql, params),
  };
  const means = focus.means({ db: failing, journal: createJournal(failing, focus.key) });
  // A reminder after the first turn: it is between the results and the request that would record them.
  await expect(engage({ ...means, bounds: { ...means.bounds, ledgerNudgeInterval: 1 } })).rejects.toThrow('a bug');
  expect(await uncommitted(focus)).toEqual([]);
});
