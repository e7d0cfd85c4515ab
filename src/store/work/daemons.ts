/** The daemons of a database: which are alive, what they can run, whether they have room. */
import type { BudgetUnit } from '../../core/config/sections/budget.ts';
import type { Queryable } from '../sql/database.ts';
import { nullIfForbidden } from '../sql/database-errors.ts';
import { toJsonb } from '../sql/json.ts';
import { readValues } from '../sql/read-value.ts';
import type { ClaimableFaculty } from './work.ts';

/** A faculty as its daemon records it: how it is claimed, and what people are told of it (`animus.visible_faculties`). */
export interface ServedFaculty extends ClaimableFaculty {
  /** What it is for; empty: its file does not say. */
  readonly description?: string;
  /** The JSON Schema of the params of its work; null: any object. */
  readonly params_schema?: Readonly<Record<string, unknown>> | null;
  /** The JSON Schema of its outcomes; null: a text. */
  readonly outcome_schema?: Readonly<Record<string, unknown>> | null;
  /** What a turn of it costs at least under a limit of that unit: no lower limit can be set. Not there: not known. */
  readonly least?: Readonly<Record<BudgetUnit, LeastCost>>;
  /** Why no container of a faculty of mode `code` can be started. */
  readonly no_sandbox?: string;
  /** Its provider, or what else it needs, fails: the daemon claims nothing of it until then. Times are ISO 8601. */
  readonly held?: { readonly since: string; readonly until: string; readonly reason: string };
}

/** An amount in USD or tokens, and where it comes from; null: no limit can be kept, and `says` says why. */
export interface LeastCost {
  readonly amount: number | null;
  readonly says: string;
}

/** What makes claims fail, or what nobody claims. */
export interface ClaimProblem {
  readonly about: 'claims';
  readonly message: string;
}

export interface DaemonRegistration {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly maxConcurrent: number;
  readonly faculties: Readonly<Record<string, ServedFaculty>>;
  /** Broken files and missing means, and why claims fail, as shown by `animus status`. */
  readonly problems: readonly (string | ClaimProblem)[];
  /**
   * How the database sees that the process of the daemon has ended: `named`, its connections carry its id; `embedded`, the database lives in
   * it. Absent: not at all, and what it held is never suspected.
   */
  readonly session?: 'named' | 'embedded';
}

/** The name of a daemon's connections (`application_name`), by which others see that its process lives. */
export function sessionName(daemonId: string): string {
  return `animus daemon ${daemonId}`;
}

/** Registers the daemon, or updates what it can run. */
export async function registerDaemon(
  db: Queryable,
  { id, host, pid, version, maxConcurrent, faculties, problems, session }: DaemonRegistration,
): Promise<void> {
  const register = `select animus.register_daemon($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8)`;
  const [served, shown] = [toJsonb(faculties), toJsonb(problems)];
  await db.query(register, [id, host, pid, version, maxConcurrent, served, shown, session ?? null]);
}

/** Records that the daemon was asked to end: a kill from now on does not make its work suspect. */
export async function beginEnding(db: Queryable, daemonId: string): Promise<void> {
  await db.query(`select animus.begin_ending($1)`, [daemonId]);
}

/** Records that the event loop of a daemon is blocked or, with `over`, was. Several reports about one block count once. */
export async function reportBlock(
  db: Queryable,
  daemonId: string,
  block: { readonly seconds: number; readonly over: boolean },
): Promise<void> {
  await db.query(`select animus.report_block($1, $2, $3)`, [daemonId, block.seconds, block.over]);
}

/** Records the stop; `status` shows the daemon as stopped. */
export async function deregisterDaemon(db: Queryable, daemonId: string): Promise<void> {
  await db.query(`select animus.deregister_daemon($1)`, [daemonId]);
}

/**
 * The ids of the last thousand daemons that have stopped or were not seen for two minutes, and hold no lease: until that has run out, the daemon may
 * only be cut off from the database, and its work goes on.
 */
export async function deadDaemons(db: Queryable): Promise<readonly string[]> {
  return readValues<string>(
    db,
    `select id from animus.daemons d where (stopped_at is not null or seen_at <= animus.now() - interval '2 minutes')
        and not exists (select from animus.work_items w where w.state in ('claimed', 'running') and w.lease_owner = d.id and w.lease_expires_at > animus.now())
      order by seen_at desc limit 1000`,
  );
}

/** What the daemons that are alive say of their claims. Errors: `db.forbidden` for a role that may only submit. */
export async function readClaimProblems(db: Queryable): Promise<readonly string[]> {
  return readValues<string>(
    db,
    `select distinct p ->> 'message' as message from animus.daemons d cross join lateral jsonb_array_elements(d.problems) p
      where d.stopped_at is null and d.seen_at > animus.now() - interval '2 minutes' and jsonb_typeof(p) = 'object' and p ->> 'about' = 'claims' order by 1`,
  );
}

/** The daemons that are alive, with what they serve; null for a role that only submits, which may not see them. */
export async function liveDaemons(db: Queryable): Promise<readonly { readonly faculties: readonly string[] }[] | null> {
  const reading = db.query<{ faculties: string[] }>(
    `select array(select jsonb_object_keys(faculties)) as faculties from animus.daemons
      where stopped_at is null and seen_at > animus.now() - interval '2 minutes'`,
  );
  return reading.catch(nullIfForbidden);
}
