-- The ends of work that was not completed, and what follows from every end. All are fenced by the lease token.

-- Ends a failed attempt: the item is retried at p_retry_at, or dead if that is null or no attempts are left. p_keep:
-- 'transcript' keeps the focus open for the next attempt, anything else ends it. Returns the item's new state.
-- Locks: the item's row, as hold_lease; where it ends, as lock_tree_to_end. Raises: WA001, WA003, 57PA1.
create or replace function animus.fail_work(p_id uuid, p_token bigint, p_error jsonb, p_retry_at timestamptz default null, p_keep text default 'ledger') returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_held animus.held_work;
begin
  v_held := animus.hold_to_cancel(p_id, p_token,
    p_retry_at is null or exists (select from animus.work_items where id = p_id and attempts + 1 >= max_attempts));
  p_error := animus.cut_error(p_error);
  if v_held.cancel_requested_at is not null then
    perform animus.end_work(p_id, 'cancelled', animus.cancel_error(v_held.cancel_reason), 'cancelled');
    return 'cancelled';
  end if;
  if p_retry_at is null or v_held.attempts + 1 >= v_held.max_attempts then
    update animus.work_items set attempts = attempts + 1, crashes = 0 where id = p_id;
    perform animus.end_work(p_id, 'dead', p_error, 'failed');
    return 'dead';
  end if;
  if p_keep <> 'transcript' then
    perform animus.lose_open_requests(array[p_id]);
    update animus.foci set ended_as = 'failed', ended_at = v_now, error = p_error where work_item_id = p_id and ended_as is null;
    perform animus.tell_readers(p_id);
  else
    perform animus.add_mark(p_id, 'failed', json_build_object('error', left(coalesce(p_error ->> 'message', p_error ->> 'reason'), 4000)), v_now);
  end if;
  return animus.requeue(p_id, p_retry_at, v_now, p_error, p_failed => 1);
end $$;

drop function if exists animus.end_cancelled(uuid, bigint);
-- Cancels a running item whose cancel was requested; called by its own focus. p_text: what the model had said of the answer to turn p_turn, which was
-- cut off; null if none was under way. It is kept as text that was said.
-- Locks: as lock_tree_to_end. Raises: WA001, WA002, WA003, 57PA1.
create or replace function animus.end_cancelled(p_id uuid, p_token bigint, p_turn int default null, p_text text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_held animus.held_work;
begin
  v_held := animus.hold_to_cancel(p_id, p_token);
  if v_held.cancel_requested_at is null then
    perform animus.raise('WA002', format('nobody asked to cancel work item %s', p_id), p_id);
  end if;
  if p_text <> '' then
    update animus.foci f set cut_off_turn = p_turn, cut_off_text = p_text
     where f.work_item_id = p_id and f.ended_as is null
       and not exists (select from animus.turns t where t.focus_id = f.id and t.turn >= p_turn and t.recorded_at is not null);
  end if;
  perform animus.end_work(p_id, 'cancelled', animus.cancel_error(v_held.cancel_reason), 'cancelled');
end $$;

-- Ends an item as dead or cancelled, and everything it spawned that is not detached. The caller holds its row lock, and usually all the others.
-- Locks: as lock_tree_to_end. Raises: 57PA1.
create or replace function animus.end_work(p_id uuid, p_state text, p_error jsonb, p_focus_ended_as text) returns void
language plpgsql as $$
declare
  v_open uuid[] := animus.lock_tree_to_end(array[p_id]);
begin
  perform animus.end_works(array[p_id], p_state, null, null, p_error, p_focus_ended_as);
  perform animus.cancel_open(v_open, format('its parent %s is %s', p_id, p_state));
end $$;

-- Ends items in any open state. The caller has locked their rows, and those of the items that wait for them, in an earlier statement.
-- Locks: none beyond those of the caller. Raises: 57PA1.
create or replace function animus.end_works(
  p_ids uuid[], p_state text, p_outcomes jsonb[], p_summaries text[], p_error jsonb, p_focus_ended_as text) returns void
language plpgsql set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform animus.end_items(p_ids, p_state, p_outcomes, p_summaries, p_error, p_focus_ended_as);
end $$;

-- Ends items, and returns the ids of those that it has ended. Without p_tokens: the caller has locked their rows, and those of the items that wait for them, in an earlier
-- statement. With them: those whose token is valid and that are not locked. An item with undelivered messages is then skipped, unless p_unread says why they
-- cannot be read any more, or its cancel was requested. So is one for which others wait, unless it is in p_locked: the caller has locked those, too, in the
-- order of ids. One statement locks, checks and writes; it waits for no lock, so it needs no order. Whether an item is active is checked by its lease,
-- which the trigger keeps in step with the state: a condition on the state could be planned as a scan of every active item. Without jit = off PostgreSQL
-- before 18, where a scan that has no other way costs ten billion, would compile the plans of the triggers' steps on each run.
-- The settings are those of its callers: setting them a second time cost a tenth of the end of one item.
-- Locks: the rows of the items. Raises: 57PA1.
create or replace function animus.end_items(
  p_ids uuid[], p_state text, p_outcomes jsonb[], p_summaries text[], p_error jsonb, p_focus_ended_as text,
  p_tokens bigint[] default null, p_unread text[] default null, p_locked uuid[] default '{}') returns uuid[]
language plpgsql as $$
declare
  v_now      timestamptz := animus.now();
  v_ids      uuid[];
  v_messages bigint[];
  v_keyed    boolean;
  v_mail     boolean;
  v_awaited  boolean;
  v_begun    uuid[];
begin
  with ended as (
    update animus.work_items w
       set state = p_state, outcome = case when pg_column_size(i.outcome) > 4096 then animus.keep_outcome(i.id, i.outcome) else i.outcome end,
           outcome_summary = left(i.summary, 10000), error = p_error, resolved_at = v_now, lease_owner = null, lease_expires_at = null, key_blocked = false,
           cancel_reason = case when p_state = 'cancelled' then coalesce(p_error ->> 'message', p_error ->> 'reason') else w.cancel_reason end
      from (select u.* from unnest(p_ids, p_tokens, p_outcomes, p_summaries, p_unread) as u (id, token, outcome, summary, unread)
              join animus.work_items l on l.id = u.id and (p_tokens is null or l.lease_token = u.token and l.lease_expires_at is not null
                   and (u.unread is not null or l.cancel_requested_at is not null or not animus.mail_waits(l.id, l.has_mail, l.dedup_key is not null))
                   and (l.awaited is null or l.id = any (p_locked)))
             for no key update of l skip locked) i
     where w.id = i.id and (p_tokens is null or w.lease_token = i.token and w.lease_expires_at is not null)
    returning w.id, w.dedup_key, w.queue_msg_id, w.has_mail, w.awaited, i.unread)
  select array_agg(id), array_agg(queue_msg_id), bool_or(dedup_key is not null), bool_or(unread is not null and (has_mail or dedup_key is not null)),
         bool_or(awaited), array_agg(id) filter (where animus.watch_begins(id))
    into v_ids, v_messages, v_keyed, v_mail, v_awaited, v_begun from ended;
  if v_ids is null then return '{}'; end if;
  if v_mail then
    update animus.mailbox m set not_delivered = u.unread from unnest(p_ids, p_unread) as u (id, unread)
     where m.work_item_id = u.id and u.id = any (v_ids) and m.delivered_at is null and u.unread is not null;
  end if;
  perform animus.follow_ends(v_ids, v_messages, v_begun, v_keyed, p_state, p_error, p_focus_ended_as, v_now);
  if v_awaited then perform animus.wake_waiters(v_ids, v_now); end if;
  return v_ids;
end $$;

-- Returns the key of the advisory lock that sessions share while they register a watch of the item.
-- Locks: none. Raises: nothing.
create or replace function animus.watch_key(p_id uuid) returns bigint
language sql immutable parallel safe as $$ select hashtextextended(p_id::text, 7301) $$;

-- Returns the key of the advisory lock that transactions share from the end of an item until their commit. There are 64 of them for all items, so
-- that a transaction that ends many needs no more: the table of locks is shared by the whole server, and full at some ten thousand.
-- Locks: none. Raises: nothing.
create or replace function animus.ends_key(p_id uuid) returns bigint
language sql immutable parallel safe as $$ select 7302000000 + (get_byte(uuid_send(p_id), 15) & 63) $$;

-- Returns whether somebody may be registering a watch of an item that this transaction has ended, which is then to be notified. The caller has updated
-- its row. The lock of a watch is let go at once, and the one of ends kept: a session that registers a watch later finds a row that somebody has
-- changed, and waits for those that keep the latter (watch_work). Taken and let go in one expression, which nothing can interrupt.
-- Locks: an advisory lock for all ends, shared; that of the item's watch, for a moment; waits for neither. Raises: nothing.
create or replace function animus.watch_begins(p_id uuid) returns boolean
language plpgsql as $$
begin
  return not case when pg_try_advisory_xact_lock_shared(animus.ends_key(p_id))
    then case when pg_try_advisory_lock(animus.watch_key(p_id)) then pg_advisory_unlock(animus.watch_key(p_id)) else false end else false end;
end $$;

-- Ends the parts of items that have just ended (message, key, focus, waits) and notifies their watchers, in the caller's transaction.
-- One statement per table, not one for all: a part that an item does not have costs only a probe. The callers keep the plans, because
-- planning for seven tables cost twice as much as running it.
-- An uncommitted watch is invisible, so a session that registers one holds a shared advisory lock of the item until its commit; if that
-- lock is held, the end is notified. This function waits for no lock; a watcher waits for an end that is being committed.
-- p_begun: those for which watch_begins, in the statement that ended them.
-- Locks: the rows of these. Raises: nothing.
drop function if exists animus.follow_ends(uuid[], bigint[], boolean, text, jsonb, text, timestamptz);
create or replace function animus.follow_ends(
  p_ids uuid[], p_messages bigint[], p_begun uuid[], p_keyed boolean, p_state text, p_error jsonb, p_focus_ended_as text, p_now timestamptz) returns void
language plpgsql as $$
declare
  v_watched uuid[];
  v_focus   boolean;
  v_wait    boolean;
  v_watch   boolean;
begin
  with message as (
    delete from pgmq.q_animus_work m where m.msg_id = any (p_messages) returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message)
  insert into pgmq.a_animus_work (msg_id, read_ct, enqueued_at, vt, message) select msg_id, read_ct, enqueued_at, vt, message from message;

  if p_keyed then
    delete from animus.active_keys k using animus.work_items w
     where w.id = any (p_ids) and k.faculty = w.faculty
       -- The first form is that of items from before people had keys of their own.
       and k.dedup_key = any (array[w.dedup_key, animus.key_among(w.dedup_key, case when w.depth = 0 then w.submitted_by else animus.submitter_of(w.root_id) end)])
       and k.work_item_id = w.id;
  end if;

  -- In a later statement than the one that tried the locks of watches: a session that released its lock in between has committed its watch.
  select exists (select from animus.foci where work_item_id = any (p_ids) and ended_as is null),
         exists (select from animus.waits where work_item_id = any (p_ids) and resolved_at is null),
         exists (select from animus.watches where work_item_id = any (p_ids)) into v_focus, v_wait, v_watch;
  if v_focus then
    -- Work completes by an answer that is recorded.
    if p_state <> 'completed' then perform animus.lose_open_requests(p_ids); end if;
    -- A focus without a consolidate hook does not record that phase: it begins and ends here.
    update animus.foci set ended_as = p_focus_ended_as, ended_at = p_now, error = p_error, phase = case p_focus_ended_as when 'completed' then 'consolidate' else phase end
     where work_item_id = any (p_ids) and ended_as is null;
  end if;
  -- Close the waits: a late answer then finds nothing to resolve.
  if v_wait then
    update animus.waits set resolved_at = p_now, result = jsonb_build_object('ended', p_state)
     where work_item_id = any (p_ids) and resolved_at is null;
  end if;
  if not v_watch and p_begun is null then return; end if;
  -- Sent only if the item is watched; an unwatched item costs no NOTIFY. Do not wait for a watch that is being registered or
  -- renewed in an open transaction: retention removes it when it expires.
  v_watched := array(select u.id from unnest(p_ids) u (id)
                      where u.id = any (p_begun) or exists (select from animus.watches w where w.work_item_id = u.id));
  delete from animus.watches where work_item_id in (select work_item_id from animus.watches where work_item_id = any (v_watched) for update skip locked);
  perform animus.notify_of('animus_work_done', watched) from unnest(v_watched) watched;
end $$;
