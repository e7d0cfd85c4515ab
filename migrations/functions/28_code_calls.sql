-- Calls that code made (`execute_code`): rows of tool_calls with origin `sandbox`, below the call that runs the code. Whatever rebuilds
-- requests, counts the calls of a turn, or looks for calls in doubt reads origin `model` only.

-- Records calls of the code that p_parent_call_id runs. p_calls: [{n, name, input, final_input, state, output, output_bytes, is_error, details, duration_ms}];
-- n counts the calls of one execution from 1, and the call is named `PARENT/n`. A call without an output begins (`started`); with one, it has ended,
-- and need not have been recorded before. A call that has ended keeps its first result. Returns how many of the calls are on record now.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA002, WA003, 57PA1.
create or replace function animus.record_code_calls(p_focus_id uuid, p_token bigint, p_turn int, p_parent_call_id text, p_calls json) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_item  animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_count int;
begin
  perform from animus.tool_calls where focus_id = p_focus_id and turn = p_turn and call_id = p_parent_call_id and origin = 'model' and state = 'started';
  if not found then
    perform animus.raise('WA002', format('call %s of turn %s is not running', p_parent_call_id, p_turn), p_focus_id);
  end if;
  insert into animus.tool_calls as t (focus_id, turn, call_id, position, name, input, final_input, origin, parent_call_id, state, output, output_bytes,
                                      is_error, details, started_at, ended_at, duration_ms)
  select p_focus_id, p_turn, p_parent_call_id || '/' || c.n, c.n, c.name, c.input, case when json_typeof(c.final_input) <> 'null' then c.final_input end,
         'sandbox', p_parent_call_id, c.state, c.output, c.output_bytes, c.is_error, nullif(c.details, 'null'),
         v_now - coalesce(c.duration_ms, 0) * interval '1 ms', case when c.output is not null then v_now end, c.duration_ms
    from json_to_recordset(p_calls) as c (
           n int, name text, input json, final_input json, state text, output text, output_bytes int, is_error boolean, details jsonb, duration_ms float8)
  on conflict (focus_id, turn, call_id) do update
     set state = case when t.output is null then excluded.state else t.state end,
         output = coalesce(t.output, excluded.output),
         output_bytes = case when t.output is null then excluded.output_bytes else t.output_bytes end,
         is_error = case when t.output is null then excluded.is_error else t.is_error end,
         details = case when t.output is null then excluded.details else t.details end,
         ended_at = case when t.output is null then excluded.ended_at else t.ended_at end,
         duration_ms = case when t.output is null then excluded.duration_ms else t.duration_ms end
   where t.origin = 'sandbox' and t.parent_call_id = p_parent_call_id;
  get diagnostics v_count = row_count;
  perform animus.tell_readers(v_item.id);
  return v_count;
end $$;

-- Keeps a file that code left as an artifact of the item, under p_file_id; a second call with this id changes nothing. Not more than 10 MiB each, and for an item
-- 100 files of 100 MiB together, attachments included. Returns its media type, which its first bytes decide; or, in `problem`, why it was not kept.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.keep_file(
  p_focus_id uuid, p_token bigint, p_file_id uuid, p_name text, p_content bytea, out media_type text, out problem text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_kept record;
begin
  problem := animus.file_name_problem(p_name);
  if problem is null and octet_length(p_content) > 10485760 then
    problem := format('it has %s bytes; at most 10485760 (10 MiB) are kept', octet_length(p_content));
  end if;
  if problem is not null then return; end if;
  media_type := coalesce(animus.sniff_media_type(p_content), 'application/octet-stream');
  select count(*) filter (where id <> p_file_id) as files, coalesce(sum(bytes) filter (where id <> p_file_id), 0) as bytes into v_kept
    from animus.artifacts where work_item_id = v_item.id and focus_id is null;
  if v_kept.files >= 100 then
    problem := 'this work item has 100 files already, which is the limit';
  elsif v_kept.bytes + octet_length(p_content) > 104857600 then
    problem := 'the files of this work item would have more than 104857600 bytes (100 MiB) together';
  else
    insert into animus.artifacts (id, work_item_id, name, media_type, bytes, content, created_at)
    values (p_file_id, v_item.id, p_name, media_type, octet_length(p_content), p_content, animus.now())
    on conflict (id) do nothing;
  end if;
end $$;
