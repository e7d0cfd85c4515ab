-- Live events of a work item (docs/events.md): read from the tables, in an order that a reader can resume from. Each part of a position
-- (focus and turn, ledger, messages, marks, decisions, ends) only grows, and its writers hold the item's row lock, so what commits later
-- comes later in its part. Channel animus_events: there is something new about a watched item; the payload is its notice.

-- Records what happened to an item and cannot be read from its rows later. The caller holds the item's row lock.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.add_mark(p_id uuid, p_what text, p_detail json, p_at timestamptz) returns void
language plpgsql as $$
begin
  insert into animus.work_marks (work_item_id, seq, what, detail, created_at)
  values (p_id, 1 + (select coalesce(max(seq), 0) from animus.work_marks where work_item_id = p_id), p_what, p_detail, p_at);
  perform animus.tell_readers(p_id);
end $$;

-- Notifies the readers of an item's events that there are new ones. An item that nobody watches costs one look at its watch.
-- Locks: none. Raises: nothing.
create or replace function animus.tell_readers(p_id uuid) returns void
language plpgsql as $$
begin
  if exists (select from animus.watches where work_item_id = p_id) then perform animus.notify_of('animus_events', p_id); end if;
end $$;

-- Marks that a wait began or ended: its row is replaced when the same call waits again. The decision of a person has a row of its own.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.mark_wait() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.resolved_at is null and (tg_op = 'INSERT' or old.resolved_at is not null or old.created_at <> new.created_at) then
    perform animus.add_mark(new.work_item_id, 'waiting', json_build_object('call_id', animus.call_of(new.call_id, new.turn), 'ask_id', new.ask_id, 'kind', new.kind, 'subject', new.subject,
      'hash', encode(new.request_hash, 'hex'), 'request', left(new.request::text, 4000), 'deadline', extract(epoch from new.deadline) * 1000),
      new.created_at);
  elsif tg_op = 'UPDATE' and old.resolved_at is null and new.resolved_at is not null then
    if new.result ? 'decision' then
      perform animus.tell_readers(new.work_item_id);
    else
      perform animus.add_mark(new.work_item_id, 'resolved', json_build_object('call_id', animus.call_of(new.call_id, new.turn), 'ask_id', new.ask_id, 'kind', new.kind, 'subject', new.subject,
        'result', (select min(k) from jsonb_object_keys(new.result) k)), new.resolved_at);
    end if;
  end if;
  return null;
end $$;

create or replace trigger waits_mark after insert or update on animus.waits for each row execute function animus.mark_wait();

-- Deletes the marks of deleted items: one statement for all items that a statement deletes.
-- Locks: the marks. Raises: nothing.
create or replace function animus.forget_marks() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from animus.work_marks) then return null; end if;
  delete from animus.work_marks m using deleted d where m.work_item_id = d.id;
  return null;
end $$;

create or replace trigger work_items_forget_marks after delete on animus.work_items
  referencing old table as deleted for each statement execute function animus.forget_marks();

-- Returns how the notifications on animus_work_done, animus_ledger, animus_events and animus_asks name an item or a conversation that the actor may see, else
-- null. A gateway gets it for any: it can act for anybody.
-- Locks: none. Raises: nothing.
create or replace function animus.notice_of(p_id uuid) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
begin
  if animus.may_watch(p_id) then return animus.make_notice(p_id); end if;
  return null;
end $$;

-- Returns whether the actor may learn that something happens to an item or a conversation.
-- Locks: none. Raises: nothing.
create or replace function animus.may_watch(p_id uuid) returns boolean
language plpgsql stable as $$
begin
  return animus.sees_all() or animus.may_vouch() and not animus.person_acts() or animus.shown_work(p_id) is not null
    or exists (select from animus.conversation_people p where p.file_id = p_id and p.actor = animus.actor());
end $$;

-- Watches items and conversations for a time of at most an hour: sessions that listen on animus_events (new events) and animus_work_done (the end) are notified. Returns
-- nothing, so that it does not tell whether an item exists. Items that do not exist, have ended, or that the actor may not see are ignored. Call it after LISTEN, and read
-- again a moment later: a change that is being committed meanwhile may not be notified.
-- Locks: the watches; waits a fifth of a second at most. Raises: nothing.
create or replace function animus.watch_events(p_ids uuid[], p_for interval default '10 minutes') returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $$
-- Callers: all.
begin
  insert into animus.watches as h (work_item_id, until)
  select w.id, animus.now() + least(p_for, interval '1 hour') from animus.work_items w where w.id = any (p_ids) and w.resolved_at is null and animus.may_watch(w.id) order by w.id
  on conflict (work_item_id) do update set until = greatest(h.until, excluded.until) where h.until < excluded.until - interval '1 minute';
  insert into animus.chat_watches as h (file_id, until)
  select f.id, animus.now() + least(p_for, interval '1 hour') from animus.files f where f.id = any (p_ids) and f.deleted_at is null and f.kind = 'chat' and animus.may_watch(f.id) order by f.id
  on conflict (file_id) do update set until = greatest(h.until, excluded.until) where h.until < excluded.until - interval '1 minute';
exception when lock_not_available or deadlock_detected then null;  -- a hint: the reader also polls
end $$;

-- Returns how many characters an event leaves out of a text; null: none.
-- Locks: none. Raises: nothing.
create or replace function animus.left_out(p_text text) returns int
language sql immutable as $$
  select nullif(greatest(length(p_text) - 262144, 0), 0)
$$;

-- Returns what happened to an item after a position; null if there is no such item, or the actor may not see it. All of it is one snapshot.
-- p_after: {c, f, z, t, i, e, n, l, m, k, d, x}, each may be left out: the beginning was read; the number of the newest focus, whether its end was
-- read; its newest turn, how many events of its answer were read (null: all), which of its calls have ended (int4multirange of
-- positions), and for each of them that runs code, [begun, ended] calls of the code; the newest ledger entry, message, mark and decision; how many ends were read. src/store/events
-- makes events of it. Of each part, at most p_limit rows (one more focus): a part with that many rows may go on.
-- One plan for all, and by the indexes: planning takes longer than thirty reads, and a session may plan it while the tables are small.
-- Locks: none. Raises: nothing.
create or replace function animus.read_events(p_id uuid, p_after jsonb default '{}', p_limit int default 100) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
-- Callers: all.
declare
  v_item   animus.work_items;
  v_focus  int := coalesce((p_after ->> 'f')::int, 0);
  v_turn   int := coalesce((p_after ->> 't')::int, 0);
  v_part   boolean := p_after ->> 'i' is not null;
  v_first  int := case when v_part then v_turn else v_turn + 1 end;
  v_ended  int4multirange := coalesce((p_after ->> 'e')::int4multirange, '{}');
  v_nested jsonb := coalesce(p_after -> 'n', '{}');
  v_focus_id uuid := (select f.id from animus.foci f where f.work_item_id = p_id and f.number = v_focus);
begin
  select * into v_item from animus.work_items w where w.id = p_id;
  if not found or not (animus.may_see(v_item.submitted_by) or animus.takes_part(p_id)) then return null; end if;
  return (
    with focus as materialized (
      select f.id, f.number, f.started_at, f.ended_as, f.ended_at, f.error, f.cut_off_turn, f.cut_off_text, coalesce(f.faculty_snapshot, s.faculty_snapshot) #>> '{engage,model}' as model
        from animus.foci f left join animus.focus_settings s on s.id = f.settings_id
       where f.work_item_id = p_id and f.number >= v_focus order by f.number limit p_limit + 1),
    -- The focus that was read up to now is asked for by itself: a bound that depends on the focus would be no condition of the index, and every
    -- read would go through all its turns.
    turn as materialized (
      select n.* from (
        select v_focus as number, t.turn, t.focus_id, t.provider, t.model, t.response, t.stop_reason, t.usage, t.cost_usd, t.recorded_at, t.duration_ms
          from animus.all_turns t
         where t.work_item_id = p_id and t.focus_id = v_focus_id and t.recorded_at is not null and t.turn >= v_first
        union all
        select f.number, t.turn, t.focus_id, t.provider, t.model, t.response, t.stop_reason, t.usage, t.cost_usd, t.recorded_at, t.duration_ms
          from focus f cross join lateral (
            select * from animus.all_turns t where t.work_item_id = p_id and t.focus_id = f.id and t.recorded_at is not null) t
         where f.number > v_focus) n
       order by n.number, n.turn limit p_limit),
    call as materialized (
      select v_focus as number, c.* from animus.all_tool_calls c
       where c.work_item_id = p_id and c.focus_id = v_focus_id and c.turn >= v_turn
         and c.turn <= (select coalesce(max(t.turn), v_turn) from turn t where t.number = v_focus)
         and (c.turn = v_turn or c.turn in (select t.turn from turn t where t.number = v_focus))
         and (c.turn > v_turn or v_part
              or not case when c.parent_call_id is null then c.position <@ v_ended
                          else c.position <@ coalesce((v_nested #>> array[c.parent_call_id, '1'])::int4multirange, '{}') end)
      union all
      select f.number, c.* from focus f cross join lateral (
          select * from animus.all_tool_calls c where c.work_item_id = p_id and c.focus_id = f.id) c
       where f.number > v_focus and (f.number, c.turn) in (select t.number, t.turn from turn t))
    select json_build_object(
      'id', v_item.id, 'faculty', v_item.faculty, 'description', left(v_item.description, 4000), 'submittedBy', v_item.submitted_by, 'parentId', v_item.parent_id,
      'createdAt', animus.event_time(v_item.created_at), 'state', v_item.state, 'waiting', case when v_item.state in ('queued', 'scheduled', 'waiting', 'claimed') then animus.waiting_hint(p_id) end, 'mergedInto', animus.shown_work(v_item.merged_into), 'error', left(v_item.error ->> 'message', 4000),
      -- With its end only, which comes after all turns.
      'said', (select json_build_object('text', left(s.text, 262144), 'leftOut', animus.left_out(s.text)) from animus.answer_text(v_item) as s (text)
                where v_item.state = 'completed' and (select count(*) from turn) < p_limit),
      'summary', v_item.outcome_summary, 'resolvedAt', animus.event_time(v_item.resolved_at), 'runAt', animus.event_time(v_item.run_at), 'costUsd', animus.known_cost(v_item.cost_usd + v_item.lost_usd, v_item.unpriced_calls, v_item.calls + v_item.lost_requests), 'unpricedCalls', v_item.unpriced_calls,
      'foci', (select coalesce(json_agg(json_build_object('number', f.number, 'id', f.id, 'model', f.model, 'at', animus.event_time(f.started_at), 'endedAs', f.ended_as,
          'error', left(coalesce(f.error ->> 'message', f.error ->> 'reason'), 4000), 'endedAt', animus.event_time(f.ended_at),
          'cutOff', case when f.cut_off_text is not null then json_build_object('turn', f.cut_off_turn, 'text', left(f.cut_off_text, 262144), 'leftOut', animus.left_out(f.cut_off_text)) end) order by f.number), '[]') from focus f),
      'turns', (select coalesce(json_agg(json_build_object('focus', t.number, 'turn', t.turn, 'at', animus.event_time(t.recorded_at), 'model', t.provider || '/' || t.model,
          'stopReason', t.stop_reason, 'inputTokens', (t.usage ->> 'input')::float8, 'outputTokens', (t.usage ->> 'output')::float8, 'estimated', t.usage -> 'estimated',
          'costUsd', t.cost_usd,
          'durationMs', round(t.duration_ms::numeric, 3),
          'blocks', (select coalesce(json_agg(json_build_object('type', b ->> 'type', 'text', left(b ->> 'text', 262144), 'leftOut', animus.left_out(b ->> 'text')) order by n), '[]')
                       from json_array_elements(t.response) with ordinality as e (b, n) where b ->> 'type' in ('text', 'thinking'))) order by t.number, t.turn), '[]')
          from turn t),
      'calls', (select coalesce(json_agg(json_build_object('focus', c.number, 'turn', c.turn, 'callId', c.call_id, 'position', c.position, 'parentCallId', c.parent_call_id,
          'name', c.name, 'input', case when octet_length(c.input::text) <= 16384 then c.input else json_build_object('cut', left(c.input::text, 4000)) end,
          'finalInput', case when octet_length(c.final_input::text) <= 16384 then c.final_input when c.final_input is not null then json_build_object('cut', left(c.final_input::text, 4000)) end,
          'startedAt', animus.event_time(c.started_at), 'endedAt', animus.event_time(c.ended_at), 'state', c.state, 'isError', coalesce(c.is_error, false),
          'output', left(c.output, 4000), 'outputBytes', c.output_bytes, 'durationMs', round(c.duration_ms::numeric, 3)) order by c.number, c.turn, c.position), '[]') from call c),
      'ledger', (select coalesce(json_agg(json_build_object('seq', l.seq, 'type', l.entry_type, 'content', l.content, 'at', animus.event_time(l.created_at)) order by l.seq), '[]')
          from (select * from animus.all_ledger l where l.work_item_id = p_id and l.seq > coalesce((p_after ->> 'l')::int, 0) order by l.seq limit p_limit) l),
      'messages', (select coalesce(json_agg(json_build_object('id', m.id, 'author', m.author, 'authorIs', m.author_is, 'wake', m.wake,
          'text', case when not exists (select from animus.chat_messages t where t.work_item_id = p_id and t.told and t.deleted_at is not null
                                           and t.author = m.author and t.created_at = m.created_at) then m.text end,
          'at', animus.event_time(m.created_at)) order by m.id), '[]')
          from (select * from animus.mailbox m where m.work_item_id = p_id and m.duplicate_id is null and m.id > coalesce((p_after ->> 'm')::bigint, 0) order by m.id limit p_limit) m),
      'marks', (select coalesce(json_agg(json_build_object('seq', m.seq, 'what', m.what, 'detail', m.detail, 'at', animus.event_time(m.created_at)) order by m.seq), '[]')
          from (select * from animus.work_marks m where m.work_item_id = p_id and m.what <> 'ended' and m.seq > coalesce((p_after ->> 'k')::int, 0) order by m.seq limit p_limit) m),
      'decisions', (select coalesce(json_agg(json_build_object('seq', d.seq, 'action', d.action, 'callId', d.call_id, 'askId', d.ask_id, 'note', d.note, 'by', d.decided_by,
          'at', animus.event_time(d.created_at)) order by d.seq), '[]')
          from (select * from animus.decisions d where d.work_item_id = p_id and d.action in ('approve', 'deny', 'answer', 'edit', 'cancel', 'retry')
                   and d.seq > coalesce((p_after ->> 'd')::int, 0) order by d.seq limit p_limit) d),
      'ends', (select coalesce(json_agg(json_build_object('nth', e.nth, 'detail', e.detail, 'at', animus.event_time(e.created_at)) order by e.nth), '[]')
          from (select row_number() over (order by m.seq) as nth, m.detail, m.created_at from animus.work_marks m where m.work_item_id = p_id and m.what = 'ended') e),
      'limit', p_limit));
end $$;

-- Returns why an item waits, as a hint of its events says it: they are read once for all who read the item. Null: it does not.
-- Locks: none. Raises: nothing.
create or replace function animus.waiting_hint(p_id uuid) returns json
language plpgsql stable as $$
begin
  return (select json_build_object('reason', y.reason, 'why', y.why, 'ends', y.ends, 'since', animus.event_time(y.since), 'until', animus.event_time(y.until), 'who', y.who)
            from animus.why_waiting(array[p_id], true) y);
end $$;

-- Returns a time in milliseconds since 1970, with microseconds as a fraction. One that is not a time of a client (infinity) becomes the last that is.
-- Stable, as what it calls is: otherwise it is not inlined.
-- Locks: none. Raises: nothing.
create or replace function animus.event_time(p_at timestamptz) returns numeric
language sql stable parallel safe as $$
  select case when p_at >= timestamptz '10000-01-01 00:00:00Z' then 253402300799999 when p_at < timestamptz '0001-01-01 00:00:00Z' then -62135596800000 else extract(epoch from p_at) * 1000 end
$$;

-- Returns the states of work that the actor may see: what is claimed, running or waiting, what ended after p_since, and the newest items, at most
-- p_limit of each. A login that may see only its own work finds it among the newest 10,000 items.
-- Locks: none. Raises: nothing.
create or replace function animus.read_states(p_since timestamptz default null, p_limit int default 200)
returns table (id uuid, faculty text, state text, description text, parent_id uuid, merged_into uuid, created_at timestamptz, resolved_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
-- Callers: all.
declare
  v_actor text := animus.actor();
  v_ids   uuid[];
begin
  if animus.sees_all() then
    v_ids := array(
      (select w.id from animus.work_items w where w.state in ('claimed', 'running') order by w.id desc limit p_limit)
      union (select w.id from animus.work_items w where w.state = 'waiting' order by w.id desc limit p_limit)
      union (select w.id from animus.work_items w where w.resolved_at > p_since order by w.resolved_at desc limit p_limit)
      union (select w.id from animus.work_items w order by w.id desc limit p_limit));
  elsif animus.person_acts() then
    v_ids := array(select w.id from animus.work_items w where w.submitted_by = v_actor and w.submitted_by like 'person:%' order by w.id desc limit 4 * p_limit);
  else
    v_ids := array(select n.id from (select w.id, w.submitted_by from animus.work_items w order by w.id desc limit 10000) n where n.submitted_by = v_actor
                    order by n.id desc limit 4 * p_limit);
  end if;
  return query
    select w.id, w.faculty, w.state, left(w.description, 200), w.parent_id, animus.shown_work(w.merged_into), w.created_at, w.resolved_at
      from animus.work_items w where w.id = any (v_ids) order by w.id;
end $$;
