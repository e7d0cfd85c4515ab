-- Completing work. All of it is fenced by the lease token.

-- Completes one item. Idempotent for the same token, because an acknowledgement may get lost. Refused while messages to the item are not delivered.
-- Locks: as complete_batch. Raises: WA001, WA002, WA003, 57PA1.
create or replace function animus.complete_work(p_id uuid, p_token bigint, p_outcome jsonb, p_summary text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_held animus.held_work;
begin
  if animus.end_items(array[p_id], 'completed', array[p_outcome], array[p_summary], null, 'completed', array[p_token]) <> '{}' then return; end if;
  perform from animus.work_items where id = p_id and state = 'completed' and lease_token = p_token;
  if found then return; end if;
  -- Others wait for it, or its row was locked for a moment; otherwise this raises.
  if animus.holds_any(array[p_id]) and animus.lock_free(animus.waiters_of(array[p_id])) <> '{}' then
    perform animus.raise('57PA1', format('what waits for work item %s is locked by another transaction', p_id), p_id, 'try again');
  end if;
  perform animus.lock_to_end(array[p_id]);
  v_held := animus.hold_lease(p_id, p_token);
  if animus.mail_waits(p_id, v_held.has_mail, v_held.keyed) then
    perform animus.raise('WA002', format('messages to work item %s are not delivered', p_id), p_id, 'begin the next turn of its focus, which delivers them');
  end if;
  perform animus.end_items(array[p_id], 'completed', array[p_outcome], array[p_summary], null, 'completed', array[p_token], p_locked => array[p_id]);
end $$;

drop function if exists animus.complete_batch(uuid[], bigint[], jsonb[], text[]);
drop function if exists animus.complete_read(uuid[], bigint[], jsonb[], text[], text[]);
drop function if exists animus.complete_foci(uuid[], bigint[], jsonb[], text[], uuid[], int[], json[]);
-- Completes many items in one statement, each protected by its own token; a lost or locked one does not delay the others. Array n of each argument belongs to item n.
-- p_unread: for each item why its messages can no longer be read, or null: they can, and then an item with messages is not completed. Without it, the
-- caller reads no messages, and undelivered ones stop nothing. p_focus_ids, p_turns, p_answers: for each item null, or the answer that ends it, as for
-- record_turn, without calls, which is recorded with the end: its turn was begun and not recorded.
-- result: 'completed', by this call or by an earlier one whose response was lost; 'lost', nothing was written; 'locked', another transaction keeps
-- the row locked and nothing was written yet: retry; 'mail', the messages were delivered to the focus and the item is queued again, so that its focus resumes;
-- 'unrecorded', nothing was written, because it is not the usual case of an end with an answer (the row is locked, messages or others wait, the turn is not
-- open): record it by record_turn, then call this again without it.
-- Locks: the rows of the items and of those that wait for them; waits a fifth of a second at most, and not for items with an answer. Raises: 57PA1.
create or replace function animus.complete_batch(
  p_ids uuid[], p_tokens bigint[], p_outcomes jsonb[], p_summaries text[] default null, p_unread text[] default null,
  p_focus_ids uuid[] default null, p_turns int[] default null, p_answers json[] default null)
returns table (work_item_id uuid, result text)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_unread text[] := coalesce(p_unread, array_fill('the work was completed by a worker that reads no messages at the end'::text, array[cardinality(p_ids)]));
  v_tokens bigint[] := p_tokens;
  v_ended  uuid[] := '{}';
  v_ours   uuid[];
  v_stuck  uuid[];
  v_mailed uuid[] := '{}';
begin
  if p_answers is not null then
    v_ended := animus.complete_answered(p_ids, p_tokens, p_outcomes, p_summaries, p_focus_ids, p_turns, p_answers);
  end if;
  if cardinality(v_ended) < cardinality(p_ids) then
    if p_answers is not null then v_tokens := array(select case when u.answer is null then u.token end from unnest(p_tokens, p_answers) u (token, answer)); end if;
    v_ended := v_ended || animus.end_items(p_ids, 'completed', p_outcomes, p_summaries, null, 'completed', v_tokens, v_unread);
  end if;
  if cardinality(v_ended) = cardinality(p_ids) then
    return query select u.id, 'completed' from unnest(p_ids) u (id);
    return;
  end if;
  -- An item that is still ours but was skipped has messages, or is waited for, or it is locked by another transaction or was until a moment ago.
  v_ours := array(select w.id from unnest(p_ids, p_tokens, p_answers) m (id, token, answer) join animus.work_items w on w.id = m.id
                   where m.answer is null and w.lease_token = m.token and w.lease_expires_at is not null);
  if v_ours <> '{}' then
    v_stuck := animus.lock_skipped(v_ours, v_ended <> '{}');
    perform animus.end_items(p_ids, 'completed', p_outcomes, p_summaries, null, 'completed', v_tokens, v_unread,
      array(select unnest(v_ours) except select unnest(v_stuck)));
    -- Read again under the lock.
    v_mailed := animus.go_on_with_mail(array(
      select w.id from unnest(p_ids, p_tokens) m (id, token) join animus.work_items w on w.id = m.id
       where w.id = any (v_ours) and w.id <> all (v_stuck) and w.lease_token = m.token and w.lease_expires_at is not null));
  end if;
  -- Checked per row: an item may be given twice, with a valid and a lost token.
  return query
    select m.id, case when w.lease_token is distinct from m.token then 'lost' when w.state = 'completed' then 'completed'
                      when w.lease_expires_at is not null then case when m.answer is null then 'locked' else 'unrecorded' end
                      when m.id = any (v_mailed) then 'mail' else 'lost' end
      from unnest(p_ids, p_tokens, p_answers) with ordinality as m (id, token, answer, nth) left join animus.work_items w on w.id = m.id order by m.nth;
end $$;

-- Delivers the messages of items whose focus is done with its work, and queues the items again; skips those without messages. Returns the items.
-- The caller has locked them and checked their tokens.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.go_on_with_mail(p_ids uuid[]) returns uuid[]
language plpgsql as $$
declare
  v_item   record;
  v_mailed uuid[] := '{}';
begin
  for v_item in
    select w.id, w.has_mail, w.dedup_key is not null as keyed, f.id as focus_id,
           animus.turns_of_chain(f.id) as turn
      from animus.work_items w join animus.foci f on f.work_item_id = w.id and f.ended_as is null
     where w.id = any (p_ids) order by w.id
  loop
    continue when not animus.mail_waits(v_item.id, v_item.has_mail, v_item.keyed);
    perform animus.deliver_mail(v_item.id, v_item.focus_id, v_item.turn);
    perform animus.requeue(v_item.id, null, animus.now(), null);
    v_mailed := v_mailed || v_item.id;
  end loop;
  return v_mailed;
end $$;

-- For daemons of version 0.1: completes many items; a lost one is returned with completed = false.
-- Locks: as complete_batch. Raises: 57PA1.
create or replace function animus.complete_works(p_ids uuid[], p_tokens bigint[], p_outcomes jsonb[], p_summaries text[] default null)
returns table (work_item_id uuid, completed boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_end record;
begin
  for v_end in select b.work_item_id as id, b.result from animus.complete_batch(p_ids, p_tokens, p_outcomes, p_summaries) b loop
    work_item_id := v_end.id;
    completed := v_end.result = 'completed';
    -- Raise at once: the transaction that holds the lock may be waiting for an item that was just completed here.
    if v_end.result = 'locked' then
      perform animus.raise('57PA1', format('work item %s is locked by another transaction', v_end.id), v_end.id, 'try again');
    end if;
    return next;
  end loop;
end $$;

drop function if exists animus.complete_held(uuid[], bigint[], jsonb[], text[]);
drop function if exists animus.complete_held(uuid[], bigint[], jsonb[], text[], text[]);
drop function if exists animus.complete_locked(uuid[], bigint[], jsonb[], text[], text[], uuid[]);
-- Completes the items that have an answer, and records these. Only the usual case: the lease holds, nobody has locked the item or waits for it, no message to it is
-- undelivered, and the turn of its own focus was begun and not recorded. Returns the ids of those that it has completed. One update writes the end and what the
-- answer cost: a second one of the same row took a tenth more.
-- Locks: the rows of the items, and skips those that others have locked. Raises: nothing.
create or replace function animus.complete_answered(
  p_ids uuid[], p_tokens bigint[], p_outcomes jsonb[], p_summaries text[], p_focus_ids uuid[], p_turns int[], p_answers json[]) returns uuid[]
language plpgsql as $$
declare
  v_now      timestamptz := animus.now();
  v_ids      uuid[];
  v_messages bigint[];
  v_keyed    boolean;
  v_begun    uuid[];
begin
  with ended as (
    update animus.work_items w
       set state = 'completed', outcome = case when pg_column_size(i.outcome) <= 4096 then i.outcome else animus.keep_outcome(i.id, i.outcome) end,
           outcome_summary = left(i.summary, 10000), error = null, resolved_at = v_now, lease_owner = null, lease_expires_at = null,
           turns = w.turns + 1, calls = w.calls + 1, cost_usd = w.cost_usd + coalesce(i.usd, 0),
           estimated_usd = case when i.estimated then w.estimated_usd + i.usd else w.estimated_usd end,
           unpriced_calls = w.unpriced_calls + (i.usd is null)::int, uncounted_calls = w.uncounted_calls + (not i.counted)::int,
           assumed_tokens = w.assumed_tokens + i.assumed,
           input_tokens = w.input_tokens + coalesce((i.usage ->> 'input')::bigint, 0),
           output_tokens = w.output_tokens + coalesce((i.usage ->> 'output')::bigint, 0)
      from (select u.id, u.token, u.outcome, u.summary, u.focus_id, u.turn, a.*, c.*, (t.begun_at at time zone 'UTC')::date as day,
                   a.cost_usd is null and c.usd is not null or animus.is_estimate(nullif(a.usage, 'null'), c.usd) as estimated,
                   case when c.counted then 0 else t.reserved_tokens end as assumed
              from unnest(p_ids, p_tokens, p_outcomes, p_summaries, p_focus_ids, p_turns, p_answers)
                   as u (id, token, outcome, summary, focus_id, turn, answer)
              join animus.work_items l on l.id = u.id and l.lease_token = u.token and l.lease_expires_at is not null
                   and l.awaited is null and not animus.mail_waits(l.id, l.has_mail, l.dedup_key is not null)
              join animus.foci f on f.id = u.focus_id and f.work_item_id = u.id
              join animus.turns t on t.focus_id = u.focus_id and t.turn = u.turn and t.recorded_at is null
              cross join lateral json_to_record(u.answer) as a (
                provider text, model text, content json, response_id text, stop_reason text, raw_stop_reason text, cut_tool_calls text[],
                usage jsonb, cost_usd numeric, duration_ms float8, time_to_first_token_ms float8, lost int)
              -- As in store_answer.
              cross join lateral (select coalesce(a.cost_usd, nullif(t.reserved_usd, 0)) as usd,
                                         nullif(a.usage, 'null') is not null or a.provider is not distinct from 'animus' as counted) c
             where coalesce(a.lost, 0) = 0
             for no key update of l skip locked) i
     where w.id = i.id and w.lease_token = i.token and w.lease_expires_at is not null
    returning w.dedup_key, w.queue_msg_id, w.faculty, case when w.depth = 0 then w.submitted_by else animus.submitter_of(w.root_id) end as submitter,
              case when w.depth = 0 then w.source else animus.source_of(w.root_id) end as source, i.*),
  recorded as (
    update animus.turns t
       set provider = e.provider, model = e.model, response = e.content, response_id = e.response_id, stop_reason = e.stop_reason,
           raw_stop_reason = e.raw_stop_reason, cut_tool_calls = coalesce(e.cut_tool_calls, '{}'), usage = nullif(e.usage, 'null'),
           cost_usd = e.usd, recorded_at = v_now, duration_ms = e.duration_ms,
           reserved_usd = 0, open_request = null, time_to_first_token_ms = e.time_to_first_token_ms
      from ended e where t.focus_id = e.focus_id and t.turn = e.turn),
  spent as (
    insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, submitter, source, estimated, counted, assumed_tokens)
    select e.faculty, coalesce(e.provider, '') || '/' || coalesce(e.model, ''), e.day, e.usd, coalesce((e.usage ->> 'input')::bigint, 0),
           coalesce((e.usage ->> 'output')::bigint, 0), e.submitter, e.source, e.estimated, e.counted, e.assumed from ended e)
  select array_agg(id), array_agg(queue_msg_id), bool_or(dedup_key is not null), array_agg(id) filter (where animus.watch_begins(id))
    into v_ids, v_messages, v_keyed, v_begun from ended;
  if v_ids is null then return '{}'; end if;
  perform animus.follow_ends(v_ids, v_messages, v_begun, v_keyed, 'completed', null, 'completed', v_now);
  return v_ids;
end $$;
