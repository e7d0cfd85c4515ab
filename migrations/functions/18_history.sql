-- History: transcripts of ended work, packed into one row per item and month. Functions of retention: each call is one short
-- transaction that waits for no lock; calls are serialised.

-- Packs the transcripts of the next p_limit items that ended more than p_older_than ago, and returns how many items it passed; null when
-- another retention call is running. Items stay as they are if somebody has them locked, if a request of a batch is still under
-- way, if a foreign key of another table refers to their transcript, or if they exceed what one row can hold (1 GB).
-- Locks: animus.retention_turn; the rows of the items, and skips those that others have locked. Raises: nothing.
create or replace function animus.pack_history(p_older_than interval, p_limit int default 200) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_before timestamptz := animus.now() - p_older_than;
  v_from   animus.history_position;
  v_ids    uuid[];
  v_id     uuid;
begin
  if not animus.try_retention() then return null; end if;
  set constraints all immediate;
  select * into v_from from animus.history_position;
  v_ids := array(
    select id from animus.work_items
     where resolved_at < v_before and resolved_at >= coalesce(v_from.resolved_at, '-infinity')
       and (v_from.id is null or (resolved_at, id) > (v_from.resolved_at, v_from.id))
     order by resolved_at, id limit p_limit);
  if v_ids = '{}' then return 0; end if;
  begin
    perform animus.pack_items(v_ids, v_before);
  exception when foreign_key_violation or restrict_violation or program_limit_exceeded then
    foreach v_id in array v_ids loop
      begin
        perform animus.pack_items(array[v_id], v_before);
      exception when foreign_key_violation or restrict_violation or program_limit_exceeded then null;  -- stays as it is
      end;
    end loop;
  end;
  delete from animus.history_position;
  insert into animus.history_position select resolved_at, id from animus.work_items where id = v_ids[cardinality(v_ids)];
  return cardinality(v_ids);
end $$;

-- Packs the transcripts of items, where nobody has the item locked.
-- Locks: the rows of the items, and does not wait. Raises: what a foreign key of another table raises; 54000.
create or replace function animus.pack_items(p_ids uuid[], p_before timestamptz) returns void
language plpgsql as $$
declare
  v_ids   uuid[];
  v_foci  uuid[];
  v_month date;
begin
  v_ids := array(
    select w.id from animus.work_items w
     where w.id = any (p_ids) and w.resolved_at < p_before
       -- The next answer of a conversation reads what the ones before recorded.
       and not exists (select from animus.chat_messages m where m.work_item_id = w.id)
       and not exists (select from animus.batch_requests r where r.work_item_id = w.id and r.state in ('waiting', 'sent', 'answered'))
       for no key update of w skip locked);
  v_foci := array(select id from animus.foci where work_item_id = any (v_ids));
  for v_month in select distinct animus.month_of(resolved_at) from animus.work_items where id = any (v_ids) loop
    perform animus.open_month(v_month);
  end loop;

  insert into animus.history (month, work_item_id, turns, tool_calls, messages, ledger)
  select animus.month_of(w.resolved_at), w.id, t.packed, c.packed, m.packed, l.packed
    from animus.work_items w
    cross join lateral (
      select json_agg(row_to_json(r)) as packed from (
        select t.focus_id, t.turn, t.provider, t.model, t.response::text as response, t.response_id, t.stop_reason, t.raw_stop_reason, t.cut_tool_calls,
               t.usage, t.cost_usd, t.reserved_usd, t.lost_usd, t.begun_at, t.recorded_at, t.time_to_first_token_ms, t.duration_ms,
               t.lost_requests, t.lost_unpriced, t.open_request, t.reserved_tokens, t.reserved_on, t.reserved_for
          from animus.foci f join animus.turns t on t.focus_id = f.id where f.work_item_id = w.id order by f.number, t.turn) r) t
    cross join lateral (
      select json_agg(row_to_json(r)) as packed from (
        select c.focus_id, c.turn, c.call_id, c.position, c.name, c.input::text as input, c.origin, c.parent_call_id, c.state, c.output,
               c.output_bytes, c.is_error, c.details, c.started_at, c.ended_at, c.duration_ms, c.final_input::text as final_input, c.grant_id
          from animus.foci f join animus.tool_calls c on c.focus_id = f.id where f.work_item_id = w.id order by f.number, c.turn, c.position) r) c
    cross join lateral (
      select json_agg(row_to_json(r)) as packed from (
        select m.focus_id, m.seq, m.after_turn, m.kind, m.content, m.tokens, m.keeps_from, m.created_at, m.artifact_id
          from animus.foci f join animus.focus_messages m on m.focus_id = f.id where f.work_item_id = w.id order by f.number, m.seq) r) m
    cross join lateral (
      select json_agg(row_to_json(r)) as packed from (
        select l.seq, l.entry_type, l.content, l.focus_id, l.tool_call_id, l.created_at
          from animus.work_ledger l where l.work_item_id = w.id order by l.seq) r) l
   where w.id = any (v_ids) and num_nonnulls(t.packed, c.packed, m.packed, l.packed) > 0;

  delete from animus.turns where focus_id = any (v_foci);
  delete from animus.focus_messages where focus_id = any (v_foci);
  delete from animus.work_ledger where work_item_id = any (v_ids);
end $$;

-- Puts the transcript of an item back into the tables, before something is added to it. Does nothing if it is not packed.
-- Locks: the row of the history. Raises: nothing.
create or replace function animus.unpack_history(p_id uuid) returns void
language plpgsql as $$
begin
  perform from animus.history where work_item_id = p_id for update;
  if not found then return; end if;
  insert into animus.turns (focus_id, turn, provider, model, response, response_id, stop_reason, raw_stop_reason, cut_tool_calls, usage, cost_usd,
                            reserved_usd, lost_usd, begun_at, recorded_at, time_to_first_token_ms, duration_ms, lost_requests, lost_unpriced, open_request,
                            reserved_tokens, reserved_on, reserved_for)
  select focus_id, turn, provider, model, response, response_id, stop_reason, raw_stop_reason, cut_tool_calls, usage, cost_usd,
         reserved_usd, lost_usd, begun_at, recorded_at, time_to_first_token_ms, duration_ms, lost_requests, lost_unpriced, open_request, reserved_tokens, reserved_on,
         reserved_for
    from animus.all_turns where work_item_id = p_id;
  insert into animus.tool_calls (focus_id, turn, call_id, position, name, input, origin, parent_call_id, state, output, output_bytes, is_error, details,
                                 started_at, ended_at, duration_ms, final_input, grant_id)
  select focus_id, turn, call_id, position, name, input, origin, parent_call_id, state, output, output_bytes, is_error, details,
         started_at, ended_at, duration_ms, final_input, grant_id
    from animus.all_tool_calls where work_item_id = p_id;
  insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, keeps_from, created_at, artifact_id)
  select focus_id, seq, after_turn, kind, content, tokens, keeps_from, created_at, artifact_id from animus.all_messages where work_item_id = p_id;
  insert into animus.work_ledger (work_item_id, seq, entry_type, content, focus_id, tool_call_id, created_at)
  select work_item_id, seq, entry_type, content, focus_id, tool_call_id, created_at from animus.all_ledger where work_item_id = p_id;
  delete from animus.history where work_item_id = p_id;
end $$;

-- Returns the first day of a month, UTC.
-- Locks: none. Raises: nothing.
create or replace function animus.month_of(p_at timestamptz) returns date
language sql immutable parallel safe as $$
  select date_trunc('month', p_at at time zone 'UTC')::date
$$;

-- Creates the partition of a month, if there is none. Attached after it was created: that blocks no reader.
-- Locks: animus.history, against other changes of its partitions. Raises: nothing.
create or replace function animus.open_month(p_month date) returns void
language plpgsql as $$
declare
  v_name text := 'history_' || to_char(p_month, 'YYYY_MM');
begin
  if to_regclass('animus.' || v_name) is not null then return; end if;
  execute format('create table animus.%I (like animus.history including all)', v_name);
  execute format('alter table animus.history attach partition animus.%I for values from (%L) to (%L)', v_name, p_month, p_month + interval '1 month');
end $$;

-- Drops the oldest month of the history if it ended more than p_older_than ago, and returns its name; null if there is none or another
-- retention call is running. Call it when prune_work has come to its end: transcripts of items that still exist (their tree
-- is in use, or a foreign key refers to it) move to the present month first, at most p_limit in a call, which then drops
-- nothing yet.
-- Locks: animus.retention_turn; animus.history, for at most 0.1 s, or it drops nothing. Raises: nothing.
create or replace function animus.drop_month(p_older_than interval, p_limit int default 1000) returns date
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' set jit = off
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now   timestamptz := animus.now();
  v_month date;
  v_ids   uuid[];
begin
  if not animus.try_retention() then return null; end if;
  select min(to_date(c.relname, '"history_"YYYY_MM')) into v_month
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'animus.history'::regclass;
  if v_month is null or (v_month + interval '1 month') at time zone 'UTC' >= v_now - p_older_than then return null; end if;
  v_ids := array(
    select h.work_item_id from animus.history h
     where h.month = v_month and exists (select from animus.work_items w where w.id = h.work_item_id) limit p_limit);
  if v_ids <> '{}' then
    perform animus.open_month(animus.month_of(v_now));
    update animus.history set month = animus.month_of(v_now) where month = v_month and work_item_id = any (v_ids);
    if cardinality(v_ids) = p_limit then return null; end if;
  end if;
  execute format('drop table animus.%I', 'history_' || to_char(v_month, 'YYYY_MM'));
  return v_month;
exception when lock_not_available then return null;  -- somebody reads the history: the next round
end $$;

-- The transcripts of all work that exists, packed or not, with the columns of the tables and the item's id. Who may read a view may not
-- call the functions of the engine, so the columns of the packed rows stand here.
create or replace view animus.all_turns as
  select f.work_item_id, t.focus_id, t.turn, t.provider, t.model, t.response, t.response_id, t.stop_reason, t.raw_stop_reason, t.cut_tool_calls, t.usage,
         t.cost_usd, t.reserved_usd, t.lost_usd, t.begun_at, t.recorded_at, t.time_to_first_token_ms, t.duration_ms, t.lost_requests, t.lost_unpriced,
         t.open_request, t.reserved_tokens, t.reserved_on, t.reserved_for
    from animus.foci f join animus.turns t on t.focus_id = f.id
  union all
  select h.work_item_id, t.focus_id, t.turn, t.provider, t.model, t.response::json, t.response_id, t.stop_reason, t.raw_stop_reason, t.cut_tool_calls, t.usage,
         t.cost_usd, t.reserved_usd, t.lost_usd, t.begun_at, t.recorded_at, t.time_to_first_token_ms, t.duration_ms,
         -- Not in what was packed before 0064 and 0065.
         coalesce(t.lost_requests, 0), coalesce(t.lost_unpriced, 0), t.open_request, coalesce(t.reserved_tokens, 0), t.reserved_on, t.reserved_for
    from animus.history h join animus.work_items w on w.id = h.work_item_id cross join lateral json_to_recordset(h.turns) as t (
      focus_id uuid, turn int, provider text, model text, response text, response_id text, stop_reason text, raw_stop_reason text, cut_tool_calls text[],
      usage jsonb, cost_usd numeric, reserved_usd numeric, lost_usd numeric, begun_at timestamptz, recorded_at timestamptz,
      time_to_first_token_ms float8, duration_ms float8, lost_requests int, lost_unpriced int, open_request uuid, reserved_tokens bigint, reserved_on date, reserved_for jsonb);

create or replace view animus.all_tool_calls as
  select f.work_item_id, c.focus_id, c.turn, c.call_id, c.position, c.name, c.input, c.origin, c.parent_call_id, c.state, c.output, c.output_bytes,
         c.is_error, c.details, c.started_at, c.ended_at, c.duration_ms, c.final_input, c.grant_id
    from animus.foci f join animus.tool_calls c on c.focus_id = f.id
  union all
  select h.work_item_id, c.focus_id, c.turn, c.call_id, c.position, c.name, c.input::json, c.origin, c.parent_call_id, c.state, c.output, c.output_bytes,
         c.is_error, c.details, c.started_at, c.ended_at, c.duration_ms, c.final_input::json, c.grant_id
    from animus.history h join animus.work_items w on w.id = h.work_item_id cross join lateral json_to_recordset(h.tool_calls) as c (
      focus_id uuid, turn int, call_id text, "position" int, name text, input text, origin text, parent_call_id text, state text, output text,
      output_bytes int, is_error boolean, details jsonb, started_at timestamptz, ended_at timestamptz, duration_ms float8, final_input text,
      grant_id bigint);

create or replace view animus.all_messages as
  select f.work_item_id, m.focus_id, m.seq, m.after_turn, m.kind, m.content, m.tokens, m.keeps_from, m.created_at, m.artifact_id
    from animus.foci f join animus.focus_messages m on m.focus_id = f.id
  union all
  select h.work_item_id, m.focus_id, m.seq, m.after_turn, m.kind, m.content, m.tokens, m.keeps_from, m.created_at, m.artifact_id
    from animus.history h join animus.work_items w on w.id = h.work_item_id cross join lateral json_to_recordset(h.messages) as m (
      focus_id uuid, seq int, after_turn int, kind text, content text, tokens int, keeps_from int, created_at timestamptz, artifact_id uuid);

create or replace view animus.all_ledger as
  select work_item_id, seq, entry_type, content, focus_id, tool_call_id, created_at from animus.work_ledger
  union all
  select h.work_item_id, l.seq, l.entry_type, l.content, l.focus_id, l.tool_call_id, l.created_at
    from animus.history h join animus.work_items w on w.id = h.work_item_id cross join lateral json_to_recordset(h.ledger) as l (
      seq int, entry_type text, content text, focus_id uuid, tool_call_id text, created_at timestamptz);
