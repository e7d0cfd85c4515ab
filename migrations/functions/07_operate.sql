-- What operators do. Each call leaves a row in animus.decisions.

-- Cancels work: what is not running at once, running work cooperatively (its daemon is told, and a lost lease ends it).
-- Children follow. Returns the state afterwards; cancelling what has ended changes nothing.
create or replace function animus.cancel_work(p_id uuid, p_reason text default 'cancelled by an operator') returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_operator();
  if not exists (select from animus.work_items where id = p_id) then
    perform animus.raise('WA003', format('no work item %s', p_id), p_id);
  end if;
  insert into animus.decisions (work_item_id, action, note, decided_by, created_at) values (p_id, 'cancel', p_reason, session_user, animus.now());
  return animus.cancel_one(p_id, p_reason);
end $$;

create or replace function animus.cancel_one(p_id uuid, p_reason text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item animus.work_items;
begin
  select * into v_item from animus.work_items where id = p_id for no key update;
  case
    when v_item.state in ('completed', 'dead', 'merged', 'cancelled') then
      return v_item.state;
    when v_item.state in ('claimed', 'running') then
      if v_item.cancel_requested_at is null then
        update animus.work_items set cancel_requested_at = animus.now(), cancel_reason = p_reason where id = p_id;
        perform pg_notify('animus_cancel', p_id::text);
        perform animus.cancel_children(p_id, p_reason);
      end if;
      return v_item.state;
    else
      update animus.work_items set cancel_reason = p_reason where id = p_id;
      perform animus.end_work(p_id, 'cancelled', p_error => jsonb_build_object('reason', p_reason), p_focus_ended_as => 'cancelled');
      return 'cancelled';
  end case;
end $$;

-- Locks run from the ancestor down, children in id order: the order every path through a tree uses.
create or replace function animus.cancel_children(p_id uuid, p_reason text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_child uuid;
begin
  for v_child in select id from animus.work_items where parent_id = p_id and resolved_at is null order by id loop
    perform animus.cancel_one(v_child, p_reason);
  end loop;
end $$;

-- Queues a dead or cancelled item again with fresh attempts; its ledger stays, a new focus begins. When its dedup key is
-- active again, that item already does the work: its id is returned instead.
create or replace function animus.retry_work(p_id uuid) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now    timestamptz := animus.now();
  v_item   animus.work_items;
  v_holder uuid;
  v_msg_id bigint;
begin
  perform animus.require_operator();
  select * into v_item from animus.work_items where id = p_id for no key update;
  if not found then
    perform animus.raise('WA003', format('no work item %s', p_id), p_id);
  end if;
  if v_item.state not in ('dead', 'cancelled') then
    perform animus.raise('WA002', format('work item %s is %s; only dead and cancelled work can be retried', p_id, v_item.state), p_id);
  end if;
  if v_item.dedup_key is not null then
    v_holder := animus.take_key(v_item.faculty, v_item.dedup_key, p_id);
    if v_holder is not null then return v_holder; end if;
  end if;
  insert into pgmq.q_work (vt, message) values (v_now, jsonb_build_object('work_item_id', p_id)) returning msg_id into v_msg_id;
  update animus.work_items
     set state = 'queued', attempts = 0, crashes = 0, resolved_at = null, outcome = null, outcome_summary = null,
         cancel_requested_at = null, cancel_reason = null, queue_msg_id = v_msg_id
   where id = p_id;
  insert into animus.decisions (work_item_id, action, decided_by, created_at) values (p_id, 'retry', session_user, v_now);
  perform animus.wake_daemons();
  return p_id;
end $$;

-- Stops new claims and the next model call of a faculty, or of all ('*'), until resumed.
create or replace function animus.pause(p_faculty text default '*', p_reason text default 'paused by an operator') returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_operator();
  insert into animus.pauses (faculty, reason, paused_by, created_at) values (p_faculty, p_reason, session_user, animus.now())
  on conflict (faculty) do update set reason = excluded.reason, paused_by = excluded.paused_by, until = null, created_at = excluded.created_at;
  insert into animus.decisions (action, note, decided_by, created_at) values ('pause', p_faculty || ': ' || p_reason, session_user, animus.now());
end $$;

-- Lifts a pause; returns false when there was none.
create or replace function animus.resume(p_faculty text default '*') returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_operator();
  delete from animus.pauses where faculty = p_faculty;
  if not found then return false; end if;
  insert into animus.decisions (action, note, decided_by, created_at) values ('resume', p_faculty, session_user, animus.now());
  perform animus.wake_daemons();
  return true;
end $$;

-- Asks for animus_work_done and animus_ledger notifications of an item, for a while; nobody else pays for them.
create or replace function animus.watch_work(p_id uuid, p_for interval default '1 hour') returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from animus.work_items where id = p_id) then
    perform animus.raise('WA003', format('no work item %s', p_id), p_id);
  end if;
  insert into animus.watches (work_item_id, until) values (p_id, animus.now() + p_for)
  on conflict (work_item_id) do update set until = greatest(animus.watches.until, excluded.until);
end $$;
