-- The durable transcript of a focus. All of it is fenced by the item's lease token.

-- Begins a focus, or goes on with the one that a crash, a drain or a wake left open. A resumed focus keeps the system prompt,
-- tool list and faculty snapshot it started with, so that its requests stay byte-identical, and its directory where it is
-- still on the same host; p_directory_root is where a new one goes.
create or replace function animus.start_focus(
  p_id uuid, p_token bigint, p_host text, p_directory_root text, p_faculty_snapshot jsonb, p_system_prompt text, p_tools json)
returns animus.foci
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_item  animus.held_work := animus.hold_lease(p_id, p_token);
  v_id    uuid;
  v_focus animus.foci;
begin
  update animus.work_items set state = 'running' where id = p_id;
  update animus.foci set resumes = resumes + 1, daemon_id = v_item.lease_owner, host = p_host,
         directory = case when host = p_host then directory else p_directory_root || '/' || id end
   where work_item_id = p_id and ended_as is null returning * into v_focus;
  if not found then
    v_id := animus.uuid_v7();
    insert into animus.foci (id, work_item_id, number, daemon_id, host, directory, phase, faculty_snapshot, system_prompt, tools, started_at)
    values (v_id, p_id, 1 + (select count(*) from animus.foci where work_item_id = p_id),
            v_item.lease_owner, p_host, p_directory_root || '/' || v_id, 'orient', p_faculty_snapshot, p_system_prompt, p_tools, v_now)
    returning * into v_focus;
  end if;
  return v_focus;
end $$;

-- The item of a focus, its lease proven.
create or replace function animus.hold_focus(p_focus_id uuid, p_token bigint) returns animus.held_work
language plpgsql as $$
declare
  v_id uuid;
begin
  select work_item_id into v_id from animus.foci where id = p_focus_id;
  if not found then
    perform animus.raise('WA003', format('no focus %s', p_focus_id), p_focus_id);
  end if;
  return animus.hold_lease(v_id, p_token);
end $$;

create or replace function animus.set_phase(p_focus_id uuid, p_token bigint, p_phase text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.hold_focus(p_focus_id, p_token);
  update animus.foci set phase = p_phase where id = p_focus_id;
end $$;

-- Opens a turn before its request is sent and reserves its cost. Answers 'go', or why not: 'cancelled', 'paused'.
-- A turn that was begun and never recorded is asked again; what it had reserved is charged as lost.
create or replace function animus.begin_turn(p_focus_id uuid, p_token bigint, p_turn int, p_reserved_usd numeric default 0) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
begin
  if v_item.cancel_requested_at is not null then return 'cancelled'; end if;
  if exists (select from animus.pauses p where p.faculty in (v_item.faculty, '*') and (p.until is null or p.until > v_now)) then return 'paused'; end if;
  insert into animus.turns as t (focus_id, turn, reserved_usd, begun_at) values (p_focus_id, p_turn, p_reserved_usd, v_now)
  on conflict (focus_id, turn) do update
     set lost_usd = t.lost_usd + t.reserved_usd, reserved_usd = excluded.reserved_usd, begun_at = excluded.begun_at
   where t.recorded_at is null;
  return 'go';
end $$;

-- Makes an answer durable before anything acts on it, together with the calls it asks for. p_answer: {provider, model, content,
-- response_id, stop_reason, raw_stop_reason, cut_tool_calls, usage: {input, output, …} | null, cost_usd, duration_ms,
-- time_to_first_token_ms}; p_calls: [{call_id, name, input, state}] in order. Recording a recorded turn changes nothing.
create or replace function animus.record_turn(p_focus_id uuid, p_token bigint, p_turn int, p_answer json, p_calls json) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now    timestamptz := animus.now();
  v_item   animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_cost   numeric := coalesce((p_answer ->> 'cost_usd')::numeric, 0);
  v_input  bigint := coalesce((p_answer #>> '{usage,input}')::bigint, 0);
  v_output bigint := coalesce((p_answer #>> '{usage,output}')::bigint, 0);
begin
  update animus.turns
     set provider = p_answer ->> 'provider', model = p_answer ->> 'model', response = p_answer -> 'content',
         response_id = p_answer ->> 'response_id', stop_reason = p_answer ->> 'stop_reason', raw_stop_reason = p_answer ->> 'raw_stop_reason',
         cut_tool_calls = array(select json_array_elements_text(coalesce(p_answer -> 'cut_tool_calls', '[]'))),
         usage = nullif((p_answer -> 'usage')::jsonb, 'null'), cost_usd = v_cost, reserved_usd = 0, recorded_at = v_now,
         duration_ms = (p_answer ->> 'duration_ms')::float8, time_to_first_token_ms = (p_answer ->> 'time_to_first_token_ms')::float8
   where focus_id = p_focus_id and turn = p_turn and recorded_at is null;
  if not found then
    perform from animus.turns where focus_id = p_focus_id and turn = p_turn;
    if found then return; end if;
    perform animus.raise('WA002', format('turn %s of focus %s was never begun', p_turn, p_focus_id), p_focus_id);
  end if;
  insert into animus.tool_calls (focus_id, turn, call_id, position, name, input, state, started_at)
  select p_focus_id, p_turn, c ->> 'call_id', n, c ->> 'name', c -> 'input', c ->> 'state', case when c ->> 'state' = 'started' then v_now end
    from json_array_elements(p_calls) with ordinality as e (c, n);
  update animus.work_items set turns = turns + 1, cost_usd = cost_usd + v_cost, input_tokens = input_tokens + v_input,
         output_tokens = output_tokens + v_output where id = v_item.id;
  insert into animus.spend as s (faculty, model, day, usd, input_tokens, output_tokens, calls)
  values (v_item.faculty, coalesce(p_answer ->> 'provider', '') || '/' || coalesce(p_answer ->> 'model', ''),
          (v_now at time zone 'UTC')::date, v_cost, v_input, v_output, 1)
  on conflict (faculty, model, day) do update
     set usd = s.usd + excluded.usd, input_tokens = s.input_tokens + excluded.input_tokens,
         output_tokens = s.output_tokens + excluded.output_tokens, calls = s.calls + 1;
end $$;

-- Records the ends of calls. p_results: [{turn, call_id, state, output, is_error, details, duration_ms}]. Returns how many it
-- recorded: a call that had already ended keeps its first result.
create or replace function animus.finish_tool_calls(p_focus_id uuid, p_token bigint, p_results jsonb) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_count int;
begin
  perform animus.hold_focus(p_focus_id, p_token);
  update animus.tool_calls t
     set state = r ->> 'state', output = r ->> 'output', output_bytes = octet_length(r ->> 'output'), is_error = (r ->> 'is_error')::boolean,
         details = nullif(r -> 'details', 'null'), ended_at = v_now, duration_ms = (r ->> 'duration_ms')::float8
    from jsonb_array_elements(p_results) r
   where t.focus_id = p_focus_id and t.turn = (r ->> 'turn')::int and t.call_id = r ->> 'call_id' and t.state in ('pending', 'started', 'waiting');
  get diagnostics v_count = row_count;
  return v_count;
end $$;

-- Records a message the engine puts into the context, before it is sent. Returns its number. A stub or summary names the first turn it keeps.
create or replace function animus.add_message(
  p_focus_id uuid, p_token bigint, p_after_turn int, p_kind text, p_content text, p_tokens int, p_keeps_from int default null) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_seq int;
begin
  perform animus.hold_focus(p_focus_id, p_token);
  insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, keeps_from, created_at)
  values (p_focus_id, 1 + (select coalesce(max(seq), 0) from animus.focus_messages where focus_id = p_focus_id),
          p_after_turn, p_kind, p_content, p_tokens, p_keeps_from, animus.now())
  returning seq into v_seq;
  return v_seq;
end $$;
