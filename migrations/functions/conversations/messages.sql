-- What people do with the messages of a conversation: say, edit, retry, delete. Lock order: as in conversations.sql.

-- Says something in a conversation. The message and the work item for its answer are one transaction. The item can be claimed when the answers
-- before it on its branch have ended. Where the conversation says `tell` and an answer is being given, the message is told into it, work_item_id is
-- the item of that answer, and told is true; not where the readers of the answer (13_readers.sql) are others than those who take part. At most 64 KiB.
-- Locks: the row of the item before it, waits two seconds at most; the conversation; its file. Raises: WA002, WA003, WA004, 42501, 23514, 57PA1.
create or replace function animus.say_in_conversation(
  p_file_id uuid, p_text text, p_params jsonb default '{}', p_trace_context text default null,
  out message_id bigint, out work_item_id uuid, out told boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_chat animus.conversations;
  v_open uuid;
begin
  perform animus.require_participant(p_file_id, true);
  perform animus.check_chat_text(p_file_id, p_text);
  v_chat := animus.hold_conversation(p_file_id);
  select w.id into v_open from animus.chat_messages m join animus.work_items w on w.id = m.work_item_id
   where m.id = v_chat.head_id and w.resolved_at is null and w.cancel_requested_at is null;
  told := v_chat.while_answering = 'tell' and v_open is not null and not coalesce(animus.runs_externally(v_open, v_chat.faculty), false)
          and animus.may_tell(p_file_id, v_open);
  if told then
    message_id := animus.tell_answer(v_chat, v_open, p_text);
    work_item_id := v_open;
    return;
  end if;
  select p.message_id, p.work_item_id into message_id, work_item_id
    from animus.put_message(v_chat, v_chat.head_id, null, false, p_text, p_params, p_trace_context, animus.actor()) p;
end $$;

-- Replaces a message of a person with a new one with a different text. The new one stands where the old one stood, and its answer begins from the recorded
-- words; the old one, what followed it, and their answers stay as a branch that is no longer shown, and answers that are under way there are
-- cancelled. For its author, and for operators.
-- Locks: as lock_tree_to_end for the items of that branch; the row of the item before it; the conversation; its file.
-- Raises: WA002, WA003, WA004, 42501, 23514, 57PA1.
create or replace function animus.edit_message(
  p_message_id bigint, p_text text, p_trace_context text default null, out message_id bigint, out work_item_id uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_old animus.chat_messages := animus.message_to_change(p_message_id, true);
begin
  perform animus.check_chat_text(v_old.file_id, p_text);
  select b.message_id, b.work_item_id into message_id, work_item_id from animus.branch_off(v_old, p_text, true, p_trace_context) b;
end $$;

-- Asks for another answer to a message, given by its id or by that of its answer. The message stands again where it stood, as a new one, and its answer
-- goes on from the answer before. Its author is still who wrote it. For those who take part.
-- Locks: as edit_message. Raises: WA002, WA003, WA004, 42501, 23514, 57PA1.
create or replace function animus.retry_message(p_message_id bigint, p_trace_context text default null, out message_id bigint, out work_item_id uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_old animus.chat_messages;
begin
  v_old := animus.require_message(p_message_id);
  v_old := animus.message_to_change(case when v_old.role = 'assistant' then v_old.after_id else p_message_id end, false);
  select b.message_id, b.work_item_id into message_id, work_item_id from animus.branch_off(v_old, v_old.content, false, p_trace_context) b;
end $$;

-- Marks a message or an answer as deleted: views and later contexts leave it out with the files that came with it, and the next answer begins from the
-- words that are left. What was told into an answer that has not read it yet never reaches that answer. Earlier versions of a message, which it stands for after edits and retries, are deleted with it. If the answer to it is under
-- way, that is cancelled; one that has said nothing is deleted with it. Returns false if it was deleted before. For its author, of an answer for
-- those who take part, and for operators.
-- Locks: as lock_tree_to_end for its item, or the row of the item that it was told to; the conversation; its file; its attached files.
-- Raises: WA003, 42501, 57PA1.
create or replace function animus.delete_message(p_message_id bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_old animus.chat_messages;
  v_ids bigint[];
  v_now timestamptz;
begin
  v_old := animus.require_message(p_message_id);
  if v_old.role = 'user' then perform animus.require_author(v_old); end if;
  if v_old.role = 'user' and not v_old.told then
    perform animus.cancel_answers(v_old.file_id, array[v_old.work_item_id], 'its message was deleted');
  end if;
  -- Under this lock, its answer either has read it already or never will.
  if v_old.told then perform animus.lock_work(array[v_old.work_item_id], 10); end if;
  perform from animus.conversations c where c.file_id = v_old.file_id for no key update;
  v_now := animus.now();
  update animus.chat_messages m set deleted_at = v_now, deleted_by = animus.actor() where m.id = p_message_id and m.deleted_at is null;
  if not found then return false; end if;
  if v_old.told then perform animus.withdraw_mail(v_old.work_item_id, v_old.author, v_old.created_at); end if;
  -- What it stands for, by the same author: a retry left the same words there, on a branch that is not shown.
  v_ids := array(
    with recursive version as (
      select v_old.id, v_old.replaces
      union all
      select m.id, m.replaces from version v join animus.chat_messages m on m.id = v.replaces where v_old.role = 'user' and m.author = v_old.author)
    select v.id from version v);
  update animus.chat_messages m set deleted_at = v_now, deleted_by = animus.actor() where m.id = any (v_ids) and m.deleted_at is null;
  -- Answers that were cancelled before they said anything.
  update animus.chat_messages m set deleted_at = v_now, deleted_by = animus.actor()
   where m.after_id = any (v_ids) and m.role = 'assistant' and m.content = '' and m.ended_as = 'cancelled' and m.deleted_at is null;
  update animus.files f set updated_at = v_now where f.id = v_old.file_id;
  perform animus.remove_attached_files(v.id, v_now) from unnest(v_ids) v (id) order by v.id;
  return true;
end $$;

-- Deletes a conversation: nobody sees it from then on, answers under way are cancelled, and retention removes it with its items and their files. For
-- owners and operators.
-- Locks: as lock_tree_to_end for its open items; the conversation; its file. Raises: WA003, 42501, 57PA1.
create or replace function animus.delete_conversation(p_file_id uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
begin
  perform animus.require_participant(p_file_id, true);
  perform animus.require_owner(p_file_id);
  loop
    begin
      perform animus.cancel_answers(p_file_id, animus.open_in(p_file_id), 'its conversation was deleted');
      perform from animus.conversations c where c.file_id = p_file_id for no key update;
      exit when animus.open_in(p_file_id) = '{}';
      -- Somebody has said something meanwhile. Releases the locks of this attempt.
      raise exception using errcode = 'WA00R';
    exception when sqlstate 'WA00R' then null;
    end;
  end loop;
  update animus.files f set deleted_at = animus.now() where f.id = p_file_id;
end $$;

-- Returns the items of a conversation that have not ended and are not being cancelled.
-- Locks: none. Raises: nothing.
create or replace function animus.open_in(p_file_id uuid) returns uuid[]
language sql stable as $$
  select coalesce(array_agg(w.id), '{}') from animus.chat_messages m join animus.work_items w on w.id = m.work_item_id
   where m.file_id = p_file_id and m.role = 'user' and not m.told and w.resolved_at is null and w.cancel_requested_at is null
$$;

-- Checks the words of a message.
-- Locks: none. Raises: WA004.
create or replace function animus.check_chat_text(p_file_id uuid, p_text text) returns void
language plpgsql stable as $$
begin
  if coalesce(p_text, '') !~ '[^[:space:]]' then
    perform animus.raise('WA004', 'a message needs a text', p_file_id);
  end if;
  if octet_length(p_text) > 65536 then
    perform animus.raise('WA004', format('the message has %s bytes; at most 65536 (64 KiB) are accepted', octet_length(p_text)), p_file_id, 'attach the rest as a file');
  end if;
end $$;
