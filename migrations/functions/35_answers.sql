-- What the answers of a conversation need of the engine: where an answer begins, what follows its end, and the words that were said.

-- Follows the ends of items that answer messages: records the answer as a message, and lets the next answer of its branch begin. An answer to a deleted
-- message that says nothing is recorded as deleted, too. Called by wake_waiters, for items that are flagged as awaited; the callers have locked them.
-- Locks: the files; the rows of the items that come next, without waiting. Raises: 57PA1.
create or replace function animus.end_answers(p_ids uuid[], p_now timestamptz) returns void
language plpgsql as $$
declare
  v_message animus.chat_messages;
  v_next    uuid[];
  v_stuck   uuid[];
begin
  -- Locked first: a message that is being said behind this answer, or a retry, then either is seen here or sees that the answer has ended. The files of
  -- several conversations are locked in one order by everybody.
  perform from animus.files f where f.id in (select m.file_id from animus.chat_messages m where m.work_item_id = any (p_ids)) order by f.id for no key update;
  for v_message in select * from animus.chat_messages m where m.work_item_id = any (p_ids) and m.role = 'user' and not m.told order by m.id loop
    v_next := animus.next_answers(v_message.id);
    if v_next <> '{}' then
      v_stuck := animus.lock_free(v_next);
      if v_stuck <> '{}' then
        perform animus.raise('57PA1', format('%s comes after this one and is locked by another transaction', animus.name_work(v_stuck[1])), animus.shown_work(v_stuck[1]), 'try again');
      end if;
      -- From now on the next one is left to the host of this one for a while.
      update animus.work_items w set key_blocked = false, updated_at = p_now where w.id = any (v_next) and w.state = 'queued' and w.key_blocked;
      perform animus.wake_daemons();
    end if;
    insert into animus.chat_messages (file_id, role, content, author, created_at, after_id, replaces, work_item_id, ended_as, deleted_at, deleted_by)
    select v_message.file_id, 'assistant', said.text, 'faculty:' || w.faculty, p_now, v_message.id,
           (select max(a.id) from animus.chat_messages a where a.after_id = v_message.id and a.role = 'assistant' and a.work_item_id = w.id), w.id, w.state,
           case when said.text = '' then v_message.deleted_at end, case when said.text = '' then v_message.deleted_by end
      from animus.work_items w cross join lateral (select animus.answer_text(w) as text offset 0) said where w.id = v_message.work_item_id;
    update animus.files f set updated_at = p_now where f.id = v_message.file_id;
  end loop;
end $$;

-- Returns whether the answer of an item that is queued again has to wait for those before it on its branch. False for an item that answers no message.
-- The caller has locked the item.
-- Locks: the file. Raises: WA002 if the message or its conversation was deleted.
create or replace function animus.retry_waits(p_item uuid) returns boolean
language plpgsql as $$
declare
  v_message animus.chat_messages;
  v_file    animus.files;
begin
  select * into v_message from animus.chat_messages m where m.work_item_id = p_item and m.role = 'user' and not m.told;
  if not found then return false; end if;
  select * into v_file from animus.files f where f.id = v_message.file_id for no key update;
  -- Read again under the lock.
  if v_file.deleted_at is not null or exists (select from animus.chat_messages m where m.id = v_message.id and m.deleted_at is not null) then
    perform animus.raise('WA002', format('work item %s cannot be retried: its %s was deleted', p_item,
      case when v_file.deleted_at is null then 'message' else 'conversation' end), p_item);
  end if;
  return animus.answers_open(v_message.after_id);
end $$;

-- Returns the items that may begin when the answer to a message has ended: the first ones that have not ended after it, on each branch, unless one
-- before it is still open.
-- Locks: none. Raises: nothing.
create or replace function animus.next_answers(p_message_id bigint) returns uuid[]
language plpgsql stable as $$
begin
  if animus.answers_open(p_message_id) then return '{}'; end if;
  return array(
    with recursive below as (
      select m.id, w.id as item, w.resolved_at is null as open from animus.chat_messages m join animus.work_items w on w.id = m.work_item_id
       where m.after_id = p_message_id and m.role = 'user' and not m.told
      union all
      select m.id, w.id, w.resolved_at is null from below b join animus.chat_messages m on m.after_id = b.id and m.role = 'user' and not m.told
        join animus.work_items w on w.id = m.work_item_id where not b.open)
    select b.item from below b where b.open order by b.item);
end $$;

-- Returns the complete answers of the newest focus of an item to which it was told something before it ended: people have read them. Null: none.
-- Locks: none. Raises: nothing.
create or replace function animus.answers_before_mail(p_work_item_id uuid) returns text
language sql stable as $$
  select string_agg(b.block ->> 'text', E'\n\n' order by t.turn, b.n)
    from (select * from animus.foci l where l.work_item_id = p_work_item_id order by l.number desc limit 1) f
    join animus.all_turns t on t.work_item_id = p_work_item_id and t.focus_id = f.id and t.recorded_at is not null
    cross join lateral json_array_elements(t.response) with ordinality as b (block, n)
   where b.block ->> 'type' = 'text' and b.block ->> 'text' ~ '[^[:space:]]'
     and exists (select from animus.mailbox m where m.work_item_id = p_work_item_id and m.focus_id = f.id and m.after_turn = t.turn)
     -- With calls it was not the answer yet.
     and not exists (select from animus.all_tool_calls c where c.work_item_id = p_work_item_id and c.focus_id = f.id and c.turn = t.turn)
$$;

-- Returns what an ended item said: the text of its outcome, and before it the answers after which it was told something; if it did not complete, what
-- the model said until then, with the text of an answer that was cut off.
-- Locks: none. Raises: nothing.
create or replace function animus.answer_text(p_work animus.work_items) returns text
language sql stable as $$
  select case when p_work.state = 'completed' then
      concat_ws(E'\n\n', animus.answers_before_mail(p_work.id), coalesce(p_work.outcome ->> 'text', p_work.outcome ->> 'beginning', p_work.outcome::text, ''))
    else coalesce((select concat_ws(E'\n\n', said.text, f.cut_off_text)
                     from (select * from animus.foci l where l.work_item_id = p_work.id order by l.number desc limit 1) f
                     cross join lateral (
                       select string_agg(b.block ->> 'text', E'\n\n' order by t.turn, b.n) as text
                         from animus.turns t cross join lateral json_array_elements(t.response) with ordinality as b (block, n)
                        where t.focus_id = f.id and t.recorded_at is not null
                          and b.block ->> 'type' = 'text' and b.block ->> 'text' ~ '[^[:space:]]') said), '') end
$$;
