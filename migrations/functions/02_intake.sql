-- Intake: plain inserts into animus.work_items. Triggers do dedup, the queue message and the wake-up in the caller's transaction.
-- They also check what would otherwise be check constraints: PostgreSQL parses those again for every statement that writes a row.

-- Returns the rule that an inserted row breaks, as `name: rule`, or null. The length of a faculty is checked beside its pattern: a counted
-- repetition ({0,62}) cost 1.9 µs of processor time per row, this costs 0.2.
-- Locks: none. Raises: nothing.
create or replace function animus.broken_input(
  p_faculty text, p_skill text, p_params jsonb, p_dedup_key text, p_concurrency_key text, p_trace_context text) returns text
language sql immutable parallel safe as $$
  select case
    when p_faculty !~ '^[a-z][a-z0-9_-]*$' or octet_length(p_faculty) > 63 then 'work_items_faculty_check: faculty is 1 to 63 lower-case letters, digits, - and _, starting with a letter'
    when length(p_skill) not between 1 and 64 then 'work_items_skill_check: skill has 1 to 64 characters'
    when jsonb_typeof(p_params) <> 'object' then 'work_items_params_check: params is a JSON object'
    when octet_length(p_dedup_key) not between 1 and 1024 then 'work_items_dedup_key_check: dedup_key has 1 to 1024 bytes'
    when octet_length(p_concurrency_key) not between 1 and 1024 then 'work_items_concurrency_key_check: concurrency_key has 1 to 1024 bytes'
    when length(p_trace_context) > 256 then 'work_items_trace_context_check: trace_context has at most 256 characters'
  end
$$;

-- Refuses a row as a check constraint of that name would.
-- Locks: none. Raises: 23514.
create or replace function animus.refuse_row(p_broken text) returns void
language plpgsql as $$
begin
  raise check_violation using schema = 'animus', table = 'work_items', constraint = split_part(p_broken, ':', 1),
    message = format('%s (check constraint "%s" of work items)', substr(p_broken, strpos(p_broken, ':') + 2), split_part(p_broken, ':', 1));
end $$;

-- Completes an inserted row: id, owner, place in its tree, state, number of its message; merges a duplicate; refuses a row that
-- breaks a rule. It is half of the cost of a bulk insert, so what only some rows need is in functions of its own.
-- Locks: the parent's row, against deletion; the dedup key, until the end of the transaction. Raises: WA003, WA004, 23514.
create or replace function animus.work_items_before_insert() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now constant timestamptz := animus.now();
  v_us  constant bigint := date_part('epoch', clock_timestamp()) * 1000000;
  v_key text;
  v_broken text;
begin
  if num_nonnulls(new.id, new.root_id, new.depth, new.state, new.merged_into, new.max_attempts, new.lease_owner, new.lease_token,
                  new.lease_expires_at, new.lease_seconds, new.cancel_requested_at, new.cancel_reason, new.outcome, new.outcome_summary, new.error,
                  new.created_at, new.updated_at, new.resolved_at, new.queue_msg_id, new.submitted_by, new.has_mail, new.awaited, new.died_at, new.suspect_of, new.alone_until) > 0
     or new.attempts <> 0 or new.crashes <> 0 or new.unstarted_claims <> 0 or new.deaths <> 0 or new.died_at_turn <> 0 or new.turns <> 0 or new.turns_at_claim <> 0
     or new.cost_usd <> 0 or new.lost_usd <> 0 or new.lost_requests <> 0 or new.estimated_usd <> 0 or new.calls <> 0 or new.unpriced_calls <> 0
     or new.uncounted_calls <> 0 or new.assumed_tokens <> 0 or new.input_tokens <> 0 or new.output_tokens <> 0 or new.key_blocked then
    perform animus.raise('WA004', 'the insert sets a column that the engine owns',
      p_hint => 'set only faculty, skill, description, params, dedup_key, source, trigger_info, priority, run_at, concurrency_key, parent_id, trace_context, batch, detached; rows of a dump are restored with pg_restore --disable-triggers (docs/operations.md)');
  end if;
  v_broken := animus.broken_input(new.faculty, new.skill, new.params, new.dedup_key, new.concurrency_key, new.trace_context);
  -- What is small is not asked about further: oversized_input has a query, which takes ten times as long to begin.
  if v_broken is null and (octet_length(new.description) > 1048576 or octet_length(new.source) > 1024 or greatest(pg_column_size(new.params), pg_column_size(new.trigger_info)) > 1600
     or num_nonnulls(pg_column_compression(new.params), pg_column_compression(new.trigger_info)) > 0) then
    v_broken := animus.oversized_input(new.description, new.params, new.trigger_info, new.source);
  end if;
  if v_broken is not null then perform animus.refuse_row(v_broken); end if;
  new.id := animus.uuid_at(v_us);
  new.submitted_by := animus.actor();
  new.created_at := v_now;
  new.updated_at := v_now;
  new.root_id := new.id;
  new.depth := 0;
  if new.parent_id is not null then
    select p.root_id, p.depth into new.root_id, new.depth from animus.place_below(new.parent_id) p;
  end if;
  if new.dedup_key is not null then
    v_key := animus.key_among(new.dedup_key, case when new.parent_id is null then new.submitted_by else animus.submitter_of(new.root_id) end);
    -- take_key, its common case written out: a call costs as much as the insert it makes.
    insert into animus.active_keys (faculty, dedup_key, work_item_id) values (new.faculty, v_key, new.id) on conflict do nothing;
    if not found then
      new.merged_into := animus.take_key(new.faculty, v_key, new.id);
    end if;
    if new.merged_into is not null then
      perform animus.refuse_merge_into_ancestor(new.parent_id, new.merged_into);
      new.state := 'merged';
      new.resolved_at := v_now;
      if exists (select from animus.told_faculties t where t.faculty = new.faculty) then
        perform animus.tell_duplicate(new.merged_into, new.id, new.parent_id, new.submitted_by, new.description, new.params, v_now);
      end if;
      return new;
    end if;
  end if;

  new.state := case when new.run_at > v_now then 'scheduled' else 'queued' end;
  new.queue_msg_id := nextval('pgmq.q_animus_work_msg_id_seq');
  return new;
end $$;

-- Returns the key under which an item finds its duplicates. Logins share their keys. Each person has keys of their own, for their items and the child
-- work of these: otherwise anyone who guesses a key would learn which work of others is active, and could keep it from being done. A key of a login that
-- looks like one of a person is kept apart from it. p_submitter: of the root item.
-- Locks: none. Raises: nothing.
create or replace function animus.key_among(p_dedup_key text, p_submitter text) returns text
language sql immutable parallel safe
return case when starts_with(p_submitter, 'person:') then p_submitter || chr(10) || p_dedup_key
            when starts_with(p_dedup_key, 'person:') then chr(10) || p_dedup_key else p_dedup_key end;

-- Returns the root and the depth of a new child of an item.
-- Locks: the item's row, against deletion. Raises: WA003, WA004.
create or replace function animus.place_below(p_parent_id uuid, out root_id uuid, out depth int)
language plpgsql as $$
declare
  v_owner text;
begin
  -- Locked as the foreign key will lock it: retention may be deleting it.
  select w.root_id, w.depth + 1, w.submitted_by into root_id, depth, v_owner from animus.work_items w where w.id = p_parent_id for key share;
  -- A caller who may not see an item may not add children to it, and does not learn that it exists.
  if not found or not animus.may_add_to(v_owner) then
    perform animus.raise('WA003', format('no work item %s to be the parent', p_parent_id), p_parent_id);
  end if;
  if depth > 5 then
    perform animus.raise('WA004', 'child work is at most five levels deep', p_parent_id);
  end if;
end $$;

-- Takes a key, as key_among returns it, for the item, or returns the active item that holds it. Waits for a concurrent insert of the same key to
-- commit or roll back; loops when the holder ended between the two statements.
-- Locks: the dedup key, until the end of the transaction. Raises: nothing.
create or replace function animus.take_key(p_faculty text, p_dedup_key text, p_id uuid) returns uuid
language plpgsql as $$
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

-- Refuses a child that would merge into one of its ancestors, because that item would wait for itself.
-- Locks: none. Raises: WA004.
create or replace function animus.refuse_merge_into_ancestor(p_parent_id uuid, p_holder uuid) returns void
language plpgsql as $$
declare
  v_id uuid := p_parent_id;
begin
  while v_id is not null loop
    if v_id = p_holder then
      perform animus.raise('WA004', format('the work is a duplicate of its own ancestor: %s', animus.name_work(p_holder)), animus.shown_work(p_holder),
        'give child work a dedup_key of its own');
    end if;
    select parent_id into v_id from animus.work_items where id = v_id;
  end loop;
end $$;

-- Writes the queue messages of the items that a statement inserted, and wakes the daemons. One statement writes the messages of
-- all rows that were really inserted: row by row they cost as much as the items themselves. Written to pgmq's table directly,
-- in the columns that every version of pgmq has: pgmq.send builds its statement as text on each call. Messages of one statement become
-- visible at the same time: equal entries of the index on vt are stored once, which makes it a third as large.
-- Locks: none. Raises: nothing.
create or replace function animus.work_items_after_insert() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now constant timestamptz := animus.now();
begin
  insert into pgmq.q_animus_work (msg_id, vt, message) overriding system value
  select queue_msg_id, greatest(run_at, v_now), jsonb_build_object('work_item_id', id) from inserted where queue_msg_id is not null;
  if found then perform animus.wake_daemons(); end if;
  if pg_sequence_last_value('animus.webhooks_number_seq') is not null then
    perform animus.note_state(row(i.*)::animus.work_items, null)
       from inserted i
      where exists (select from animus.webhooks h where 'work.' || i.state = any (h.events) and (h.faculties is null or i.faculty = any (h.faculties)))
      order by i.id;
  end if;
  return null;
end $$;

-- Guards every update: legal transitions only, identity fixed, state and its columns in step. In plpgsql, whose plans are kept: a
-- trigger's WHEN clause is parsed anew by every statement, like a check constraint.
-- Locks: none. Raises: WA002, WA004, 23514.
create or replace function animus.work_items_before_update() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_active boolean := new.state in ('claimed', 'running');
  v_ended  boolean := new.state in ('completed', 'dead', 'merged', 'cancelled');
  v_broken text;
begin
  if new.state <> old.state and not animus.transition_allowed(old.state, new.state) then
    perform animus.raise('WA002', format('work item %s is %s and cannot become %s', old.id, old.state, new.state), old.id);
  end if;
  if new.id <> old.id or new.faculty <> old.faculty or new.root_id <> old.root_id or new.depth <> old.depth or new.created_at <> old.created_at
     or new.parent_id is distinct from old.parent_id or new.dedup_key is distinct from old.dedup_key
     or new.concurrency_key is distinct from old.concurrency_key then
    perform animus.raise('WA004', format('work item %s: its identity (faculty, keys, parent) cannot change', old.id), old.id);
  end if;

  v_broken := case
    when v_active <> (new.lease_expires_at is not null) then 'lease_while_active: claimed and running items, and no others, have a lease'
    when v_active <> (new.lease_owner is not null) then 'owner_while_active: claimed and running items, and no others, have an owner'
    when v_ended <> (new.resolved_at is not null) then 'resolved_has_time: ended items, and no others, have resolved_at'
    when (new.state = 'merged') <> (new.merged_into is not null) then 'merged_names_its_target: merged items, and no others, name the item they merged into'
    when not v_ended and new.queue_msg_id is null then 'open_has_message: open items have a message in the queue'
    when new.key_blocked and new.state <> 'queued' then 'only_queued_is_blocked: only queued items wait for a concurrency key'
    when new.attempts < 0 then 'work_items_attempts_check: attempts is not negative'
    when new.crashes < 0 then 'work_items_crashes_check: crashes is not negative'
    when new.max_attempts < 1 then 'work_items_max_attempts_check: max_attempts is at least 1'
  end;
  if v_broken is not null then perform animus.refuse_row(v_broken); end if;

  -- The item gave up its concurrency key: it held the key, or the key had been offered to it. The next claim passes it
  -- on.
  if old.concurrency_key is not null and not v_active
     and (old.state in ('claimed', 'running') or old.state = 'queued' and new.state <> 'queued') then
    insert into animus.freed_keys (concurrency_key) values (old.concurrency_key);
    perform animus.wake_daemons();
  end if;

  new.updated_at := animus.now();
  -- Null until a webhook is added for the first time. A query of the empty table would cost ten times as much, in each change of state.
  if new.state <> old.state and pg_sequence_last_value('animus.webhooks_number_seq') is not null then
    if exists (select from animus.webhooks h where 'work.' || new.state = any (h.events) and (h.faculties is null or new.faculty = any (h.faculties))) then
      perform animus.note_state(new, old.state);
    end if;
  end if;
  return new;
end $$;

-- Checks updates of the columns that an insert may set. Only for statements that name one of the columns: the engine
-- never does, and params may be large.
-- Locks: none. Raises: 23514.
create or replace function animus.work_items_check_input() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_broken text := animus.broken_input(new.faculty, new.skill, new.params, new.dedup_key, new.concurrency_key, new.trace_context);
begin
  v_broken := coalesce(v_broken, animus.oversized_input(new.description, new.params, new.trigger_info, new.source));
  if v_broken is not null then perform animus.refuse_row(v_broken); end if;
  return new;
end $$;

-- Refuses to delete an item that has not ended.
-- Open work is ended by cancel_work, which also frees its key, message and children; only what has ended may be deleted.
-- Locks: none. Raises: WA002.
create or replace function animus.work_items_refuse_delete() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.raise('WA002', format('work item %s is %s; only ended work can be deleted', old.id, old.state), old.id, 'cancel it first: select animus.cancel_work(…)');
  return null;
end $$;

-- Replaced by work_items_before_update. Check first whether it exists: a drop locks the table even when there is nothing to drop. Drop
-- it before the other triggers are created: a session that holds their weaker lock and asks for this one deadlocks with running
-- writes.
do $$ begin
  if exists (select from pg_trigger where tgrelid = 'animus.work_items'::regclass and tgname = 'work_items_free_key') then
    drop trigger work_items_free_key on animus.work_items;
    drop function animus.work_items_free_key();
  end if;
end $$;
