-- Context size: outputs stored as artifacts, and model calls that are not turns.

-- Stores the whole output of an ended call as an artifact and replaces it with p_shown, the text for the model.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA002, WA003, 57PA1.
create or replace function animus.store_output(
  p_focus_id uuid, p_token bigint, p_turn int, p_call_id text, p_artifact_id uuid, p_shown text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.hold_focus(p_focus_id, p_token);
  perform from animus.tool_calls where focus_id = p_focus_id and turn = p_turn and call_id = p_call_id and output is not null;
  if not found then
    perform animus.raise('WA002', format('call %s of turn %s has no output to store', p_call_id, p_turn), p_focus_id);
  end if;
  insert into animus.artifacts (id, focus_id, name, media_type, bytes, content, created_at)
  select p_artifact_id, focus_id, animus.file_name_of(name), 'text/plain; charset=utf-8', octet_length(output), convert_to(output, 'UTF8'), animus.now()
    from animus.tool_calls where focus_id = p_focus_id and turn = p_turn and call_id = p_call_id
  on conflict (id) do nothing; -- its id is that of its content: another call had the same output
  update animus.tool_calls set output = p_shown where focus_id = p_focus_id and turn = p_turn and call_id = p_call_id;
end $$;

-- Charges a model call that is not a turn of the focus. p_call: {provider, model, usage: {input, output} | null, cost_usd: null if it is not known,
-- operation}; operation: what the call was for, by default `summary`.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.record_side_call(p_focus_id uuid, p_token bigint, p_call jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item   animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_cost   numeric := (p_call ->> 'cost_usd')::numeric;
  v_input  bigint := coalesce((p_call #>> '{usage,input}')::bigint, 0);
  v_output bigint := coalesce((p_call #>> '{usage,output}')::bigint, 0);
  v_submitter text;
begin
  update animus.work_items set cost_usd = cost_usd + coalesce(v_cost, 0), unpriced_calls = unpriced_calls + (v_cost is null)::int,
         input_tokens = input_tokens + v_input, output_tokens = output_tokens + v_output
   where id = v_item.id
  returning case when depth = 0 then submitted_by else animus.submitter_of(root_id) end into v_submitter;
  insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, operation, submitter)
  values (v_item.faculty, coalesce(p_call ->> 'provider', '') || '/' || coalesce(p_call ->> 'model', ''),
          (animus.now() at time zone 'UTC')::date, v_cost, v_input, v_output, coalesce(p_call ->> 'operation', 'summary'), v_submitter);
end $$;
