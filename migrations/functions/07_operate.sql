-- The operations of operators. Each call adds a row to animus.decisions.

-- Cancels an item and its children, as cancel_works does, and returns its state afterwards.
-- Locks: as cancel_works. Raises: WA002 (not read committed), WA003, 42501, 57PA1.
create or replace function animus.cancel_work(p_id uuid, p_reason text default null) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_state text := (select c.state from animus.cancel_works(array[p_id], p_reason) c);
begin
  -- Deleted since it was found.
  if v_state is null then perform animus.raise('WA003', format('no work item %s', p_id), p_id); end if;
  return v_state;
end $$;

-- Cancels items and their children: at once what is not running, the rest cooperatively (its daemon is notified; if the lease is lost,
-- the item ends). For operators, for the submitter of an item, and for those who take part in the conversation that it belongs to. Returns the
-- states afterwards; cancelling an ended item changes nothing, and is a decision only of an operator. Raises 57PA1 without any change, and names the
-- row, if another transaction keeps one of the items or of their children locked. Without p_reason, the reason says whether an operator, the
-- submitter or a participant cancelled an item.
-- For one item or many: an item of many costs a fifth of a call, and the number of locks does not grow with them.
-- Locks: as lock_tree_to_end; waits two seconds at most for each. Raises: WA002 (not read committed), WA003, 42501, 57PA1.
create or replace function animus.cancel_works(p_ids uuid[], p_reason text default null) returns table (id uuid, state text)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
-- Callers: submitter, operator, gateway.
#variable_conflict use_column
declare
  v_ids   uuid[] := array(select distinct u.id from unnest(p_ids) u (id));
  v_all   boolean := animus.may_operate();
  v_wrong record;
  v_below uuid[];
  v_group record;
begin
  -- Who may not see an item does not learn that it exists, and cannot lock it.
  select u.id, w.submitted_by into v_wrong from unnest(v_ids) u (id) left join animus.work_items w on w.id = u.id
   where w.id is null or not v_all and not coalesce(w.submitted_by = animus.actor(), false) and not animus.may_stop(w.id) limit 1;
  if found then
    if animus.may_see(v_wrong.submitted_by) and not v_all then perform animus.require_operator(); end if;
    perform animus.raise('WA003', format('no work item %s', v_wrong.id), v_wrong.id);
  end if;
  perform animus.require_newest('a cancel');
  v_below := animus.lock_tree_to_end(v_ids, 10);
  p_reason := animus.cut_text(p_reason, 10000);
  for v_group in
    select array_agg(w.id) as ids, array_agg(w.id) filter (where w.resolved_at is null) as open, coalesce(p_reason,
             case when w.submitted_by = animus.actor() then 'cancelled by its submitter'
                  when animus.may_stop(w.id) then 'cancelled by ' || animus.actor() else 'cancelled by an operator' end) as reason
      from animus.work_items w where w.id = any (v_ids)
       -- Decisions are kept for ever: a submitter who repeats itself must not be able to fill the disk.
       and (v_all or w.resolved_at is null and w.cancel_requested_at is null)
     group by 3
  loop
    insert into animus.decisions (work_item_id, action, note, decided_by, created_at)
    select u.id, 'cancel', v_group.reason, animus.actor(), animus.now() from unnest(v_group.ids) u (id);
    continue when v_group.open is null;
    perform animus.notify_of('animus_events', w.work_item_id) from animus.watches w where w.work_item_id = any (v_group.open);
    perform animus.cancel_open(case when v_below = '{}' then '{}' else animus.open_descendants(v_group.open) end || v_group.open, v_group.reason);
  end loop;
  return query select w.id, w.state from animus.work_items w where w.id = any (v_ids) order by w.id;
end $$;

-- Cancels those of the items that are open; the caller has locked their rows.
-- Locks: none beyond those of the caller. Raises: 57PA1.
create or replace function animus.cancel_open(p_ids uuid[], p_reason text) returns void
language plpgsql as $$
declare
  v_now timestamptz := animus.now();
begin
  if cardinality(p_ids) = 0 then return; end if;
  perform animus.end_works(
    array(select id from animus.work_items where id = any (p_ids) and state in ('scheduled', 'queued', 'waiting')),
    'cancelled', null, null, animus.cancel_error(p_reason), 'cancelled');
  update animus.work_items set cancel_requested_at = v_now, cancel_reason = p_reason
   where id = any (p_ids) and state in ('claimed', 'running') and cancel_requested_at is null;
  if found then perform animus.notify('animus_cancel'); else perform animus.refuse_prepare(); end if;
end $$;

-- Returns the error that a cancelled item gets.
-- Locks: none. Raises: nothing.
create or replace function animus.cancel_error(p_reason text) returns jsonb
language sql stable as $$ select jsonb_build_object('code', 'work.cancelled', 'message', p_reason) $$;

-- Replaced by lock_tree_to_end, try_lock_tree (24_children_ends.sql).
drop function if exists animus.lock_open_descendants(uuid);
drop function if exists animus.lock_open_descendants(uuid, int);
drop function if exists animus.try_lock_open_descendants(uuid);

-- Returns the ids of all descendants of items, without detached ones and what is below these.
-- Locks: none. Raises: nothing.
create or replace function animus.descendants(p_ids uuid[]) returns uuid[]
language sql stable as $$
  with recursive below as (
    select w.id from animus.work_items w where w.parent_id = any (p_ids) and w.detached is not true
    union
    select w.id from animus.work_items w join below b on w.parent_id = b.id where w.detached is not true)
  select coalesce(array_agg(id), '{}') from below
$$;

-- For an end of the previous version that was running when its steps were replaced.
-- Locks: none. Raises: nothing.
create or replace function animus.descendants(p_id uuid) returns uuid[]
language sql stable as $$ select animus.descendants(array[p_id]) $$;

-- Queues a dead or cancelled item again with all its attempts; it keeps its ledger and gets a new focus. If an active item has its dedup
-- key, that item already does the work: its id is returned instead. An answer of a conversation waits for those before it, and is refused if its message
-- was deleted.
-- Locks: the item's row; waits two seconds at most; the file of its conversation. The dedup key, until the end of the transaction. Raises: WA002, WA003, 42501, 57PA1.
create or replace function animus.retry_work(p_id uuid) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
declare
  v_now    timestamptz := animus.now();
  v_item   animus.work_items;
  v_holder uuid;
  v_msg_id bigint;
  v_waits  boolean := false;
begin
  perform animus.require_operator();
  perform animus.lock_work(array[p_id], 10);
  select * into v_item from animus.work_items where id = p_id for no key update;
  if not found then
    perform animus.raise('WA003', format('no work item %s', p_id), p_id);
  end if;
  if v_item.state not in ('dead', 'cancelled') then
    perform animus.raise('WA002', format('work item %s is %s; only dead and cancelled work can be retried', p_id, v_item.state), p_id);
  end if;
  if v_item.dedup_key is not null then
    v_holder := animus.take_key(v_item.faculty, animus.key_among(v_item.dedup_key,
      case when v_item.depth = 0 then v_item.submitted_by else animus.submitter_of(v_item.root_id) end), p_id);
    if v_holder is not null then return v_holder; end if;
  end if;
  if v_item.source = 'chat' then v_waits := animus.retry_waits(p_id); end if;
  perform animus.unpack_history(p_id);
  perform animus.add_mark(p_id, 'ended', json_build_object('state', v_item.state, 'error', left(v_item.error ->> 'message', 4000), 'costUsd', animus.known_cost(v_item.cost_usd + v_item.lost_usd, v_item.unpriced_calls, v_item.calls + v_item.lost_requests), 'unpricedCalls', v_item.unpriced_calls),
    v_item.resolved_at);
  insert into pgmq.q_animus_work (vt, message) values (v_now, jsonb_build_object('work_item_id', p_id)) returning msg_id into v_msg_id;
  update animus.work_items
     set state = 'queued', attempts = 0, crashes = 0, unstarted_claims = 0, deaths = 0, died_at = null, suspect_of = null, resolved_at = null, outcome = null, outcome_summary = null,
         error = null, cancel_requested_at = null, cancel_reason = null, queue_msg_id = v_msg_id,
         key_blocked = key_blocked or v_waits,
         awaited = true  -- an item may have begun to wait for others and this one while it had ended
   where id = p_id;
  insert into animus.decisions (work_item_id, action, decided_by, created_at) values (p_id, 'retry', animus.actor(), v_now);
  if v_item.source = 'chat' then perform animus.mark_retry(p_id); end if;
  perform animus.wake_daemons();
  return p_id;
end $$;

-- Stops new claims and the next model call of a faculty, or of all ('*'), until resumed.
-- Locks: the row of the pause. Raises: 42501.
create or replace function animus.pause(p_faculty text default '*', p_reason text default 'paused by an operator') returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_operator();
  p_reason := animus.cut_text(p_reason, 10000);
  insert into animus.pauses (faculty, reason, paused_by, created_at) values (p_faculty, p_reason, animus.actor(), animus.now())
  on conflict (faculty) do update set reason = excluded.reason, paused_by = excluded.paused_by, until = null, created_at = excluded.created_at;
  insert into animus.decisions (target, action, note, decided_by, created_at) values (p_faculty, 'pause', p_faculty || ': ' || p_reason, animus.actor(), animus.now());
  -- Daemons give back what they have claimed ahead.
  perform animus.notify('animus_work_ready');
end $$;

-- Lifts a pause; returns false when there was none.
-- Locks: the row of the pause. Raises: 42501.
create or replace function animus.resume(p_faculty text default '*') returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_operator();
  delete from animus.pauses where faculty = p_faculty;
  if not found then return false; end if;
  insert into animus.decisions (target, action, note, decided_by, created_at) values (p_faculty, 'resume', p_faculty, animus.actor(), animus.now());
  perform animus.wake_daemons();
  return true;
end $$;
