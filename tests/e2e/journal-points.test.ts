// Also on the wires openai, responses.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/store/sql/database.ts';
import type { Site } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { text } from '../support/model-server/anthropic.ts';
import { startModelServer, WIRE } from '../support/model-server/either-wire.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { type Choose, type Kill, moments, runWithKills } from './journal-kills.ts';
import { idempotentProgramme, programme, TURNS } from './twenty-turns.ts';

/** Before and after what the next request or the recorded answer stands on: on every wire. */
const OF_TURNS: readonly Kill[] = [
  ...moments('begin_turn', 2),
  ...moments('record_turn', 1),
  ...moments('record_turn', 2),
  ...moments('finish_tool_calls', 2),
];

/** The wire plays no part in these. */
const OF_ITEMS: readonly Kill[] = [
  ...moments('claim_ready_work', 1),
  ...moments('begin_foci', 1),
  ...moments('begin_focus', 1),
  ...moments('add_message', 1),
  // The second one: the first is the orient message, this one a stub.
  { call: 'add_message', nth: 1, moment: 'after' },
  ...moments('set_phase', 1),
  ...moments('finish_tool_calls', 1),
  ...moments('append_ledger', 1),
  ...moments('complete_batch', 1),
];

const KILLS = WIRE === 'anthropic' ? [...OF_ITEMS, ...OF_TURNS] : OF_TURNS;

/** Kills that lose an answer, or a request that may have been sent: only these requests may be repeated. */
const LOSING: ReadonlySet<string> = new Set([
  'record_turn before',
  'finish_tool_calls before',
  'finish_tool_calls after',
  'append_ledger before',
  'append_ledger after',
  'begin_turn after',
]);

describe('a run of twenty turns', () => {
  const pg = testDatabase({ anew: true });

  it('is killed at every journal point and ends the same, without paying or acting twice', async () => {
    const server = await startModelServer(programme);
    onTestFinished(() => server.close());
    const anyDue: Choose = (left, call, moment, times) =>
      left.findIndex((kill) => kill.call === call && kill.moment === moment && kill.nth <= times);
    const { id, site, met } = await runWithKills(pg, server, anyDue, KILLS);

    await expectSameEnd(pg.database, id, site);
    expect(met.map(nameOf).toSorted()).toEqual(KILLS.map(nameOf).toSorted());
    expectNothingBoughtTwice(server, met.filter((kill) => LOSING.has(`${kill.call} ${kill.moment}`)).length);
  }, 600_000);
});

describe.runIf(WIRE === 'anthropic')('a run of one answer', () => {
  const pg = testDatabase({ anew: true });

  it.each([
    { kills: moments('begin_foci', 1), requests: 1 },
    // The answer is lost.
    { kills: [{ call: 'complete_batch', nth: 1, moment: 'before' as const }], requests: 2 },
    { kills: [{ call: 'complete_batch', nth: 1, moment: 'after' as const }], requests: 1 },
  ])(
    'killed at $kills.0.call takes $requests request(s) and ends the same',
    async ({ kills, requests }) => {
      const server = await startModelServer(() => ({ content: [text('Nothing was to do.')] }));
      onTestFinished(() => server.close());
      const inOrder: Choose = ([next], call, moment) => (next?.call === call && next.moment === moment ? 0 : -1);
      const { id, met } = await runWithKills(pg, server, inOrder, kills);
      expect(met).toEqual(kills);
      const ended = await pg.database.query(
        `select w.state, w.turns, w.outcome, f.ended_as, t.turn, t.recorded_at is not null as recorded from animus.work_items w
         join animus.foci f on f.work_item_id = w.id join animus.turns t on t.focus_id = f.id where w.id = $1`,
        [id],
      );
      const outcome = { text: 'Nothing was to do.' };
      expect(ended).toEqual([
        { state: 'completed', turns: 1, outcome, ended_as: 'completed', turn: 1, recorded: true },
      ]);
      const bodies = server.requests.map(({ body }) => body.toString());
      expect([bodies.length, new Set(bodies).size]).toEqual([requests, 1]);
    },
    400_000,
  );
});

describe('the requests of a run', () => {
  const pg = testDatabase({ anew: true });

  it('are byte-identical after kills', async () => {
    const requestsOf = async (kills: readonly Kill[]): Promise<string[]> => {
      const server = await startModelServer(idempotentProgramme);
      onTestFinished(() => server.close());
      const inOrder: Choose = ([next], call, moment, times) => {
        // A turn of reads is recorded with the next one if they end at once.
        const isNext = next !== undefined && [next.call, `${next.call}_and_begin`].includes(call);
        return isNext && next.moment === moment && next.nth <= times ? 0 : -1;
      };
      const { id, site, met } = await runWithKills(pg, server, inOrder, kills);
      expect(met).toEqual(kills);
      const [focus] = await pg.database.query<{ id: string; directory: string }>(
        `select id, directory from animus.foci where work_item_id = $1`,
        [id],
      );
      const bodies = server.requests.map((request) =>
        request.body
          .toString()
          .replaceAll(focus!.directory, '<dir>')
          .replaceAll(focus!.id, '<focus>')
          .replaceAll(id, '<work>')
          .replaceAll(site.directory, '<site>'),
      );
      // A request that was cut before its answer was recorded is sent again with the same bytes.
      return bodies.filter((body, index) => body !== bodies[index - 1]);
    };

    const unkilled = await requestsOf([]);
    const killed = await requestsOf([
      { call: 'record_turn', nth: 1, moment: 'before' },
      { call: 'record_turn', nth: 1, moment: 'after' },
      { call: 'begin_turn', nth: 3, moment: 'after' },
      { call: 'record_turn', nth: 2, moment: 'before' },
      { call: 'record_turn', nth: 2, moment: 'after' },
      { call: 'finish_tool_calls', nth: 2, moment: 'after' },
    ]);
    // Compare hashes first: a diff of whole requests is unreadable.
    expect(killed.map(digest)).toEqual(unkilled.map(digest));
  }, 400_000);
});

function nameOf(kill: Kill): string {
  return `${kill.call} ${kill.nth} ${kill.moment}`;
}

function digest(body: string, index: number): string {
  return `${index}: ${body.length} ${createHash('sha256').update(body).digest('hex').slice(0, 12)}`;
}

async function expectSameEnd(database: Database, id: string, site: Site): Promise<void> {
  const [item] = await database.query(`select state, outcome, turns from animus.work_items where id = $1`, [id]);
  expect(item).toEqual({ state: 'completed', outcome: { text: 'All twenty turns are done.' }, turns: TURNS + 1 });
  const ledger = await database.query(`select content from animus.work_ledger where work_item_id = $1 order by seq`, [
    id,
  ]);
  expect(ledger.map((row) => row['content'])).toEqual(Array.from({ length: TURNS }, (_, n) => `turn ${n + 1}`));
  const calls = await database.query<{ call_id: string; state: string; output: string }>(
    `select call_id, t.state, output from animus.tool_calls t join animus.foci f on f.id = t.focus_id where work_item_id = $1 and name = 'bash'`,
    [id],
  );
  const path = join(site.directory, 'faculties', 'effects');
  const effects = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  for (const call of calls) {
    const times = effects.filter((line) => line === call.call_id).length;
    if (call.state === 'done') expect([call.call_id, times]).toEqual([call.call_id, 1]);
    else {
      expect(call).toMatchObject({
        state: 'in_doubt',
        output: expect.stringContaining('may or may not have happened') as string,
      });
      expect(times).toBeLessThanOrEqual(1);
    }
  }
  expect(calls).toHaveLength(2 * TURNS);
  const [open] = await database.query(
    `select (select count(*)::int from animus.foci where work_item_id = $1) as foci,
            (select count(*)::int from pgmq.q_animus_work where message ->> 'work_item_id' = $1::text) as messages`,
    [id],
  );
  expect(open).toEqual({ foci: 1, messages: 0 });
}

function expectNothingBoughtTwice(server: ModelServer, lost: number): void {
  expect(server.requests.every((request) => request.refused === null)).toBe(true);
  expect(server.requests.length).toBeLessThanOrEqual(TURNS + 1 + lost);
}
