/** Reads the earlier foci of an item: why the newest failed, and their ids. */
import type { Queryable } from '../sql/database.ts';

export interface EarlierFailure {
  readonly code: string;
  readonly message: string;
}

/**
 * Why the focus before number `before` failed. Null when there is none, when it did not fail, and when a recover hook decided to keep
 * nothing for the next attempt (`keep: "nothing"`).
 */
export async function readLastFailure(
  db: Queryable,
  workItemId: string,
  before: number,
): Promise<EarlierFailure | null> {
  const [row] = await db.query<EarlierFailure>(
    `select coalesce(error ->> 'code', '') as code, coalesce(error ->> 'message', '') as message from animus.foci
      where work_item_id = $1 and number = $2 - 1 and ended_as = 'failed' and not error ? 'ledger_kept_after'`,
    [workItemId, before],
  );
  return row ?? null;
}

/** The ids of the foci before number `before`, newest first. */
export async function readEarlierFoci(db: Queryable, workItemId: string, before: number): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from animus.foci where work_item_id = $1 and number < $2 order by number desc`,
    [workItemId, before],
  );
  return rows.map((row) => row.id);
}

/** A decision of a person about an earlier attempt. */
export interface EarlierDecision {
  readonly action: string;
  readonly by: string;
  readonly note: string;
  /** What it was about: `tool_call`, `human`, `budget`. */
  readonly subject: string;
  /** The call; null where no call was asked about. */
  readonly tool: string | null;
  readonly input: string | null;
  /** How the call ended, if it ran; null: it did not. */
  readonly ran: string | null;
}

/** A call of an earlier attempt that has changed files or memories. */
export interface EarlierChange {
  readonly tool: string;
  /** The file, or what the call gave back. */
  readonly what: string;
}

/** What the earlier attempts of an item did, from the record. */
export interface EarlierActs {
  /** Ids of children. */
  readonly children: readonly string[];
  readonly decisions: readonly EarlierDecision[];
  readonly changes: readonly EarlierChange[];
  /** How many changes there are in all. */
  readonly changed: number;
  /** What people said to them. */
  readonly messages: readonly { readonly author: string; readonly text: string }[];
  /** The commits that were handed over. */
  readonly commits: readonly { readonly branch: string; readonly tip: string }[];
}

const MOST = 50;
const CHANGING = ['write_file', 'edit_file', 'remove_file', 'memory_store', 'memory_update', 'memory_forget'];

/** What the attempts before the one of this focus did; empty lists where there was none, or a recover hook decided to keep nothing. */
export async function readEarlierActs(db: Queryable, focusId: string): Promise<EarlierActs> {
  const [row] = await db.query<EarlierActs>(
    `with e as materialized (select f.work_item_id as id, animus.earlier_attempts(f.id) as foci, f.started_at as until from animus.foci f where f.id = $1),
          c as materialized (select t.* from e join animus.tool_calls t on t.focus_id = any (e.foci)),
          changes as (select c.name, coalesce(c.details ->> 'path', left(c.output, 200)) as what, c.started_at from c
                       where c.name = any ($2) and c.state = 'done' and not coalesce(c.is_error, false))
     select array(select w.id from e join animus.work_items w on w.parent_id = e.id
                   where (w.trigger_info ->> 'focus_id')::uuid = any (e.foci) order by w.id) as children,
            (select count(*)::int from changes) as changed,
            (select coalesce(json_agg(json_build_object('tool', x.name, 'what', x.what) order by x.last), '[]') from
              (select name, what, max(started_at) as last from changes group by name, what order by last desc limit ${MOST}) x) as changes,
            (select coalesce(json_agg(json_build_object('action', d.action, 'by', d.decided_by, 'note', left(d.note, 1000), 'subject', coalesce(d.subject, ''),
                      'tool', a.name, 'input', left(a.input::text, 500), 'ran', a.ran) order by d.id), '[]')
               from e join lateral (select d.* from animus.decisions d
                      where d.work_item_id = e.id and d.action in ('approve', 'deny', 'answer') and d.created_at <= e.until
                        and d.created_at >= (select min(o.started_at) from animus.foci o where o.id = any (e.foci)) order by d.id desc limit ${MOST}) d on true
               left join lateral (select c.name, coalesce(c.final_input, c.input) as input,
                                         case when c.started_at is not null then c.state end as ran
                                    from c where c.call_id = d.call_id
                                     and (d.subject <> 'tool_call' or animus.digest_call(c.name, coalesce(c.final_input, c.input)) = d.subject_digest)
                                   order by c.focus_id desc, c.turn desc limit 1) a on true) as decisions,
            (select coalesce(json_agg(json_build_object('author', m.author, 'text', left(m.text, 4000)) order by m.id), '[]') from
              (select m.id, m.author, m.text from e join animus.mailbox m on m.work_item_id = e.id and m.focus_id = any (e.foci)
                order by m.id desc limit ${MOST}) m) as messages,
            (select coalesce(json_agg(json_build_object('branch', t.branch, 'tip', r.tip)), '[]')
               from e join animus.worktree_results r on r.work_item_id = e.id and r.tip <> r.start join animus.worktrees t on t.id = r.worktree_id
              where cardinality(e.foci) > 0) as commits`,
    [focusId, CHANGING],
  );
  return row!;
}
