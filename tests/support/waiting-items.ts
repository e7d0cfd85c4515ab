/** A real item for each reason for which work waits (docs/states.md), made with the SQL functions that daemons and people call. */
import { randomUUID } from 'node:crypto';
import type { WaitingReason } from '../../src/core/work/waiting.ts';
import type { Queryable } from '../../src/store/sql/database.ts';
import { askPerson } from '../../src/store/transcript/approvals.ts';
import { putTurn } from '../../src/store/transcript/batch-requests.ts';
import { startFocus } from '../../src/store/transcript/focus-row.ts';
import { openWait, parkWork } from '../../src/store/transcript/waits.ts';
import { registerDaemon, type ServedFaculty } from '../../src/store/work/daemons.ts';
import { pauseFaculty } from '../../src/store/work/operate.ts';
import type { NewWork } from '../../src/store/work/submit-work.ts';
import { claimWork, failWork, releaseWork } from '../../src/store/work/work.ts';
import { beginFocus, claimable, type FocusedWork, recordCalls } from './begun-focus.ts';
import { beginTurn } from './begun-turn.ts';

/** How the test gets at its database, and how its person submits work and says something in a conversation with a faculty. */
export interface WaitingMeans {
  readonly db: Queryable;
  readonly submit: (work: NewWork) => Promise<string>;
  /** Returns the items of the messages. */
  readonly say: (faculty: string, messages: readonly string[]) => Promise<readonly string[]>;
}

/** Each returns the id of the item. After the first, all work is paused; after the third, no daemon is running. */
export const WAITING_ITEMS: Readonly<Record<WaitingReason, (means: WaitingMeans) => Promise<string>>> = {
  async all_paused({ db, submit }) {
    const id = await submit({ faculty: await servedFaculty(db) });
    await pauseFaculty(db, '*', 'the price list is wrong');
    return id;
  },
  async paused({ db, submit }) {
    const faculty = await servedFaculty(db);
    const id = await submit({ faculty });
    await pauseFaculty(db, faculty, 'the price list is wrong');
    return id;
  },
  async no_daemon({ db, submit }) {
    await db.query(`update animus.daemons set stopped_at = coalesce(stopped_at, animus.now())`);
    return submit({ faculty: newName() });
  },
  async unserved({ db, submit }) {
    await servedFaculty(db);
    return submit({ faculty: newName() });
  },
  async message({ db, say }) {
    const items = await say(await servedFaculty(db), ['First this.', 'Then that.']);
    return items[1]!;
  },
  async key({ db, submit }) {
    const key = newName();
    await beginFocus(db, { concurrencyKey: key });
    return submit({ faculty: await servedFaculty(db), concurrencyKey: key });
  },
  async provider({ db, submit }) {
    const now = Date.now();
    const held = {
      since: new Date(now - 60_000).toISOString(),
      until: new Date(now + 600_000).toISOString(),
      reason: 'rate_limit: slow down',
    };
    return submit({ faculty: await servedFaculty(db, { held }) });
  },
  async faulty({ db, submit }) {
    const id = await submit({ faculty: await servedFaculty(db) });
    await db.query(
      `select animus.note_faults(array[jsonb_build_object('id', $1::uuid, 'state', 'P0001', 'message', 'its row is broken')])`,
      [id],
    );
    return id;
  },
  async alone({ db, submit }) {
    const id = await submit({ faculty: await servedFaculty(db) });
    await db.query(
      `with lost as (
         insert into animus.daemons (id, host, pid, version, max_concurrent, started_at, seen_at, stopped_at, tested_until)
         values (gen_random_uuid(), 'lost', 1, '1', 1, now(), now(), now(), now() + interval '1 hour') returning id)
       update animus.work_items set suspect_of = lost.id from lost where work_items.id = $1`,
      [id],
    );
    return id;
  },
  async capacity({ db, submit }) {
    const faculty = await servedFaculty(db, { max: 1 });
    await submit({ faculty });
    if ((await claimWork(db, randomUUID(), claimable(faculty), 1, 600)).length !== 1) throw new Error('not claimed');
    return submit({ faculty });
  },
  async host({ db, submit }) {
    const away = newName();
    await servedFaculty(db, { host: away });
    const faculty = await servedFaculty(db, { host: newName() });
    const work = await begin(db, await submit({ faculty }), away);
    await releaseWork(db, work, { delaySeconds: 0, reason: 'the daemon was stopped', cause: 'test' });
    return work.id;
  },
  async next({ db, submit }) {
    const id = await submit({ faculty: await servedFaculty(db) });
    await later(db, id);
    return id;
  },
  async not_before({ db, submit }) {
    return submit({ faculty: await servedFaculty(db), runAt: new Date(Date.now() + 3_600_000) });
  },
  async retry({ db, submit }) {
    const work = await begin(db, await submit({ faculty: await servedFaculty(db) }));
    await failWork(db, work, { code: 'engage.failed', message: 'it broke', phase: 'engage' }, 600);
    return work.id;
  },
  async released({ db, submit }) {
    const work = await begin(db, await submit({ faculty: await servedFaculty(db) }));
    await releaseWork(db, work, { delaySeconds: 600, reason: 'the repository is locked', cause: 'test' });
    return work.id;
  },
  approval: (means) => parked(means, ({ db, work }) => ask(db, work, 'approval', 'tool_call')),
  question: (means) => parked(means, ({ db, work }) => ask(db, work, 'human', 'question', { question: 'Which one?' })),
  budget: (means) =>
    parked(means, ({ db, work }) =>
      db.query(`select animus.open_item_wait($1, $2, 'budget', 'budget', $3::json, 86400)`, [
        work.key.focusId,
        work.key.leaseToken,
        JSON.stringify({
          reason: 'the limit of the item is used up: 5 of 5 USD',
          scope: 'item',
          unit: 'usd',
          period: 'none',
        }),
      ]),
    ),
  children: (means) =>
    parked(means, async ({ db, work, submit }) => {
      const target = await submit({ faculty: newName(), parentId: work.id });
      await recordCalls(db, work, 1, ['c1'], 'await_child_work');
      await openWait(db, work.key, 1, 'c1', { kind: 'children', targets: [target], mode: 'all', deadline: null });
    }),
  batch: (means) =>
    parked(means, async ({ db, work }) => {
      await beginTurn(db, work.key, 1, 0);
      await putTurn(db, work.key, 1, {
        provider: 'anthropic',
        place: 'anthropic',
        path: '/v1',
        model: 'm',
        headers: {},
        body: '{}',
      });
    }),
  timer: (means) =>
    parked(means, async ({ db, work }) => {
      await recordCalls(db, work, 1, ['c1'], 'wait_until');
      await openWait(db, work.key, 1, 'c1', { kind: 'timer', deadline: new Date(Date.now() + 3_600_000) });
    }),
};

const newName = () => `f${randomUUID()}`;

/** The name of a faculty that a new daemon serves, with room for more. */
async function servedFaculty(
  db: Queryable,
  { host = 'here', ...options }: Partial<ServedFaculty> & { readonly host?: string } = {},
): Promise<string> {
  const faculty = newName();
  await registerDaemon(db, {
    id: randomUUID(),
    host,
    pid: 1,
    version: '1',
    maxConcurrent: 4,
    faculties: { [faculty]: { max: 4, max_attempts: 3, dedup_until: 'resolved', ...options } },
    problems: [],
  });
  return faculty;
}

async function begin(db: Queryable, id: string, host?: string): Promise<FocusedWork> {
  if (host === undefined) return beginFocus(db, { id });
  const [item] = await db.query<{ faculty: string }>('select faculty from animus.work_items where id = $1', [id]);
  const [work] = await claimWork(db, randomUUID(), claimable(item!.faculty, true), 1, 60);
  const settings = { facultySnapshot: {}, systemPrompt: 'You test.', tools: [] };
  const row = await startFocus(db, work!, { host, directoryRoot: '/nowhere', ...settings });
  return { ...work!, key: { workItemId: id, leaseToken: work!.leaseToken, focusId: row.id } };
}

/** An item that waits for what `opens` has opened. */
async function parked(
  means: WaitingMeans,
  opens: (means: WaitingMeans & { readonly work: FocusedWork }) => Promise<unknown>,
): Promise<string> {
  const work = await begin(means.db, await means.submit({ faculty: await servedFaculty(means.db) }));
  await opens({ ...means, work });
  await parkWork(means.db, work);
  return work.id;
}

async function ask(
  db: Queryable,
  work: FocusedWork,
  kind: 'approval' | 'human',
  subject: 'tool_call' | 'question',
  request: object = { reason: 'bash = "ask"', gate: 'permissions' },
): Promise<void> {
  await recordCalls(db, work, 1, ['c1'], kind === 'human' ? 'ask_human' : 'bash');
  await askPerson(db, work.key, 1, 'c1', kind, { subject, request: { ...request }, seconds: 3600 });
}

/** As if the item had been submitted some seconds ago. */
async function later(db: Queryable, id: string): Promise<void> {
  await db.query(
    `do $$ begin set local session_replication_role = replica; update animus.work_items set created_at = created_at - interval '5 s' where id = '${id}'; end $$`,
  );
}
