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

-- Charges a model call that is not a turn of the focus, and settles what was reserved and held for it. p_call: {provider, model, usage: {input, output, estimated} |
-- null, cost_usd: null if it is not known, lost, operation}; lost: requests for it that returned nothing; operation: what the call was for, by default `summary`.
-- Where the cost is not known, what was reserved for it counts as an estimate. What was lost counts for the model that has answered in the end.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.record_side_call(p_focus_id uuid, p_token bigint, p_call jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item   animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_usage  jsonb := nullif(p_call -> 'usage', 'null');
  v_model  text := coalesce(p_call ->> 'provider', '') || '/' || coalesce(p_call ->> 'model', '');
  v_for    text := coalesce(p_call ->> 'operation', 'summary');
  v_lost   int := coalesce((p_call ->> 'lost')::int, 0);
  v_open   record;
  v_cost   numeric;
begin
  select t.reserved_usd as usd, t.reserved_tokens as tokens, t.reserved_on as day into v_open
    from animus.turns t where t.focus_id = p_focus_id and t.open_request is not null;
  v_cost := coalesce((p_call ->> 'cost_usd')::numeric, nullif(v_open.usd, 0));
  if p_call ->> 'cost_usd' is null and v_cost is not null and v_usage is not null then v_usage := v_usage || '{"estimated": true}'; end if;
  if v_lost > 0 then
    update animus.turns t set reserved_for = jsonb_build_object('model', v_model, 'operation', v_for)
     where t.focus_id = p_focus_id and t.open_request is not null;
  end if;
  perform animus.count_lost(p_focus_id, 0, v_lost);
  perform animus.charge_item(v_item.id, v_model, coalesce(v_open.day, (animus.now() at time zone 'UTC')::date), v_for, 1, v_cost, v_usage, 0, 0, 0,
    case when v_usage is null then coalesce(v_open.tokens, 0) else 0 end);
  perform animus.settle_side_call(v_item, p_focus_id, v_cost,
    case when v_usage is not null then coalesce((v_usage ->> 'input')::bigint, 0) + coalesce((v_usage ->> 'output')::bigint, 0) end, v_lost);
end $$;
