/** Reads the audit: decisions with their work items, tool calls and turns. Rows keep the names of their columns; `animus audit` prints them. */
import type { Decision } from '../../../core/work/decision-chain.ts';
import type { Queryable } from '../../sql/database.ts';

/** A row of `animus.audit`: a decision and what it was about, also after the item was deleted. */
export interface AuditRow extends Decision {
  readonly erased: boolean;
  readonly faculty: string | null;
  readonly submitted_by: string | null;
  /** UTC with microseconds, like `created_at`. */
  readonly submitted_at: string | null;
  readonly focus_id: string | null;
  readonly turn: number | null;
  readonly tool: string | null;
  /** Of a person: the token with which it decided; no part of the hash. */
  readonly token_id: string | null;
}

/** Which decisions are read: from `since` (included) to `until` (not included). */
export interface AuditRange {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** Which views are read: all decisions, or those that the actor may see, in the transactions of a gateway. */
export type AuditOf = 'all' | 'visible';

/** How many rows are read at a time. */
const PAGE = 500;

/** The decisions of a time, oldest first. Read in pages: of millions, a page is in memory. */
export async function* readAudit(
  db: Queryable,
  { since, until }: AuditRange,
  of: AuditOf = 'all',
): AsyncGenerator<AuditRow> {
  let [at, id] = ['-infinity', '0'];
  for (;;) {
    const page = await db.query<AuditRow>(AUDIT[of], [since ?? null, until ?? null, at, id, PAGE]);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    [at, id] = [last.created_at, last.id];
  }
}

/** The newest decision of each chain: as long as these are kept elsewhere, no end of a chain can be cut off unnoticed. */
export async function* readHeads(db: Queryable, of: AuditOf = 'all'): AsyncGenerator<Decision> {
  let last: Decision | null = null;
  for await (const one of readChains(db, of)) {
    if (last !== null && (last.work_item_id !== one.work_item_id || last.target !== one.target)) yield last;
    last = one;
  }
  if (last !== null) yield last;
}

/** All chained decisions, in pages: chain by chain, each in the order of its numbers. */
export async function* readChains(db: Queryable, of: AuditOf = 'all'): AsyncGenerator<Decision> {
  for (const { query, key } of [
    { query: CHAINS_OF_WORK[of], key: 'work_item_id' },
    { query: CHAINS_OF_TARGETS[of], key: 'target' },
  ] as const) {
    let after: readonly [string | null, number] = [null, 0];
    for (;;) {
      const page: Decision[] = await db.query<Decision>(query, [...after, PAGE]);
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) break;
      after = [last[key], last.seq];
    }
  }
}

/** Ids of decisions that are in no chain, at most 100: written while the engine's triggers were off. */
export async function readUnchained(db: Queryable, of: AuditOf = 'all'): Promise<string[]> {
  const rows = await db.query<{ id: string }>(UNCHAINED[of]);
  return rows.map(({ id }) => id);
}

/** The hashes of these decisions, by id; those that are not there are missing. */
export async function readHashes(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; hash: string }>(
    `select id::text as id, coalesce(encode(hash, 'hex'), '') as hash from animus.decisions where id = any ($1::bigint[])`,
    [ids],
  );
  return new Map(rows.map(({ id, hash }) => [id, hash]));
}

/** A time in UTC with microseconds: a Date of JavaScript has only milliseconds. */
const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

const auditOf = (
  view: 'audit' | 'visible_audit',
) => `select id::text as id, seq, to_char(created_at at time zone 'UTC', ${TIME}) as created_at, decided_by, action, note, erased,
    work_item_id, target, faculty, submitted_by, to_char(submitted_at at time zone 'UTC', ${TIME}) as submitted_at, ask_id, subject, call_id, focus_id, turn, tool,
    salt, note_digest, work_digest, subject_digest, previous_hash, hash, token_id
  from animus.${view} a
  where created_at >= coalesce($1::timestamptz, '-infinity') and created_at < coalesce($2::timestamptz, 'infinity')
    and (created_at, id) > ($3::timestamptz, $4::bigint)
  order by a.created_at, a.id limit $5`;
const AUDIT = { all: auditOf('audit'), visible: auditOf('visible_audit') };

type Chains = 'decisions' | 'visible_chains';

const chained = (view: Chains) => `select id::text as id, seq, work_item_id, target, call_id, action, decided_by,
    to_char(created_at at time zone 'UTC', ${TIME}) as created_at, note, salt, encode(note_digest, 'hex') as note_digest,
    encode(work_digest, 'hex') as work_digest, encode(subject_digest, 'hex') as subject_digest, encode(previous_hash, 'hex') as previous_hash,
    encode(hash, 'hex') as hash
  from animus.${view} d where hash is not null`;

const chainsOfWork = (view: Chains) => `${chained(view)} and work_item_id is not null
    and (work_item_id, seq) > (coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'), $2::int) order by d.work_item_id, d.seq limit $3`;
const CHAINS_OF_WORK = { all: chainsOfWork('decisions'), visible: chainsOfWork('visible_chains') };

const chainsOfTargets = (
  view: Chains,
) => `${chained(view)} and work_item_id is null and (target, seq) > (coalesce($1::text, ''), $2::int)
  order by d.target, d.seq limit $3`;
const CHAINS_OF_TARGETS = { all: chainsOfTargets('decisions'), visible: chainsOfTargets('visible_chains') };

const unchained = (view: Chains) => `select id::text as id from animus.${view}
  where hash is null or seq is null or num_nonnulls(work_item_id, target) = 0 order by id limit 100`;
const UNCHAINED = { all: unchained('decisions'), visible: unchained('visible_chains') };
