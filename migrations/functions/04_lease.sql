-- What the holder of a lease may do. Every function proves the token under a row lock first.

-- Locks the item and proves that the token is the newest and the item active; raises WA001 otherwise.
create or replace function animus.hold_lease(p_id uuid, p_token bigint) returns animus.work_items
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item animus.work_items;
begin
  select * into v_item from animus.work_items where id = p_id for no key update;
  if not found then
    perform animus.raise('WA003', format('no work item %s', p_id), p_id);
  end if;
  if v_item.lease_token is distinct from p_token or v_item.state not in ('claimed', 'running') then
    perform animus.raise('WA001', format('the lease on work item %s is lost (it is %s)', p_id, v_item.state), p_id);
  end if;
  return v_item;
end $$;

-- The heartbeat: one statement per daemon. A row that comes back not held was lost; cancel_requested asks its focus to stop.
create or replace function animus.extend_leases(p_daemon_id uuid, p_ids uuid[], p_tokens bigint[], p_lease interval)
returns table (work_item_id uuid, held boolean, cancel_requested boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := animus.now();
begin
  update animus.daemons set seen_at = v_now where id = p_daemon_id;
  return query
    with mine as (select u.id, u.token from unnest(p_ids, p_tokens) u (id, token)),
    -- Locked in id order: two heartbeats and a cancel of a tree can then not wait for each other in a circle.
    locked as (
      select w.id from animus.work_items w join mine m on m.id = w.id and m.token = w.lease_token
       where w.state in ('claimed', 'running') order by w.id for no key update of w),
    kept as (
      update animus.work_items w set lease_expires_at = v_now + p_lease from locked l where w.id = l.id
      returning w.id, w.cancel_requested_at)
    select m.id, k.id is not null, k.cancel_requested_at is not null from mine m left join kept k on k.id = m.id;
end $$;

-- Hands an item back, attempts unchanged: a drain, or a failure of the world. Its focus stays open and goes on later.
create or replace function animus.release_work(p_id uuid, p_token bigint, p_run_at timestamptz default null, p_reason text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_item animus.work_items := animus.hold_lease(p_id, p_token);
begin
  if v_item.cancel_requested_at is not null then
    perform animus.end_work(p_id, 'cancelled', p_error => jsonb_build_object('reason', v_item.cancel_reason), p_focus_ended_as => 'cancelled');
    return;
  end if;
  perform animus.requeue(p_id, p_run_at, v_now, case when p_reason is null then v_item.error
    else jsonb_build_object('code', 'work.released', 'message', p_reason, 'at', v_now) end);
end $$;

-- active → queued or scheduled, message visible again.
create or replace function animus.requeue(p_id uuid, p_run_at timestamptz, p_now timestamptz, p_error jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item record;
begin
  update animus.work_items
     set state = case when p_run_at > p_now then 'scheduled' else 'queued' end,
         run_at = case when p_run_at > p_now then p_run_at else run_at end,
         lease_owner = null, lease_expires_at = null, error = p_error
   where id = p_id returning state, queue_msg_id into v_item;
  update pgmq.q_work set vt = greatest(p_run_at, p_now) where msg_id = v_item.queue_msg_id;
  if v_item.state = 'queued' then perform animus.wake_daemons(); end if;
end $$;

-- Ends the item as done. Calling it again with the same token changes nothing: an acknowledgement may get lost.
create or replace function animus.complete_work(p_id uuid, p_token bigint, p_outcome jsonb, p_summary text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from animus.work_items where id = p_id and state = 'completed' and lease_token = p_token;
  if found then return; end if;
  perform animus.hold_lease(p_id, p_token);
  perform animus.end_work(p_id, 'completed', p_outcome => p_outcome, p_summary => p_summary, p_focus_ended_as => 'completed');
end $$;

-- Ends an attempt that failed: again at p_retry_at, or dead when there is none or attempts are used up. p_keep says what the
-- next attempt goes on from: 'transcript' keeps the focus open, anything else ends it. Returns the item's new state.
create or replace function animus.fail_work(p_id uuid, p_token bigint, p_error jsonb, p_retry_at timestamptz default null, p_keep text default 'ledger') returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_item animus.work_items := animus.hold_lease(p_id, p_token);
begin
  if v_item.cancel_requested_at is not null then
    perform animus.end_work(p_id, 'cancelled', p_error => jsonb_build_object('reason', v_item.cancel_reason), p_focus_ended_as => 'cancelled');
    return 'cancelled';
  end if;
  update animus.work_items set attempts = attempts + 1, crashes = 0 where id = p_id;
  if p_retry_at is null or v_item.attempts + 1 >= v_item.max_attempts then
    perform animus.end_work(p_id, 'dead', p_error => p_error, p_focus_ended_as => 'failed');
    return 'dead';
  end if;
  if p_keep <> 'transcript' then
    update animus.foci set ended_as = 'failed', ended_at = v_now, error = p_error where work_item_id = p_id and ended_as is null;
  end if;
  perform animus.requeue(p_id, p_retry_at, v_now, p_error);
  return case when p_retry_at > v_now then 'scheduled' else 'queued' end;
end $$;

-- A running item whose cancel was requested, ended by its own focus.
create or replace function animus.end_cancelled(p_id uuid, p_token bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item animus.work_items := animus.hold_lease(p_id, p_token);
begin
  if v_item.cancel_requested_at is null then
    perform animus.raise('WA002', format('nobody asked to cancel work item %s', p_id), p_id);
  end if;
  perform animus.end_work(p_id, 'cancelled', p_error => jsonb_build_object('reason', v_item.cancel_reason), p_focus_ended_as => 'cancelled');
end $$;

-- The one place where an item ends: state, message, key, focus, children and watchers, in the caller's transaction and
-- under the caller's lock on the item.
create or replace function animus.end_work(
  p_id uuid, p_state text, p_outcome jsonb default null, p_summary text default null, p_error jsonb default null, p_focus_ended_as text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_item record;
begin
  update animus.work_items
     set state = p_state, outcome = p_outcome, outcome_summary = p_summary, error = p_error, resolved_at = v_now,
         lease_owner = null, lease_expires_at = null, key_blocked = false
   where id = p_id returning queue_msg_id, dedup_key into v_item;
  with gone as (delete from pgmq.q_work where msg_id = v_item.queue_msg_id returning msg_id, read_ct, enqueued_at, vt, message)
  insert into pgmq.a_work (msg_id, read_ct, enqueued_at, vt, message) select msg_id, read_ct, enqueued_at, vt, message from gone;
  if v_item.dedup_key is not null then
    delete from animus.active_keys where work_item_id = p_id;
  end if;
  if p_focus_ended_as is not null then
    update animus.foci set ended_as = p_focus_ended_as, ended_at = v_now, error = p_error where work_item_id = p_id and ended_as is null;
  end if;
  -- Nobody waits any more; a late answer then finds nothing to resolve.
  update animus.waits set resolved_at = v_now, result = jsonb_build_object('ended', p_state) where work_item_id = p_id and resolved_at is null;
  if p_state in ('dead', 'cancelled') then
    perform animus.cancel_children(p_id, format('its parent %s is %s', p_id, p_state));
  end if;
  -- Sent only where somebody watches; an item nobody waits for costs no NOTIFY.
  if exists (select from animus.watches where work_item_id = p_id) then
    delete from animus.watches where work_item_id = p_id;
    perform pg_notify('animus_work_done', p_id::text);
  end if;
end $$;
