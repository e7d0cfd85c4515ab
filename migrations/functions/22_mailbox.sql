-- The mailbox of a work item: what people say to it reaches its focus at the beginning of the next turn, exactly once, and before the
-- work may be completed. Lock order: the item's row. Duplicates are told without that lock, because a transaction that inserts may
-- stay open for long.

-- Leaves a message for a work item: for operators, and for the submitter of the item. Work that merged passes it on to the item that does
-- the work. It is delivered at the beginning of the next turn. p_wake: a parked item does not wait any more for a time, for
-- children or for an answer; each such call ends with {"interrupted_by_message": true}. Approvals and batches are never interrupted.
-- Returns the item that got it, its number, and the state of that item. Refused: ended items, those whose cancel was requested, and those of
-- an external command, which reads no messages.
-- Locks: the item's row; waits two seconds at most. Raises: WA002, WA003, WA004, 42501, 57PA1.
create or replace function animus.say(p_id uuid, p_text text, p_wake boolean default false, out work_item_id uuid, out message_id bigint, out state text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_now  timestamptz;
  v_own  boolean;
  v_item record;
begin
  work_item_id := animus.find_reader(p_id);
  perform animus.lock_work(array[work_item_id], 10);
  v_now := animus.now();
  select w.submitted_by, w.faculty, w.state, w.cancel_requested_at into v_item from animus.work_items w where w.id = work_item_id;
  v_own := coalesce(v_item.submitted_by = animus.actor(), false);
  perform animus.check_message(work_item_id, p_text, v_own and not animus.may_operate());
  if v_item.state in ('completed', 'dead', 'cancelled') then
    perform animus.raise('WA002', format('work item %s is %s: nobody would read the message', work_item_id, v_item.state), work_item_id,
      case when v_item.state = 'completed' then 'submit new work' else 'retry the work first, then say it' end);
  end if;
  if v_item.cancel_requested_at is not null then
    perform animus.raise('WA002', format('work item %s is being cancelled: nobody would read the message', work_item_id), work_item_id);
  end if;
  if animus.runs_externally(work_item_id, v_item.faculty) then
    perform animus.raise('WA002', format('no model does the work of faculty %s: it reads no messages', v_item.faculty), work_item_id);
  end if;

  insert into animus.mailbox as m (work_item_id, author, author_is, text, wake, created_at)
  values (say.work_item_id, animus.actor(), case when animus.may_operate() then 'operator' else 'submitter' end, p_text, coalesce(p_wake, false), v_now)
  returning m.id into message_id;
  update animus.work_items w set has_mail = true where w.id = work_item_id and w.has_mail is null;
  insert into animus.decisions (work_item_id, action, note, subject_digest, decided_by, created_at)
  values (say.work_item_id, 'steer', animus.cut_text(p_text, case when animus.may_operate() then 10000 else 500 end), animus.digest_texts(p_text),
          animus.actor(), v_now);
  if p_wake and v_item.state = 'waiting' then perform animus.interrupt_waits(work_item_id, v_item.state, v_now); end if;
  perform animus.notify_watchers(work_item_id);
  state := (select w.state from animus.work_items w where w.id = work_item_id);
end $$;

-- Returns the item that reads what is said to an item: itself, or the one it was merged into, and checks that the actor may say something to
-- both.
-- Locks: none. Raises: WA002, WA003, 42501.
create or replace function animus.find_reader(p_id uuid) returns uuid
language plpgsql stable as $$
declare
  v_id   uuid := p_id;
  v_item record;
  v_own  boolean;
begin
  loop
    select w.submitted_by, w.merged_into into v_item from animus.work_items w where w.id = v_id;
    v_own := coalesce(v_item.submitted_by = animus.actor(), false);
    -- A caller who may not see the item does not learn that it exists.
    if v_item is null or not (v_own or animus.may_see(v_item.submitted_by) or animus.may_operate()) then
      if v_id = p_id then perform animus.raise('WA003', format('no work item %s', p_id), p_id); end if;
      perform animus.raise('WA002', format('work item %s was merged into work of somebody else', p_id), p_id,
        'an operator may say something to that work');
    end if;
    if not v_own then perform animus.require_operator(); end if;
    if v_item.merged_into is null then return v_id; end if;
    v_id := v_item.merged_into;
  end loop;
end $$;

-- Checks the size of a message and how many there are. Messages are never removed from a context, and decisions are kept for ever: a
-- submitter must not be able to fill either.
-- Locks: none. Raises: WA004.
create or replace function animus.check_message(p_id uuid, p_text text, p_few boolean) returns void
language plpgsql stable as $$
declare
  v_waiting record;
begin
  if coalesce(p_text, '') !~ '[^[:space:]]' then
    perform animus.raise('WA004', 'a message needs a text', p_id);
  end if;
  if octet_length(p_text) > 65536 then
    perform animus.raise('WA004', format('the message has %s bytes; at most 65536 (64 KiB) are accepted', octet_length(p_text)), p_id,
      'keep more in a file that the work can read, and name it');
  end if;
  select count(*) as messages, coalesce(sum(octet_length(m.text)), 0) as bytes into v_waiting
    from animus.mailbox m where m.work_item_id = p_id and m.delivered_at is null and m.not_delivered is null and m.duplicate_id is null;
  if v_waiting.messages >= 100 or v_waiting.bytes + octet_length(p_text) > 131072 then
    perform animus.raise('WA004', format('%s messages of %s bytes wait to be delivered to work item %s; at most 100 messages of 131072 bytes may',
      v_waiting.messages, v_waiting.bytes, p_id), p_id, 'wait for its next turn');
  end if;
  if p_few and (select count(*) from animus.mailbox m where m.work_item_id = p_id and m.author = animus.actor() and m.duplicate_id is null) >= 20 then
    perform animus.raise('WA004', format('its submitter has already sent 20 messages to work item %s, the most that are accepted', p_id), p_id);
  end if;
end $$;

-- Returns whether no model does the work, but an external command, or code: by the focus that is open, or else as the daemon says that was seen last.
-- Locks: none. Raises: nothing.
create or replace function animus.runs_externally(p_id uuid, p_faculty text) returns boolean
language sql stable as $$
  select coalesce(
    (select coalesce(f.faculty_snapshot, s.faculty_snapshot) #>> '{engage,mode}' from animus.foci f
       left join animus.focus_settings s on s.id = f.settings_id where f.work_item_id = p_id and f.ended_as is null),
    (select d.faculties -> p_faculty ->> 'mode' from animus.daemons d
      where d.stopped_at is null and d.faculties ? p_faculty order by d.seen_at desc limit 1)) in ('external', 'code')
$$;

drop function if exists animus.tell_duplicate(uuid, uuid, text, text, jsonb, timestamptz);
-- Tells an item of a duplicate that was merged into it. Called by the insert of the duplicate, in a transaction that may stay open: so it
-- does not lock the item. At most 100 duplicates and 128 KiB per item; others only merge. So do those of an item that several people read, if one of them
-- may not read the duplicate, which they may where they may read its parent.
-- Locks: the item's row, against deletion. Raises: nothing.
create or replace function animus.tell_duplicate(
  p_id uuid, p_duplicate uuid, p_parent uuid, p_author text, p_description text, p_params jsonb, p_now timestamptz) returns void
language plpgsql as $$
declare
  v_told    record;
  v_readers constant text[] := animus.audience_of(p_id);
begin
  if cardinality(v_readers) > 1 and not animus.all_may_read(animus.bound_readers(v_readers), p_parent) then return; end if;
  select count(*) as messages, coalesce(sum(octet_length(m.text)), 0) as bytes into v_told
    from animus.mailbox m where m.work_item_id = p_id and m.duplicate_id is not null;
  if v_told.messages >= 100 or v_told.bytes > 131072 then return; end if;
  insert into animus.mailbox (work_item_id, author, author_is, text, duplicate_id, created_at)
  values (p_id, p_author, 'duplicate',
          coalesce(nullif(animus.cut_text(p_description, 8192), ''), '(no description)')
            || case when p_params = '{}' then '' else E'\n\nParameters: ' || animus.cut_text(p_params::text, 8192) end,
          p_duplicate, p_now);
end $$;
