// Also on the wire openai.
/** Fifty foci whose turns are asked in batches, and a daemon that is killed at every point of submit, poll and record. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/store/sql/database.ts';
import { makeSite, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { letKilledDaemonBeGone } from '../support/killed-daemons.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { type BatchServer, startBatchServer } from '../support/model-server/batch-server.ts';
import type { BatchCall } from '../support/model-server/batch-state.ts';
import { MODEL, messagesOf, WIRE } from '../support/model-server/either-wire.ts';
import { type Moment, startPostgresProxy } from '../support/postgres-proxy.ts';

const ITEMS = 50;

/** At the n-th call (from 1) since the daemon was started: of a function of the database, or (`http`) of the provider. */
interface Kill {
  readonly at: 'sql' | 'http';
  readonly call: string;
  readonly nth: number;
  readonly moment: Moment;
}

/** Where the APIs differ. */
const SUBMIT: readonly Kill[] = [
  sql('mark_batch', 1, 'after'),
  ...(WIRE === 'openai' ? [http('upload', 'before'), http('upload', 'after')] : []),
  http('create', 'before'),
  http('create', 'after'),
  sql('confirm_batch', 1, 'before'),
  sql('confirm_batch', 1, 'after'),
];

/** In this order: the daemon is killed at the first that is left. */
const EVERYWHERE: readonly Kill[] = [
  sql('put_turn', 10, 'before'),
  sql('put_turn', 10, 'after'),
  sql('park_work', 3, 'before'),
  sql('park_work', 3, 'after'),
  sql('mark_batch', 1, 'before'),
  ...SUBMIT,
  http('look', 'after'),
  http('results', 'after'),
  sql('answer_request', 1, 'before'),
  sql('answer_request', 5, 'after'),
  sql('end_batch', 1, 'before'),
  sql('end_batch', 1, 'after'),
  sql('record_turn', 2, 'before'),
  sql('close_request', 2, 'before'),
  sql('close_request', 2, 'after'),
  sql('commit', 2, 'after'),
];

const KILLS = WIRE === 'anthropic' ? EVERYWHERE : SUBMIT;

function sql(call: string, nth: number, moment: Moment): Kill {
  return { at: 'sql', call, nth, moment };
}

function http(call: BatchCall, moment: Moment): Kill {
  return { at: 'http', call, nth: 1, moment };
}

const FACULTY = `
[faculty]
name = "scribe"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You write."
batch = true
[faculty.recover]
max_attempts = 100
`;
const CONFIG =
  '[daemon]\nlease_seconds = 20\npoll_seconds = 0.5\nmax_concurrent = 10\n' +
  '[batch]\ngather_seconds = 0\npoll_seconds = 0.2\nsubmit_timeout_seconds = 30\n';

/** A ledger entry, then the end. */
const twoTurns: AnthropicProgramme = (body) => {
  const answered = messagesOf(body).some((message) => message.role === 'assistant');
  if (answered) return { content: [text('Written.')] };
  return { content: [text('I note it.'), toolUse('note', 'ledger_append', { type: 'finding', content: 'noted' })] };
};

describe('fifty foci whose turns are in batches', () => {
  const pg = testDatabase({ anew: true });

  it('buy each turn once, wherever the daemon is killed', async () => {
    const server = await startBatchServer(twoTurns);
    onTestFinished(() => server.close());
    const met = await runWithKills(pg.connectionString, pg.database, server);

    expect(met.map(nameOf)).toEqual(KILLS.map(nameOf));
    const ended = await pg.database.query(
      'select state, turns, count(*)::int as items from animus.work_items group by state, turns',
    );
    expect(ended).toEqual([{ state: 'completed', turns: 2, items: ITEMS }]);
    const entries = await pg.database.query('select count(*)::int as entries from animus.work_ledger');
    expect(entries).toEqual([{ entries: ITEMS }]);

    const bought = server.state.batches.flatMap(({ requests }) => requests.map(({ customId }) => customId));
    expect(bought.length).toBe(2 * ITEMS);
    const requests = await pg.database.query<{ id: string; state: string }>(
      'select id, state from animus.batch_requests order by id',
    );
    expect(requests.map(({ id }) => id)).toEqual(bought.toSorted());
    expect(new Set(requests.map(({ state }) => state))).toEqual(new Set(['recorded']));
    expect(server.requests.filter(({ refused }) => refused !== null)).toEqual([]);
    expect(server.live.requests.filter(({ refused }) => refused !== null)).toEqual([]);
    const lost = await pg.database.query('select sum(lost_usd)::float8 as lost from animus.turns');
    expect(lost).toEqual([{ lost: 0 }]);
  }, 600_000);
});

/** Starts the daemon again after each kill, until all work is done. */
async function runWithKills(url: string, database: Database, server: BatchServer): Promise<readonly Kill[]> {
  const proxy = await startPostgresProxy(url);
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl: proxy.url,
    config: CONFIG,
    faculties: { scribe: FACULTY },
  });
  await database.query(
    `insert into animus.work_items (faculty, description) select 'scribe', 'Write ' || n from generate_series(1, $1) n`,
    [ITEMS],
  );
  const left = [...KILLS];
  const met: Kill[] = [];
  while (await isOpen(database)) {
    await endTimes(database);
    const ended = await runUntilKilled(site, database, { proxy, server, left, met });
    if (ended === 'over') break;
  }
  return met;
}

interface Killing {
  readonly proxy: Awaited<ReturnType<typeof startPostgresProxy>>;
  readonly server: BatchServer;
  readonly left: Kill[];
  readonly met: Kill[];
}

async function runUntilKilled(site: Site, database: Database, killing: Killing): Promise<'over' | 'killed'> {
  const { proxy, server, left, met } = killing;
  let pid: number | null = null;
  let killed = false;
  const times = new Map<string, number>();
  const dies = (at: Kill['at'], call: string, moment: Moment): boolean => {
    if (killed) return true;
    const key = `${at} ${call} ${moment}`;
    times.set(key, (times.get(key) ?? 0) + 1);
    const [next] = left;
    if (!next || pid === null || nameOf({ ...next, nth: 0 }) !== nameOf({ at, call, moment, nth: 0 })) return false;
    if (times.get(key)! < next.nth) return false;
    killed = true;
    met.push(left.shift()!);
    process.kill(pid, 'SIGKILL');
    return true;
  };
  proxy.watch((call, moment) => (dies('sql', call, moment) ? 'cut' : 'pass'));
  server.state.hook = (call, moment) =>
    dies('http', call, moment) ? { status: 200, parts: [], finally: 'reset' } : null;
  const daemon = await startDaemon(site, [], {}, (spawned) => {
    pid = spawned;
  }).catch(() => null); // killed before it served
  let gone = daemon === null;
  void daemon?.exited.then(() => {
    gone = true;
  });
  const how = await eventually(
    `all work ends, or the daemon is killed at ${left[0] ? nameOf(left[0]) : 'no point'}`,
    async () => ((await isOpen(database)) ? (gone ? 'killed' : null) : 'over'),
    90,
  );
  if (!gone) await daemon!.kill('SIGKILL');
  return how;
}

/** Whoever was killed holds its leases still, and its submit is unclear from later on: let that be now. */
async function endTimes(database: Database): Promise<void> {
  await letKilledDaemonBeGone(database);
  await database.query(`update animus.batch_pollers set until = animus.now() - interval '1 s'`);
  await database.query(
    `update animus.batches set unclear_at = animus.now() - interval '1 s', polled_at = null where state = 'submitting'`,
  );
}

async function isOpen(database: Database): Promise<boolean> {
  const [row] = await database.query(`select from animus.work_items where resolved_at is null limit 1`);
  return row !== undefined;
}

function nameOf({ at, call, nth, moment }: Kill): string {
  return `${at} ${call} ${nth} ${moment}`;
}
