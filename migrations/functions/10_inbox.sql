-- The pgmq queue `animus_inbox`: any client that can send a pgmq message can submit work. A message may contain the columns that an
-- insert may set.

-- Turns up to p_limit messages into work items, oldest first. Each message is archived in the transaction that creates its item, so it
-- becomes an item exactly once. Unreadable messages go to `animus_inbox_dead` with the reason. Any number of callers may run at once:
-- each takes messages that no other has locked. `postponed` messages wait for another open transaction (the same dedup key, a locked
-- parent) and are read again a second later, so that no transaction stops the queue.
-- Locks: the rows of the messages, and skips those that others have locked; waits 100 ms at most for a key or a parent. Raises: nothing.
create or replace function animus.drain_inbox(p_limit int default 100, out accepted int, out refused int, out postponed int)
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
declare
  v_now     timestamptz := animus.now();
  v_message record;
  v_done    bigint[] := '{}';
  v_reason  text;
begin
  accepted := 0; refused := 0; postponed := 0;
  if animus.is_our_queue('inbox') then perform animus.move_old_inbox(p_limit, v_now); end if;
  for v_message in
    select m.msg_id, m.enqueued_at, m.message from pgmq.q_animus_inbox m where m.vt <= v_now order by m.msg_id limit p_limit for update skip locked
  loop
    v_reason := null;
    begin
      perform animus.accept_message(v_message.message, v_message.msg_id, v_message.enqueued_at);
      accepted := accepted + 1;
      v_done := v_done || v_message.msg_id;
    exception
      -- Two drainers may deadlock on each other's keys: the lock time-out is shorter than deadlock detection, and both
      -- are handled here.
      when lock_not_available or deadlock_detected then
        postponed := postponed + 1;
        update pgmq.q_animus_inbox set vt = v_now + interval '1 second', read_ct = read_ct + 1 where msg_id = v_message.msg_id;
      -- Errors caused by the message, or by an operator's trigger that refuses it. Any other error (disk full, shutdown, a bug) ends
      -- the call and rolls all of it back.
      when sqlstate 'WA003' or sqlstate 'WA004' or data_exception or integrity_constraint_violation or program_limit_exceeded or raise_exception then
        v_reason := sqlerrm;
    end;
    if v_reason is not null then
      refused := refused + 1;
      insert into pgmq.q_animus_inbox_dead (vt, message) values (v_now, jsonb_build_object('reason', v_reason, 'msg_id', v_message.msg_id,
        'enqueued_at', v_message.enqueued_at, 'refused_at', v_now,
        'message', animus.refused_message(v_message.message)));
      delete from pgmq.q_animus_inbox where msg_id = v_message.msg_id;
    end if;
  end loop;
  -- Uses pgmq's own function, which knows every column of its version.
  if v_done <> '{}' then perform pgmq.archive('animus_inbox'::text, v_done); end if;
end $$;

-- Moves messages that were sent to `inbox`, the queue's name before version 0.2.0, and keeps their numbers. It copies by column names,
-- because different versions of pgmq may have created the tables.
-- Locks: the rows of the messages, and skips those that others have locked. Raises: nothing.
create or replace function animus.move_old_inbox(p_limit int, p_now timestamptz) returns void
language plpgsql as $$
declare
  v_ids bigint[] := array(select msg_id from pgmq.q_inbox where vt <= p_now order by msg_id limit p_limit for update skip locked);
begin
  -- The insert notifies the drainers, even if it inserts nothing.
  if v_ids = '{}' then return; end if;
  with sent as (delete from pgmq.q_inbox where msg_id = any (v_ids) returning *)
  insert into pgmq.q_animus_inbox overriding system value select moved.* from sent, jsonb_populate_record(null::pgmq.q_animus_inbox, to_jsonb(sent)) moved;
end $$;

-- Returns how many messages have not become work yet (counted up to 10,000), the old queue included, and since when the
-- oldest waits.
-- Locks: none. Raises: nothing.
create or replace function animus.inbox_backlog(out waiting int, out oldest_at timestamptz)
language plpgsql stable as $$
declare
  v_old record;
begin
  select count(*), min(enqueued_at) into waiting, oldest_at from (select enqueued_at from pgmq.q_animus_inbox order by msg_id limit 10000) c;
  if animus.is_our_queue('inbox') then
    select count(*) as waiting, min(enqueued_at) as oldest_at into v_old from (select enqueued_at from pgmq.q_inbox order by msg_id limit 10000) c;
    waiting := least(10000, waiting + v_old.waiting);
    oldest_at := least(oldest_at, v_old.oldest_at);
  end if;
end $$;

-- Returns a message as animus_inbox_dead stores it: of one that is too large, only the fields that identify it.
-- Locks: none. Raises: nothing.
create or replace function animus.refused_message(p_message jsonb) returns jsonb
language sql stable as $$
  select case
    when animus.json_bytes(p_message) > 1048576 then jsonb_strip_nulls(jsonb_build_object('cut', true, 'faculty', left(p_message ->> 'faculty', 100),
      'dedup_key', left(p_message ->> 'dedup_key', 1000), 'source', left(p_message ->> 'source', 1000), 'description', left(p_message ->> 'description', 10000)))
    when jsonb_typeof(p_message) = 'object' then p_message - 'refused'
    else p_message
  end
$$;

-- Checks a message's parent with the rights of the sender, whose session this is: the daemon that reads the message later may see
-- all work. A parent that the sender may not use is marked in the message, and accept_message refuses the message.
-- Locks: none. Raises: nothing.
create or replace function animus.inbox_before_insert() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_parent text := case when jsonb_typeof(new.message) = 'object' and jsonb_typeof(new.message -> 'parent_id') = 'string'
                        then new.message ->> 'parent_id' end;
  v_owner  text;
begin
  if tg_table_name = 'q_inbox' and not animus.is_our_queue('inbox') then return new; end if;
  if v_parent ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then
    select submitted_by into v_owner from animus.work_items where id = v_parent::uuid;
    if not found or not animus.may_add_to(v_owner) then
      new.message := new.message || jsonb_build_object('refused', format('no work item %s to be the parent', v_parent));
    end if;
  end if;
  return new;
end $$;

-- Inserts the work item of a message, or returns the invalid key with the expected and the actual value.
-- Locks: as an insert. Raises: WA003, WA004, 23514.
create or replace function animus.accept_message(p_message jsonb, p_msg_id bigint, p_enqueued_at timestamptz) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_keys constant jsonb := '{"faculty": "string", "description": "string", "params": "object", "skill": "string", "dedup_key": "string",
    "priority": "number", "run_at": "string", "concurrency_key": "string", "source": "string", "parent_id": "string",
    "trigger_info": "any", "trace_context": "string", "batch": "boolean", "detached": "boolean"}';
  v_key   text;
  v_value jsonb;
  v_id    uuid;
begin
  if animus.json_bytes(p_message) > 1048576 then
    perform animus.raise('WA004', format('the message has %s bytes; at most 1048576 (1 MiB) are accepted', animus.json_bytes(p_message)));
  end if;
  if jsonb_typeof(p_message) is distinct from 'object' then
    perform animus.raise('WA004', format('expected a JSON object, got %s', animus.show_json(p_message)));
  end if;
  if jsonb_typeof(p_message -> 'refused') = 'string' then
    perform animus.raise('WA003', left(p_message ->> 'refused', 200));
  end if;
  p_message := jsonb_strip_nulls(p_message - 'params' - 'trigger_info')
    || coalesce((select jsonb_object_agg(key, value) from jsonb_each(p_message) where key in ('params', 'trigger_info') and value <> 'null'), '{}');
  for v_key, v_value in select * from jsonb_each(p_message) loop
    if not v_keys ? v_key then
      perform animus.raise('WA004', format('%s: unknown key; known are %s', to_jsonb(left(v_key, 100)),
        (select string_agg(k, ', ' order by n) from json_object_keys('{"faculty":0,"description":0,"params":0,"skill":0,"dedup_key":0,"priority":0,"run_at":0,"concurrency_key":0,"source":0,"parent_id":0,"trigger_info":0,"trace_context":0,"batch":0,"detached":0}'::json) with ordinality as o (k, n))));
    end if;
    if v_keys ->> v_key not in ('any', jsonb_typeof(v_value)) then
      perform animus.raise('WA004', format('%s: expected %s, got %s', v_key,
        case v_keys ->> v_key when 'object' then 'a JSON object' when 'number' then 'a whole number' when 'boolean' then 'true or false' else 'a text' end, animus.show_json(v_value)));
    end if;
  end loop;
  if not p_message ? 'faculty' then
    perform animus.raise('WA004', 'faculty: expected the name of a faculty, got nothing');
  end if;
  if p_message ->> 'faculty' !~ '^[a-z][a-z0-9_-]{0,62}$' then
    perform animus.raise('WA004', format('faculty: expected 1 to 63 lower-case letters, digits, - and _, starting with a letter, got %s', animus.show_json(p_message -> 'faculty')));
  end if;
  if p_message ->> 'priority' !~ '^-?[0-9]{1,10}$' or abs((p_message ->> 'priority')::numeric) > 2147483647 then
    perform animus.raise('WA004', format('priority: expected a whole number of at most 2147483647, got %s', animus.show_json(p_message -> 'priority')));
  end if;
  -- Requires a time zone: the sender cannot know the session's TimeZone.
  if p_message ->> 'run_at' !~ E'^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?\\s?(Z|[+-]\\d\\d(:?\\d\\d)?)$' then
    perform animus.raise('WA004', format('run_at: expected a time with its zone, such as "2026-03-01T09:00:00Z", got %s', animus.show_json(p_message -> 'run_at')));
  end if;
  if p_message ->> 'parent_id' !~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then
    perform animus.raise('WA004', format('parent_id: expected the id of a work item, got %s', animus.show_json(p_message -> 'parent_id')));
  end if;
  insert into animus.work_items (faculty, description, params, skill, dedup_key, priority, run_at, concurrency_key, source, parent_id, trigger_info, trace_context, batch, detached)
  values (p_message ->> 'faculty', coalesce(p_message ->> 'description', ''), coalesce(p_message -> 'params', '{}'), p_message ->> 'skill',
          p_message ->> 'dedup_key', coalesce((p_message ->> 'priority')::int, 0), (p_message ->> 'run_at')::timestamptz, p_message ->> 'concurrency_key',
          coalesce(p_message ->> 'source', 'inbox'), (p_message ->> 'parent_id')::uuid,
          coalesce(p_message -> 'trigger_info', jsonb_build_object('inbox_msg_id', p_msg_id, 'enqueued_at', p_enqueued_at)), p_message ->> 'trace_context',
          (p_message ->> 'batch')::boolean, (p_message ->> 'detached')::boolean)
  returning id into v_id;
  return v_id;
end $$;

-- Formats a value for an error message: on one line, at most 60 characters.
-- Locks: none. Raises: nothing.
create or replace function animus.show_json(p_value jsonb) returns text
language sql immutable as $$
  select case when p_value is null then 'nothing' when length(p_value::text) > 60 then left(p_value::text, 57) || '...' else p_value::text end
$$;

-- Notifies the daemons' inbox drainers, once per sending statement. With pgmq's own enable_notify_insert, senders would wait
-- for each other.
-- Locks: none. Raises: nothing.
create or replace function animus.inbox_after_insert() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from animus.daemons where stopped_at is null) then
    perform animus.notify('animus_inbox');
  else
    perform animus.refuse_prepare();
  end if;
  return null;
end $$;

create or replace trigger animus_inbox_after_insert after insert on pgmq.q_animus_inbox
  for each statement execute function animus.inbox_after_insert();
create or replace trigger animus_inbox_before_insert before insert on pgmq.q_animus_inbox
  for each row execute function animus.inbox_before_insert();
-- Also under its old name: when the message is moved, the session is that of a daemon.
do $$ begin
  if animus.is_our_queue('inbox') then
    create or replace trigger animus_inbox_before_insert before insert on pgmq.q_inbox
      for each row execute function animus.inbox_before_insert();
  end if;
end $$;
