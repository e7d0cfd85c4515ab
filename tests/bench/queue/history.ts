/**
 * (d) What history costs what is alive: the statements of a focus, status and list with millions of ended items, compared with an
 * empty database that takes turns with the full one; then retention, packing and dropping a month at that depth.
 */
import { randomUUID } from 'node:crypto';
import { readStatus } from '../../../src/features/operate/status/status.ts';
import { listWork } from '../../../src/operations/read-work.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { finishToolCalls } from '../../../src/store/transcript/calls.ts';
import { startFocus } from '../../../src/store/transcript/focus-row.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { addMessage } from '../../../src/store/transcript/messages.ts';
import { answeredTurn, recordTurn } from '../../../src/store/transcript/turns.ts';
import { dropMonth, type PruneCursor, packHistory, pruneWork } from '../../../src/store/work/retention.ts';
import { claimWork, completeWork } from '../../../src/store/work/work.ts';
import { fillHistory, USUAL } from '../../store/work/fill-history.ts';
import { beginTurn } from '../../support/begun-turn.ts';
import { percentiles } from './scenarios.ts';
import { type BenchServer, withPool } from './server.ts';

const FACULTIES = { noop: { max: 1000, max_attempts: 3, dedup_until: 'resolved' as const } };
const ROUND = 200;
const SETTINGS = {
  facultySnapshot: {},
  systemPrompt: 'You work.',
  tools: [],
  host: 'bench',
  directoryRoot: '/nowhere',
};

/** `rows` ended items with `ledger` entries each, and with two whole days of full transcripts for retention to delete. */
export async function history(
  server: BenchServer,
  rows: number,
  ledger: number,
  runs: number,
  print: (line: string) => void,
): Promise<void> {
  print(`\n${rows} ended items with ${ledger} ledger entries each, compared with an empty database, ms p50 (p95)`);
  const [emptyUrl, fullUrl] = [await server.migrated(), await server.migrated()];
  await withPool(
    fullUrl,
    (full) =>
      withPool(
        emptyUrl,
        async (empty) => {
          const began = performance.now();
          await fill(full, rows, ledger);
          print(`  filled in ${Math.round((performance.now() - began) / 1000)} s, ${await size(full)}`);
          await compare(empty, full, runs, print);
          await retain(full, Math.min(rows, 20_000), print);
        },
        1,
      ),
    1,
  );
}

/** Ended items, a second apart, up to two days ago, in parts that keep each transaction short. */
async function fill(db: Database, rows: number, ledger: number): Promise<void> {
  const part = Math.min(rows, 250_000);
  await db.query('alter table animus.work_ledger drop constraint work_ledger_pkey');
  for (let n = 0; n < rows; n += part)
    await fillHistory(db, part, { turns: 0, callsPerTurn: 0, messages: 0, ledger }, `${2 * 86_400 + rows - n} seconds`);
  await db.query('alter table animus.work_ledger add primary key (work_item_id, seq)');
  await db.query('vacuum (analyze, freeze)');
}

async function size(db: Database): Promise<string> {
  const [row] = await db.query<{ all: string; items: string; ledger: string }>(
    `select pg_size_pretty(pg_database_size(current_database())) as all, pg_size_pretty(pg_total_relation_size('animus.work_items')) as items,
            pg_size_pretty(pg_total_relation_size('animus.work_ledger')) as ledger`,
  );
  return `${row!.all}, of which work_items ${row!.items}, work_ledger ${row!.ledger}`;
}

type Times = Map<string, number[]>;

async function compare(empty: Database, full: Database, runs: number, print: (line: string) => void): Promise<void> {
  const [without, deep]: [Times, Times] = [new Map(), new Map()];
  for (let n = 0; n < 20 + runs * ROUND; n++) {
    // One item each in turns, so that a busy moment of the machine does not affect only one of them; twenty to warm up.
    await live(empty, n < 20 ? new Map() : without, n % 10 === 0);
    await live(full, n < 20 ? new Map() : deep, n % 10 === 0);
  }
  for (const [step, times] of deep) {
    const [before, after] = [percentiles(without.get(step)!), percentiles(times)];
    const ratio = (after.p50 / before.p50).toFixed(2);
    print(`  ${step.padEnd(14)} empty ${show(before)}   full ${show(after)}   ${ratio} times`);
  }
}

function show({ p50, p95 }: { readonly p50: number; readonly p95: number }): string {
  return `${p50.toFixed(2)} (${p95.toFixed(2)})`.padEnd(14);
}

/** The whole life of an item of one turn with one call, each statement timed. */
async function live(db: Database, times: Times, views: boolean): Promise<void> {
  const timed = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    const before = performance.now();
    const result = await work();
    times.set(step, [...(times.get(step) ?? []), performance.now() - before]);
    return result;
  };
  await timed('insert', () => db.query(`insert into animus.work_items (faculty) values ('noop')`));
  const [work] = await timed('claim', () => claimWork(db, randomUUID(), FACULTIES, 1, 60));
  const row = await timed('begin', () => startFocus(db, work!, SETTINGS));
  const key = { workItemId: work!.id, leaseToken: work!.leaseToken, focusId: row.id };
  await timed('message', () => addMessage(db, key, { afterTurn: 0, kind: 'orient', content: 'Do it.' }, 3));
  await timed('begin turn', () => beginTurn(db, key, 1, 0));
  await timed('record', () => recordTurn(db, key, answeredTurn(1, ANSWER), ANSWER, 0.01));
  await timed('finish call', () =>
    finishToolCalls(db, key, [
      { turn: 1, callId: 'c', state: 'done', output: 'ok', isError: false, details: null, durationMs: 1 },
    ]),
  );
  await timed('ledger', () =>
    appendLedger(db, work!.id, 'finding', 'It works.', { leaseToken: work!.leaseToken, focusId: row.id }),
  );
  await timed('end', () => completeWork(db, work!, {}, null));
  if (!views) return;
  await timed('status', () => readStatus(db));
  await timed('list', () => listWork(db, { limit: 20 }));
}

const ANSWER = {
  provider: 'bench',
  model: 'bench',
  responseId: null,
  content: [{ type: 'tool_call' as const, id: 'c', name: 'bash', input: {} }],
  stopReason: 'tool_use' as const,
  rawStopReason: null,
  cutToolCalls: [],
  usage: null,
  timeToFirstTokenMs: null,
  durationMs: 1,
};

/** Retention of whole transcripts, of packed ones, and of a month, among everything else. */
async function retain(db: Database, items: number, print: (line: string) => void): Promise<void> {
  for (const packed of [false, true]) {
    await fillHistory(db, items, USUAL, '3000 days');
    if (packed) {
      await db.query('delete from animus.history_position');
      print(`  pack           ${await rate(items, () => packAll(db, items))}`);
    }
    print(`  retention      ${await rate(items, () => pruned(db))}${packed ? ', packed before' : ''}`);
  }
  const began = performance.now();
  const months = await dropMonth(db, 2900);
  print(`  drop a month   ${(performance.now() - began).toFixed(0)} ms for ${items} items, ${months} month(s)`);
}

async function packAll(db: Database, items: number): Promise<void> {
  for (let n = 0; n < items; ) n += (await packHistory(db, 2900, 200)) || items;
}

async function pruned(db: Database): Promise<void> {
  let cursor: PruneCursor | null = null;
  do {
    cursor = (await pruneWork(db, 2900, 200, cursor)).cursor;
  } while (cursor !== null);
}

async function rate(items: number, work: () => Promise<void>): Promise<string> {
  const began = performance.now();
  await work();
  return `${Math.round((items / (performance.now() - began)) * 1000)} items a second`;
}
