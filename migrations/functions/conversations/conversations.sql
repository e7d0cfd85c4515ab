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
-- Callers: submitter, operator, gateway.
declare
  v_id  uuid := animus.uuid_v7();
  v_now timestamptz := animus.now();
begin
  perform animus.require_workspace(p_workspace_id);
  p_path := coalesce(p_path, format('chats/%s.chat', right(v_id::text, 12)));
  if p_path !~ E'\\.chat$' or exists (select from string_to_table(p_path, '/') part where animus.file_name_problem(part) is not null) then
    perform animus.raise('WA004', format('%s is not a valid path for a conversation', quote_literal(p_path)), p_hint => 'a relative path that ends in .chat, such as chats/plans.chat');
  end if;
  if p_faculty is null or p_faculty !~ '^[a-z][a-z0-9_-]*$' or octet_length(p_faculty) > 63 then
    perform animus.raise('WA004', 'faculty is 1 to 63 lower-case letters, digits, - and _, starting with a letter');
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
-- Callers: submitter, operator, gateway.
begin
  perform animus.require_participant(p_file_id, true);
  perform animus.require_owner(p_file_id);
  if p_faculty !~ '^[a-z][a-z0-9_-]*$' or octet_length(p_faculty) > 63 then
    perform animus.raise('WA004', 'faculty is 1 to 63 lower-case letters, digits, - and _, starting with a letter', p_file_id);
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
-- Callers: submitter, operator, gateway.
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
  -- A person who says something holds the conversation while the message gets its id, so the message is either before or after the new participant.
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
-- Callers: submitter, operator, gateway.
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

-- Refuses actors that may not read a conversation or, with p_write, may not write in it. Those who take part, readers of all work and operators may.
-- They do not learn that it exists.
-- Locks: none. Raises: WA003, 42501.
create or replace function animus.require_participant(p_file_id uuid, p_write boolean) returns void
language plpgsql stable as $$
begin
  if exists (select from animus.files f where f.id = p_file_id and f.deleted_at is null and f.kind = 'chat') then
    if exists (select from animus.conversation_people p where p.file_id = p_file_id and p.actor = animus.actor()) or animus.may_operate() then return; end if;
    if animus.may_see(null) then
      if not p_write then return; end if;
      raise insufficient_privilege using message = format('%s does not take part in this conversation', animus.actor()),
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
-- Callers: all.
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
