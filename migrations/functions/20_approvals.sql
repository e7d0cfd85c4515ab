-- Calls that a person decides: asked, decided, and started. A decision is bound to the hash of the exact call, and to the turn that made it.

-- Returns what a decision about a call is bound to: the tool, and the input as it is written.
-- Locks: none. Raises: nothing.
create or replace function animus.digest_call(p_tool text, p_input json) returns bytea
language sql stable parallel safe as $$ select animus.digest_texts('tool_call', p_tool, p_input::text) $$;

-- Marks a recorded call as running, and stores the input that it runs with, before it runs: p_final_input, if a hook or a person has changed it.
-- A call that waits is started only if a person has approved it with this input. A call that was started already stays as it is.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA002, WA003, 57PA1.
create or replace function animus.start_call(
  p_focus_id uuid, p_token bigint, p_turn int, p_call_id text, p_final_input json default null, p_grant_id bigint default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_call record;
begin
  select c.state, c.name, coalesce(p_final_input, c.final_input, c.input) as input into v_call
    from animus.tool_calls c where c.focus_id = p_focus_id and c.turn = p_turn and c.call_id = p_call_id;
  if not found then
    perform animus.raise('WA003', format('no call %s in turn %s of focus %s', p_call_id, p_turn, p_focus_id), p_focus_id);
  end if;
  if v_call.state not in ('pending', 'started', 'waiting') then
    perform animus.raise('WA002', format('call %s has ended (%s)', p_call_id, v_call.state), v_item.id);
  end if;
  if v_call.state = 'waiting' and not exists (
    select from animus.waits w
     where w.work_item_id = v_item.id and w.call_id = p_call_id and w.focus_id = p_focus_id and w.turn = p_turn and w.kind = 'approval'
       and w.resolved_at is not null and w.result ->> 'approved' = encode(animus.digest_call(v_call.name, v_call.input), 'hex')) then
    perform animus.raise('WA002', format('call %s waits, and nobody has approved it with this input', p_call_id), v_item.id);
  end if;
  update animus.tool_calls
     set state = 'started', started_at = coalesce(started_at, v_now), final_input = coalesce(p_final_input, final_input),
         grant_id = coalesce(p_grant_id, grant_id)
   where focus_id = p_focus_id and turn = p_turn and call_id = p_call_id;
end $$;
