-- Reads the events of a conversation, live or past: its marks, and between them those of the items that answer.

-- Returns the newest mark that began an answer of an item.
-- Locks: none. Raises: nothing.
create or replace function animus.answer_opened(p_file_id uuid, p_item uuid) returns int
language sql stable as $$
  select k.seq from animus.chat_marks k where k.file_id = p_file_id and k.work_item_id = p_item and k.kind in ('said', 'retried') order by k.seq desc limit 1
$$;

-- Returns the position after everything that has happened to an item, as read_events takes it.
-- Locks: none. Raises: nothing.
create or replace function animus.events_position(p_id uuid) returns json
language sql stable as $$
  select json_strip_nulls(json_build_object(
    'c', 1, 'f', f.number, 'z', case when f.ended_at is not null then 1 end, 't', t.turn,
    'e', (select range_agg(int4range(c.position, c.position + 1))::text from animus.all_tool_calls c
           where c.work_item_id = p_id and c.focus_id = f.id and c.turn = t.turn and c.parent_call_id is null and c.ended_at is not null),
    'n', (select json_object_agg(n.parent, json_build_array(n.begun, n.ended))
            from (select c.parent_call_id as parent, range_agg(int4range(c.position, c.position + 1))::text as begun,
                         coalesce(range_agg(int4range(c.position, c.position + 1)) filter (where c.ended_at is not null), '{}')::text as ended
                    from animus.all_tool_calls c
                   where c.work_item_id = p_id and c.focus_id = f.id and c.turn = t.turn and c.parent_call_id is not null group by c.parent_call_id) n),
    'l', (select max(l.seq) from animus.all_ledger l where l.work_item_id = p_id),
    'm', (select max(m.id) from animus.mailbox m where m.work_item_id = p_id and m.duplicate_id is null),
    'k', (select max(m.seq) from animus.work_marks m where m.work_item_id = p_id),
    'd', (select max(d.seq) from animus.decisions d where d.work_item_id = p_id),
    'x', (select count(*) from animus.work_marks m where m.work_item_id = p_id and m.what = 'ended') + case when w.resolved_at is null then 0 else 1 end))
    from animus.work_items w
    left join lateral (select f.id, f.number, f.ended_at from animus.foci f where f.work_item_id = p_id order by f.number desc limit 1) f on true
    left join lateral (select max(t.turn) as turn from animus.all_turns t where t.work_item_id = p_id and t.focus_id = f.id and t.recorded_at is not null) t on true
   where w.id = p_id
$$;

-- Returns what happened in a conversation after a position; null if there is none, or the actor may not see it. All of it is one snapshot.
-- p_after: {q, o: {seq: position}}: the newest mark that was read, and for each answer that was begun and whose end was not read the mark that
-- began it, with the position in the events of its item (as read_events takes it). At most p_limit marks and the beginnings of four answers; `more`
-- says that there are more marks. `since`: the message up to which answers are hidden from the actor, who joined after it (13_readers.sql). `segments` are the answers at hand: their events after the position (`facts`; null: none), the position at which they
-- end (`until`; null: they have not ended). An answer that was deleted is `hidden`, as is one from before the actor joined: it has no events,
-- and neither has a mark of p_after that began none. `hushed` are the deleted
-- messages that were told into it.
-- Locks: none. Raises: nothing.
create or replace function animus.read_conversation_events(p_file_id uuid, p_after jsonb default '{}', p_limit int default 50) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
-- Callers: all.
declare
  v_after int := coalesce((p_after ->> 'q')::int, 0);
  v_since bigint := case when animus.sees_all() then 0 else coalesce((select p.joined_after from animus.conversation_people p where p.file_id = p_file_id and p.actor = animus.actor()), 0) end;
begin
  if not exists (select from animus.visible_conversations c where c.file_id = p_file_id) then return null; end if;
  return (
    with mark as materialized (
      select n.* from (
        select m.*, count(*) filter (where m.opens) over (order by m.seq rows between unbounded preceding and 1 preceding) as before
          from (select k.*, k.kind = 'retried' or k.kind = 'said' and k.work_item_id is not null as opens
                  from animus.chat_marks k where k.file_id = p_file_id and k.seq > v_after order by k.seq limit p_limit) m) n
       where n.before < 4),
    begun as (
      select o.key::int as seq, o.value as fields from jsonb_each(coalesce(p_after -> 'o', '{}')) o
      union all
      select m.seq, coalesce(m.place::jsonb, '{}') from mark m where m.opens),
    segment as materialized (
      select b.seq, b.fields, k.work_item_id as item, w.state, e.place as until, coalesce(e.deleted, false) or w.id is null or k.kind not in ('said', 'retried') or k.message_id <= v_since as hidden
        from begun b join animus.chat_marks k on k.file_id = p_file_id and k.seq = b.seq
        left join animus.work_items w on w.id = k.work_item_id
        left join lateral (
          select a.place, m.deleted_at is not null as deleted from animus.chat_marks a left join animus.chat_messages m on m.id = a.message_id
           where a.file_id = p_file_id and a.seq > b.seq and a.kind = 'answered' and a.opened = b.seq order by a.seq limit 1) e on true)
    select json_build_object(
      'id', p_file_id, 'limit', p_limit, 'since', v_since::text,
      'marks', (select coalesce(json_agg(json_build_object('seq', m.seq, 'kind', m.kind, 'messageId', m.message_id::text, 'item', m.work_item_id, 'opens', m.opens,
          'opened', m.opened, 'place', m.place, 'detail', m.detail, 'at', animus.event_time(m.created_at),
          'message', case when m.kind in ('said', 'told', 'answered') then animus.chat_message_event(m.message_id) end) order by m.seq), '[]') from mark m),
      'more', exists (select from animus.chat_marks k where k.file_id = p_file_id and k.seq > coalesce((select max(m.seq) from mark m), v_after)),
      'segments', (select coalesce(json_agg(json_build_object('seq', s.seq, 'item', s.item, 'state', s.state, 'until', s.until, 'hidden', s.hidden,
          'waiting', case when s.until is null and not s.hidden then animus.waiting_hint(s.item) end,
          'hushed', (select coalesce(json_agg(json_build_object('author', t.author, 'at', animus.event_time(t.created_at))), '[]')
                       from animus.chat_messages t where t.work_item_id = s.item and t.told and t.deleted_at is not null),
          -- Answers that wait for those before them have nothing new: many may wait.
          'facts', case when not s.hidden and not (s.state = 'queued' and s.fields = '{"c": 1}'
                          and not exists (select from animus.foci f where f.work_item_id = s.item)
                          and not exists (select from animus.mailbox m where m.work_item_id = s.item)
                          and not exists (select from animus.work_marks m where m.work_item_id = s.item)
                          and not exists (select from animus.decisions d where d.work_item_id = s.item)
                          and not exists (select from animus.all_ledger l where l.work_item_id = s.item))
                        then animus.read_events(s.item, s.fields, p_limit) end) order by s.seq), '[]') from segment s)));
end $$;

-- Acts for the person of a token, by its hash (as act_with_token) or, without one, for a person with at most a role (as act_with_role), and returns for each position what
-- read_events ('work') or read_conversation_events ('conversation') returns, in their order. A gateway saves the round trips of a transaction.
-- Locks: as act_with_token. Raises: WA002 for a second person or role, WA004, WA007 for a token that is not valid any more and for a person that is disabled; 42501.
create or replace function animus.read_events_as(
  p_hash bytea, p_person text, p_role text, p_kinds text[], p_ids uuid[], p_after jsonb[], p_limit int) returns setof json
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off as $$
-- Callers: gateway.
begin
  if p_hash is null then perform animus.act_with_role(p_person, p_role); else perform animus.act_with_token(p_hash); end if;
  return query
    select case w.kind when 'work' then animus.read_events(w.id, w.after, p_limit) when 'conversation' then animus.read_conversation_events(w.id, w.after, p_limit) end
      from unnest(p_kinds, p_ids, p_after) with ordinality as w (kind, id, after, n) order by w.n;
end $$;

-- Returns a message as an event has it: without its content if it was deleted, at most 262,144 characters of it.
-- Locks: none. Raises: nothing.
create or replace function animus.chat_message_event(p_message_id bigint) returns json
language sql stable as $$
  select json_build_object('number', m.number, 'role', m.role, 'author', m.author, 'text', case when m.deleted_at is null then left(m.content, 262144) end,
           'leftOut', case when m.deleted_at is null then animus.left_out(m.content) end,
           'deleted', m.deleted_at is not null, 'saidAt', animus.event_time(m.created_at), 'after', m.after_id::text, 'replaces', m.replaces::text, 'endedAs', m.ended_as,
           'attachments', case when m.role = 'user' and not m.told and m.work_item_id is not null and m.deleted_at is null then (
             select json_agg(json_build_object('id', a.id, 'name', a.name, 'media_type', a.media_type, 'bytes', a.bytes) order by a.created_at, a.id)
               from animus.work_items w join animus.artifacts a on a.work_item_id = w.id and a.focus_id is null and w.params -> 'attachments' ? a.id::text
              where w.id = m.work_item_id) end)
    from animus.chat_messages m where m.id = p_message_id
$$;

-- Returns the position of a reader that wants what comes: after all marks, with the answers that are being given or wait, from their beginning. Null
-- as read_conversation_events.
-- Locks: none. Raises: nothing.
create or replace function animus.present_in_conversation(p_file_id uuid) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
begin
  if not exists (select from animus.visible_conversations c where c.file_id = p_file_id) then return null; end if;
  return (
    select json_build_object('q', coalesce(max(k.seq), 0),
        'o', coalesce(json_object_agg(k.seq, coalesce(k.place, '{}')) filter (
               where (k.kind = 'retried' or k.kind = 'said' and k.work_item_id is not null)
                 and not exists (select from animus.chat_marks a where a.file_id = p_file_id and a.opened = k.seq)), '{}'))
      from animus.chat_marks k where k.file_id = p_file_id);
end $$;

-- Returns the position after everything that has happened to an item or in a conversation, as read_events and read_conversation_events take it. Null
-- as there.
-- Locks: none. Raises: nothing.
create or replace function animus.present_events(p_id uuid) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
declare
  v_submitted_by text;
begin
  select w.submitted_by into v_submitted_by from animus.work_items w where w.id = p_id;
  if found then
    return case when animus.may_see(v_submitted_by) or animus.takes_part(p_id) then animus.events_position(p_id) end;
  end if;
  if not exists (select from animus.visible_conversations c where c.file_id = p_id) then return null; end if;
  return (
    select json_build_object('q', coalesce(max(k.seq), 0),
        'o', coalesce(json_object_agg(k.seq, animus.events_position(k.work_item_id)) filter (
               where k.work_item_id is not null and k.kind in ('said', 'retried')
                 and not exists (select from animus.chat_marks a where a.file_id = p_id and a.opened = k.seq)), '{}'))
      from animus.chat_marks k where k.file_id = p_id);
end $$;

-- Writes the marks of messages that are older than the triggers, in the order of their ids: an answer has a higher one than its message.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.mark_old_messages() returns void
language plpgsql as $$
begin
  insert into animus.chat_marks (file_id, seq, kind, message_id, work_item_id, detail, created_at)
  select o.file_id, row_number() over (partition by o.file_id order by o.part, o.id, o.nth, o.actor), o.kind, o.id, o.item, o.detail, o.at
    from (
      select p.file_id, 1 as part, null::bigint as id, 0 as nth, p.actor, 'joined' as kind, null::uuid as item,
             json_build_object('actor', p.actor, 'role', p.role, 'by', c.created_by) as detail, f.created_at as at
        from animus.conversation_people p join animus.conversations c on c.file_id = p.file_id join animus.files f on f.id = p.file_id
      union all
      -- Between two answers of one item stands a retry.
      select m.file_id, 2, m.id, 1, null, 'retried', m.work_item_id, json_build_object('by', null), m.created_at
        from animus.chat_messages m where m.role = 'assistant' and m.replaces is not null and m.work_item_id is not null
      union all
      select m.file_id, 2, m.id, 2, null, case when m.role = 'assistant' and m.work_item_id is not null then 'answered' when m.told then 'told' else 'said' end,
             m.work_item_id, null, m.created_at
        from animus.chat_messages m
      union all
      -- It was retried, and has not ended again.
      select m.file_id, 3, m.id, 1, null, 'retried', m.work_item_id, json_build_object('by', null), m.created_at
        from animus.chat_messages m join animus.work_items w on w.id = m.work_item_id
       where m.role = 'assistant' and w.resolved_at is null and not exists (select from animus.chat_messages n where n.replaces = m.id and n.role = 'assistant')
      union all
      select m.file_id, 4, m.id, 1, null, 'deleted', null, json_build_object('by', m.deleted_by), m.deleted_at
        from animus.chat_messages m where m.deleted_at is not null) o;
  -- A retry is one of the message, not of the answer.
  update animus.chat_marks k set message_id = (select m.after_id from animus.chat_messages m where m.id = k.message_id) where k.kind = 'retried';
  update animus.chat_marks k set opened = (
      select max(o.seq) from animus.chat_marks o where o.file_id = k.file_id and o.work_item_id = k.work_item_id and o.kind in ('said', 'retried') and o.seq < k.seq)
   where k.kind = 'answered';
  -- Where an earlier end of an item was, nobody knows: all of its events belong to its last answer.
  update animus.chat_marks k set place = case
      when exists (select from animus.chat_marks n where n.file_id = k.file_id and n.work_item_id = k.work_item_id and n.kind = 'retried' and n.seq > k.seq) then '{}'
      else animus.events_position(k.work_item_id) end
   where k.kind = 'answered';
end $$;

-- Creates the triggers. Messages that are there already get their marks under the same lock, so that each message has one.
do $$
begin
  if exists (select from pg_trigger where tgname = 'chat_messages_mark' and tgrelid = 'animus.chat_messages'::regclass) then return; end if;
  create trigger chat_messages_mark after insert on animus.chat_messages for each row execute function animus.mark_message();
  create trigger chat_messages_mark_deleted after update of deleted_at on animus.chat_messages for each row
    when (new.deleted_at is not null and old.deleted_at is null) execute function animus.mark_message();
  create trigger conversation_people_mark after insert or delete on animus.conversation_people for each row execute function animus.mark_people();
  create trigger conversations_mark after update of faculty, title, while_answering on animus.conversations for each row
    when ((new.faculty, new.title, new.while_answering) is distinct from (old.faculty, old.title, old.while_answering)) execute function animus.mark_change();
  create trigger files_tell_deleted after update of deleted_at on animus.files for each row
    when (new.deleted_at is not null and old.deleted_at is null) execute function animus.tell_deleted();
  perform animus.mark_old_messages();
end $$;

create or replace trigger conversation_people_mark after insert or delete or update of role on animus.conversation_people
  for each row execute function animus.mark_people();
