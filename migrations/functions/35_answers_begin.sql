-- Where the answers of a conversation begin: the chain of foci before them, and what was said and heard in it.

-- Returns the foci whose conversation a focus goes on with, oldest first, and itself.
-- Locks: none. Raises: nothing.
create or replace function animus.chain_of(p_focus_id uuid) returns uuid[]
language sql stable as $$
  with recursive line as (
    select f.id, f.continues, 1 as n from animus.foci f where f.id = p_focus_id
    union all
    select f.id, f.continues, l.n + 1 from animus.foci f join line l on f.id = l.continues)
  select coalesce(array_agg(l.id order by l.n desc), array[p_focus_id]) from line l
$$;

-- Returns the items whose foci a chain consists of, oldest first: an item's own id if its open focus continues none.
-- Locks: none. Raises: nothing.
create or replace function animus.items_of_chain(p_work_item_id uuid) returns uuid[]
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with recursive line as (
    (select f.id, f.continues, f.work_item_id, 1 as n from animus.foci f where f.work_item_id = p_work_item_id order by f.number desc limit 1)
    union all
    select f.id, f.continues, f.work_item_id, l.n + 1 from animus.foci f join line l on f.id = l.continues)
  select coalesce(array_agg(l.work_item_id order by l.n desc), array[p_work_item_id]) from line l
$$;

-- Returns the messages of people before a message on its branch, and itself, from the message p_oldest on; null p_oldest: itself.
-- Locks: none. Raises: nothing.
create or replace function animus.line_since(p_message_id bigint, p_oldest bigint) returns bigint[]
language sql stable as $$
  with recursive line as (
    select m.id, m.after_id from animus.chat_messages m where m.id = p_message_id
    union all
    -- A message has a greater id than those before it.
    select m.id, m.after_id from line l join animus.chat_messages m on m.id = l.after_id where m.id >= p_oldest)
  select coalesce(array_agg(l.id order by l.id), '{}') from line l
$$;

-- Returns where the answer of an item begins, as JSON; null for an item that answers no message.
-- {conversation, title, path, message, people: [actor], said: [{id, author, text, at, files}], before: {focus, faculty_snapshot, system_prompt, tools,
-- turns, chain, media: {files, bytes}} | null}: `said` is what the focus has to be told, the message of the item last; `before` is the newest focus on
-- its branch, if the answer may go on with it: not after an edit, a deletion of something that it has been told, a change of the faculty, where somebody reads it who does not read all of the
-- chain (13_readers.sql), or 200 answers, so that no answer reads more than that many. `media` counts the images and documents of the chain with those
-- of the message, if it has any files.
-- Locks: none. Raises: nothing.
create or replace function animus.answer_start(p_work_item_id uuid) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_message animus.chat_messages;
  v_before  record;  -- the newest focus on its branch before it, what message it answered, and of which faculty it was
  v_faculty text;
  v_chain   uuid[];
  v_line    bigint[];
begin
  select * into v_message from animus.chat_messages m where m.work_item_id = p_work_item_id and m.role = 'user' and not m.told;
  if not found then return null; end if;
  select w.faculty into v_faculty from animus.work_items w where w.id = p_work_item_id;
  select * into v_before from animus.focus_before(case when not v_message.fresh then v_message.after_id end);
  if v_before.focus is not null then
    if v_before.faculty = v_faculty then
      v_chain := animus.chain_of(v_before.focus);
      if cardinality(v_chain) >= 200 or animus.chain_heard_deleted(v_message, v_chain[1])
         or not coalesce((select animus.chain_for_all(p_work_item_id, m) from animus.foci f join animus.chat_messages m on m.work_item_id = f.work_item_id
                           where f.id = v_chain[1] and m.role = 'user' and not m.told), false) then
        v_chain := null;
      end if;
    end if;
  end if;
  v_line := animus.line_since(v_message.id, v_before.heard);
  return (
    select json_build_object(
      'conversation', c.file_id, 'title', c.title, 'path', f.path, 'message', v_message.id,
      'people', (select json_agg(p.actor order by p.actor) from animus.conversation_people p where p.file_id = c.file_id),
      'said', (select json_agg(json_build_object('id', m.id, 'author', m.author, 'text', m.content,
                        'at', to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"'), 'files', animus.files_of_message(m.id)) order by m.id)
                 from animus.chat_messages m
                where m.deleted_at is null
                  and (m.id = v_message.id or v_chain is not null and (
                    m.id = any (v_line) and m.id > v_before.heard
                    -- What was told to an answer that ended before it was delivered.
                    or m.told and m.after_id = any (v_line) and m.work_item_id <> p_work_item_id and exists (
                      select from animus.mailbox x where x.work_item_id = m.work_item_id and x.delivered_at is null
                         and x.author = m.author and x.created_at = m.created_at)))),
      'before', (select json_build_object('focus', b.id, 'faculty_snapshot', s.faculty_snapshot, 'system_prompt', s.system_prompt, 'tools', s.tools,
                          'settings', encode(s.id, 'hex'), 'chain', v_chain[1], 'turns', animus.turns_of_chain(b.id),
                          'media', (select json_build_object('files', count(*), 'bytes', coalesce(sum(a.bytes), 0))
                                      from animus.artifacts a
                                     where a.media_type not like 'text/%'
                                       and a.id in (select x.file_id from animus.chat_message_files x where x.message_id = v_message.id
                                                    union all
                                                    select m.artifact_id from animus.focus_messages m where m.focus_id = any (v_chain) and m.artifact_id is not null)
                                       and exists (select from animus.chat_message_files x where x.message_id = v_message.id)))
                   from animus.foci b join animus.focus_settings s on s.id = b.settings_id where b.id = v_before.focus and v_chain is not null))
      from animus.conversations c join animus.files f on f.id = c.file_id where c.file_id = v_message.file_id);
end $$;

-- Returns the newest ended focus of the answers to a message and to those before it on its branch, which message it answered (`heard`), and its
-- faculty; nulls if none of the newest 200 has one.
-- Locks: none. Raises: nothing.
create or replace function animus.focus_before(p_message_id bigint, out focus uuid, out heard bigint, out faculty text)
language sql stable as $$
  with recursive line as (
    select m.id, m.after_id, m.work_item_id, 1 as n from animus.chat_messages m where m.id = p_message_id
    union all
    select m.id, m.after_id, m.work_item_id, l.n + 1 from line l join animus.chat_messages m on m.id = l.after_id
     where l.n < 200 and not exists (select from animus.foci f where f.work_item_id = l.work_item_id and f.ended_as is not null))
  select f.id, l.id, w.faculty
    from line l join animus.work_items w on w.id = l.work_item_id join animus.foci f on f.work_item_id = w.id
   where f.ended_as is not null order by l.n, f.number desc limit 1
$$;

drop function if exists animus.heard_deleted(animus.chat_messages, timestamptz);
-- Returns whether something on the branch before a message was deleted since a chain of answers began: then the chain may contain it. p_first: the first
-- focus of the chain. Deletions that committed after the message of that focus count, too: one may have begun before the focus, and have committed after
-- the focus had read the words.
-- Locks: none. Raises: nothing.
create or replace function animus.chain_heard_deleted(p_message animus.chat_messages, p_first uuid) returns boolean
language plpgsql stable as $$
declare
  v_first record;
begin
  if not exists (select from animus.chat_messages m where m.file_id = p_message.file_id and m.deleted_at is not null and m.id < p_message.id) then
    return false;
  end if;
  -- The order of the marks is that of the commits. The first message of the chain is near the end.
  select f.started_at, (select k.seq from animus.chat_marks k where k.file_id = p_message.file_id and k.work_item_id = f.work_item_id and k.kind = 'said'
                         order by k.seq desc limit 1) as seq
    into v_first from animus.foci f where f.id = p_first;
  return (
    with deleted as materialized (
      select case when m.role = 'user' and not m.told then m.id else m.after_id end as place from animus.chat_messages m
       where m.file_id = p_message.file_id and m.deleted_at is not null and m.id < p_message.id
         and (m.deleted_at >= v_first.started_at
              or m.id in (select k.message_id from animus.chat_marks k where k.file_id = p_message.file_id and k.seq > v_first.seq and k.kind = 'deleted')))
    select exists (select from unnest(animus.line_since(p_message.id, (select min(x.place) from deleted x))) l (id) join deleted d on d.place = l.id));
end $$;

-- Returns the files that came with a message, as JSON: [{id, path, media_type, bytes}]; null if there are none.
-- Locks: none. Raises: nothing.
create or replace function animus.files_of_message(p_message_id bigint) returns json
language sql stable as $$
  select json_agg(json_build_object('id', f.id, 'path', f.path, 'media_type', a.media_type, 'bytes', a.bytes) order by f.id)
    from animus.chat_message_files x join animus.files f on f.id = x.file_id and f.deleted_at is null join animus.artifacts a on a.id = f.id
   where x.message_id = p_message_id
$$;

-- Returns how many turns a focus and those before it in its chain have recorded.
-- Locks: none. Raises: nothing.
create or replace function animus.turns_of_chain(p_focus_id uuid) returns int
language sql stable as $$
  select coalesce((select max(t.turn) from animus.turns t where t.focus_id = f.id and t.recorded_at is not null), f.turns_before, 0)
    from animus.foci f where f.id = p_focus_id
$$;

-- Begins the focus of an answer that goes on with another focus, or resumes the one that is open, as begin_focus does with the settings of that focus.
-- Its turns are numbered after those of the chain. Calls that the focus before left open are answered: cancelled. No row: its settings are not stored
-- any more, or something that its chain contains was deleted since answer_start; nothing was changed.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.continue_focus(p_id uuid, p_token bigint, p_host text, p_directory_root text, p_before uuid)
returns table (id uuid, number int, phase text, directory text, resumes int, faculty_snapshot jsonb, system_prompt text, tools json, has_ledger boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now     timestamptz := animus.now();
  v_focus   record;
  v_message animus.chat_messages;
begin
  perform animus.hold_lease(p_id, p_token);
  select * into v_message from animus.chat_messages m where m.work_item_id = p_id and m.role = 'user' and not m.told;
  if not exists (select from animus.foci f where f.work_item_id = p_id and f.ended_as is null)
     and animus.chain_heard_deleted(v_message, (animus.chain_of(p_before))[1]) then
    return;
  end if;
  select b.* into v_focus
    from animus.begin_focus(p_id, p_token, p_host, p_directory_root, (select f.settings_id from animus.foci f where f.id = p_before)) b;
  if v_focus.id is null then return; end if;
  if v_focus.resumes = 0 then
    update animus.foci f set continues = p_before, turns_before = animus.turns_of_chain(p_before) where f.id = v_focus.id;
    update animus.tool_calls c set state = 'failed', output = 'cancelled: the answer ended before this call did', output_bytes = 46, is_error = true, ended_at = v_now
     -- Of the newest turn: a call of code that was left open in an earlier one is in no context, and readers of events have passed it.
     where c.focus_id = p_before and c.turn = animus.turns_of_chain(p_before) and c.state in ('pending', 'started', 'waiting');
  end if;
  return query select v_focus.id, v_focus.number, v_focus.phase, v_focus.directory, v_focus.resumes, v_focus.faculty_snapshot, v_focus.system_prompt,
                      v_focus.tools, v_focus.has_ledger;
end $$;
