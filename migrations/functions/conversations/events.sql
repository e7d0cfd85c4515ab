-- Live events of a conversation (docs/events.md): its marks, and between them the events of the items that answer its messages. A mark is written by
-- triggers, under the row lock of the conversation's file, which is the last in the lock order; so seq is the order of the commits.
--
-- The events of an answer belong between the mark that begins it (`said`, or `retried` by an operator) and the mark of its end (`answered`). That has
-- the position of the item's events at the end, so a reader that has passed it needs no position in that item any more.

-- Adds a mark, and notifies the readers of the conversation. A conversation that is being removed gets none.
-- Locks: the row of the file. Raises: nothing.
create or replace function animus.mark_conversation(
  p_file_id uuid, p_kind text, p_message_id bigint, p_item uuid, p_opened int, p_place json, p_detail json) returns void
language plpgsql as $$
begin
  perform from animus.files f where f.id = p_file_id for no key update;
  if not found then return; end if;
  insert into animus.chat_marks (file_id, seq, kind, message_id, work_item_id, opened, place, detail, created_at)
  values (p_file_id, 1 + coalesce((select max(k.seq) from animus.chat_marks k where k.file_id = p_file_id), 0), p_kind, p_message_id, p_item, p_opened,
          p_place, p_detail, animus.now());
  perform animus.tell_chat_readers(p_file_id);
end $$;

-- Notifies the readers of a conversation's events. A conversation that nobody watches costs one look at its watch.
-- Locks: none. Raises: nothing.
create or replace function animus.tell_chat_readers(p_file_id uuid) returns void
language plpgsql as $$
begin
  if exists (select from animus.chat_watches w where w.file_id = p_file_id) then
    perform animus.notify_of('animus_events', p_file_id);
  else
    perform animus.refuse_prepare();
  end if;
end $$;

-- Marks a new message, the end of an answer, or the deletion of a message.
-- Locks: the row of the file. Raises: nothing.
create or replace function animus.mark_message() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    perform animus.mark_conversation(new.file_id, 'deleted', new.id, null, null, null, json_build_object('by', new.deleted_by));
  elsif new.role = 'assistant' and new.work_item_id is not null then
    perform animus.mark_conversation(new.file_id, 'answered', new.id, new.work_item_id, animus.answer_opened(new.file_id, new.work_item_id),
      animus.events_position(new.work_item_id), null);
  else
    perform animus.mark_conversation(new.file_id, case when new.told then 'told' else 'said' end, new.id, new.work_item_id, null, null, null);
  end if;
  return null;
end $$;

-- Marks that somebody takes part from now on, has another role, or no longer takes part.
-- Locks: the row of the file. Raises: nothing.
create or replace function animus.mark_people() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_row animus.conversation_people := case when tg_op = 'DELETE' then old else new end;
begin
  perform animus.mark_conversation(v_row.file_id, case when tg_op = 'DELETE' then 'left' else 'joined' end, null, null, null, null,
    json_build_object('actor', v_row.actor, 'role', v_row.role, 'by', animus.actor()));
  return null;
end $$;

-- Marks that a conversation got another faculty, title or treatment of messages.
-- Locks: the row of the file. Raises: nothing.
create or replace function animus.mark_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.mark_conversation(new.file_id, 'changed', null, null, null, null,
    json_build_object('faculty', new.faculty, 'title', new.title, 'while_answering', new.while_answering, 'by', animus.actor()));
  return null;
end $$;

-- Notifies the readers of a conversation that it was deleted, so that they stop.
-- Locks: none. Raises: nothing.
create or replace function animus.tell_deleted() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.tell_chat_readers(new.id);
  return null;
end $$;

-- Marks that an operator retries the answer of an item. The caller has locked the item. Other items have no marks.
-- Locks: the row of the file. Raises: nothing.
create or replace function animus.mark_retry(p_item uuid) returns void
language plpgsql as $$
declare
  v_message animus.chat_messages;
begin
  select * into v_message from animus.chat_messages m where m.work_item_id = p_item and m.role = 'user' and not m.told;
  if not found then return; end if;
  perform animus.mark_conversation(v_message.file_id, 'retried', v_message.id, p_item, null,
    (select k.place from animus.chat_marks k where k.file_id = v_message.file_id and k.work_item_id = p_item and k.kind = 'answered' order by k.seq desc limit 1),
    json_build_object('by', animus.actor()));
end $$;
