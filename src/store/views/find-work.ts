/** Finds the work item that a person names by its id or a part of it. */
import { AnimusError, isAnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../sql/database.ts';

/** A whole id, as it is printed. */
export const FULL_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The id of the one work item that a full id, or the beginning or end of one (at least 4 hex digits, dashes optional),
 * names; if it matches a beginning, ends are not searched. A login that may not read the table finds its own items. Errors:
 * `work.not_found`, `work.ambiguous_id` with up to five candidates, `work.invalid`.
 */
export async function findWork(db: Queryable, reference: string): Promise<string> {
  try {
    return await findAmong(db, reference, ALL);
  } catch (error) {
    if (isAnimusError(error) && error.code === 'db.forbidden') return findAmong(db, reference, OWN);
    throw error;
  }
}

const LAST_BYTES = 'substring(uuid_send(w.id), 15, 2) = $2';
const OPEN = [
  `w.state = 'queued' and not w.key_blocked`,
  `w.state = 'queued' and w.key_blocked`,
  `w.state = 'scheduled'`,
  `w.state in ('claimed', 'running')`,
  `w.state = 'waiting'`,
];

/**
 * Ended items are found by an index on the last two bytes of the id, one probe per faculty. For open items there is no such index, which each
 * insert would pay for: the ids in the partial indexes of the open states are read, 0.1 s at a million queued items.
 */
const WITH_ENDING = `
  with recursive faculties as (
    (select faculty from animus.work_items where resolved_at is not null order by faculty limit 1)
    union all
    select (select w.faculty from animus.work_items w where w.resolved_at is not null and w.faculty > f.faculty order by w.faculty limit 1)
      from faculties f where f.faculty is not null),
  -- Materialized, so that only few ids are compared as texts.
  near as materialized (
    select e.id from faculties f, lateral (
      select w.id from animus.work_items w where w.faculty = f.faculty and ${LAST_BYTES} and w.resolved_at is not null offset 0) e
    ${OPEN.map((open) => `union all select w.id from animus.work_items w where ${open} and ${LAST_BYTES}`).join('\n    ')})
  select id from near where id::text like '%' || $1 limit 6`;

/** Three queries for ids: the id itself, those in a range, those with an ending ($1, and $2: the last two bytes). */
interface Searches {
  readonly itself: string;
  readonly between: string;
  readonly ending: string;
}

const ALL: Searches = {
  itself: 'select id from animus.work_items where id = $1::uuid',
  between: 'select id from animus.work_items where id between $1::uuid and $2::uuid order by id limit 6',
  ending: WITH_ENDING,
};

const OWN: Searches = {
  itself: 'select id from animus.own_work where id = $1::uuid',
  between: 'select id from animus.own_work where id between $1::uuid and $2::uuid order by id limit 6',
  ending:
    "select id from animus.own_work where substring(uuid_send(id), 15, 2) = $2 and id::text like '%' || $1 limit 6",
};

async function findAmong(db: Queryable, reference: string, search: Searches): Promise<string> {
  const wanted = reference.trim().toLowerCase();
  if (FULL_ID.test(wanted)) {
    const [row] = await db.query<{ id: string }>(search.itself, [wanted]);
    if (row === undefined) throw new AnimusError('work.not_found', { id: wanted, detail: `no work item ${wanted}` });
    return row.id;
  }
  const digits = wanted.replaceAll('-', '');
  if (!/^[0-9a-f]{4,32}$/.test(digits)) {
    const detail = `${JSON.stringify(reference)} is not the id of a work item; give an id, or at least 4 hex digits of its start or end`;
    throw new AnimusError('work.invalid', { detail });
  }
  const beginning = await db.query<{ id: string }>(search.between, [digits.padEnd(32, '0'), digits.padEnd(32, 'f')]);
  const found =
    beginning.length > 0
      ? beginning
      : await db.query<{ id: string }>(search.ending, [dashedEnding(digits), Buffer.from(digits.slice(-4), 'hex')]);
  const [first, ...others] = found;
  if (first === undefined) {
    const hint = '; find its id with: animus work list';
    throw new AnimusError('work.not_found', { id: reference, detail: `no work item ${reference}`, hint });
  }
  if (others.length === 0) return first.id;
  const candidates = found.slice(0, 5).map((row) => row.id);
  if (found.length > 5) candidates.push('…');
  throw new AnimusError('work.ambiguous_id', { id: reference, candidates: candidates.join(', ') });
}

/** The digits with the dashes of an id that ends with them. */
function dashedEnding(digits: string): string {
  const dashed = digits.padStart(32, 'x').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return dashed.replace(/^[x-]+/, '');
}
