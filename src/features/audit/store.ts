/** Reads decisions, with their work items, tool calls and turns, and refused calls: what the actor may see of them. */
import type { Queryable } from '../../store/sql/database.ts';
import { readValues } from '../../store/sql/read-value.ts';
import type { AuditRow, Decision, RefusedCall } from './rows.ts';

/** Which decisions are read: from `since` (included) to `until` (not included). */
export interface AuditRange {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** How many rows are read at a time. */
const PAGE = 500;

/** The decisions of a time, oldest first. Read in pages: of millions, a page is in memory. */
export async function* readAudit(db: Queryable, { since, until }: AuditRange): AsyncGenerator<AuditRow> {
  let [at, id] = ['-infinity', '0'];
  for (;;) {
    const page = await db.query<AuditRow>(DECISIONS, [since ?? null, until ?? null, at, id, PAGE]);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    [at, id] = [last.created_at, last.id];
  }
}

/** The newest decision of each chain: as long as these are kept elsewhere, no end of a chain can be cut off unnoticed. */
export async function* readHeads(db: Queryable): AsyncGenerator<Decision> {
  let last: Decision | null = null;
  for await (const one of readChains(db)) {
    if (last !== null && (last.work_item_id !== one.work_item_id || last.target !== one.target)) yield last;
    last = one;
  }
  if (last !== null) yield last;
}

/** All chained decisions, in pages: chain by chain, each in the order of its numbers. */
export async function* readChains(db: Queryable): AsyncGenerator<Decision> {
  for (const { query, key } of [
    { query: CHAINS_OF_WORK, key: 'work_item_id' },
    { query: CHAINS_OF_TARGETS, key: 'target' },
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
export async function readUnchained(db: Queryable): Promise<string[]> {
  return readValues<string>(db, UNCHAINED);
}

/** The hashes of these decisions, by id; those that are not there are missing. */
export async function readHashes(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; hash: string }>(
    `select id::text as id, coalesce(encode(hash, 'hex'), '') as hash from animus.decisions where id = any ($1::bigint[])`,
    [ids],
  );
  return new Map(rows.map(({ id, hash }) => [id, hash]));
}

/** As many refused calls: each page looks at all of them. */
const REFUSED_PAGE = 5000;

/** The refused calls of a time, oldest first. */
export async function* readRefusedCalls(db: Queryable, { since, until }: AuditRange): AsyncGenerator<RefusedCall> {
  let after: readonly [string, string] = ['-infinity', ''];
  for (;;) {
    const page: (RefusedCall & { readonly place: string })[] = await db.query(REFUSED, [
      since ?? null,
      until ?? null,
      ...after,
      REFUSED_PAGE,
    ]);
    for (const { place: _, ...call } of page) yield call;
    const last = page.at(-1);
    if (last === undefined || page.length < REFUSED_PAGE) return;
    after = [last.created_at, last.place];
  }
}

/** A time in UTC with microseconds: a Date of JavaScript has only milliseconds. */
const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

const DECISIONS = `select id::text as id, seq, to_char(created_at at time zone 'UTC', ${TIME}) as created_at, decided_by, action, note, erased,
    work_item_id, target, faculty, submitted_by, to_char(submitted_at at time zone 'UTC', ${TIME}) as submitted_at, ask_id, subject, call_id, focus_id, turn, tool,
    salt, note_digest, work_digest, subject_digest, previous_hash, hash, token_id
  from animus.visible_audit a
  where created_at >= coalesce($1::timestamptz, '-infinity') and created_at < coalesce($2::timestamptz, 'infinity')
    and (created_at, id) > ($3::timestamptz, $4::bigint)
  order by a.created_at, a.id limit $5`;

const CHAINED = `select id::text as id, seq, work_item_id, target, call_id, action, decided_by,
    to_char(created_at at time zone 'UTC', ${TIME}) as created_at, note, salt, encode(note_digest, 'hex') as note_digest,
    encode(work_digest, 'hex') as work_digest, encode(subject_digest, 'hex') as subject_digest, encode(previous_hash, 'hex') as previous_hash,
    encode(hash, 'hex') as hash
  from animus.visible_chains d where hash is not null`;

const CHAINS_OF_WORK = `${CHAINED} and work_item_id is not null
    and (work_item_id, seq) > (coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'), $2::int) order by d.work_item_id, d.seq limit $3`;

const CHAINS_OF_TARGETS = `${CHAINED} and work_item_id is null and (target, seq) > (coalesce($1::text, ''), $2::int)
  order by d.target, d.seq limit $3`;

const UNCHAINED = `select id::text as id from animus.visible_chains
  where hash is null or seq is null or num_nonnulls(work_item_id, target) = 0 order by id limit 100`;

const REFUSED = `select 'refuse' as action, to_char(created_at at time zone 'UTC', ${TIME}) as created_at, work_item_id, faculty, submitted_by, focus_id,
    turn, call_id, tool, refused_by, rule, decided_by, place
  from (select r.*, concat_ws(' ', focus_id, turn, call_id) collate "C" as place from animus.visible_refused_calls r
         where created_at >= coalesce($1::timestamptz, '-infinity') and created_at < coalesce($2::timestamptz, 'infinity')) r
 where (r.created_at, r.place) > ($3::timestamptz, $4::text collate "C")
 order by r.created_at, r.place limit $5`;
