-- The steps that the functions of messages.sql share: what is locked, who may change what, and how a branch begins.

-- Locks the item of the newest message and then the conversation, and returns it as it is then.
-- Locks: the row of the item, waits two seconds at most; the conversation. Raises: WA003, 42501, 57PA1.
create or replace function animus.hold_conversation(p_file_id uuid) returns animus.conversations
language plpgsql as $$
declare
  v_item uuid;
  v_head bigint;
  v_chat animus.conversations;
begin
  loop
    select c.head_id, w.id into v_head, v_item from animus.conversations c left join animus.chat_messages m on m.id = c.head_id
      left join animus.work_items w on w.id = m.work_item_id where c.file_id = p_file_id;
    begin
      if v_item is not null then perform animus.lock_work(array[v_item], 10); end if;
      select * into v_chat from animus.conversations c where c.file_id = p_file_id for no key update;
      -- It may have been deleted meanwhile.
      perform animus.require_participant(p_file_id, true);
      if v_chat.head_id is not distinct from v_head then return v_chat; end if;
      -- Somebody else has said something meanwhile. Releases the locks of this attempt.
      raise exception using errcode = 'WA00R';
    exception when sqlstate 'WA00R' then null;
    end;
  end loop;
end $$;

-- Returns a message of a person that is to be edited or retried. p_own: only by its author.
-- Locks: none. Raises: WA002, WA003, 42501.
create or replace function animus.message_to_change(p_message_id bigint, p_own boolean) returns animus.chat_messages
language plpgsql stable as $$
declare
  v_old animus.chat_messages;
begin
  v_old := animus.require_message(p_message_id);
  if v_old.role <> 'user' or v_old.told or v_old.deleted_at is not null then
    perform animus.raise('WA002', case when v_old.deleted_at is not null then format('message %s is deleted', p_message_id)
      when v_old.told then format('message %s was told into an answer', p_message_id) else format('message %s was not written by a person', p_message_id) end);
  end if;
  if p_own then perform animus.require_author(v_old); end if;
  return v_old;
end $$;

-- Returns a message of a conversation in which the actor may write. Ids of messages are numbers that can be guessed: for others there is no message, and
-- they do not learn of which conversation it is.
-- Locks: none. Raises: WA003, 42501.
create or replace function animus.require_message(p_message_id bigint) returns animus.chat_messages
language plpgsql stable as $$
declare
  v_message animus.chat_messages;
begin
  select * into v_message from animus.chat_messages m where m.id = p_message_id;
  if found then
    begin
      perform animus.require_participant(v_message.file_id, true);
      return v_message;
    exception when sqlstate 'WA003' then null;
    end;
  end if;
  perform animus.raise('WA003', format('no message %s', p_message_id));
end $$;

-- Refuses actors that did not write a message, except operators.
-- Locks: none. Raises: 42501.
create or replace function animus.require_author(p_message animus.chat_messages) returns void
language plpgsql stable as $$
begin
  if p_message.author = animus.actor() or animus.may_operate() then return; end if;
  raise insufficient_privilege using message = format('message %s was written by somebody else', p_message.id), hint = 'only its author or an operator may change it';
end $$;

-- Returns the items of a message and of those after it on all branches that have not ended and are not being cancelled.
-- Locks: none. Raises: nothing.
create or replace function animus.open_from(p_message_id bigint) returns uuid[]
language sql stable as $$
  with recursive below as (
    select m.id, m.work_item_id from animus.chat_messages m where m.id = p_message_id
    union all
    select m.id, m.work_item_id from animus.chat_messages m join below b on m.after_id = b.id where m.role = 'user' and not m.told)
  select coalesce(array_agg(w.id), '{}') from below b join animus.work_items w on w.id = b.work_item_id
   where w.resolved_at is null and w.cancel_requested_at is null
$$;

-- Puts a new message in the place of another, with its files, on a branch of its own, and cancels the answers that are under way on the old one.
-- Locks: as edit_message. Raises: WA002, WA003, WA004, 42501, 23514, 57PA1.
create or replace function animus.branch_off(
  p_old animus.chat_messages, p_text text, p_fresh boolean, p_trace_context text, out message_id bigint, out work_item_id uuid)
language plpgsql as $$
declare
  v_params jsonb := coalesce((select w.params from animus.work_items w where w.id = p_old.work_item_id), '{}');
  v_chat   animus.conversations;
begin
  loop
    begin
      -- The item before it, so that its end and this message see each other. Its id is lower than those of what follows it.
      perform animus.lock_work(array[w.id], 10) from animus.chat_messages m join animus.work_items w on w.id = m.work_item_id where m.id = p_old.after_id;
      perform animus.cancel_answers(p_old.file_id, animus.open_from(p_old.id), 'its message was replaced');
      select * into v_chat from animus.conversations c where c.file_id = p_old.file_id for no key update;
      -- It may have been deleted meanwhile.
      perform animus.message_to_change(p_old.id, false);
      exit when animus.open_from(p_old.id) = '{}';
      -- Somebody has said something on the old branch meanwhile. Releases the locks of this attempt.
      raise exception using errcode = 'WA00R';
    exception when sqlstate 'WA00R' then null;
    end;
  end loop;
  select p.message_id, p.work_item_id into message_id, work_item_id
    from animus.put_message(v_chat, p_old.after_id, p_old.id, p_fresh, p_text, v_params, p_trace_context,
           case when p_fresh then animus.actor() else p_old.author end) p;
  insert into animus.chat_message_files (message_id, file_id)
  select branch_off.message_id, x.file_id from animus.chat_message_files x join animus.files f on f.id = x.file_id and f.deleted_at is null
   where x.message_id = p_old.id;
end $$;

drop function if exists animus.cancel_answers(uuid[], text);
-- Cancels those of the items of a conversation that have not ended, with what they spawned, for the actor. The end of an item takes the file, so the
-- conversation comes before.
-- Locks: as lock_tree_to_end for each; waits two seconds at most for each; the conversation; its file. Raises: 57PA1.
create or replace function animus.cancel_answers(p_file_id uuid, p_ids uuid[], p_reason text) returns void
language plpgsql as $$
declare
  v_open uuid[] := '{}';
  v_id   uuid;
begin
  for v_id in select w.id from animus.work_items w where w.id = any (p_ids) and w.resolved_at is null order by w.id loop
    v_open := v_open || animus.lock_tree_to_end(array[v_id], 10) || v_id;
    insert into animus.decisions (work_item_id, action, note, decided_by, created_at) values (v_id, 'cancel', p_reason, animus.actor(), animus.now());
  end loop;
  perform from animus.conversations c where c.file_id = p_file_id for no key update;
  perform animus.cancel_open(array(select w.id from animus.work_items w where w.id = any (v_open) and w.resolved_at is null order by w.id), p_reason);
end $$;

drop function if exists animus.put_message(animus.conversations, bigint, bigint, boolean, text, jsonb, text);
-- Adds a message of a person with the item for its answer, and makes it the newest one. The caller has locked the item before it and the conversation.
-- The item is flagged as awaited, so that its end looks here (end_answers), and as blocked, so that no claim sees it, while an answer before it on its
-- branch is not ended.
-- Locks: as an insert; the file. Raises: WA003, WA004, 23514.
create or replace function animus.put_message(
  p_chat animus.conversations, p_after bigint, p_replaces bigint, p_fresh boolean, p_text text, p_params jsonb, p_trace_context text,
  p_author text, out message_id bigint, out work_item_id uuid)
language plpgsql as $$
declare
  v_now timestamptz := animus.now();
begin
  message_id := nextval('animus.chat_messages_id_seq');
  insert into animus.work_items as w (faculty, description, params, source, trigger_info, trace_context)
  values (p_chat.faculty, p_text, coalesce(p_params, '{}'), 'chat', jsonb_build_object('conversation', p_chat.file_id, 'message', message_id), p_trace_context)
  returning w.id into work_item_id;
  insert into animus.chat_messages (id, file_id, role, content, author, created_at, after_id, replaces, work_item_id, fresh) overriding system value
  values (message_id, p_chat.file_id, 'user', p_text, p_author, v_now, p_after, p_replaces, put_message.work_item_id, p_fresh);
  update animus.work_items w set awaited = true, key_blocked = animus.answers_open(p_after) where w.id = put_message.work_item_id;
  update animus.conversations c set head_id = message_id where c.file_id = p_chat.file_id;
  update animus.files f set updated_at = v_now where f.id = p_chat.file_id;
end $$;

-- Returns whether the answer to a message, or to one before it on its branch, has not ended. The branch is followed back to the oldest open answer of
-- the conversation, not to its beginning.
-- Locks: none. Raises: nothing.
create or replace function animus.answers_open(p_message_id bigint) returns boolean
language sql stable as $$
  with open as materialized (
    select m.id from animus.chat_messages t
      join animus.work_items w on w.source = 'chat' and w.resolved_at is null and w.trigger_info ->> 'conversation' = t.file_id::text
      join animus.chat_messages m on m.work_item_id = w.id and m.role = 'user' and not m.told and m.file_id = t.file_id and m.id <= t.id
     where t.id = p_message_id)
  select exists (select from unnest(animus.line_since(p_message_id, (select min(x.id) from open x))) l (id) join open o on o.id = l.id)
$$;

-- Tells a message into the answer that an item is giving: it reaches the focus at the beginning of its next turn, and the item does not complete before.
-- The caller has locked the item and the conversation.
-- Locks: the file. Raises: WA004.
create or replace function animus.tell_answer(p_chat animus.conversations, p_item uuid, p_text text) returns bigint
language plpgsql as $$
declare
  v_now timestamptz := animus.now();
  v_own boolean := coalesce((select w.submitted_by = animus.actor() from animus.work_items w where w.id = p_item), false);
  v_id  bigint;
begin
  perform animus.check_message(p_item, p_text, not animus.may_operate());
  insert into animus.mailbox (work_item_id, author, author_is, text, wake, created_at)
  values (p_item, animus.actor(), case when v_own then 'submitter' else 'participant' end, p_text, false, v_now);
  update animus.work_items w set has_mail = true where w.id = p_item and w.has_mail is null;
  insert into animus.chat_messages (file_id, role, content, author, created_at, after_id, work_item_id, told)
  values (p_chat.file_id, 'user', p_text, animus.actor(), v_now, p_chat.head_id, p_item, true) returning id into v_id;
  update animus.files f set updated_at = v_now where f.id = p_chat.file_id;
  perform animus.notify_watchers(p_item);
  return v_id;
end $$;

-- Refuses to change a message: only its mark of deletion may be set.
-- Locks: none. Raises: WA004.
create or replace function animus.keep_chat_message() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if (new.id, new.number, new.file_id, new.role, new.content, new.author, new.created_at, new.told, new.fresh) is distinct from
     (old.id, old.number, old.file_id, old.role, old.content, old.author, old.created_at, old.told, old.fresh)
     or (new.after_id, new.replaces, new.work_item_id, new.ended_as) is distinct from (old.after_id, old.replaces, old.work_item_id, old.ended_as)
     or old.deleted_at is not null then
    perform animus.raise('WA004', format('message %s cannot change: messages are append-only', old.id), p_hint => 'animus.edit_message adds a new one');
  end if;
  return new;
end $$;
create or replace trigger keep_chat_message before update on animus.chat_messages for each row execute function animus.keep_chat_message();
