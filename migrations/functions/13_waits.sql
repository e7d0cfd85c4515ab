-- Waiting as a state: a call opens a wait, the focus parks, and resolving the last open wait wakes it. Lock order
-- everywhere: the waiting item first, then its waits; ids are read unlocked and read again under the lock.

-- Turns a running call into a waiting one. For a call that already waits or has ended it changes nothing and returns
-- false. Replaces a row left by an earlier focus for a call with the same id.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.open_wait(
  p_focus_id uuid, p_token bigint, p_turn int, p_call_id text, p_kind text,
  p_targets uuid[] default '{}', p_mode text default null, p_deadline timestamptz default null) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
begin
  update animus.tool_calls set state = 'waiting'
   where focus_id = p_focus_id and turn = p_turn and call_id = p_call_id and state in ('pending', 'started');
  if not found then return false; end if;
  insert into animus.waits as w (work_item_id, call_id, kind, targets, mode, deadline, created_at, focus_id, turn)
  values (v_item.id, p_call_id, p_kind, p_targets, p_mode, p_deadline, v_now, p_focus_id, p_turn)
  on conflict (work_item_id, call_id) do update
     set kind = excluded.kind, targets = excluded.targets, mode = excluded.mode, deadline = excluded.deadline,
         created_at = excluded.created_at, resolved_at = null, result = null, subject = null, request = null, request_hash = null,
         focus_id = excluded.focus_id, turn = excluded.turn, ask_id = excluded.ask_id;
  return true;
end $$;

-- Parks a running item: it gives up slot, lease and concurrency key, and the focus stays open. If every wait has been resolved in
-- the meantime, the item goes directly back to the queue. Returns the item's state afterwards.
-- Locks: the item's row, as hold_lease; where it ends, as lock_tree_to_end. Raises: WA001, WA003, 57PA1.
create or replace function animus.park_work(p_id uuid, p_token bigint) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_item animus.held_work := animus.hold_to_cancel(p_id, p_token);
begin
  if v_item.cancel_requested_at is not null then
    perform animus.end_work(p_id, 'cancelled', animus.cancel_error(v_item.cancel_reason), 'cancelled');
    return 'cancelled';
  end if;
  -- Waits left by an earlier focus must not block this one. A turn at the provider's batch API waits without a call, and so does what the
  -- engine itself asks a person.
  delete from animus.waits w
   where w.work_item_id = p_id and w.resolved_at is null and not animus.awaits_batch(w)
     and not (w.subject is not null and w.turn is null and exists (select from animus.foci f where f.id = w.focus_id and f.ended_as is null))
     and not exists (select from animus.tool_calls t join animus.foci f on f.id = t.focus_id
                      where f.work_item_id = p_id and f.ended_as is null and t.call_id = w.call_id and t.turn = w.turn and t.state = 'waiting');
  -- Somebody said something meanwhile, and does not want to wait.
  if v_item.has_mail and exists (select from animus.mailbox m where m.work_item_id = p_id and m.delivered_at is null and m.wake) then
    perform animus.interrupt_waits(p_id, v_item.state, v_now);
  end if;
  if not exists (select from animus.waits where work_item_id = p_id and resolved_at is null) then
    perform animus.requeue(p_id, null, v_now, null);
    return 'queued';
  end if;
  perform animus.lose_open_requests(array[p_id]);
  update animus.work_items set state = 'waiting', lease_owner = null, lease_expires_at = null where id = p_id;
  return 'waiting';
end $$;

-- Resolves one wait and wakes the item if it was the last one. Returns false when the wait was already resolved or does
-- not exist: of several resolvers, one gets true, and the item is woken once. What a person is asked, only animus.approve, deny and answer
-- resolve.
-- Locks: the item's row, waiting two seconds at most, then the wait's. Raises: WA002, 57PA1.
create or replace function animus.resolve_wait(p_work_item_id uuid, p_call_id text, p_result jsonb) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz;
  v_state text;
begin
  -- Lock the item first: this serialises resolvers of its other waits, a park and a cancel, so that «was it the last one»
  -- has one answer.
  perform animus.lock_work(array[p_work_item_id], 10);
  select state into v_state from animus.work_items where id = p_work_item_id;
  if not found then return false; end if;
  v_now := animus.now();
  if exists (select from animus.waits where work_item_id = p_work_item_id and call_id = p_call_id and resolved_at is null and subject is not null) then
    perform animus.raise('WA002', format('%s of work item %s waits for a person', p_call_id, p_work_item_id), p_work_item_id,
      'decide it with animus.approve, animus.deny or animus.answer');
  end if;
  update animus.waits set resolved_at = v_now, result = p_result
   where work_item_id = p_work_item_id and call_id = p_call_id and resolved_at is null;
  if not found then return false; end if;
  perform animus.wake_if_resolved(p_work_item_id, v_state, v_now);
  return true;
end $$;

-- Resolves waits whose deadline has passed, for at most p_limit items: a timer is due, every other kind of wait has timed out
-- and is recorded as such. Locked items are left for the next call. An item on which this fails is left out for a while, as claims leave it out. next_due: when
-- to call again. faults: what was left out now, as note_faults returns it; null: nothing.
-- Locks: the rows of the items, and skips those that others have locked; then the waits; their faults. Raises: nothing.
drop function if exists animus.resolve_due_waits(int);
create or replace function animus.resolve_due_waits(p_limit int default 100, out resolved int, out next_due timestamptz, out faults jsonb)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now     timestamptz := animus.now();
  v_without uuid[] := animus.faulty_items(v_now);
  v_ids     uuid[];
  v_item    record;
  v_n       int;
  v_state   text;
  v_words   text;
  v_found   jsonb[] := '{}';
begin
  resolved := 0;
  select array_agg(d.work_item_id) into v_ids from (
    select work_item_id from animus.waits where resolved_at is null and deadline <= v_now and work_item_id <> all (v_without) order by deadline limit p_limit) d;
  if v_ids is not null then
    for v_item in
      select id, state from animus.work_items where id = any (v_ids) order by id for no key update skip locked
    loop
      begin
        update animus.waits set resolved_at = v_now, result = case kind when 'timer' then '{"due": true}'::jsonb else '{"timed_out": true}' end
         where work_item_id = v_item.id and resolved_at is null and deadline <= v_now;
        get diagnostics v_n = row_count;
        if v_n > 0 then
          if exists (select from animus.waits where work_item_id = v_item.id and resolved_at = v_now and subject is not null) then
            perform animus.notify_of('animus_asks', v_item.id);
          end if;
          perform animus.wake_if_resolved(v_item.id, v_item.state, v_now);
        end if;
        resolved := resolved + v_n;
      exception when others then
        get stacked diagnostics v_state = returned_sqlstate, v_words = message_text;
        if animus.error_reach(v_state) <> 'item' then raise; end if;
        v_found := v_found || jsonb_build_object('id', v_item.id, 'state', v_state, 'message', v_words);
      end;
    end loop;
  end if;
  if v_found <> '{}' then
    faults := (select jsonb_agg(to_jsonb(n)) from animus.note_faults(v_found) n);
    v_without := animus.faulty_items(v_now);
  end if;
  select deadline into next_due from animus.waits where resolved_at is null and deadline is not null and work_item_id <> all (v_without) order by deadline limit 1;
end $$;

-- Puts a waiting item back into the queue when none of its waits is open; the caller has locked the item.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.wake_if_resolved(p_id uuid, p_state text, p_now timestamptz) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if p_state <> 'waiting' or exists (select from animus.waits where work_item_id = p_id and resolved_at is null) then return; end if;
  perform animus.requeue(p_id, null, p_now, null);
end $$;
