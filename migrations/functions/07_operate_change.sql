-- What people change about work that has not begun.

-- Changes an item that is queued or scheduled: its priority, when it runs at the earliest (in the past: as soon as possible) and, before its first focus, its
-- description. Null leaves a value as it is. For operators, and for the submitter of an item. p_seen: the updated_at that the caller has read, to the millisecond; if
-- the item has changed since, it stays as it is. Returns the state and updated_at afterwards. An answer of a conversation keeps its turn and its words: only
-- its priority can be changed. An attempt that would come later is brought forward by operators only, and never while commands of a daemon that was lost may still run. Who wrote the
-- description has caused the work (has_caused).
-- Locks: the item's row; waits two seconds at most. Raises: WA002, WA003, WA004, 23514, 42501, 57PA1.
create or replace function animus.change_work(
  p_id uuid, p_priority int default null, p_run_at timestamptz default null, p_description text default null, p_seen timestamptz default null
) returns table (state text, updated_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
-- Callers: submitter, operator, gateway.
#variable_conflict use_column
declare
  v_now   constant timestamptz := animus.now();
  v_all   constant boolean := animus.may_operate();
  v_owner text;
  v_item  animus.work_items;
begin
  -- Who may not see an item does not learn that it exists, and cannot lock it.
  select w.submitted_by into v_owner from animus.work_items w where w.id = p_id;
  if not found or not v_all and not animus.may_see(v_owner) and not animus.may_stop(p_id) then perform animus.raise('WA003', format('no work item %s', p_id), p_id); end if;
  if not v_all and v_owner is distinct from animus.actor() then perform animus.require_operator(); end if;
  if num_nonnulls(p_priority, p_run_at, p_description) = 0 then
    perform animus.raise('WA004', 'nothing is to be changed: give a priority, a time or a description', p_id);
  end if;
  if not isfinite(p_run_at) then perform animus.raise('WA004', format('%s is not a time at which work can run', p_run_at), p_id); end if;
  perform animus.lock_work(array[p_id], 10);
  select * into v_item from animus.work_items w where w.id = p_id;
  if not found then perform animus.raise('WA003', format('no work item %s', p_id), p_id); end if;
  if v_item.state not in ('queued', 'scheduled') then
    perform animus.raise('WA002', format('work item %s is %s; only queued and scheduled work can be changed', p_id, v_item.state), p_id);
  end if;
  if date_trunc('milliseconds', v_item.updated_at) <> date_trunc('milliseconds', p_seen) then
    perform animus.raise('WA002', format('work item %s has changed since it was read', p_id), p_id, 'read it again, then decide');
  end if;
  if v_item.source = 'chat' and num_nonnulls(p_run_at, p_description) > 0 then
    perform animus.raise('WA002', format('work item %s answers a message: only its priority can be changed', p_id), p_id, 'edit the message');
  end if;
  if p_run_at < v_item.run_at and v_item.suspect_of is not null then
    perform animus.raise('WA002', format('work item %s waits until commands of a lost daemon have ended', p_id), p_id);
  end if;
  if p_run_at < v_item.run_at and v_item.lease_token is not null then perform animus.require_operator(); end if;
  if p_description is not null and exists (select from animus.foci f where f.work_item_id = p_id) then
    perform animus.raise('WA002', format('work item %s has begun before, with its description', p_id), p_id, 'say it to the item instead');
  end if;

  if p_description is not null and v_all then
    insert into animus.decisions (work_item_id, action, note, decided_by, created_at, subject_digest)
    values (p_id, 'change', animus.cut_text('its description was: ' || v_item.description, 10000), animus.actor(), v_now, sha256(convert_to(p_description, 'UTF8')));
  end if;
  if p_run_at < v_now then p_run_at := v_now; end if;
  update animus.work_items w
     set priority = coalesce(p_priority, w.priority), description = coalesce(p_description, w.description), run_at = coalesce(p_run_at, w.run_at),
         state = case when p_run_at > v_now then 'scheduled' when p_run_at is not null then 'queued' else w.state end,
         key_blocked = case when p_run_at > v_now then false else w.key_blocked end
   where w.id = p_id returning * into v_item;
  if p_run_at is not null then
    update pgmq.q_animus_work set vt = p_run_at where msg_id = v_item.queue_msg_id;
  end if;
  if v_item.state = 'queued' then perform animus.wake_daemons(); end if;
  -- Decisions are kept for ever: a submitter who repeats itself must not be able to fill the disk.
  if v_all and num_nonnulls(p_priority, p_run_at) > 0 then
    insert into animus.decisions (work_item_id, action, note, decided_by, created_at)
    values (p_id, 'change', concat_ws(', ', 'priority ' || p_priority, 'not before ' || to_char(p_run_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')), animus.actor(), v_now);
  end if;
  perform animus.notify_of('animus_events', p_id) where exists (select from animus.watches w where w.work_item_id = p_id);
  return query select v_item.state, v_item.updated_at;
end $$;
