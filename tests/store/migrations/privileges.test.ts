import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { asAdmin, testDatabase } from '../../support/database.ts';
import { codeOf, emptyQueue } from '../work/queue-driver.ts';

const target = testDatabase();

/** Functions that run with their caller's rights: steps of other functions, which read nothing and check nothing. */
const INTERNAL = `
  interval_of duration_bucket activity_between
  first_id_at time_of_id next_period period_read part_of_period words_of_work work_query unwritten_with_words
  read_work_filter work_source few_of_states walk_of_state work_conditions rows_of_walks floor_of_walks
  make_notice
  may_notify
  refuse_prepare
  may_watch
  name_work
  notify_of
  owner_shown
  role_statements
  open_run was_open record_skipped
  require_message require_actor require_chat_size key_among shown_at add_mark event_time mark_resumed tell_readers
  actor person_acts may_vouch role_of_person lower_role require_gateway require_operator_login require_manager acting_token token_that_makes vouch token_scopes require_sees_all state_condition may_operate decide digest_call edit_asked only_asked require_open decided_before store_ask decide_wait record_decision open_ask ask_of_loss call_of open_asks_of too_many_asks file_name_problem has_invisible free_file_name digest_texts digest_work show_time
  iso_time note_approval note_state add_delivery bound_webhook check_webhook own_webhook owner_sees role_of_owner takes_part_in_new may_deliver free_deliveries webhook_events webhook_limit
  require_participant check_chat_text hold_conversation message_to_change require_author branch_off cancel_answers put_message answers_open tell_answer
  mark_conversation tell_chat_readers mark_retry answer_opened events_position chat_message_event mark_old_messages
  answer_before end_answers next_answers answer_text answers_before_mail files_in_heading left_out chain_of turns_of_chain line_of line_since words_of words_at render_chat conversation_works focus_before chain_heard_deleted withdraw_mail shown_name retry_waits open_from open_in may_add_to
  files_of_message require_workspace place_attached_file files_directory file_name_of remove_attached_files left_to_host_before
  awaits_batch has_turn_under_way turn_under_way require_poller is_polled
  take_present_model keep_denial
  append_embedding_spend count_embedding hold_for_all
  find_named cut_to_bytes
  budget_account budget_name budget_of budget_lines budget_use budget_used require_possible_budget close_hold collect_slices credit_slice daemon_lives has_budget hold_budget hold_cost
  period_end period_start put_turn_row hold_turn held_turn recorded_spend refresh_accounts refuse_budget settle_account settle_own take_budget warn_of_budget
  digest_request limit_waited_for ask_of_limit item_behind items_behind waits_behind limit_of_wait limit_now decide_budget raise_limit ask_again budget_request budget_patience spent_before limit_use
  known_cost known_tokens is_estimate source_of model_asked charge_item requests_under_way count_costs
  lose_open_requests count_lost is_loss hold_under_way settle_side_call reserve_side_call lose_embeddings
  message_before holder_of_key left_to_host queued_at may_go_on shown_among served_faculties waiting_hint
  ancestors_at
  broken_input
  memory_limit actor_sees_all actor_operates project_of place_of_memory check_memory clean_tags join_tags join_metadata digest_memory lock_memory_place count_memories
  hold_memory add_memory_source merge_memory memory_filter_of fitting_memories rank_by_text all_words any_word excluded_words quoted_words fold_accents memory_words redact_item redact_around redact_text without_merge redact_json approved_before denied_before child_of_earlier_attempt earlier_attempts is_cut_off skill_versions_text nearest_memories nearest_by_index near_duplicates
  memory_model vector_schema drop_embedding require_seen_item
  add_activations add_skill_sources add_skill_version end_current_version hold_proposal lock_skill record_skill_decision refuse_skill_of_person require_written skill_files_hash skill_used_at stale_days
  delete_trees lock_trees prune_rows month_of old_trees open_month pack_items unpack_history
  cancel_error
  cancel_open
  claim_choose may_be_claimed left_out_until
  error_reach faulty_items faulty_faculties forget_faults note_faults try_item touched_items reclaim_item restore_queues
  claim_look test_suspects next_suspect held_by lose_item fate_of_daemon progressed_since_death
  shown_in
  bound_readers all_may_read memory_for_all chain_for_all may_tell may_stop may_name_source memories_alike require_owner require_four_eyes has_caused require_mergeable
  take_skip_turn
  claim_heads
  claim_take
  complete_answered
  all_in end_alone children_ended children_to_await hold_to_cancel holds_any lock_free lock_skipped lock_to_end lock_tree_to_end open_descendants refuse_cycle try_lock_tree
  waiters_of wake_waiters
  descendants
  end_calls
  end_work
  end_works end_items
  follow_ends
  grant_roles
  hold_focus
  inbox_backlog
  is_our_queue
  move_old_inbox
  notify
  hold_lease
  find_reader check_message runs_externally tell_duplicate mail_waits has_undelivered deliver_mail quoted_name fenced message_of interrupt_waits notify_watchers go_on_with_mail
  host_grace another_has_room return_unbegun
  key_is_held
  left_to_its_host
  draw_token lock_soon lock_work lock_all watch_key watch_begins ends_key await_ends is_ours
  words refuse_word json_bytes is_deep is_wide json_problem oversized_input size_rule cut_text cut_error keep_outcome readable_work left_out refused_message
  may_see
  sniff_media_type
  worktree_id worktree_is_over acknowledge_loss answer_before
  now
  offer_freed_keys
  offer_key
  open_turn with_stored_skills add_first_skills
  oldest_queued
  place_below
  promote_due
  publish_spend define_spend_views submitter_of
  raise
  reclaim_expired
  require_newest require_triggers
  refuse_merge_into_ancestor
  refuse_row
  requeue
  role_may_call
  roles
  show_json
  store_answer
  take_key
  transition_allowed
  uuid_at
  uuid_v7
  wake_daemons`
  .trim()
  .split(/\s+/);

test('every function is a definer with a fixed search path, or a step of one; nobody may call any without a grant', async () => {
  const functions = await target.database.query<{
    name: string;
    definer: boolean;
    path: string | null;
    public: boolean;
  }>(
    `select proname as name, prosecdef as definer, exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) where grantee = 0) as public,
            (select c from unnest(proconfig) c where c like 'search_path=%') as path
       from pg_proc where pronamespace = 'animus'::regnamespace and prokind = 'f'`,
  );
  expect(functions.length).toBeGreaterThan(50);
  expect(functions.filter((one) => one.public)).toEqual([]);
  const definers = functions.filter((one) => !INTERNAL.includes(one.name));
  expect(definers.filter((one) => !one.definer || one.path !== 'search_path=pg_catalog, pg_temp')).toEqual([]);
  expect(functions.filter((one) => INTERNAL.includes(one.name) && one.definer)).toEqual([]);
});

test('every trigger function is a definer: it runs for roles that may not call any function', async () => {
  const bare = await target.database.query(
    `select distinct p.proname from pg_trigger t join pg_proc p on p.oid = t.tgfoid
      where p.pronamespace = 'animus'::regnamespace and not p.prosecdef`,
  );
  expect(bare).toEqual([]);
});

const role = `animus_test_${randomBytes(4).toString('hex')}`;
let inserter: Database;
beforeAll(async () => {
  await asAdmin((admin) => admin.query(`create role ${role} login password 'p'`));
  await target.database.query(`grant usage on schema animus to ${role}`);
  await target.database.query(`grant insert on animus.work_items to ${role}`);
  const url = new URL(target.connectionString);
  url.username = role;
  url.password = 'p';
  inserter = openPostgres(url.href, { poolSize: 1 });
});
afterAll(async () => {
  await inserter.close();
  await target.database.query(`drop owned by ${role}`);
  await asAdmin((admin) => admin.query(`drop role ${role}`));
});

test('a role that may only insert can insert, including dedup, message and parent', async () => {
  await emptyQueue(target.database);
  await inserter.query(`insert into animus.work_items (faculty) values ('engineer')`);
  const [parent] = (await target.database.query<{ id: string }>('select id from animus.work_items')).map(
    ({ id }) => id,
  );
  for (let n = 0; n < 2; n++)
    await inserter.query(`insert into animus.work_items (faculty, dedup_key, parent_id) values ('engineer', 'k', $1)`, [
      parent,
    ]);
  const rows = await target.database.query('select state from animus.work_items where parent_id = $1 order by id', [
    parent,
  ]);
  expect(rows).toEqual([{ state: 'queued' }, { state: 'merged' }]);
  expect(await target.database.query('select count(*)::int as n from pgmq.q_animus_work')).toEqual([{ n: 2 }]);
});

test.each([
  `insert into animus.work_items (faculty, state) values ('engineer', 'completed')`,
  `insert into animus.work_items (faculty, cost_usd) values ('engineer', 1)`,
])('and nothing that the engine owns: %s', async (statement) => {
  expect(await codeOf(inserter.query(statement))).toBe('work.invalid');
});

test.each([
  'select id from animus.work_items',
  `insert into animus.work_items (faculty) values ('engineer') returning id`,
  `update animus.work_items set priority = 1`,
  'delete from animus.work_items',
  'select * from animus.active_keys',
  `insert into animus.work_ledger values (gen_random_uuid(), 1, 'note', 'x', null, null, now())`,
  'select * from pgmq.q_animus_work',
  `select animus.submit_work('engineer')`,
  `select animus.claim_work(gen_random_uuid(), '{}', 1, '1 minute')`,
  `select animus.cancel_work(gen_random_uuid())`,
  `select animus.end_works(array[gen_random_uuid()], 'completed', null, null, null, null)`,
  `select animus.append_ledger(gen_random_uuid(), 'note', 'x')`,
  `select animus.pause()`,
  `select animus.status()`,
])('and nothing else: %s', async (statement) => {
  expect(await codeOf(inserter.query(statement))).toBe('db.forbidden');
});

test('a role that may call the operators’ functions must also be an operator', async () => {
  await target.database.query(`grant execute on function animus.pause to ${role}`);
  expect(await codeOf(inserter.query('select animus.pause()'))).toBe('db.forbidden');
});

test('objects in the caller’s own schema are never called instead of ours', async () => {
  await emptyQueue(target.database);
  await target.database.query(`create schema if not exists trap authorization ${role}`);
  await inserter.query(
    `create function trap.jsonb_build_object(text, uuid) returns jsonb language plpgsql as $$ begin raise 'trapped'; end $$`,
  );
  await inserter
    .query(`create function trap.num_nonnulls(variadic "any") returns int language internal as 'pg_num_nonnulls'`)
    .catch(() => {});
  await inserter.query('set search_path = trap, pg_catalog');
  await inserter.query(`insert into animus.work_items (faculty) values ('engineer')`);
  expect(await target.database.query('select count(*)::int as n from pgmq.q_animus_work')).toEqual([{ n: 1 }]);
});

test('forbidding kinds of plans also forbids their compilation', async () => {
  // If there is no other plan, the forbidden one costs ten billion, and a plan with that cost is compiled on each run.
  const compiled = await target.database.query(
    `select proname from pg_proc where pronamespace = 'animus'::regnamespace and 'enable_seqscan=off' = any (proconfig)
        and not 'jit=off' = any (proconfig)`,
  );
  expect(compiled).toEqual([]);
});
