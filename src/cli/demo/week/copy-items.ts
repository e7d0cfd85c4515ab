/** The mass of the week: ended items are copied, each to another time, in statements that copy thousands. */
import { interruption } from '../../../core/errors/interruption.ts';
import type { Database, Queryable } from '../../../store/sql/database.ts';
import { FACULTIES } from './cast.ts';
import type { Random } from './random.ts';
import { timesOfWeek } from './working-week.ts';

export interface Copies {
  readonly count: number;
  readonly endMs: number;
  readonly random: Random;
  /** From 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

/** Items per transaction: each leaves the database whole. */
const BATCH = 5000;
/** Beyond so many copies, only short items are copied: a million long ones would take a hundred gigabytes. */
const MANY = 20_000;

export async function copyItems(db: Database, { count, endMs, random, onProgress, signal }: Copies): Promise<void> {
  if (count <= 0) return;
  const originals = await readOriginals(db, count > 5 * MANY ? 2 : count > MANY ? 3 : 12);
  const times = timesOfWeek(count, endMs, random);
  for (let done = 0; done < count; done += BATCH) {
    if (signal.aborted) throw interruption();
    onProgress(done / count);
    const batch = times.slice(done, done + BATCH);
    const of = batch.map(() => random.pick(originals));
    await db.transaction((tx) => copyBatch(tx, of, batch, endMs));
  }
  if (count > MANY) for (const table of COPIED) await db.query(`analyze animus.${table}`);
}

const COPIED = ['work_items', 'foci', 'turns', 'tool_calls', 'focus_messages', 'work_ledger', 'spend_sums'] as const;

/** Ended items that stand alone: nothing but a focus, its turns and its ledger refers to them, and all that they cost is known. */
async function readOriginals(db: Queryable, mostTurns: number): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(
    `select w.id from animus.work_items w
      where w.faculty = any ($1::text[]) and w.state in ('completed', 'dead') and w.depth = 0 and w.turns between 1 and $2 and w.lost_requests + w.unpriced_calls = 0
        and not exists (select from animus.work_items c where c.parent_id = w.id)
        and not exists (select from animus.waits a where a.work_item_id = w.id)
        and not exists (select from animus.decisions d where d.work_item_id = w.id)
        and not exists (select from animus.mailbox m where m.work_item_id = w.id)
        and not exists (select from animus.artifacts a join animus.foci f on f.id = a.focus_id where f.work_item_id = w.id)
        and not exists (select from animus.skill_activations s where s.work_item_id = w.id)
      order by w.created_at`,
    [Object.values(FACULTIES).map(({ name }) => name), mostTurns],
  );
  return rows.map(({ id }) => id);
}

async function copyBatch(tx: Queryable, of: readonly string[], atMs: readonly number[], endMs: number): Promise<void> {
  await tx.query(
    `create temp table demo_items on commit drop as
     select animus.uuid_at((extract(epoch from w.created_at + s.shift) * 1000000)::bigint) as id, w.id as of, s.shift, s.number
       from unnest($1::uuid[], $2::float8[]) with ordinality u (of, at_ms, number) join animus.work_items w on w.id = u.of
       cross join lateral (select least(to_timestamp(u.at_ms / 1000), to_timestamp($3::float8 / 1000) - (w.resolved_at - w.created_at)) - w.created_at as shift,
                                  (u.at_ms::bigint % 899999 + 100000)::text as number) s`,
    [of, atMs, endMs],
  );
  await tx.query(
    `create temp table demo_foci on commit drop as
     select animus.uuid_at((extract(epoch from f.started_at + i.shift) * 1000000)::bigint) as id, f.id as of, i.id as item, i.shift
       from demo_items i join animus.foci f on f.work_item_id = i.of`,
  );
  // They would make each row a new item. Its owner may switch them off, others wait until the transaction ends.
  await tx.query('alter table animus.work_items disable trigger user');
  for (const statement of COPY) await tx.query(statement);
  await tx.query('alter table animus.work_items enable trigger user');
}

const COPY = [
  `insert into animus.work_items (id, faculty, skill, description, params, source, trigger_info, priority, root_id, depth, state, attempts, crashes, max_attempts, lease_token,
     turns, turns_at_claim, outcome, outcome_summary, error, cost_usd, input_tokens, output_tokens, created_at, updated_at, resolved_at, submitted_by, calls)
   select i.id, w.faculty, w.skill, regexp_replace(w.description, '\\d{4,6}', i.number), w.params, w.source, w.trigger_info, w.priority, i.id, 0, w.state, w.attempts, w.crashes,
          w.max_attempts, animus.draw_token(), w.turns, w.turns_at_claim, w.outcome, w.outcome_summary, w.error, w.cost_usd, w.input_tokens, w.output_tokens,
          w.created_at + i.shift, w.updated_at + i.shift, w.resolved_at + i.shift, w.submitted_by, w.calls
     from demo_items i join animus.work_items w on w.id = i.of`,
  `insert into animus.foci (id, work_item_id, number, daemon_id, host, directory, phase, skills, resumes, ended_as, error, started_at, ended_at, settings_id)
   select n.id, n.item, f.number, f.daemon_id, f.host, replace(f.directory, f.id::text, n.id::text), f.phase, f.skills, f.resumes, f.ended_as, f.error,
          f.started_at + n.shift, f.ended_at + n.shift, f.settings_id
     from demo_foci n join animus.foci f on f.id = n.of`,
  `insert into animus.turns (focus_id, turn, provider, model, response, response_id, stop_reason, raw_stop_reason, cut_tool_calls, usage, cost_usd, begun_at, recorded_at,
     time_to_first_token_ms, duration_ms)
   select n.id, t.turn, t.provider, t.model, t.response, t.response_id, t.stop_reason, t.raw_stop_reason, t.cut_tool_calls, t.usage, t.cost_usd, t.begun_at + n.shift,
          t.recorded_at + n.shift, t.time_to_first_token_ms, t.duration_ms
     from demo_foci n join animus.turns t on t.focus_id = n.of`,
  `insert into animus.tool_calls (focus_id, turn, call_id, position, name, input, origin, parent_call_id, state, output, output_bytes, is_error, details, started_at, ended_at,
     duration_ms)
   select n.id, c.turn, c.call_id, c.position, c.name, c.input, c.origin, c.parent_call_id, c.state, c.output, c.output_bytes, c.is_error, c.details, c.started_at + n.shift,
          c.ended_at + n.shift, c.duration_ms
     from demo_foci n join animus.tool_calls c on c.focus_id = n.of`,
  `insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, keeps_from, created_at)
   select n.id, m.seq, m.after_turn, m.kind, m.content, m.tokens, m.keeps_from, m.created_at + n.shift from demo_foci n join animus.focus_messages m on m.focus_id = n.of`,
  `insert into animus.work_ledger (work_item_id, seq, entry_type, content, focus_id, tool_call_id, created_at)
   select i.id, l.seq, l.entry_type, l.content, n.id, l.tool_call_id, l.created_at + i.shift
     from demo_items i join animus.work_ledger l on l.work_item_id = i.of left join demo_foci n on n.item = i.id and n.of = l.focus_id`,
  `insert into animus.work_marks (work_item_id, seq, what, detail, created_at)
   select i.id, m.seq, m.what, m.detail, m.created_at + i.shift from demo_items i join animus.work_marks m on m.work_item_id = i.of`,
  `insert into animus.spend_sums as d (day, faculty, model, operation, submitter, source, usd, input_tokens, output_tokens, calls)
   select (t.begun_at at time zone 'UTC')::date, w.faculty, t.provider || '/' || t.model, 'turn', coalesce(w.submitted_by, ''), coalesce(w.source, ''), sum(t.cost_usd),
          sum((t.usage ->> 'input')::bigint), sum((t.usage ->> 'output')::bigint), count(*)
     from demo_foci n join animus.work_items w on w.id = n.item join animus.turns t on t.focus_id = n.id group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
   on conflict (day, faculty, model, operation, submitter, source) do update
      set usd = d.usd + excluded.usd, input_tokens = d.input_tokens + excluded.input_tokens, output_tokens = d.output_tokens + excluded.output_tokens,
          calls = d.calls + excluded.calls`,
];
