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

-- Returns the messages of people before a message on its branch, and itself.
-- Locks: none. Raises: nothing.
create or replace function animus.line_of(p_message_id bigint) returns bigint[]
language sql stable as $$
  with recursive line as (
    select m.id, m.after_id from animus.chat_messages m where m.id = p_message_id
    union all
    select m.id, m.after_id from animus.chat_messages m join line l on m.id = l.after_id)
  select coalesce(array_agg(l.id order by l.id), '{}') from line l
$$;

-- Returns what was said on the branch of a message, in order, up to it and with what followed it: without deleted messages and without answers that
-- were replaced. p_message_id null: what stands before the first message of a person.
-- Locks: none. Raises: nothing.
create or replace function animus.words_of(p_file_id uuid, p_message_id bigint) returns setof animus.chat_messages
language sql stable as $$
  select m.* from animus.chat_messages m cross join (select animus.line_of(p_message_id) as ids) line
   where m.file_id = p_file_id and m.deleted_at is null
     and (m.id = any (line.ids) or (m.role <> 'user' or m.told) and (m.after_id = any (line.ids) or m.after_id is null))
     and not exists (select from animus.chat_messages n where n.replaces = m.id and n.role <> 'user')
   order by case when m.role = 'user' and not m.told then m.id else coalesce(m.after_id, 0) end, m.id
$$;

-- Returns a message of a person and what follows it, its answer and what was told into it: without deleted messages and without answers that were
-- replaced. p_place null: what stands before the first message of a person.
-- Locks: none. Raises: nothing.
create or replace function animus.words_at(p_file_id uuid, p_place bigint) returns setof animus.chat_messages
language sql stable as $$
  select m.* from animus.chat_messages m where m.id = p_place and m.deleted_at is null
  union all
  select m.* from animus.chat_messages m
   where m.file_id = p_file_id and case when m.role = 'user' and not m.told then m.id else coalesce(m.after_id, 0) end = coalesce(p_place, 0)
     and m.id is distinct from p_place and m.deleted_at is null
     and not exists (select from animus.chat_messages n where n.replaces = m.id and n.role <> 'user')
$$;

-- Returns the newest words before a message on its branch, as many as p_bytes take, with the files that came with them, for an answer that begins from
-- them. Nothing was said before them if `first` is true.
-- Locks: none. Raises: nothing.
create or replace function animus.newest_words(p_message_id bigint, p_bytes int)
returns table (id bigint, role text, author text, content text, ended_as text, files json, first boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  -- place: a message of a person, or null for what stands before the first one. bytes: of what follows it.
  with recursive line as (
    select s.file_id, s.after_id as place, 0::bigint as bytes, 0 as n from animus.chat_messages s where s.id = p_message_id
    union all
    select l.file_id, m.after_id, l.bytes + here.bytes, l.n + 1
      from line l join animus.chat_messages m on m.id = l.place
      cross join lateral (select coalesce(sum(octet_length(w.content) + 100), 0) as bytes from animus.words_at(l.file_id, l.place) w) here
     where l.bytes + here.bytes < p_bytes)
  select w.id, w.role, w.author, w.content, w.ended_as, case when w.role = 'user' then animus.files_of_message(w.id) end,
         exists (select from line l where l.place is null)
    from line l cross join lateral animus.words_at(l.file_id, l.place) w order by l.n desc, w.id
$$;

drop function if exists animus.words_before(bigint);

-- Returns at most p_limit messages of the branch that is shown, in order, after the place and the id of one of them. The place of an answer and of what
-- was told into it is the message that it answers; a place stays valid when messages are edited or deleted. A conversation without edits and
-- retries is not read beyond the page. For whoever may read it.
-- Locks: none. Raises: WA003, 42501.
create or replace function animus.conversation_page(p_file_id uuid, p_place bigint default -1, p_id bigint default 0, p_limit int default null)
returns table (id bigint, file_id uuid, role text, content text, author text, created_at timestamptz, replaces bigint, work_item_id uuid, told boolean,
               ended_as text, state text, attachments jsonb, place bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- All messages before the first that was replaced are on the branch that is shown.
  v_branch bigint := (select min(m.replaces) from animus.chat_messages m where m.file_id = p_file_id and m.role = 'user' and m.replaces is not null);
  v_line   bigint[];
begin
  perform animus.require_participant(p_file_id, false);
  if v_branch is not null then
    v_line := animus.line_since((select c.head_id from animus.conversations c where c.file_id = p_file_id), greatest(v_branch, p_place));
  end if;
  return query
    select m.id, m.file_id, m.role, m.content, m.author, m.created_at, m.replaces, m.work_item_id, m.told, m.ended_as, w.state,
           case when m.role = 'user' and not m.told then (
             select jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name, 'media_type', a.media_type, 'bytes', a.bytes, 'path', f.path) order by a.created_at, a.id)
               from animus.chat_message_files x join animus.files f on f.id = x.file_id and f.deleted_at is null join animus.artifacts a on a.id = f.id
              where x.message_id = m.id) end,
           m.at
      from (select c.*, case when c.role = 'user' and not c.told then c.id else coalesce(c.after_id, 0) end as at from animus.chat_messages c
             where c.file_id = p_file_id and c.deleted_at is null
               and (case when c.role = 'user' and not c.told then c.id else coalesce(c.after_id, 0) end, c.id) > (p_place, p_id)
               and (v_branch is null or case when c.role = 'user' and not c.told then c.id else coalesce(c.after_id, 0) end < v_branch
                    or case when c.role = 'user' and not c.told then c.id else coalesce(c.after_id, 0) end = any (v_line))
               and not exists (select from animus.chat_messages n where n.replaces = c.id and n.role <> 'user')
             order by case when c.role = 'user' and not c.told then c.id else coalesce(c.after_id, 0) end, c.id limit p_limit) m
      left join animus.work_items w on w.id = m.work_item_id
     order by m.at, m.id;
end $$;

-- Returns at most p_limit messages of the branch that is shown, the newest first, before the place and the id of one of them; null: the newest. Places are
-- those of conversation_page. The branch is followed from its newest message to the end of the page, not to its beginning. For whoever may read it.
-- Locks: none. Raises: WA003, 42501.
create or replace function animus.conversation_newest(p_file_id uuid, p_place bigint default null, p_id bigint default null, p_limit int default 50)
returns table (id bigint, file_id uuid, role text, content text, author text, created_at timestamptz, replaces bigint, work_item_id uuid, told boolean,
               ended_as text, state text, attachments jsonb, place bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_branch bigint := (select min(m.replaces) from animus.chat_messages m where m.file_id = p_file_id and m.role = 'user' and m.replaces is not null);
  v_line   bigint[];
begin
  perform animus.require_participant(p_file_id, false);
  p_place := coalesce(p_place, 9223372036854775807);
  p_id := coalesce(p_id, 9223372036854775807);
  if v_branch is not null then
    v_line := array(
      with recursive line as (
        select m.id, m.after_id, animus.shown_at(m.file_id, m.id, p_place, p_id) as shown
          from animus.conversations c join animus.chat_messages m on m.id = c.head_id where c.file_id = p_file_id
        union all
        -- Until the page is full, or where all messages are on the branch.
        select m.id, m.after_id, l.shown + animus.shown_at(m.file_id, m.id, p_place, p_id)
          from line l join animus.chat_messages m on m.id = l.after_id where l.shown < p_limit and m.id >= v_branch)
      select l.id from line l);
  end if;
  return query
    select m.id, m.file_id, m.role, m.content, m.author, m.created_at, m.replaces, m.work_item_id, m.told, m.ended_as, w.state,
           case when m.role = 'user' and not m.told then (
             select jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name, 'media_type', a.media_type, 'bytes', a.bytes, 'path', f.path) order by a.created_at, a.id)
               from animus.chat_message_files x join animus.files f on f.id = x.file_id and f.deleted_at is null join animus.artifacts a on a.id = f.id
              where x.message_id = m.id) end,
           m.at
      from (select c.*, case when c.role = 'user' and not c.told then c.id else coalesce(c.after_id, 0) end as at from animus.chat_messages c
             where c.file_id = p_file_id and c.deleted_at is null
               and (case when c.role = 'user' and not c.told then c.id else coalesce(c.after_id, 0) end, c.id) < (p_place, p_id)
               and (v_branch is null or case when c.role = 'user' and not c.told then c.id else coalesce(c.after_id, 0) end < v_branch
                    or case when c.role = 'user' and not c.told then c.id else coalesce(c.after_id, 0) end = any (v_line))
               and not exists (select from animus.chat_messages n where n.replaces = c.id and n.role <> 'user')
             order by case when c.role = 'user' and not c.told then c.id else coalesce(c.after_id, 0) end desc, c.id desc limit p_limit) m
      left join animus.work_items w on w.id = m.work_item_id
     order by m.at desc, m.id desc;
end $$;

-- Returns how many messages are shown at a place of a conversation, before the place and the id of a message.
-- Locks: none. Raises: nothing.
create or replace function animus.shown_at(p_file_id uuid, p_at bigint, p_place bigint, p_id bigint) returns bigint
language sql stable as $$
  select count(*) from animus.chat_messages c
   where p_at <= p_place and c.file_id = p_file_id and case when c.role = 'user' and not c.told then c.id else coalesce(c.after_id, 0) end = p_at
     and (p_at, c.id) < (p_place, p_id) and c.deleted_at is null
     and not exists (select from animus.chat_messages n where n.replaces = c.id and n.role <> 'user')
$$;

-- Returns the messages of a conversation on the branch that is shown, in order. For whoever may read it.
-- Locks: none. Raises: WA003, 42501.
create or replace function animus.conversation_messages(p_file_id uuid)
returns table (id bigint, file_id uuid, role text, content text, author text, created_at timestamptz, replaces bigint, work_item_id uuid, told boolean,
               ended_as text, state text, attachments jsonb)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select p.id, p.file_id, p.role, p.content, p.author, p.created_at, p.replaces, p.work_item_id, p.told, p.ended_as, p.state, p.attachments
    from animus.conversation_page(p_file_id) p
$$;

-- Returns what the heading of a message says of the files that came with it; empty: none did, or they are deleted.
-- Locks: none. Raises: nothing.
create or replace function animus.files_in_heading(p_message_id bigint) returns text
language sql stable as $$
  select coalesce(' · with ' || string_agg(format('%s (%s)', a.name, case a.bytes when 1 then '1 byte' else a.bytes || ' bytes' end), ', ' order by a.created_at, a.id), '')
    from animus.chat_message_files x join animus.files f on f.id = x.file_id and f.deleted_at is null join animus.artifacts a on a.id = f.id
   where x.message_id = p_message_id
$$;

-- Returns a conversation as the text of its .chat file, in Markdown, and its ETag: a hash of the text, in quotes. A message that nobody has answered
-- yet stands without an answer. The heading of a message is `## NUMBER · ROLE · AUTHOR · TIME`, with the files that came with it; a line of a message that begins with `## ` gets a backslash in
-- front, so that it is none.
-- Locks: none. Raises: nothing.
create or replace function animus.render_chat(p_file_id uuid, out content text, out etag text)
language sql stable as $$
  select r.text, '"' || encode(sha256(convert_to(r.text, 'UTF8')), 'hex') || '"'
    from (
      select format(E'# %s\n\nA conversation with %s.\n', coalesce(nullif(c.title, ''), f.path), c.faculty)
             || coalesce(string_agg(format(E'\n## %s · %s · %s · %s%s\n\n%s\n', m.number, m.role, animus.shown_name(m.author),
                  to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'),
                  case when m.told then ' · told' when m.ended_as <> 'completed' then ' · ' || m.ended_as else animus.files_in_heading(m.id) end, regexp_replace(m.content, E'^(\\\\*## )', E'\\\\\\1', 'gn')),
                  '' order by m.place), '') as text
        from animus.conversations c join animus.files f on f.id = c.file_id
        left join lateral (select w.*, row_number() over () as place from animus.words_of(c.file_id, c.head_id) w) m on true
       where c.file_id = p_file_id
       group by c.title, c.faculty, f.path) r
$$;

-- Adds messages to an empty conversation, such as those of an export: [{role, content, author?, created_at?}] in order. They have no work items; the next
-- answer begins from their words. At most 10,000 messages of 1 MiB each; the name of an author is cut to 200 characters. Returns how many.
-- Locks: the conversation; its file. Raises: WA002, WA003, WA004, 42501.
create or replace function animus.import_messages(p_file_id uuid, p_messages jsonb) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_after bigint;
  v_one   record;
  v_id    bigint;
  v_count int := 0;
begin
  perform animus.require_participant(p_file_id, true);
  perform from animus.conversations c where c.file_id = p_file_id for no key update;
  -- It may have been deleted meanwhile.
  perform animus.require_participant(p_file_id, true);
  if exists (select from animus.chat_messages m where m.file_id = p_file_id) then
    perform animus.raise('WA002', 'messages are only imported into an empty conversation', p_file_id);
  end if;
  if jsonb_typeof(p_messages) is distinct from 'array' or jsonb_array_length(p_messages) > 10000 then
    perform animus.raise('WA004', 'an import is a list of at most 10,000 messages', p_file_id);
  end if;
  begin
    for v_one in select e.value as m, e.ordinality as n from jsonb_array_elements(p_messages) with ordinality e loop
      if coalesce(v_one.m ->> 'role', '') not in ('user', 'assistant', 'system') or coalesce(jsonb_typeof(v_one.m -> 'content'), '') <> 'string'
         or octet_length(v_one.m ->> 'content') > 1048576 then
        perform animus.raise('WA004', format('message %s of the import needs a role (user, assistant or system) and a content of at most 1 MiB', v_one.n), p_file_id);
      end if;
      if (v_one.m ->> 'created_at')::timestamptz not between '0001-01-01 00:00:00Z' and '9999-12-31 23:59:59Z' then
        perform animus.raise('WA004', format('message %s of the import has a time outside of the years 1 to 9999', v_one.n), p_file_id);
      end if;
      insert into animus.chat_messages (file_id, role, content, author, created_at, after_id, ended_as)
      values (p_file_id, v_one.m ->> 'role', v_one.m ->> 'content', 'imported:' || animus.shown_name(left(coalesce(v_one.m ->> 'author', v_one.m ->> 'role'), 200)),
              coalesce((v_one.m ->> 'created_at')::timestamptz, v_now), v_after, case when v_one.m ->> 'role' = 'assistant' then 'completed' end)
      returning id into v_id;
      if v_one.m ->> 'role' = 'user' then v_after := v_id; end if;
      v_count := v_count + 1;
    end loop;
  exception when invalid_datetime_format or datetime_field_overflow then
    perform animus.raise('WA004', format('created_at of message %s of the import is not a time', v_one.n), p_file_id, 'a time is written as 2026-11-23T01:20:00Z');
  end;
  update animus.conversations c set head_id = v_after where c.file_id = p_file_id;
  update animus.files f set updated_at = v_now where f.id = p_file_id;
  return v_count;
end $$;

-- Deletes conversations in which nothing was said for p_older_than and no work is open: marks them first, as a person does. An hour after the mark they are
-- removed, with their items and all that belongs to these: until then, each daemon has removed their files on its host. Returns how many were removed;
-- null when another retention call is running.
-- Locks: animus.retention_turn; the rows of the conversations and of their items, and skips those that others have locked. Raises: nothing.
create or replace function animus.prune_conversations(p_older_than interval, p_limit int default 20) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_count int := 0;
  v_file  uuid;
  v_ids   uuid[];
begin
  if not animus.try_retention() then return null; end if;
  set constraints all immediate;
  update animus.files set deleted_at = v_now where id in (
    select f.id from animus.files f
     where f.kind = 'chat' and f.deleted_at is null and coalesce(f.deleted_at, f.updated_at) < v_now - p_older_than and not animus.conversation_works(f.id)
     order by f.updated_at limit p_limit for update skip locked);
  for v_file in
    select f.id from animus.files f
     where f.kind = 'chat' and f.deleted_at is not null and coalesce(f.deleted_at, f.updated_at) < v_now - interval '1 hour'
       and not animus.conversation_works(f.id)
     order by f.deleted_at limit p_limit for update skip locked
  loop
    v_ids := array(
      select w.id from animus.work_items w
       where w.root_id in (select r.root_id from animus.chat_messages m join animus.work_items r on r.id = m.work_item_id where m.file_id = v_file)
         for update skip locked);
    delete from animus.files where id = v_file;
    -- What another table's foreign key refers to stays, and is from now on retained like other work.
    perform animus.delete_trees(v_ids);
    v_count := v_count + 1;
  end loop;
  return v_count;
end $$;

-- Returns whether an item of a conversation, or one below it, has not ended.
-- Locks: none. Raises: nothing.
create or replace function animus.conversation_works(p_file_id uuid) returns boolean
language sql stable as $$
  select exists (
    select from animus.chat_messages m join animus.work_items r on r.id = m.work_item_id join animus.work_items w on w.id = r.id or w.root_id = r.root_id and w.depth > 0
     where m.file_id = p_file_id and w.resolved_at is null)
$$;

-- The conversations in which the actor takes part.
create or replace view animus.own_conversations with (security_barrier) as
  select c.file_id, f.workspace_id, f.path, c.title, c.faculty, c.while_answering, c.created_by, f.created_at, f.updated_at
    from animus.conversations c join animus.files f on f.id = c.file_id
    join animus.conversation_people p on p.file_id = c.file_id and p.actor = (select animus.actor()) where f.deleted_at is null;

-- Their messages on all branches, without deleted ones.
create or replace view animus.own_chat_messages with (security_barrier) as
  select m.id, m.file_id, m.role, m.content, m.author, m.created_at, m.after_id, m.replaces, m.work_item_id, m.told, m.ended_as, m.number
    from animus.chat_messages m join animus.conversation_people p on p.file_id = m.file_id and p.actor = (select animus.actor())
    join animus.files f on f.id = m.file_id and f.deleted_at is null where m.deleted_at is null;
