-- The words of a conversation: the branch of a message, and pages of what was said, for models and for people.

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
-- retries is not read beyond the page. For those who may read it.
-- Locks: none. Raises: WA003, 42501.
create or replace function animus.conversation_page(p_file_id uuid, p_place bigint default -1, p_id bigint default 0, p_limit int default null)
returns table (id bigint, file_id uuid, role text, content text, author text, created_at timestamptz, replaces bigint, work_item_id uuid, told boolean,
               ended_as text, state text, attachments jsonb, place bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
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
-- those of conversation_page. The branch is followed from its newest message to the end of the page, not to its beginning. For those who may read it.
-- Locks: none. Raises: WA003, 42501.
create or replace function animus.conversation_newest(p_file_id uuid, p_place bigint default null, p_id bigint default null, p_limit int default 50)
returns table (id bigint, file_id uuid, role text, content text, author text, created_at timestamptz, replaces bigint, work_item_id uuid, told boolean,
               ended_as text, state text, attachments jsonb, place bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
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

-- Returns the messages of a conversation on the branch that is shown, in order. For those who may read it.
-- Locks: none. Raises: WA003, 42501.
create or replace function animus.conversation_messages(p_file_id uuid)
returns table (id bigint, file_id uuid, role text, content text, author text, created_at timestamptz, replaces bigint, work_item_id uuid, told boolean,
               ended_as text, state text, attachments jsonb)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
  select p.id, p.file_id, p.role, p.content, p.author, p.created_at, p.replaces, p.work_item_id, p.told, p.ended_as, p.state, p.attachments
    from animus.conversation_page(p_file_id) p
$$;
