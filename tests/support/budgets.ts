/** Items and turns under limits, driven through the SQL functions that a daemon calls. */
import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../src/store/sql/database.ts';
import { startFocus } from '../../src/store/transcript/focus-row.ts';
import { type ClaimedWork, claimWork } from '../../src/store/work/work.ts';
import type { FocusedWork } from './begun-focus.ts';

const ALL = { max: 1_000_000, max_attempts: 5, dedup_until: 'resolved', batches: true, budgets: true } as const;

/** The answer of animus.begin_turn. */
export interface Held {
  readonly permit: string;
  readonly action?: string;
  readonly message?: string;
  readonly messages?: readonly string[];
  readonly used?: readonly Readonly<Record<string, unknown>>[];
  readonly request?: Readonly<Record<string, unknown>>;
}

/** Inserts an item of the faculty, claims it for the daemon and starts its focus. */
export async function beginLimited(
  db: Queryable,
  faculty: string,
  { daemon = randomUUID(), parent = null }: { readonly daemon?: string; readonly parent?: string | null } = {},
): Promise<FocusedWork> {
  const [item] = await db.query<{ id: string }>(
    'insert into animus.work_items (faculty, parent_id) values ($1, $2) returning id',
    [faculty, parent],
  );
  return takeUp(db, item!.id, faculty, daemon);
}

/** Claims a queued item and starts, or resumes, its focus. */
export async function takeUp(db: Queryable, id: string, faculty: string, daemon: string): Promise<FocusedWork> {
  const claimed: ClaimedWork[] = await claimWork(db, daemon, { [faculty]: ALL }, 1, 60);
  const work = claimed.find((one) => one.id === id);
  if (work === undefined) throw new Error(`${id} was not claimed`);
  const place = { host: 'test', directoryRoot: '/nowhere' };
  const row = await startFocus(db, work, { ...place, facultySnapshot: {}, systemPrompt: 'You test.', tools: [] });
  return { ...work, key: { workItemId: work.id, leaseToken: work.leaseToken, focusId: row.id } };
}

/** Begins a turn that costs this much at most. */
export async function beginHeld(
  db: Queryable,
  { key }: FocusedWork,
  turn: number,
  usd: number | null,
  tokens = 0,
  attempt: string = randomUUID(),
): Promise<Held> {
  const [row] = await db.query<{ held: Held }>(`select animus.begin_turn($1, $2, $3, $4, '[]', $5, $6) as held`, [
    key.focusId,
    key.leaseToken,
    turn,
    usd,
    attempt,
    tokens,
  ]);
  return row!.held;
}

/** Records a turn that cost this much. */
export async function recordCost(
  db: Queryable,
  { key }: FocusedWork,
  turn: number,
  usd: number,
  tokens = 0,
): Promise<void> {
  const answer = {
    provider: 'p',
    model: 'm',
    content: [],
    stop_reason: 'end_turn',
    cost_usd: usd,
    usage: { input: tokens, output: 0 },
  };
  await db.query(`select animus.record_turn($1, $2, $3, $4::json, '[]')`, [
    key.focusId,
    key.leaseToken,
    turn,
    JSON.stringify(answer),
  ]);
}

/** Sets a limit as an operator. */
export async function limit(
  db: Queryable,
  scope: string,
  subject: string | null,
  amount: number,
  { period = 'none', unit = 'usd', onExceeded = null as string | null } = {},
): Promise<void> {
  await db.query('select animus.set_budget($1, $2, $3, $4, $5, $6)', [
    scope,
    subject,
    period,
    unit,
    amount,
    onExceeded,
  ]);
}

/** Settles everything, and checks that nothing is left in slices and holds. Returns what is spent in the account. */
export async function settled(db: Queryable, scope: string, subject: string): Promise<number> {
  await db.query('select animus.settle_budgets($1)', [randomUUID()]);
  await db.query(`update animus.budget_slices set used_at = used_at - interval '1 hour'`);
  await db.query('select animus.return_slices($1)', [randomUUID()]);
  const [row] = await db.query<{ spent: number; held: number; slices: number; holds: number }>(
    `select a.spent::float8 as spent, a.held::float8 as held, (select count(*)::int from animus.budget_slices s where s.account_id = a.id) as slices,
            (select count(*)::int from animus.budget_holds h where h.account_id = a.id) as holds
       from animus.budget_accounts a where a.scope = $1 and a.subject = $2`,
    [scope, subject],
  );
  if (row!.held !== 0 || row!.slices !== 0 || row!.holds !== 0) throw new Error(`left over: ${JSON.stringify(row)}`);
  return row!.spent;
}
