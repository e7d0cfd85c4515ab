-- Conversations: messages of people, each with a work item for its answer, and the branches that edits and retries make.
--
-- Lock order: the rows of work items in the order of their ids, then the row of the conversation, then that of its file. The end of an item holds
-- the item and takes the file; it never takes the conversation.

-- Begins a conversation with a faculty, in a workspace of the actor, who is its owner, and returns the id of its file. p_path: by default
-- chats/ID.chat. p_while_answering says what happens to a message that comes while an answer is being given: `queue`, it is answered next; `tell`,
-- it is told into that answer.
-- Locks: none. Raises: WA003, WA004, 42501, 23505, 23514.
create or replace function animus.start_conversation(
  p_workspace_id uuid, p_faculty text, p_path text default null, p_title text default '', p_while_answering text default 'queue') returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_id  uuid := animus.uuid_v7();
  v_now timestamptz := animus.now();
begin
  perform animus.require_workspace(p_workspace_id);
  p_path := coalesce(p_path, format('chats/%s.chat', right(v_id::text, 12)));
  if p_path !~ E'\\.chat$' or exists (select from string_to_table(p_path, '/') part where animus.file_name_problem(part) is not null) then
    perform animus.raise('WA004', format('%s is no path of a conversation', quote_literal(p_path)), p_hint => 'a relative path that ends in .chat, such as chats/plans.chat');
  end if;
  if p_faculty is null or p_faculty !~ '^[a-z][a-z0-9_-]*$' or octet_length(p_faculty) > 63 then
    perform animus.raise('WA004', 'faculty is 1 to 63 lower-case letters, digits, - and _, a letter first');
  end if;
  if length(p_title) > 200 or p_title ~ '[[:cntrl:]]' then
    perform animus.raise('WA004', 'a title has at most 200 characters in one line');
  end if;
  insert into animus.files (id, workspace_id, path, is_virtual, kind, created_at, updated_at) values (v_id, p_workspace_id, p_path, true, 'chat', v_now, v_now);
  insert into animus.conversations (file_id, faculty, title, while_answering, created_by)
  values (v_id, p_faculty, coalesce(p_title, ''), p_while_answering, animus.actor());
  insert into animus.conversation_people (file_id, actor, role) values (v_id, animus.actor(), 'owner');
  return v_id;
end $$;

-- Changes faculty, title or the treatment of messages that come while an answer is given; null keeps what is there. Another faculty answers from
-- the next message on, and begins from the recorded words. For owners and operators.
-- Locks: the row of the conversation; its file. Raises: WA003, WA004, 42501, 23514.
create or replace function animus.change_conversation(p_file_id uuid, p_faculty text default null, p_title text default null, p_while_answering text default null)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_participant(p_file_id, true);
  perform animus.require_owner(p_file_id);
  if p_faculty !~ '^[a-z][a-z0-9_-]*$' or octet_length(p_faculty) > 63 then
    perform animus.raise('WA004', 'faculty is 1 to 63 lower-case letters, digits, - and _, a letter first', p_file_id);
  end if;
  if length(p_title) > 200 or p_title ~ '[[:cntrl:]]' then
    perform animus.raise('WA004', 'a title has at most 200 characters in one line', p_file_id);
  end if;
  update animus.conversations c set faculty = coalesce(p_faculty, c.faculty), title = coalesce(p_title, c.title),
         while_answering = coalesce(p_while_answering, c.while_answering) where c.file_id = p_file_id;
end $$;

drop function if exists animus.set_participant(uuid, text, boolean);
-- Adds somebody who takes part (a login, such as `alice`, or a person, such as `person:alice`), gives them another role, or with p_remove removes them.
-- p_role: `owner` or `member`; null keeps the role, and is `member` for somebody new. They see what was said, and the contexts of the answers from now on
-- (13_readers.sql). For owners and operators; everybody may leave. An owner stops being one, or leaves, only where they do it themselves or an operator does, and not
-- if there is no other owner. Returns whether that changed anything. A name that no login has, and a person who is refused, are not added.
-- Locks: the conversation; the file; the row of the participant. Raises: WA002, WA003, WA004, 42501.
create or replace function animus.set_participant(p_file_id uuid, p_actor text, p_remove boolean default false, p_role text default null) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_role text;
begin
  perform animus.require_participant(p_file_id, true);
  p_remove := coalesce(p_remove, false);
  if coalesce(p_actor, '') !~ '^[^[:space:][:cntrl:]]{1,220}$' then
    perform animus.raise('WA004', 'the name of an actor has no spaces and no control characters', p_file_id);
  end if;
  if p_role not in ('owner', 'member') then
    perform animus.raise('WA004', format('%s is not a role in a conversation', quote_literal(p_role)), p_file_id, 'owner or member');
  end if;
  -- Whoever says something holds the conversation while the message gets its id, so the message is either before or after the new participant.
  perform from animus.conversations c where c.file_id = p_file_id for no key update;
  -- First, as retention does, which deletes those who take part with the file.
  perform from animus.files f where f.id = p_file_id for no key update;
  if p_actor is distinct from animus.actor() or not (p_remove or coalesce(p_role, '') = 'member') then perform animus.require_owner(p_file_id); end if;
  select p.role into v_role from animus.conversation_people p where p.file_id = p_file_id and p.actor = p_actor;
  if v_role = 'owner' and (p_remove or p_role = 'member') then
    if p_actor <> animus.actor() and not animus.may_operate() then
      raise insufficient_privilege using message = format('%s is an owner of this conversation', p_actor),
        hint = 'only the owner steps down or leaves, or an operator does it for them';
    end if;
    if not exists (select from animus.conversation_people p where p.file_id = p_file_id and p.role = 'owner' and p.actor <> p_actor) then
      perform animus.raise('WA002', format('%s is the only owner of this conversation', p_actor), p_file_id, 'make somebody else an owner first, or delete the conversation');
    end if;
  end if;
  if p_remove then
    delete from animus.conversation_people p where p.file_id = p_file_id and p.actor = p_actor;
  elsif v_role is not null then
    update animus.conversation_people p set role = p_role where p.file_id = p_file_id and p.actor = p_actor and p.role <> p_role;
  else
    perform animus.require_actor(p_actor, p_file_id);
    insert into animus.conversation_people (file_id, actor, role, joined_after)
    values (p_file_id, p_actor, coalesce(p_role, 'member'), coalesce((select max(m.id) from animus.chat_messages m where m.file_id = p_file_id), 0));
  end if;
  return found;
end $$;

-- Returns whether somebody who takes part in a conversation of the actor is known: a login, or a person who is listed or has used animus. Somebody may be
-- invited before that, by a name that was mistyped, too.
-- Locks: none. Raises: WA003, 42501.
create or replace function animus.participant_known(p_file_id uuid, p_actor text) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_participant(p_file_id, false);
  return not starts_with(p_actor, 'person:')
      or not exists (select from animus.conversation_people p where p.file_id = p_file_id and p.actor = p_actor)
      or exists (select from animus.people p where p.name = substr(p_actor, 8))
      or exists (select from animus.work_items w where w.submitted_by = p_actor and w.submitted_by like 'person:%')
      or exists (select from animus.workspaces w where w.owner = p_actor);
end $$;

-- Refuses everybody but the owners of the conversation and operators.
-- Locks: none. Raises: 42501.
create or replace function animus.require_owner(p_file_id uuid) returns void
language plpgsql stable as $$
begin
  if animus.may_operate() or exists (select from animus.conversation_people p where p.file_id = p_file_id and p.actor = animus.actor() and p.role = 'owner') then return; end if;
  raise insufficient_privilege using message = format('%s is not an owner of this conversation', animus.actor()), hint = 'only its owners, and operators, may do this';
end $$;

-- Refuses a name that nobody can act as: that of no login of the database, or of a person who may not use animus. People who are not listed may, unless `*`
-- is disabled. The error is the same for a person who is disabled and one who is not listed.
-- Locks: none. Raises: WA004.
create or replace function animus.require_actor(p_actor text, p_id uuid) returns void
language plpgsql stable as $$
begin
  if starts_with(p_actor, 'person:') then
    if p_actor ~ '^person:[^[:space:][:cntrl:]]{1,200}$' and p_actor <> 'person:*' and animus.role_of_person(substr(p_actor, 8)) is not null then return; end if;
    perform animus.raise('WA004', format('nobody may use animus as %s', p_actor), p_id);
  end if;
  -- actor() writes a login with a colon in its name as login:NAME.
  if exists (select from pg_roles r where r.rolcanlogin and p_actor = case when strpos(r.rolname, ':') > 0 then 'login:' || r.rolname else r.rolname end) then return; end if;
  perform animus.raise('WA004', format('no login of the database is named %s', p_actor)
    || case when strpos(p_actor, ':') = 0 then format('; for a person who uses animus by HTTP, write person:%s', p_actor) else '' end, p_id);
end $$;

-- Refuses whoever may not read a conversation, or with p_write not write in it: others than those who take part, readers of all work, and operators.
-- They do not learn that it exists.
-- Locks: none. Raises: WA003, 42501.
create or replace function animus.require_participant(p_file_id uuid, p_write boolean) returns void
language plpgsql stable as $$
begin
  if exists (select from animus.files f where f.id = p_file_id and f.deleted_at is null and f.kind = 'chat') then
    if exists (select from animus.conversation_people p where p.file_id = p_file_id and p.actor = animus.actor()) or animus.may_operate() then return; end if;
    if animus.may_see(null) then
      if not p_write then return; end if;
      raise insufficient_privilege using message = format('%s takes no part in this conversation', animus.actor()),
        hint = 'somebody who takes part, or an operator, can add them';
    end if;
  end if;
  perform animus.raise('WA003', format('no conversation %s', p_file_id), p_file_id);
end $$;

-- Returns whether the actor takes part in the conversation of an item, or of the item at the root of its tree, and did when its message was written: then it
-- may see the item. False if its message, what was told into it or its answer was deleted, as own_answers and all_may_read have it.
-- Locks: none. Raises: nothing.
create or replace function animus.takes_part(p_work_item_id uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (
    select from animus.work_items w join animus.chat_messages m on m.work_item_id = w.root_id
      join animus.conversation_people p on p.file_id = m.file_id and p.actor = animus.actor() and p.joined_after < m.id
      join animus.files f on f.id = m.file_id and f.deleted_at is null
     where w.id = p_work_item_id and m.role = 'user' and not m.told
       and not exists (select from animus.chat_messages d where d.work_item_id = w.root_id and d.deleted_at is not null))
$$;

-- Returns whether the actor may stop an item: it takes part in the conversation of the item at its root, also since the item began.
-- Locks: none. Raises: nothing.
create or replace function animus.may_stop(p_work_item_id uuid) returns boolean
language plpgsql stable as $$
begin
  return animus.takes_part(p_work_item_id) or exists (
    select from animus.chat_messages m join animus.conversation_people p on p.file_id = m.file_id and p.actor = animus.actor()
      join animus.files f on f.id = m.file_id and f.deleted_at is null join animus.work_items w on w.id = p_work_item_id
     where m.work_item_id = p_work_item_id and m.role = 'user' and not m.told and w.resolved_at is null);
end $$;

-- Says something in a conversation. The message and the work item for its answer are one transaction. The item can be claimed when the answers
-- before it on its branch have ended. Where the conversation says `tell` and an answer is being given, the message is told into it, work_item_id is
-- the item of that answer, and told is true; not where the readers of the answer (13_readers.sql) are others than those who take part. At most 64 KiB.
-- Locks: the row of the item before it, waits two seconds at most; the conversation; its file. Raises: WA002, WA003, WA004, 42501, 23514, 57PA1.
create or replace function animus.say_in_conversation(
  p_file_id uuid, p_text text, p_params jsonb default '{}', p_trace_context text default null,
  out message_id bigint, out work_item_id uuid, out told boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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

-- Replaces a message of a person by a new one with other words. The new one stands where the old one stood, and its answer begins from the recorded
-- words; the old one, what followed it, and their answers stay as a branch that is no longer shown, and answers that are under way there are
-- cancelled. For whoever wrote it, and for operators.
-- Locks: as lock_tree_to_end for the items of that branch; the row of the item before it; the conversation; its file.
-- Raises: WA002, WA003, WA004, 42501, 23514, 57PA1.
create or replace function animus.edit_message(
  p_message_id bigint, p_text text, p_trace_context text default null, out message_id bigint, out work_item_id uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_old animus.chat_messages := animus.message_to_change(p_message_id, true);
begin
  perform animus.check_chat_text(v_old.file_id, p_text);
  select b.message_id, b.work_item_id into message_id, work_item_id from animus.branch_off(v_old, p_text, true, p_trace_context) b;
end $$;

-- Asks for another answer to a message, given by its id or by that of its answer. The message stands again where it stood, as a new one, and its answer
-- goes on from the answer before. Its author is still who wrote it. For whoever takes part.
-- Locks: as edit_message. Raises: WA002, WA003, WA004, 42501, 23514, 57PA1.
create or replace function animus.retry_message(p_message_id bigint, p_trace_context text default null, out message_id bigint, out work_item_id uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_old animus.chat_messages;
begin
  v_old := animus.require_message(p_message_id);
  v_old := animus.message_to_change(case when v_old.role = 'assistant' then v_old.after_id else p_message_id end, false);
  select b.message_id, b.work_item_id into message_id, work_item_id from animus.branch_off(v_old, v_old.content, false, p_trace_context) b;
end $$;

-- Marks a message or an answer as deleted: views and later contexts leave it out with the files that came with it, and the next answer begins from the
-- words that are left. What was told into an answer that has not read it yet never reaches that answer. Earlier versions of a message, which it stands for after edits and retries, are deleted with it. If the answer to it is under
-- way, that is cancelled; one that has said nothing is deleted with it. Returns false if it was deleted before. For whoever wrote it, of an answer for
-- whoever takes part, and for operators.
-- Locks: as lock_tree_to_end for its item, or the row of the item that it was told to; the conversation; its file; its attached files.
-- Raises: WA003, 42501, 57PA1.
create or replace function animus.delete_message(p_message_id bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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

-- Deletes a conversation: nobody sees it any more, answers under way are cancelled, and retention removes it with its items and their files. For
-- owners and operators.
-- Locks: as lock_tree_to_end for its open items; the conversation; its file. Raises: WA003, 42501, 57PA1.
create or replace function animus.delete_conversation(p_file_id uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
    perform animus.raise('WA004', format('the message has %s bytes; at most 65536 (64 KiB) are taken', octet_length(p_text)), p_file_id, 'attach the rest as a file');
  end if;
end $$;

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

-- Returns a message of a person that is to be edited or retried. p_own: only by whoever wrote it.
-- Locks: none. Raises: WA002, WA003, 42501.
create or replace function animus.message_to_change(p_message_id bigint, p_own boolean) returns animus.chat_messages
language plpgsql stable as $$
declare
  v_old animus.chat_messages;
begin
  v_old := animus.require_message(p_message_id);
  if v_old.role <> 'user' or v_old.told or v_old.deleted_at is not null then
    perform animus.raise('WA002', case when v_old.deleted_at is not null then format('message %s is deleted', p_message_id)
      when v_old.told then format('message %s was told into an answer', p_message_id) else format('message %s is not one of a person', p_message_id) end);
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

-- Refuses whoever did not write a message and is no operator.
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
