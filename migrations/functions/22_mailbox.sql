-- The mailbox of a work item: what people say to it reaches its focus at the beginning of the next turn, exactly once, and before the
-- work may be completed. Lock order: the item's row. Duplicates are told without that lock, because a transaction that inserts may
-- stay open for long.

-- Leaves a message for a work item: for operators, and for whoever submitted the item. Work that merged passes it on to the item that does
-- the work. It is delivered at the beginning of the next turn. p_wake: a parked item does not wait any more for a time, for
-- children or for an answer; each such call ends with {"interrupted_by_message": true}. Approvals and batches are never interrupted.
-- Returns the item that got it, its number, and the state of that item. Refused: ended items, those whose cancel was requested, and those of
-- an external command, which reads no messages.
-- Locks: the item's row; waits two seconds at most. Raises: WA002, WA003, WA004, 42501, 57PA1.
create or replace function animus.say(p_id uuid, p_text text, p_wake boolean default false, out work_item_id uuid, out message_id bigint, out state text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
    perform animus.raise('WA004', format('the message has %s bytes; at most 65536 (64 KiB) are taken', octet_length(p_text)), p_id,
      'keep more in a file that the work can read, and name it');
  end if;
  select count(*) as messages, coalesce(sum(octet_length(m.text)), 0) as bytes into v_waiting
    from animus.mailbox m where m.work_item_id = p_id and m.delivered_at is null and m.not_delivered is null and m.duplicate_id is null;
  if v_waiting.messages >= 100 or v_waiting.bytes + octet_length(p_text) > 131072 then
    perform animus.raise('WA004', format('%s messages of %s bytes wait to be delivered to work item %s; at most 100 messages of 131072 bytes may',
      v_waiting.messages, v_waiting.bytes, p_id), p_id, 'wait for its next turn');
  end if;
  if p_few and (select count(*) from animus.mailbox m where m.work_item_id = p_id and m.author = animus.actor() and m.duplicate_id is null) >= 20 then
    perform animus.raise('WA004', format('its submitter has said 20 messages to work item %s, as many as are taken', p_id), p_id);
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

-- Returns whether messages of an item are not delivered. p_keyed: the item has a dedup key; only then may it have been told of duplicates,
-- which set no flag. PostgreSQL inlines it: an item without either costs no query.
-- Locks: none. Raises: nothing.
create or replace function animus.mail_waits(p_id uuid, p_has_mail boolean, p_keyed boolean) returns boolean
language sql stable as $$
  select p_has_mail is not null or p_keyed and exists (select from animus.mailbox m where m.work_item_id = p_id and m.delivered_at is null and m.not_delivered is null)
$$;

-- Moves the messages of an item into the context of its focus, after a turn, and returns how many. The caller has locked the item.
-- The commit waits for the disk: what a model was sent must not be delivered again.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.deliver_mail(p_id uuid, p_focus_id uuid, p_after_turn int) returns int
language plpgsql as $$
declare
  v_now     timestamptz := animus.now();
  v_mail    animus.mailbox;
  v_content text;
  v_count   int := 0;
begin
  for v_mail in select * from animus.mailbox m where m.work_item_id = p_id and m.delivered_at is null and m.not_delivered is null order by m.id loop
    v_count := v_count + 1;
    v_content := animus.message_of(v_mail);
    insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, created_at)
    values (p_focus_id, 1 + (select coalesce(max(seq), 0) from animus.focus_messages where focus_id = p_focus_id),
            p_after_turn, 'operator', v_content, ceil(octet_length(convert_to(v_content, 'UTF8')) / 3.5), v_now);
    update animus.mailbox set delivered_at = v_now, focus_id = p_focus_id, after_turn = p_after_turn where id = v_mail.id;
    -- What an item was told of a duplicate has no place among its messages before: it is written without the item's row lock.
    perform animus.add_mark(p_id, 'delivered', json_build_object('message', v_mail.id, 'author', v_mail.author, 'authorIs', v_mail.author_is,
      'text', case when v_mail.duplicate_id is not null then v_mail.text end, 'turn', p_after_turn + 1), v_now);
  end loop;
  if v_count = 0 then return 0; end if;
  update animus.work_items set has_mail = null where id = p_id and has_mail;
  perform set_config('synchronous_commit', 'on', true);
  perform animus.notify_watchers(p_id);
  return v_count;
end $$;

-- Takes back a message that was deleted before it was delivered: no turn gets it. Does nothing if it was delivered. The caller has locked the item.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.withdraw_mail(p_id uuid, p_author text, p_said_at timestamptz) returns void
language plpgsql as $$
begin
  update animus.mailbox m set not_delivered = 'it was deleted before'
   where m.work_item_id = p_id and m.author = p_author and m.created_at = p_said_at and m.delivered_at is null and m.not_delivered is null;
  if found and not exists (select from animus.mailbox m where m.work_item_id = p_id and m.delivered_at is null and m.not_delivered is null) then
    update animus.work_items w set has_mail = null where w.id = p_id and w.has_mail;
  end if;
end $$;

-- Returns the name of an actor with `?` for characters that could make it look like more than a name: line ends and invisible characters.
-- Locks: none. Raises: nothing.
create or replace function animus.shown_name(p_name text) returns text
language sql immutable parallel safe as $$
  select regexp_replace(p_name, E'[\\u0001-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2066-\\u2069]', '?', 'g')
$$;

-- Returns the name of an actor as shown_name does, in quotes.
-- Locks: none. Raises: nothing.
create or replace function animus.quoted_name(p_name text) returns text
language sql immutable parallel safe as $$
  select to_json(animus.shown_name(p_name))::text
$$;

-- Puts a text between two lines of `~`, one longer than any run of them in it, so that it cannot close its own fence. The same as `fenced` in
-- src/engage/prompt/fence.ts.
-- Locks: none. Raises: nothing.
create or replace function animus.fenced(p_text text) returns text
language sql immutable parallel safe as $$
  select f.fence || E'\n' || p_text || E'\n' || f.fence
    from (select repeat('~', 1 + greatest(5, (select max(length(r.run[1])) from regexp_matches(p_text, '~+', 'g') as r (run)))) as fence) f
$$;

-- Returns a message as the model gets it: who sent it, in words of the engine, and its text between two lines of `~`.
-- Locks: none. Raises: nothing.
create or replace function animus.message_of(p_mail animus.mailbox) returns text
language sql stable as $$
  select case p_mail.author_is
      when 'duplicate' then format(E'# The same work was submitted again\n%s submitted it at %s%s, which was merged into yours: nobody else does it. Take into account what it adds to your task. The text between the lines of ~ is what was submitted.\n%s',
        animus.quoted_name(p_mail.author), s.at,
        ' as ' || coalesce('work item ' || animus.shown_in(p_mail.work_item_id, p_mail.duplicate_id), 'another work item'), animus.fenced(p_mail.text))
      else format(E'# Message from %s\n%s, %s, sent you this message at %s. From now on, follow it as you follow your task: it may change or add to it. The text between the lines of ~ is in that person''s own words; nothing in it comes from animus.\n%s',
        animus.quoted_name(p_mail.author), animus.quoted_name(p_mail.author),
        case p_mail.author_is when 'operator' then 'an operator of animus' when 'participant' then 'who takes part in this conversation'
          else 'who submitted this work' end, s.at, animus.fenced(p_mail.text))
    end
    from (select to_char(p_mail.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') as at) s
$$;

-- Ends the waits of an item that a message may interrupt, and wakes the item if no other is open. The caller has locked the item.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.interrupt_waits(p_id uuid, p_state text, p_now timestamptz) returns void
language plpgsql as $$
begin
  update animus.waits set resolved_at = p_now, result = '{"interrupted_by_message": true}'
   where work_item_id = p_id and resolved_at is null and kind in ('timer', 'children', 'human');
  if found then perform animus.wake_if_resolved(p_id, p_state, p_now); end if;
end $$;

-- Notifies those who watch an item that there is something new.
-- Locks: none. Raises: nothing.
create or replace function animus.notify_watchers(p_id uuid) returns void
language plpgsql as $$
begin
  if exists (select from animus.watches where work_item_id = p_id) then
    perform animus.notify_of('animus_ledger', p_id);
    perform animus.notify_of('animus_events', p_id);
  else
    perform animus.refuse_prepare();
  end if;
end $$;

-- Delivers the messages of items whose focus is done with its work, and queues the items again; skips those without messages. Returns the items.
-- The caller has locked them and checked their tokens.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.go_on_with_mail(p_ids uuid[]) returns uuid[]
language plpgsql as $$
declare
  v_item   record;
  v_mailed uuid[] := '{}';
begin
  for v_item in
    select w.id, w.has_mail, w.dedup_key is not null as keyed, f.id as focus_id,
           animus.turns_of_chain(f.id) as turn
      from animus.work_items w join animus.foci f on f.work_item_id = w.id and f.ended_as is null
     where w.id = any (p_ids) order by w.id
  loop
    continue when not animus.mail_waits(v_item.id, v_item.has_mail, v_item.keyed);
    perform animus.deliver_mail(v_item.id, v_item.focus_id, v_item.turn);
    perform animus.requeue(v_item.id, null, animus.now(), null);
    v_mailed := v_mailed || v_item.id;
  end loop;
  return v_mailed;
end $$;

-- What was said to the work of the actor.
create or replace view animus.own_mail with (security_barrier) as
  select m.work_item_id, m.id, m.author, m.author_is, m.text, m.wake, animus.shown_work(m.duplicate_id) as duplicate_id, m.created_at, m.delivered_at, m.after_turn, m.not_delivered
    from animus.mailbox m join animus.work_items w on w.id = m.work_item_id where w.submitted_by = (select animus.actor());
