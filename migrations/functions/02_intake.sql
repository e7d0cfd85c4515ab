-- The way in: plain inserts into animus.work_items. Triggers do dedup, the queue message and the wake-up in the caller's transaction.

create or replace function animus.work_items_before_insert() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now    timestamptz := animus.now();
  v_parent record;
begin
  if num_nonnulls(new.id, new.root_id, new.depth, new.state, new.merged_into, new.max_attempts, new.lease_owner, new.lease_token,
                  new.lease_expires_at, new.cancel_requested_at, new.cancel_reason, new.outcome, new.outcome_summary, new.error,
                  new.created_at, new.updated_at, new.resolved_at, new.queue_msg_id) > 0
     or new.attempts <> 0 or new.crashes <> 0 or new.turns <> 0 or new.turns_at_claim <> 0
     or new.cost_usd <> 0 or new.input_tokens <> 0 or new.output_tokens <> 0 or new.key_blocked then
    perform animus.raise('WA004', 'the insert sets a column that the engine owns',
      p_hint => 'set only faculty, skill, description, params, dedup_key, source, trigger_info, priority, run_at, concurrency_key, parent_id, trace_context');
  end if;

  new.id := animus.uuid_v7();
  new.created_at := v_now;
  new.updated_at := v_now;
  new.root_id := new.id;
  new.depth := 0;
  if new.parent_id is not null then
    select root_id, depth into v_parent from animus.work_items where id = new.parent_id;
    if not found then
      perform animus.raise('WA003', format('no work item %s to be the parent', new.parent_id), new.parent_id);
    end if;
    if v_parent.depth >= 5 then
      perform animus.raise('WA004', 'child work is at most five levels deep', new.parent_id);
    end if;
    new.root_id := v_parent.root_id;
    new.depth := v_parent.depth + 1;
  end if;

  if new.dedup_key is not null then
    -- take_key, its common case written out: a call costs as much as the insert it makes.
    insert into animus.active_keys (faculty, dedup_key, work_item_id) values (new.faculty, new.dedup_key, new.id) on conflict do nothing;
    if not found then
      new.merged_into := animus.take_key(new.faculty, new.dedup_key, new.id);
    end if;
    if new.merged_into is not null then
      new.state := 'merged';
      new.resolved_at := v_now;
      return new;
    end if;
  end if;

  new.state := case when new.run_at > v_now then 'scheduled' else 'queued' end;
  -- One message per item, written to pgmq's table directly and in the columns that every version of pgmq has: pgmq.send
  -- builds its statement as text on each call, which costs more than the insert itself.
  insert into pgmq.q_work (vt, message) values (greatest(new.run_at, v_now), jsonb_build_object('work_item_id', new.id))
  returning msg_id into new.queue_msg_id;
  return new;
end $$;

-- Takes the key for the item, or returns the active item that holds it. Waits for a concurrent insert of the same key to
-- commit or roll back; loops when the holder ended between the two statements.
create or replace function animus.take_key(p_faculty text, p_dedup_key text, p_id uuid) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_holder uuid;
begin
  loop
    insert into animus.active_keys (faculty, dedup_key, work_item_id) values (p_faculty, p_dedup_key, p_id) on conflict do nothing;
    if found then return null; end if;
    select work_item_id into v_holder from animus.active_keys where faculty = p_faculty and dedup_key = p_dedup_key;
    if found then return v_holder; end if;
  end loop;
end $$;

-- One notification per statement, and only when a daemon has room: NOTIFY takes a database-wide lock at commit. A daemon
-- that marks itself free scans afterwards, so an insert that saw it busy is found.
create or replace function animus.work_items_after_insert() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.wake_daemons();
  return null;
end $$;

create or replace function animus.wake_daemons() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from animus.daemons where stopped_at is null and not saturated) then
    perform pg_notify('animus_work_ready', '');
  end if;
end $$;

-- Guards every update: legal transitions only, identity and the terminal outcome fixed, and the concurrency key handed on.
create or replace function animus.work_items_before_update() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.state <> old.state and not animus.transition_allowed(old.state, new.state) then
    perform animus.raise('WA002', format('work item %s is %s and cannot become %s', old.id, old.state, new.state), old.id);
  end if;
  if (new.id, new.faculty, new.root_id, new.depth, new.created_at) is distinct from (old.id, old.faculty, old.root_id, old.depth, old.created_at)
     or new.parent_id is distinct from old.parent_id or new.dedup_key is distinct from old.dedup_key
     or new.concurrency_key is distinct from old.concurrency_key then
    perform animus.raise('WA004', format('work item %s: its identity (faculty, keys, parent) cannot change', old.id), old.id);
  end if;
  new.updated_at := animus.now();
  return new;
end $$;

-- When an item gives up its concurrency key (it held it, or it was the one that was offered it), the best waiting item of
-- each faculty is offered the key. One per faculty, because a faculty may be paused or full.
create or replace function animus.work_items_pass_key() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.unblock_key(old.concurrency_key);
  return null;
end $$;

create or replace function animus.unblock_key(p_key text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_faculty text := '';
  v_id      uuid;
begin
  loop
    select faculty into v_faculty from animus.work_items
     where concurrency_key = p_key and state = 'queued' and key_blocked and faculty > v_faculty order by faculty limit 1;
    exit when not found;
    select id into v_id from animus.work_items
     where concurrency_key = p_key and state = 'queued' and key_blocked and faculty = v_faculty order by priority desc, id limit 1;
    update animus.work_items set key_blocked = false where id = v_id and state = 'queued';
  end loop;
end $$;

create or replace trigger work_items_before_insert before insert on animus.work_items
  for each row execute function animus.work_items_before_insert();
create or replace trigger work_items_after_insert after insert on animus.work_items
  for each statement execute function animus.work_items_after_insert();
create or replace trigger work_items_before_update before update on animus.work_items
  for each row execute function animus.work_items_before_update();
create or replace trigger work_items_pass_key after update of state on animus.work_items
  for each row when (old.concurrency_key is not null and new.state <> old.state
    and (old.state in ('claimed', 'running') and new.state not in ('claimed', 'running')
      or old.state = 'queued' and not old.key_blocked and new.state <> 'claimed'))
  execute function animus.work_items_pass_key();

-- The same as an insert, and tells whether the work merged into an active duplicate.
create or replace function animus.submit_work(
  faculty text, description text default '', params jsonb default '{}', skill text default null, dedup_key text default null,
  priority int default 0, run_at timestamptz default null, concurrency_key text default null, parent_id uuid default null,
  source text default 'sql', trigger_info jsonb default null, trace_context text default null,
  out id uuid, out state text, out merged_into uuid)
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into animus.work_items as w (faculty, skill, description, params, dedup_key, source, trigger_info, priority, run_at, concurrency_key, parent_id, trace_context)
  values (submit_work.faculty, submit_work.skill, submit_work.description, submit_work.params, submit_work.dedup_key, submit_work.source,
          submit_work.trigger_info, submit_work.priority, submit_work.run_at, submit_work.concurrency_key, submit_work.parent_id, submit_work.trace_context)
  returning w.id, w.state, w.merged_into
$$;
