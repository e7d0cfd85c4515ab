/** Reads the tool calls that did not run because a rule, a hook or a person refused them. */
import type { Queryable } from '../../sql/database.ts';
import type { AuditOf, AuditRange } from './audit.ts';

/** Who or what refused it: a person, the deadline of a person, nobody to ask, a rule, a hook, or the engine. */
export type RefusedBy = 'person' | 'deadline' | 'nobody' | 'permission' | 'hook' | 'engine';

/** A row of `animus.refused_calls`, as `animus audit export` prints it. */
export interface RefusedCall {
  readonly action: 'refuse';
  /** UTC with microseconds. */
  readonly created_at: string;
  readonly work_item_id: string;
  readonly faculty: string;
  readonly submitted_by: string;
  readonly focus_id: string;
  readonly turn: number;
  readonly call_id: string;
  readonly tool: string;
  readonly refused_by: RefusedBy;
  /** The key of the rule, the name of the hook, or why a person was asked. */
  readonly rule: string | null;
  /** The person who decided; null where nobody did. */
  readonly decided_by: string | null;
}

/** How many rows are read at a time: each page looks at all calls. */
const PAGE = 5000;

/** The refused calls of a time, oldest first. */
export async function* readRefusedCalls(
  db: Queryable,
  { since, until }: AuditRange,
  of: AuditOf = 'all',
): AsyncGenerator<RefusedCall> {
  let after: readonly [string, string] = ['-infinity', ''];
  for (;;) {
    const page: (RefusedCall & { readonly place: string })[] = await db.query(REFUSED[of], [
      since ?? null,
      until ?? null,
      ...after,
      PAGE,
    ]);
    for (const { place: _, ...call } of page) yield call;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = [last.created_at, last.place];
  }
}

const refusedOf = (
  view: 'refused_calls' | 'visible_refused_calls',
) => `select 'refuse' as action, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at, work_item_id, faculty, submitted_by, focus_id, turn, call_id, tool,
    refused_by, rule, decided_by, place
  from (select r.*, concat_ws(' ', focus_id, turn, call_id) collate "C" as place from animus.${view} r
         where created_at >= coalesce($1::timestamptz, '-infinity') and created_at < coalesce($2::timestamptz, 'infinity')) r
 where (r.created_at, r.place) > ($3::timestamptz, $4::text collate "C")
 order by r.created_at, r.place limit $5`;
const REFUSED = { all: refusedOf('refused_calls'), visible: refusedOf('visible_refused_calls') };
