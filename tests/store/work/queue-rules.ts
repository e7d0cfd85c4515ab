/** The rules of the queue, as queries that find violations. */
import { expect } from 'vitest';
import { TRANSITIONS, type WorkState } from '../../../src/core/work/work.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';

/** Ended work is deleted when it is older than this: longer than a round, during which the clock stands still. */
export const KEPT_SECONDS = 40;

/** Creates triggers that write down each change of a state and each deleted item. Some rules are about these. */
export async function noteEvents(db: Queryable): Promise<void> {
  await db.query(`create table animus.seen_transitions (work_item_id uuid, before text, after text)`);
  await db.query(`create function animus.note_transition() returns trigger language plpgsql as $$ begin
    insert into animus.seen_transitions values (old.id, old.state, new.state); return null; end $$`);
  await db.query(`create trigger note_transition after update of state on animus.work_items for each row
    when (old.state <> new.state) execute function animus.note_transition()`);
  await db.query(`create table animus.seen_deletes (inbox_msg_id text, kept_for interval)`);
  await db.query(`create function animus.note_delete() returns trigger language plpgsql as $$ begin
    insert into animus.seen_deletes values (old.trigger_info ->> 'inbox_msg_id', animus.now() - old.resolved_at); return null; end $$`);
  await db.query(
    `create trigger note_delete after delete on animus.work_items for each row execute function animus.note_delete()`,
  );
}

/** The condition of an item that has not ended. */
export const OPEN = `state not in ('completed', 'dead', 'merged', 'cancelled')`;

/** Each query finds violations. */
const BROKEN: Readonly<Record<string, string>> = {
  'an open item without its message': `select id from animus.work_items w where ${OPEN}
     and (select count(*) from pgmq.q_animus_work m where m.msg_id = w.queue_msg_id and m.message = jsonb_build_object('work_item_id', w.id)) <> 1`,
  'a message without its open item': `select msg_id from pgmq.q_animus_work m
     where not exists (select from animus.work_items w where w.queue_msg_id = m.msg_id and ${OPEN})`,
  'a message both queued and archived': `select msg_id from pgmq.q_animus_work join pgmq.a_animus_work using (msg_id)`,
  'an active key whose item has ended': `select dedup_key from animus.active_keys k
     where not exists (select from animus.work_items w where w.id = k.work_item_id and w.faculty = k.faculty and right(k.dedup_key, length(w.dedup_key)) = w.dedup_key and ${OPEN})`,
  'an open item that lost its key': `select id from animus.work_items w where ${OPEN} and dedup_key is not null
     and (faculty = 'resolved' or attempts = 0 and lease_token is null)
     and not exists (select from animus.active_keys k where k.work_item_id = w.id)`,
  'two holders of a concurrency key': `select concurrency_key from animus.work_items where state in ('claimed', 'running') and concurrency_key is not null
     group by 1 having count(*) > 1`,
  'a stuck concurrency key': `select id from animus.work_items w where key_blocked
     and not exists (select from animus.work_items h where h.concurrency_key = w.concurrency_key and h.state in ('claimed', 'running'))
     and not exists (select from animus.freed_keys f where f.concurrency_key = w.concurrency_key)
     and not exists (select from animus.work_items r where r.concurrency_key = w.concurrency_key and r.faculty = w.faculty
                        and r.state = 'queued' and not r.key_blocked)`,
  'more than the maximum of a faculty': `select 1 from animus.work_items where faculty = 'single' and state in ('claimed', 'running') having count(*) > 1`,
  'an open focus of ended work': `select f.id from animus.foci f join animus.work_items w on w.id = f.work_item_id where f.ended_as is null and w.resolved_at is not null`,
  'a token given twice': `select lease_token from animus.work_items where lease_token is not null group by 1 having count(*) > 1`,
  'a ledger with a gap': `select work_item_id from animus.work_ledger group by 1 having max(seq) <> count(*)`,
  'waiting for nothing': `select id from animus.work_items w where state = 'waiting'
     and not exists (select from animus.waits t where t.work_item_id = w.id and t.resolved_at is null)`,
  'an open wait of ended work': `select call_id from animus.waits t join animus.work_items w on w.id = t.work_item_id
     where t.resolved_at is null and w.resolved_at is not null`,
  'a waiting call without its wait': `select t.call_id from animus.tool_calls t join animus.foci f on f.id = t.focus_id
     where t.state = 'waiting' and f.ended_as is null
       and not exists (select from animus.waits w where w.work_item_id = f.work_item_id and w.call_id = t.call_id)`,
  'a message of the inbox in two places': `select msg_id from (select msg_id from pgmq.q_animus_inbox union all select msg_id from pgmq.a_animus_inbox
     union all select (message ->> 'msg_id')::bigint from pgmq.q_animus_inbox_dead) m group by msg_id having count(*) > 1`,
  'an accepted message without its item': `select msg_id from pgmq.a_animus_inbox a
     where not exists (select from animus.work_items w where w.trigger_info ->> 'inbox_msg_id' = a.msg_id::text)
       and not exists (select from animus.seen_deletes d where d.inbox_msg_id = a.msg_id::text)`,
  'two items of one message': `select trigger_info ->> 'inbox_msg_id' from animus.work_items where source = 'inbox' group by 1 having count(*) > 1`,
  'work deleted too early': `select from animus.seen_deletes where kept_for <= interval '${KEPT_SECONDS} seconds'`,
  'attempts passed': `select id from animus.work_items where attempts > max_attempts`,
};

/** Fails with the names of all rules that the database violates now. */
export async function expectRules(db: Queryable): Promise<void> {
  const broken: string[] = [];
  for (const [rule, query] of Object.entries(BROKEN)) if ((await db.query(query)).length > 0) broken.push(rule);
  const seen = await db.query<{ before: WorkState; after: WorkState }>(
    'select distinct before, after from animus.seen_transitions',
  );
  for (const { before, after } of seen)
    if (!TRANSITIONS[before].includes(after)) broken.push(`${before} became ${after}`);
  expect(broken).toEqual([]);
}
