/** All functions of the schema that take a lease token, each with a call that would change something if it were accepted. */
import { isDeepStrictEqual } from 'node:util';
import type { Queryable } from '../../../src/store/sql/database.ts';

/** A writer and the lease it believes to hold. The focus has turn 1 with call `c1` started and `c2` done, and turn 2 begun. */
export interface Writer {
  readonly id: string;
  readonly leaseToken: string;
  readonly focusId: string;
  readonly daemonId: string;
}

/** Calls the function for the writer; rows of batches contain the result for the item. */
type FencedCall = (db: Queryable, writer: Writer) => Promise<readonly object[]>;

const ANSWER = '{"provider": "p", "model": "m", "content": [], "stop_reason": "end_turn"}';
const ENDED = (call: string) =>
  `[{"turn": 1, "call_id": "${call}", "state": "done", "output": "late", "is_error": false, "details": null, "duration_ms": 1}]`;

function ofItem(sql: string): FencedCall {
  return (db, { id, leaseToken }) => db.query(sql, [id, leaseToken]);
}

function ofFocus(sql: string): FencedCall {
  return (db, { focusId, leaseToken }) => db.query(sql, [focusId, leaseToken]);
}

/** By name. A function that is missing here fails the test that compares them with the catalogue. */
export const FENCED_CALLS: Readonly<Record<string, FencedCall>> = {
  activate_skills: ofFocus(
    `with stored as (select animus.store_skill_package(repeat('a', 64), 'late', '{"SKILL.md": ""}'))
     select animus.activate_skills($1, $2, jsonb_build_array(jsonb_build_object('name', 'late', 'hash', repeat('a', 64)))) from stored`,
  ),
  add_attachment: ofFocus(`select animus.add_attachment($1, $2, null, 'late', 1)`),
  add_message: ofFocus(`select animus.add_message($1, $2, 0, 'nudge', 'late', 1)`),
  append_ledger: ofItem(`select animus.append_ledger($1, 'note', 'late', $2)`),
  ask_person: ofFocus(`select animus.ask_person($1, $2, 1, 'c1', 'approval', 'tool_call', '{}', 60)`),
  ask_provider: ofFocus(`select animus.ask_provider($1, $2, '{"reason": "late", "present": {}}')`),
  begin_foci: (db, { id, leaseToken, focusId }) =>
    db.query(
      `select case when (animus.begin_foci(array[$1::uuid], array[$2::bigint], array[$3::uuid], 'late', '/late', array['\\x01'::bytea],
                array['late'], array[1], array[true]))[1] = 'go' then 'completed' else 'lost' end as result`,
      [id, leaseToken, focusId],
    ),
  begin_side_call: ofFocus(`select animus.begin_side_call($1, $2, 1, 1, gen_random_uuid(), '{}')`),
  begin_next_turn: ofFocus(`select animus.begin_next_turn($1, $2, 2, 1, '${ENDED('c1')}')`),
  begin_skill_version: ofItem(`select animus.begin_skill_version($1, $2, 'late')`),
  begin_turn: ofFocus(`select animus.begin_turn($1, $2, 2, 1, '${ENDED('c1')}', gen_random_uuid(), 1)`),
  close_request: ofFocus(
    `with put as (
       insert into animus.batch_requests (id, work_item_id, focus_id, turn, provider, place, path, model, headers, body, state, created_at, ready_at)
       select gen_random_uuid(), work_item_id, id, 2, 'p', 'p', '/x', 'm', '{}', '{}', 'waiting', now(), now() from animus.foci where id = $1 returning id)
     select animus.close_request($1, $2, id, 'done') from put`,
  ),
  complete_answered: (db, { id, leaseToken, focusId }) =>
    db.query(
      `select case when cardinality(animus.complete_answered(array[$1::uuid], array[$2::bigint], array['{"by": "a late writer"}'::jsonb], array['late'],
                array[$3::uuid], array[2], array['${ANSWER}'::json])) = 1 then 'completed' else 'lost' end as result`,
      [id, leaseToken, focusId],
    ),
  complete_batch: ofItem(
    `select result from animus.complete_batch(array[$1::uuid], array[$2::bigint], array['{"by": "a late writer"}'::jsonb])`,
  ),
  complete_work: ofItem(`select animus.complete_work($1, $2, '{"by": "a late writer"}')`),
  complete_works: ofItem(
    `select case when completed then 'completed' else 'lost' end as result
       from animus.complete_works(array[$1::uuid], array[$2::bigint], array['{"by": "a late writer"}'::jsonb])`,
  ),
  create_skill: ofItem(
    `with stored as (select animus.store_skill_package(repeat('b', 64), 'late', '{"SKILL.md": ""}'))
     select animus.create_skill($1, $2, 'late', 1, repeat('b', 64), 'late', 'late', '[]', 'auto') from stored`,
  ),
  end_cancelled: ofItem(`select animus.end_cancelled($1, $2)`),
  end_items: ofItem(
    `select case when cardinality(animus.end_items(array[$1::uuid], 'completed', array['{"by": "a late writer"}'::jsonb], null, null, 'completed',
                                                   array[$2::bigint])) = 1 then 'completed' else 'lost' end as result`,
  ),
  extend_leases: (db, { id, leaseToken, daemonId }) =>
    db.query(
      `select case when count(*) = 0 then 'locked' when bool_and(held) then 'completed' else 'lost' end as result
         from animus.extend_leases($3, array[$1::uuid], array[$2::bigint], '1 hour')`,
      [id, leaseToken, daemonId],
    ),
  leases_left: (db, { id, leaseToken }) =>
    db.query(
      `select case when count(*) = 0 then 'lost' else 'completed' end as result
         from animus.leases_left(array[$1::uuid], array[$2::bigint])`,
      [id, leaseToken],
    ),
  fail_work: ofItem(`select animus.fail_work($1, $2, '{"message": "late"}', '2999-01-01')`),
  finish_tool_calls: ofFocus(`select animus.finish_tool_calls($1, $2, '${ENDED('c1')}')`),
  give_back_turn: ofFocus(`select animus.give_back_turn($1, $2, 2)`),
  give_back: async (db, { id, leaseToken }) => {
    const version = 'select xmin::text from animus.work_items where id = $1';
    const before = await db.query(version, [id]);
    await db.query('select animus.give_back(array[$1::uuid], array[$2::bigint])', [id, leaseToken]);
    const after = await db.query(version, [id]);
    return [{ result: isDeepStrictEqual(after, before) ? 'lost' : 'completed' }];
  },
  forget_memory: ofItem(
    `select animus.forget_memory((animus.store_memory('a late memory', p_item => $1)).memory_id, 'late', $1, $2)`,
  ),
  hold_embedding: ofFocus(`select animus.hold_embedding($1, $2, 1, 1, gen_random_uuid(), 'p/m')`),
  hold_focus: ofFocus(`select animus.hold_focus($1, $2)`),
  hold_lease: ofItem(`select animus.hold_lease($1, $2)`),
  hold_to_cancel: ofItem(`select animus.hold_to_cancel($1, $2)`),
  hold_worktree: ofItem(
    `select animus.hold_worktree($1, $2, $1, 'elsewhere', '/late', gen_random_uuid(), '/repo', 'animus/000000000000', repeat('0', 40), false)`,
  ),
  keep_file: ofFocus(`select animus.keep_file($1, $2, gen_random_uuid(), 'late', 'late'::bytea)`),
  lock_children: ofFocus(`select count(*) from animus.lock_children($1, $2, null)`),
  lose_turn: ofFocus(`select animus.lose_turn($1, $2, 2, 1)`),
  open_item_wait: ofFocus(`select animus.open_item_wait($1, $2, 'budget', 'budget', '{}')`),
  open_wait: ofFocus(`select animus.open_wait($1, $2, 1, 'c1', 'human')`),
  park_work: ofItem(`select animus.park_work($1, $2)`),
  put_turn: ofFocus(
    `select animus.put_turn($1, $2, 2, '{"provider": "p", "path": "/x", "model": "m", "headers": {}, "body": "{}"}')`,
  ),
  record_code_calls: ofFocus(
    `select animus.record_code_calls($1, $2, 1, 'c1', '[{"n": 1, "name": "late", "input": {}, "state": "started"}]')`,
  ),
  record_hook_run: ofFocus(
    `select animus.record_hook_run($1, $2, '${JSON.stringify({
      turn: 2,
      event: 'before_llm_call',
      call_id: '',
      hook: 'late',
      run_id: '01999999-0000-7000-8000-000000000001',
      decision: 'modify',
      duration_ms: 1,
      ledger: [{ type: 'note', content: 'late' }],
    })}', 'late', 1)`,
  ),
  record_side_call: ofFocus(`select animus.record_side_call($1, $2, '{"provider": "p", "model": "m", "cost_usd": 1}')`),
  record_worktree: ofItem(
    `select animus.record_worktree($1, $2, $1, 'removed', true, '{}', 'animus/000000000000',
       jsonb_build_object('start', repeat('0', 40), 'tip', repeat('0', 40), 'patch_bytes', 0, 'ended', true))`,
  ),
  record_turn: ofFocus(`select animus.record_turn($1, $2, 2, '${ANSWER}', '[]')`),
  release_work: ofItem(`select animus.release_work($1, $2, null, 'late')`),
  set_phase: ofFocus(`select animus.set_phase($1, $2, 'recover')`),
  begin_focus: ofItem(`select animus.begin_focus($1, $2, 'elsewhere', '/late', '\\x00')`),
  continue_focus: ofItem(`select animus.continue_focus($1, $2, 'elsewhere', '/late', gen_random_uuid())`),
  spawn_child_work: ofFocus(
    `select animus.spawn_child_work($1, $2, 'late', 'late', 'late', '{}', null, null, null, false, null, 50, 5)`,
  ),
  start_call: ofFocus(`select animus.start_call($1, $2, 1, 'c1', '{"late": true}')`),
  start_focus: ofItem(`select animus.start_focus($1, $2, 'elsewhere', '/late', '{}', 'late', '[]')`),
  store_memory: ofItem(`select animus.store_memory('a late memory', p_item => $1, p_token => $2)`),
  store_output: ofFocus(`select animus.store_output($1, $2, 1, 'c2', gen_random_uuid(), 'late')`),
  tell_text: ofFocus(`select animus.tell_text($1, $2, 'late')`),
  tell_watchers: ofFocus(`select animus.tell_watchers($1, $2, 'late')`),
  update_skill: ofItem(
    `with stored as (select animus.store_skill_package(repeat('c', 64), 'late', '{"SKILL.md": ""}'))
     select animus.update_skill($1, $2, 'late', 2, 1, repeat('c', 64), 'late', 'late', '[]', 'auto') from stored`,
  ),
  revise_memory: ofItem(
    `select animus.revise_memory((animus.store_memory('a late memory', p_item => $1)).memory_id, 'later', p_item => $1, p_token => $2)`,
  ),
  update_memory: ofItem(
    `select animus.update_memory((animus.store_memory('a late memory', p_item => $1)).memory_id, 'later', p_item => $1, p_token => $2)`,
  ),
};

/** Those that only write for an item without a focus; the settings of the focus are stored under the id 01. */
export const FOR_NEW_FOCI: ReadonlySet<string> = new Set(['begin_foci', 'give_back']);

/** They store nothing and lock nothing: what they say or tell is the state before a loss that is under way. */
export const LOCKS_NOTHING: ReadonlySet<string> = new Set(['leases_left', 'tell_text', 'tell_watchers']);

/** Those that leave an item that is locked, or not in the usual state, to functions that know every case, and report it like a lost one. */
export const FOR_THE_USUAL_CASE: ReadonlySet<string> = new Set([
  'begin_foci',
  'complete_answered',
  'end_items',
  'give_back',
]);

/**
 * The functions that take the token of a lease on an item, from the catalogue of the database. Pollers of batches have tokens of their own, and
 * a single `p_tokens` is an amount.
 */
export async function fencedFunctions(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select distinct proname as name from pg_proc
      where pronamespace = 'animus'::regnamespace
        and (proargnames && array['p_token'] or pg_get_function_arguments(oid) ~ '\\mp_tokens bigint\\[\\]')
        and proname <> 'require_poller' and prosrc !~ 'animus\\.require_poller\\(' order by name`,
  );
  return rows.map((row) => row.name);
}
